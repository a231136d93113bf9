package audit

import (
	"strings"

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

// elsewhere ends a command that cannot be run where the facts were read.
const elsewhere = " for this volume, on a Windows computer that it is attached to"

// cmdlet writes a BitLocker cmdlet for a volume; parameters may be empty.
func (f facts) cmdlet(v contract.Volume, verb, parameters string) string {
	command := verb
	if f.windows() {
		command += " -MountPoint '" + strings.ReplaceAll(name(v), "'", "''") + "'"
	}
	if parameters != "" {
		command += " " + parameters
	}
	if !f.windows() {
		command += elsewhere
	}
	return command
}

// manageBDE writes a manage-bde command for a volume.
func (f facts) manageBDE(v contract.Volume, verb string) string {
	if !f.windows() {
		return "manage-bde " + verb + elsewhere
	}
	volume := name(v)
	if strings.ContainsAny(volume, " &()") {
		// A backslash before the closing quotation mark would escape it.
		volume = `"` + strings.TrimSuffix(volume, `\`) + `"`
	}
	return "manage-bde " + verb + " " + volume
}

// preventCommand keeps Windows from encrypting by itself. Set-ItemProperty would fail where the
// key does not exist yet.
const preventCommand = `reg add HKLM\SYSTEM\CurrentControlSet\Control\BitLocker /v PreventDeviceEncryption /t REG_DWORD /d 1 /f`

// decrypt tells how to decrypt a volume, what it costs and what it risks.
func (f facts) decrypt(v contract.Volume) string {
	if f.managed() {
		return "This computer is managed: do not decrypt it on your own, talk to its administrator. A policy may demand the encryption and would bring it back."
	}
	return sentences(
		f.thief(v),
		f.preventFirst(v),
		f.autoUnlockFirst(v),
		"To decrypt, run "+f.cmdlet(v, "Disable-BitLocker", "")+".",
		"The command returns at once; Windows then rewrites the encrypted data in the background, which can take hours and loads the disk.",
		"Have a backup, stay on mains power, and do not reinstall or repartition until diskaudit status says FullyDecrypted.",
	)
}

// thief says what decrypting gives away.
func (f facts) thief(v contract.Volume) string {
	switch {
	case isType(v, contract.Removable):
		return "A removable volume is easily lost: without encryption whoever finds it can read it."
	case f.portable():
		return "This computer is portable: without encryption whoever steals or finds it can read all of its data."
	case f.server():
		return "On a server, ask first who answers for the data: rules often demand encryption at rest, and discarded disks keep their data."
	}
	return "Without encryption whoever gets hold of the disk can read it."
}

// preventFirst keeps device encryption from coming back, which only clients have and which
// takes operating system and fixed volumes only.
func (f facts) preventFirst(v contract.Volume) string {
	if !f.windows() || f.server() || isType(v, contract.Removable) || yes(f.status.Policy.PreventDeviceEncryption) {
		return ""
	}
	return "First keep Windows from encrypting by itself again: " + preventCommand + "; that alone decrypts nothing."
}

// autoUnlockFirst names the data volumes whose keys lie on an operating system volume. Windows
// refuses to decrypt that volume while they do (FVE_E_AUTOUNLOCK_ENABLED, 0x80310029).
func (f facts) autoUnlockFirst(v contract.Volume) string {
	if !isType(v, contract.OperatingSystem) {
		return ""
	}
	var names []string
	for _, other := range f.status.Volumes {
		if yes(other.Encryption.AutoUnlock) {
			names = append(names, name(other))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Decrypt the volumes that unlock automatically before it (" + strings.Join(names, ", ") +
		"): Windows refuses with 0x80310029 while their keys are stored on this volume."
}

// costWithoutProtection says what an unprotected volume means for its engine; "" when the engine
// is unknown.
func costWithoutProtection(v contract.Volume) string {
	switch {
	case is(v.Encryption.Engine, contract.EngineSoftware):
		return "It pays the cost of encryption without having its protection."
	case is(v.Encryption.Engine, contract.EngineDrive):
		return "The drive goes on encrypting, but hands its data out without asking for a key."
	}
	return ""
}
