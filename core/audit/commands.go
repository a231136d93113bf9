package audit

import (
	"strings"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// name is what people call a volume: its drive letter, else its folder, else its id.
func name(v contract.Volume) string {
	for _, mountPoint := range v.MountPoints {
		if letter, ok := driveLetter(mountPoint); ok {
			return letter
		}
	}
	if len(v.MountPoints) > 0 {
		return v.MountPoints[0]
	}
	return v.ID
}

// driveLetter returns "C:" for "C:" and "C:\".
func driveLetter(mountPoint string) (string, bool) {
	letter := strings.TrimSuffix(mountPoint, `\`)
	if len(letter) != 2 || letter[1] != ':' {
		return "", false
	}
	c := letter[0] | 0x20
	return letter, c >= 'a' && c <= 'z'
}

// elsewhere says of a command that it cannot be run where the facts were read.
func elsewhere(command string) phrase {
	return say("%s for this volume, on a Windows computer that it is attached to", command)
}

// cmdlet writes a BitLocker cmdlet for a volume; parameters may be empty.
func (f facts) cmdlet(v contract.Volume, verb, parameters string) phrase {
	command := verb
	if f.windows() {
		command += " -MountPoint " + bitlocker.Quoted(name(v))
	}
	if parameters != "" {
		command += " " + parameters
	}
	if !f.windows() {
		return elsewhere(command)
	}
	return verbatim(command)
}

// manageBDE writes a manage-bde command for a volume.
func (f facts) manageBDE(v contract.Volume, verb string) phrase {
	if !f.windows() {
		return elsewhere("manage-bde " + verb)
	}
	volume := name(v)
	if strings.ContainsAny(volume, " &()") {
		// A backslash before the closing quotation mark would escape it.
		volume = `"` + strings.TrimSuffix(volume, `\`) + `"`
	}
	return verbatim("manage-bde " + verb + " " + volume)
}

// remediate writes a command of this program that changes the volumes, or the computer when none is
// given; options may be empty.
func (f facts) remediate(options string, volumes ...contract.Volume) phrase {
	command := "diskaudit remediate"
	if options != "" {
		command += " " + options
	}
	if !f.windows() {
		return elsewhere(command)
	}
	for _, v := range volumes {
		command += " --volume " + argument(v)
	}
	return verbatim(command)
}

// argument is a volume's name as both PowerShell and cmd.exe pass it on. What one of them would change
// within quotation marks is named by the volume's id.
func argument(v contract.Volume) string {
	volume := name(v)
	if strings.ContainsAny(volume, "$%`!^\"'") {
		volume = v.ID
	}
	if strings.ContainsAny(volume, " &()[]{},;@#|<>") {
		// A backslash before the closing quotation mark would escape it.
		volume = `"` + strings.TrimSuffix(volume, `\`) + `"`
	}
	return volume
}

// preventCommand keeps Windows from encrypting by itself.
const preventCommand = "diskaudit remediate --action prevent --apply"

// decrypt tells how to decrypt a volume, what it costs and what it risks. Only what software encrypts
// is this program's to decrypt.
func (f facts) decrypt(v contract.Volume) phrase {
	if f.managed() {
		return say("This computer is managed: do not decrypt it on your own, talk to its administrator. A policy may demand the encryption and would bring it back.")
	}
	how := f.decryptByHand(v)
	if bySoftware(v) {
		how = f.decryptByPlan(v)
	}
	return sentences(
		f.thief(v),
		how,
		say("Have a backup, stay on mains power, and do not reinstall or repartition until diskaudit status says FullyDecrypted."),
	)
}

// decryptByPlan names the command that shows what would be done, and says what --apply does.
func (f facts) decryptByPlan(v contract.Volume) phrase {
	first := f.unlockedBy(v)
	var prevents, before phrase
	if f.encryptsAgain(v) {
		prevents = say("It also keeps Windows from encrypting by itself again, which alone decrypts nothing.")
	}
	if len(first) > 0 {
		before = say("The volumes that unlock automatically (%s) come first: Windows refuses with 0x80310029 while their keys are stored on this volume.", names(first))
	}
	return sentences(
		say("To decrypt, run %s, which shows the plan and what stands against it, and changes nothing.", f.remediate("", append(first, v)...)),
		say("With --apply it carries the plan out, as administrator, and shows how far it is."),
		prevents,
		before,
		say("Windows rewrites the encrypted data in the background, which can take hours and loads the disk; neither Ctrl-C nor a restart ends that."),
	)
}

// decryptByHand names the cmdlet.
func (f facts) decryptByHand(v contract.Volume) phrase {
	var prevent, before phrase
	if f.encryptsAgain(v) {
		prevent = say("First keep Windows from encrypting by itself again: %s; that alone decrypts nothing.", preventCommand)
	}
	if first := f.unlockedBy(v); len(first) > 0 {
		before = say("Decrypt the volumes that unlock automatically before it (%s): Windows refuses with 0x80310029 while their keys are stored on this volume.", names(first))
	}
	return sentences(
		prevent,
		before,
		say("To decrypt, run %s.", f.cmdlet(v, "Disable-BitLocker", "")),
		say("The command returns at once; Windows then rewrites the encrypted data in the background, which can take hours and loads the disk."),
	)
}

// thief says what decrypting gives away.
func (f facts) thief(v contract.Volume) phrase {
	switch {
	case isType(v, contract.Removable):
		return say("A removable volume is easily lost: without encryption whoever finds it can read it.")
	case f.portable():
		return say("This computer is portable: without encryption whoever steals or finds it can read all of its data.")
	case f.server():
		return say("On a server, ask first who answers for the data: rules often demand encryption at rest, and discarded disks keep their data.")
	}
	return say("Without encryption whoever gets hold of the disk can read it.")
}

// encryptsAgain reports whether device encryption may come back to a volume: it is a matter of
// clients, and takes operating system and fixed volumes only.
func (f facts) encryptsAgain(v contract.Volume) bool {
	return f.windows() && !f.server() && !isType(v, contract.Removable) && !yes(f.status.Policy.PreventDeviceEncryption)
}

// unlockedBy are the data volumes whose keys lie on an operating system volume. Windows refuses to
// decrypt that volume while they do (FVE_E_AUTOUNLOCK_ENABLED, 0x80310029).
func (f facts) unlockedBy(v contract.Volume) []contract.Volume {
	if !isType(v, contract.OperatingSystem) {
		return nil
	}
	var unlocked []contract.Volume
	for _, other := range f.status.Volumes {
		if yes(other.Encryption.AutoUnlock) && other.ID != v.ID {
			unlocked = append(unlocked, other)
		}
	}
	return unlocked
}

// names lists what people call volumes.
func names(volumes []contract.Volume) string {
	var all []string
	for _, v := range volumes {
		all = append(all, name(v))
	}
	return strings.Join(all, ", ")
}

// costWithoutProtection says what an unprotected volume means for its engine; nothing when the engine
// is unknown.
func costWithoutProtection(v contract.Volume) phrase {
	switch {
	case is(v.Encryption.Engine, contract.EngineSoftware):
		return say("It pays the cost of encryption without having its protection.")
	case is(v.Encryption.Engine, contract.EngineDrive):
		return say("The drive goes on encrypting, but hands its data out without asking for a key.")
	}
	return phrase{}
}
