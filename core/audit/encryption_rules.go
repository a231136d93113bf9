package audit

import (
	"fmt"
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
		title:    fmt.Sprintf("Volume %s is encrypted by software", name(v)),
		evidence: evidence(state(v), f.mediaFact(v)),
	}
	onHardDisk := f.everyDisk(v, func(d contract.Disk) bool { return is(d.Media, contract.MediaHDD) })
	if onHardDisk || isType(v, contract.Removable) || (protected(v) && (f.portable() || f.managed())) {
		c.severity = contract.SeverityInfo
	}
	hardDisk, unprotectedCost := "", ""
	if onHardDisk {
		hardDisk = "On a hard disk the time of the heads hides most of it."
	}
	if unprotected(v) {
		c.title += ", but not protected"
		unprotectedCost = costWithoutProtection(v)
	}
	c.advice = sentences(
		"The processor encrypts and decrypts every read and write of this volume.",
		"What that costs depends on processor, disk and load; it shows most in small blocks on fast NVMe disks, and no fixed percentage holds.",
		hardDisk,
		"Measure it on this computer before you decide: "+f.measure(v)+".",
		unprotectedCost,
		f.decryptOnce(v),
	)
	return c
}

// measure is the command that measures what the encryption adds. What is mounted nowhere has no
// place for its file.
func (f facts) measure(v contract.Volume) string {
	rights := "as administrator"
	if f.linux() {
		rights = "as root"
	}
	if len(v.MountPoints) == 0 {
		return "diskaudit bench, " + rights + ", compares a volume with the disk below it"
	}
	target := v.MountPoints[0]
	if strings.ContainsAny(target, " '&()") {
		target = `"` + target + `"`
	}
	return "diskaudit bench --target " + target + ", " + rights + ", compares the volume with the disk below it"
}

// decryptOnce leaves the way to decrypt to waiting-for-activation where that speaks about the
// same volume.
func (f facts) decryptOnce(v contract.Volume) string {
	if is(v.Encryption.ProtectionReason, contract.ReasonWaitingForActivation) {
		return "How to protect it, or to decrypt it, says the finding waiting-for-activation."
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
	done := ""
	if e.Percent != nil {
		done = fmt.Sprintf(" (%s %% is encrypted)", number(*e.Percent))
	}
	pause, resume := f.remediate("--action pause --apply", v), f.remediate("--action resume --apply", v)
	reverse := ""
	switch {
	case is(e.Conversion, contract.EncryptionInProgress):
		c.title = fmt.Sprintf("Volume %s is being encrypted%s", name(v), done)
		reverse = "If the encryption is not wanted, " + f.remediate("", v) + " shows the plan that turns it round and decrypts what is done so far; with --override conversion-running --apply it does so."
		if f.managed() {
			reverse = "This computer is managed: ask its administrator before you turn the encryption round."
		}
	case is(e.Conversion, contract.DecryptionInProgress):
		c.title = fmt.Sprintf("Volume %s is being decrypted%s", name(v), done)
		reverse = "Protection is off from the first moment of a decryption."
	case is(e.Wiping, contract.WipeInProgress):
		c.title = fmt.Sprintf("Free space of volume %s is being wiped", name(v))
		c.reference = pageWipeFreeSpace
		pause, resume = f.manageBDE(v, "-pause"), f.manageBDE(v, "-resume")
		reverse = f.manageBDE(v, "-wipefreespace -cancel") + " ends it; what is wiped stays wiped."
	default:
		return nil
	}
	c.advice = sentences(
		"Windows is rewriting the volume in the background, so the disk is busy and measurements of its speed are worthless until it is done.",
		"It survives restarts and goes on by itself. Do not reinstall, repartition or format meanwhile.",
		pause+" stops it for a while, "+resume+" lets it go on.",
		reverse,
		"Run diskaudit status again to see how far it is; the conversion state counts, not the percentage.",
	)
	return c
}

// conversionPaused finds conversions that somebody stopped and forgot.
func conversionPaused(f facts, v contract.Volume) *conclusion {
	c := &conclusion{evidence: state(v)}
	way, other := "", ""
	switch {
	case is(v.Encryption.Conversion, contract.EncryptionPaused):
		c.title = fmt.Sprintf("Encryption of volume %s is paused half-way", name(v))
		way = "A part of the data is not encrypted, and protection does not begin before the encryption is complete."
		if !f.managed() {
			other = "To go back instead, " + f.remediate("", v) + " shows the plan that decrypts what is done so far, and with --apply carries it out."
		}
	case is(v.Encryption.Conversion, contract.DecryptionPaused):
		c.title = fmt.Sprintf("Decryption of volume %s is paused half-way", name(v))
		way = "Protection is off already, while the encrypted rest still costs time."
	default:
		return nil
	}
	c.advice = sentences(
		way,
		"Nothing happens until someone resumes it: run "+f.remediate("--action resume --apply", v)+".",
		"It then rewrites the rest in the background, on mains power if possible.",
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
	stop := "If the encryption is not wanted, run " + f.cmdlet(v, "Disable-BitLocker", "") + " before the restart, and see with diskaudit status that no test is pending any more."
	if f.managed() {
		stop = "This computer is managed: if the encryption is not wanted, talk to its administrator before the restart."
	}
	return &conclusion{
		title:    fmt.Sprintf("Volume %s is not encrypted yet: the next restart tests the hardware and begins the encryption", name(v)),
		evidence: evidence(fact("hardwareTest", e.HardwareTest), state(v), protectorsFact(v)),
		advice: sentences(
			"BitLocker was turned on and waits for a restart, in which it tests that the volume can be unlocked; if that succeeds, the encryption begins by itself and rewrites the data in the background.",
			"Until then nothing is encrypted or protected.",
			"Before the restart, see that the recovery password is kept away from this computer, and attach the startup key if there is one.",
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
	again := "Then turn BitLocker on again, with " + f.cmdlet(v, "Enable-BitLocker", "-TpmProtector") + " or another protector, and restart."
	unwanted := "If it is not wanted, there is nothing to decrypt and nothing to do."
	if f.managed() {
		again = "This computer is managed: turning BitLocker on again is its administrator's to do."
		unwanted = ""
	}
	return &conclusion{
		title:    fmt.Sprintf("Volume %s is not encrypted: the hardware test at the last restart failed", name(v)),
		evidence: evidence(fact("hardwareTest", e.HardwareTest), state(v), protectorsFact(v)),
		advice: sentences(
			"BitLocker was turned on, and the restart was to show that the volume can be unlocked. It could not be, so the encryption did not begin and Windows removed the key protectors: nothing is encrypted or protected.",
			"If the encryption is wanted, find the cause first: a TPM that is off, a start from another medium, new firmware, a startup key that could not be read, a wrong PIN. Event Viewer (Microsoft, Windows, BitLocker-API, Management) may name it.",
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
		title:    fmt.Sprintf("Only the space in use on volume %s was encrypted", name(v)),
		evidence: evidence(fact("conversion", e.Conversion), fact("usedSpaceOnly", e.UsedSpaceOnly), fact("wiping", e.Wiping)),
		advice: sentences(
			"What is written now is encrypted. Data that was deleted before the encryption can still lie readable in free space.",
			"On a disk that was new at that time there is nothing to do.",
			"Otherwise run "+f.manageBDE(v, "-wipefreespace")+"; it fills the free space once, which takes hours on large disks and wears an SSD by one more write of that space.",
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
	age := ""
	switch {
	case is(e.Method, contract.Aes128Diffuser, contract.Aes256Diffuser):
		c.title = fmt.Sprintf("Volume %s uses AES-CBC with diffuser, which Windows gave up with 8.1", name(v))
		age = "Windows still reads and writes it, but cannot create it any more."
	case is(e.Method, contract.Aes128, contract.Aes256):
		c.title = fmt.Sprintf("Volume %s uses AES-CBC instead of XTS-AES", name(v))
		age = "AES-CBC keeps data as secret as XTS-AES, but does less against deliberate changes of the encrypted data."
	default:
		return nil
	}
	if isType(v, contract.Removable) {
		c.severity = contract.SeverityInfo
		age = sentences(age, "For a removable volume AES-CBC is the compatible choice: Windows 7 and 8.1 cannot read XTS-AES.")
	}
	change := "To change it, decrypt the volume completely and encrypt it again with " + f.cmdlet(v, "Enable-BitLocker", "-EncryptionMethod XtsAes256") +
		" and a protector of your choice; both rewrite all data, and it lies open in between. Nothing makes this urgent: combine it with the next change of disk."
	if f.managed() {
		change = "The cipher comes from the policy at the time of encryption; its administrator decides about a change, which means decrypting and encrypting again."
	}
	c.advice = sentences(age, change)
	return c
}

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
		title:    fmt.Sprintf("Volume %s relies on the drive's own encryption", name(v)),
		evidence: evidence(fact("method", e.Method), fact("engine", e.Engine)),
	}
	named := ""
	disks, _ := f.disksOf(v)
	for _, disk := range disks {
		c.evidence = evidence(c.evidence, fact("disk", &disk.ID), fact("model", disk.Model), fact("firmware", disk.Firmware))
		if disk.Model != nil && isAdvisoryModel(*disk.Model) {
			c.severity = contract.SeverityWarning
			named = "This model is among those whose data the researchers could read without the key, unless newer firmware closed the gap: ask the maker."
		}
	}
	change := "Switching means: turn off the policy \"Configure use of hardware-based encryption\" for this kind of volume, run " + f.cmdlet(v, "Disable-BitLocker", "") +
		", and encrypt again with " + f.cmdlet(v, "Enable-BitLocker", "-EncryptionMethod XtsAes256") + "; data is unprotected in between."
	if f.managed() {
		change = "This computer is managed: the switch is its administrator's to make."
	}
	c.advice = sentences(
		"Whether a drive encrypts well cannot be seen from outside; advisory ADV180028 says that several did not, and Windows has used software by default since September 2019.",
		named,
		"Where the data matters, software encryption is the safe choice; it costs processor time that the drive's own encryption does not.",
		change,
		"Where it does not matter, leave it: decrypting gains no speed.",
	)
	return c
}

// neverLocks tells of a drive that encrypts without protecting: of such a drive "decrypted" means
// that it is always unlocked (pageConversionStatus).
func (f facts) neverLocks(v contract.Volume) *conclusion {
	e := v.Encryption
	protect := "To protect it, turn BitLocker on with a protector of your choice. " + f.cmdlet(v, "Enable-BitLocker", "-EncryptionMethod XtsAes256") +
		" encrypts by software, the safe choice since advisory ADV180028 on drives that encrypt, where the policy \"Configure use of hardware-based encryption\" does not ask for the drive's."
	if f.managed() {
		protect = "This computer is managed: whether the volume has to be protected, and how, is its administrator's to decide."
	}
	return &conclusion{
		severity:  contract.SeverityInfo,
		title:     fmt.Sprintf("The drive of volume %s encrypts, but never locks: nothing protects the volume", name(v)),
		evidence:  evidence(fact("conversion", e.Conversion), fact("method", e.Method), fact("engine", e.Engine), fact("protection", e.Protection)),
		reference: pageConversionStatus,
		advice: sentences(
			"Of a drive that encrypts by itself Windows says decrypted as long as the drive is always unlocked: it hands its data out to anyone, as one without encryption does.",
			"There is nothing to decrypt.",
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
		title:    fmt.Sprintf("The disk of volume %s could encrypt by itself, but software does", name(v)),
		evidence: fact("engine", v.Encryption.Engine),
	}
	disks, _ := f.disksOf(v)
	for _, disk := range disks {
		c.evidence = evidence(c.evidence, fact("disk", &disk.ID), fact("model", disk.Model), fact("self-encrypting", disk.SelfEncrypting.Supported), fact("standard", disk.SelfEncrypting.Standard))
	}
	c.evidence = evidence(c.evidence, fact("policy allows the drive's encryption", f.policyHardware(v)))
	c.advice = sentences(
		"This is the state that Microsoft recommends since advisory ADV180028: nothing needs to change.",
		"The drive's own encryption would free the processor of the work, but its quality cannot be verified from outside.",
		"BitLocker uses it only if the policy \"Configure use of hardware-based encryption\" allows it for this kind of volume, the drive also follows IEEE 1667 (not tested here), and the volume is created anew on a drive prepared for it, which erases the drive.",
		"Consider it only for a model whose maker vouches for its encryption.",
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
