package audit

import (
	"strings"

	"diskaudit/core/contract"
)

// softwareEncryption says that the processor encrypts, and what to weigh. The published figures
// differ too much between computers to promise one: the cost has to be measured.
func softwareEncryption(f facts, v contract.Volume) *conclusion {
	if !bySoftware(v) || is(v.Encryption.Lock, contract.Locked) {
		// Nothing is read from or written to a locked volume.
		return nil
	}
	c := &conclusion{
		title:    say("Volume %s is encrypted by software", name(v)),
		evidence: evidence(state(v), f.mediaFact(v)),
	}
	onHardDisk := f.everyDisk(v, func(d contract.Disk) bool { return is(d.Media, contract.MediaHDD) })
	if onHardDisk || isType(v, contract.Removable) || (protected(v) && (f.portable() || f.managed())) {
		c.severity = contract.SeverityInfo
	}
	var hardDisk, unprotectedCost phrase
	if onHardDisk {
		hardDisk = say("On a hard disk the time of the heads hides most of it.")
	}
	if unprotected(v) {
		c.title = say("Volume %s is encrypted by software, but not protected", name(v))
		unprotectedCost = costWithoutProtection(v)
	}
	c.advice = sentences(
		say("The processor encrypts and decrypts every read and write of this volume."),
		say("What that costs depends on processor, disk and load; it shows most in small blocks on fast NVMe disks, and no fixed percentage holds."),
		hardDisk,
		say("Measure it on this computer before you decide: %s.", f.measure(v)),
		unprotectedCost,
		f.decryptOnce(v),
	)
	return c
}

// measure is the command that measures what the encryption adds. What is mounted nowhere has no
// place for its file.
func (f facts) measure(v contract.Volume) phrase {
	rights := say("as administrator")
	if f.linux() {
		rights = say("as root")
	}
	if len(v.MountPoints) == 0 {
		return say("%s, %s, compares a volume with the disk below it", "diskaudit bench", rights)
	}
	target := v.MountPoints[0]
	if strings.ContainsAny(target, " '&()") {
		target = `"` + target + `"`
	}
	return say("%s, %s, compares the volume with the disk below it", "diskaudit bench --target "+target, rights)
}

// decryptOnce leaves the way to decrypt to waiting-for-activation where that speaks about the
// same volume.
func (f facts) decryptOnce(v contract.Volume) phrase {
	if is(v.Encryption.ProtectionReason, contract.ReasonWaitingForActivation) {
		return say("How to protect it, or to decrypt it, says the finding %s.", "waiting-for-activation")
	}
	return f.decrypt(v)
}

// mediaFact names the media of a volume's disks; "" when they are unknown.
func (f facts) mediaFact(v contract.Volume) string {
	disks, known := f.disksOf(v)
	if !known {
		return ""
	}
	var parts []string
	for _, disk := range disks {
		parts = append(parts, evidence(fact("disk", &disk.ID), fact("bus", disk.Bus), fact("media", disk.Media)))
	}
	return strings.Join(parts, "; ")
}

// conversionRunning explains a busy disk, so that nobody stops it by force or reinstalls.
func conversionRunning(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	c := &conclusion{evidence: evidence(state(v), fact("wiping", e.Wiping))}
	pause, resume := f.remediate("--action pause --apply", v), f.remediate("--action resume --apply", v)
	var reverse phrase
	switch {
	case is(e.Conversion, contract.EncryptionInProgress):
		c.title = say("Volume %s is being encrypted", name(v))
		if e.Percent != nil {
			c.title = say("Volume %s is being encrypted (%s %% is encrypted)", name(v), *e.Percent)
		}
		reverse = say("If the encryption is not wanted, %s shows the plan that turns it round and decrypts what is done so far; with --override conversion-running --apply it does so.", f.remediate("", v))
		if f.managed() {
			reverse = say("This computer is managed: ask its administrator before you turn the encryption round.")
		}
	case is(e.Conversion, contract.DecryptionInProgress):
		c.title = say("Volume %s is being decrypted", name(v))
		if e.Percent != nil {
			c.title = say("Volume %s is being decrypted (%s %% is encrypted)", name(v), *e.Percent)
		}
		reverse = say("Protection is off from the first moment of a decryption.")
	case is(e.Wiping, contract.WipeInProgress):
		c.title = say("Free space of volume %s is being wiped", name(v))
		c.reference = pageWipeFreeSpace
		pause, resume = f.manageBDE(v, "-pause"), f.manageBDE(v, "-resume")
		reverse = say("%s ends it; what is wiped stays wiped.", f.manageBDE(v, "-wipefreespace -cancel"))
	default:
		return nil
	}
	c.advice = sentences(
		say("Windows is rewriting the volume in the background, so the disk is busy and measurements of its speed are worthless until it is done."),
		say("It survives restarts and goes on by itself. Do not reinstall, repartition or format meanwhile."),
		say("%s stops it for a while, %s lets it go on.", pause, resume),
		reverse,
		say("Run diskaudit status again to see how far it is; the conversion state counts, not the percentage."),
	)
	return c
}

// conversionPaused finds conversions that somebody stopped and forgot.
func conversionPaused(f facts, v contract.Volume) *conclusion {
	c := &conclusion{evidence: state(v)}
	var way, other phrase
	switch {
	case is(v.Encryption.Conversion, contract.EncryptionPaused):
		c.title = say("Encryption of volume %s is paused half-way", name(v))
		way = say("A part of the data is not encrypted, and protection does not begin before the encryption is complete.")
		if !f.managed() {
			other = say("To go back instead, %s shows the plan that decrypts what is done so far, and with --apply carries it out.", f.remediate("", v))
		}
	case is(v.Encryption.Conversion, contract.DecryptionPaused):
		c.title = say("Decryption of volume %s is paused half-way", name(v))
		way = say("Protection is off already, while the encrypted rest still costs time.")
	default:
		return nil
	}
	c.advice = sentences(
		way,
		say("Nothing happens until someone resumes it: run %s.", f.remediate("--action resume --apply", v)),
		say("It then rewrites the rest in the background, on mains power if possible."),
		other,
	)
	return c
}

// hardwareTestPending says that the next restart begins an encryption.
func hardwareTestPending(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	if !is(e.HardwareTest, contract.HardwareTestPending) || !is(e.Conversion, contract.FullyDecrypted) {
		return nil
	}
	stop := say("If the encryption is not wanted, run %s before the restart, and see with diskaudit status that no test is pending any more.", f.cmdlet(v, "Disable-BitLocker", ""))
	if f.managed() {
		stop = say("This computer is managed: if the encryption is not wanted, talk to its administrator before the restart.")
	}
	return &conclusion{
		title:    say("Volume %s is not encrypted yet: the next restart tests the hardware and begins the encryption", name(v)),
		evidence: evidence(fact("hardwareTest", e.HardwareTest), state(v), protectorsFact(v)),
		advice: sentences(
			say("BitLocker was turned on and waits for a restart, in which it tests that the volume can be unlocked; if that succeeds, the encryption begins by itself and rewrites the data in the background."),
			say("Until then nothing is encrypted or protected."),
			say("Before the restart, see that the recovery password is kept away from this computer, and attach the startup key if there is one."),
			stop,
		),
	}
}

// hardwareTestFailed finds an encryption that somebody asked for and that never began. Windows has
// removed the key protectors of such a volume (pageHardwareTest).
func hardwareTestFailed(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	if !is(e.HardwareTest, contract.HardwareTestFailed) || !is(e.Conversion, contract.FullyDecrypted) {
		return nil
	}
	again := say("Then turn BitLocker on again, with %s or another protector, and restart.", f.cmdlet(v, "Enable-BitLocker", "-TpmProtector"))
	unwanted := say("If it is not wanted, there is nothing to decrypt and nothing to do.")
	if f.managed() {
		again = say("This computer is managed: turning BitLocker on again is its administrator's to do.")
		unwanted = phrase{}
	}
	return &conclusion{
		title:    say("Volume %s is not encrypted: the hardware test at the last restart failed", name(v)),
		evidence: evidence(fact("hardwareTest", e.HardwareTest), state(v), protectorsFact(v)),
		advice: sentences(
			say("BitLocker was turned on, and the restart was to show that the volume can be unlocked. It could not be, so the encryption did not begin and Windows removed the key protectors: nothing is encrypted or protected."),
			say("If the encryption is wanted, find the cause first: a TPM that is off, a start from another medium, new firmware, a startup key that could not be read, a wrong PIN. Event Viewer (Microsoft, Windows, BitLocker-API, Management) may name it."),
			again,
			unwanted,
		),
	}
}

// usedSpaceOnly reminds of what lay in free space before the encryption. It needs to know that
// the free space was not wiped since.
func usedSpaceOnly(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	if !is(e.Conversion, contract.FullyEncrypted) || !yes(e.UsedSpaceOnly) || !is(e.Wiping, contract.NotWiped, contract.WipePaused) {
		return nil
	}
	return &conclusion{
		title:    say("Only the space in use on volume %s was encrypted", name(v)),
		evidence: evidence(fact("conversion", e.Conversion), fact("usedSpaceOnly", e.UsedSpaceOnly), fact("wiping", e.Wiping)),
		advice: sentences(
			say("What is written now is encrypted. Data that was deleted before the encryption can still lie readable in free space."),
			say("On a disk that was new at that time there is nothing to do."),
			say("Otherwise run %s; it fills the free space once, which takes hours on large disks and wears an SSD by one more write of that space.", f.manageBDE(v, "-wipefreespace")),
		),
	}
}

// legacyCipher finds AES-CBC, with and without the diffuser that Windows 8.1 gave up.
func legacyCipher(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	if !stays(v) {
		return nil
	}
	c := &conclusion{evidence: evidence(fact("method", e.Method), fact("conversion", e.Conversion), fact("type", v.Type))}
	var age phrase
	switch {
	case is(e.Method, contract.Aes128Diffuser, contract.Aes256Diffuser):
		c.title = say("Volume %s uses AES-CBC with diffuser, which Windows gave up with 8.1", name(v))
		age = say("Windows still reads and writes it, but cannot create it any more.")
	case is(e.Method, contract.Aes128, contract.Aes256):
		c.title = say("Volume %s uses AES-CBC instead of XTS-AES", name(v))
		age = say("AES-CBC keeps data as secret as XTS-AES, but does less against deliberate changes of the encrypted data.")
	default:
		return nil
	}
	if isType(v, contract.Removable) {
		c.severity = contract.SeverityInfo
		age = sentences(age, say("For a removable volume AES-CBC is the compatible choice: Windows 7 and 8.1 cannot read XTS-AES."))
	}
	change := say("To change it, decrypt the volume completely and encrypt it again with %s and a protector of your choice; both rewrite all data, and it lies open in between. Nothing makes this urgent: combine it with the next change of disk.",
		f.cmdlet(v, "Enable-BitLocker", "-EncryptionMethod XtsAes256"))
	if f.managed() {
		change = say("The cipher comes from the policy at the time of encryption; its administrator decides about a change, which means decrypting and encrypting again.")
	}
	c.advice = sentences(age, change)
	return c
}

// policyHardwareEncryption begins the names of the policies about drives' own encryption, one for each
// kind of drive (pageConfigure).
const policyHardwareEncryption = "Configure use of hardware-based encryption"

// advisoryModels are the drives that the research behind ADV180028 examined, as they name
// themselves.
var advisoryModels = []string{"MX100", "MX200", "MX300", "840 EVO", "850 EVO", "Portable SSD T3", "Portable SSD T5"}

// hardwareEncryptionAdvisory finds volumes whose only encryption is the drive's own.
func hardwareEncryptionAdvisory(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	switch {
	case !is(e.Method, contract.MethodHardware) && !is(e.Engine, contract.EngineDrive):
		return nil
	case is(e.Conversion, contract.FullyDecrypted):
		return f.neverLocks(v)
	case !stays(v) && !is(e.Lock, contract.Locked):
		return nil
	}
	c := &conclusion{
		title:    say("Volume %s relies on the drive's own encryption", name(v)),
		evidence: evidence(fact("method", e.Method), fact("engine", e.Engine)),
	}
	var named phrase
	disks, _ := f.disksOf(v)
	for _, disk := range disks {
		c.evidence = evidence(c.evidence, fact("disk", &disk.ID), fact("model", disk.Model), fact("firmware", disk.Firmware))
		if disk.Model != nil && isAdvisoryModel(*disk.Model) {
			c.severity = contract.SeverityWarning
			named = say("This model is among those whose data the researchers could read without the key, unless newer firmware closed the gap: ask the maker.")
		}
	}
	change := say("Switching means: turn off the policy \"%s\" for this kind of volume, run %s, and encrypt again with %s; data is unprotected in between.",
		policyHardwareEncryption, f.cmdlet(v, "Disable-BitLocker", ""), f.cmdlet(v, "Enable-BitLocker", "-EncryptionMethod XtsAes256"))
	if f.managed() {
		change = say("This computer is managed: the switch is its administrator's to make.")
	}
	c.advice = sentences(
		say("Whether a drive encrypts well cannot be seen from outside; advisory ADV180028 says that several did not, and Windows has used software by default since September 2019."),
		named,
		say("Where the data matters, software encryption is the safe choice; it costs processor time that the drive's own encryption does not."),
		change,
		say("Where it does not matter, leave it: decrypting gains no speed."),
	)
	return c
}

// neverLocks tells of a drive that encrypts without protecting: of such a drive "decrypted" means
// that it is always unlocked (pageConversionStatus).
func (f facts) neverLocks(v contract.Volume) *conclusion {
	e := v.Encryption
	protect := sentences(
		say("To protect it, turn BitLocker on with a protector of your choice."),
		say("%s encrypts by software, the safe choice since advisory ADV180028 on drives that encrypt, where the policy \"%s\" does not ask for the drive's.",
			f.cmdlet(v, "Enable-BitLocker", "-EncryptionMethod XtsAes256"), policyHardwareEncryption),
	)
	if f.managed() {
		protect = say("This computer is managed: whether the volume has to be protected, and how, is its administrator's to decide.")
	}
	return &conclusion{
		severity:  contract.SeverityInfo,
		title:     say("The drive of volume %s encrypts, but never locks: nothing protects the volume", name(v)),
		evidence:  evidence(fact("conversion", e.Conversion), fact("method", e.Method), fact("engine", e.Engine), fact("protection", e.Protection)),
		reference: pageConversionStatus,
		advice: sentences(
			say("Of a drive that encrypts by itself Windows says decrypted as long as the drive is always unlocked: it hands its data out to anyone, as one without encryption does."),
			say("There is nothing to decrypt."),
			protect,
		),
	}
}

func isAdvisoryModel(model string) bool {
	model = strings.ToUpper(model)
	for _, named := range advisoryModels {
		if strings.Contains(model, strings.ToUpper(named)) {
			return true
		}
	}
	return false
}

// hardwareOffloadAvailable finds volumes that the processor encrypts although their disk could.
// Pyrite locks without encrypting, so the standard must be known.
func hardwareOffloadAvailable(f facts, v contract.Volume) *conclusion {
	if !bySoftware(v) || !f.everyDisk(v, encryptsItself) {
		return nil
	}
	c := &conclusion{
		title:    say("The disk of volume %s could encrypt by itself, but software does", name(v)),
		evidence: fact("engine", v.Encryption.Engine),
	}
	disks, _ := f.disksOf(v)
	for _, disk := range disks {
		c.evidence = evidence(c.evidence, fact("disk", &disk.ID), fact("model", disk.Model), fact("self-encrypting", disk.SelfEncrypting.Supported), fact("standard", disk.SelfEncrypting.Standard))
	}
	c.evidence = evidence(c.evidence, fact("policy allows the drive's encryption", f.policyHardware(v)))
	c.advice = sentences(
		say("This is the state that Microsoft recommends since advisory ADV180028: nothing needs to change."),
		say("The drive's own encryption would free the processor of the work, but its quality cannot be verified from outside."),
		say("BitLocker uses it only if the policy \"%s\" allows it for this kind of volume, the drive also follows IEEE 1667 (not tested here), and the volume is created anew on a drive prepared for it, which erases the drive.", policyHardwareEncryption),
		say("Consider it only for a model whose maker vouches for its encryption."),
	)
	return c
}

func encryptsItself(d contract.Disk) bool {
	s := d.SelfEncrypting
	return yes(s.Supported) && s.Standard != nil && *s.Standard != "" && !strings.Contains(*s.Standard, "Pyrite")
}

// policyHardware is the policy about drives' own encryption for the kind of volume; nil when it
// is unknown.
func (f facts) policyHardware(v contract.Volume) *bool {
	allowed := f.status.Policy.HardwareEncryption
	switch {
	case isType(v, contract.OperatingSystem):
		return allowed.OperatingSystem
	case isType(v, contract.Data):
		return allowed.Fixed
	case isType(v, contract.Removable):
		return allowed.Removable
	}
	return nil
}
