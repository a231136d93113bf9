package scripts_test

import (
	"fmt"
	"time"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// computer is one simulated computer. Each has the drives C:, D: and Z:, of which Z: is that by which
// Wine shows the files of this computer.
type computer struct {
	name string
	// change makes it from the computer that ordinary describes.
	change func(m *simulator.Machine, c, d *simulator.Volume)
	// state is what it is to BitLocker as a whole; facts are its summary as scripts write it, and detail
	// each of its volumes. They follow from Microsoft's pages about Win32_EncryptableVolume and from what
	// the documentation of the findings says of them.
	state         contract.ComputerState
	facts, detail string
	// guards stand against decrypting it; reasons are ids of what is not known, or of why nothing is.
	guards, reasons []string
	// module is the module that is installed on it; empty for a sound one.
	module installation
	// environment is for the stand-in of the executable, where the module has one.
	environment map[string]string
	// hangs says that no answer comes before the time limit.
	hangs bool
	// twice are the first of hostedScripts that run a second time, where a line could tell more than the
	// state: figures advance, several volumes have an order.
	twice int
}

// installation is one way in which the module can be there.
type installation string

const (
	// sound: installed as it should be, in several versions of which the highest works.
	sound installation = "sound"
	// missing: not installed.
	missing installation = "missing"
	// quarantined: antivirus software took the executable away.
	quarantined installation = "quarantined"
	// faulty: the executable is another program, fakecore.
	faulty installation = "faulty"
)

const (
	encryptedC = "os=C: conversion=FullyEncrypted method=XtsAes128 engine=software protection=On reason=protected "
	decryptedC = "os=C: conversion=FullyDecrypted method=None engine=none protection=Off reason=decrypted "
	unknownC   = "os=Unknown conversion=Unknown method=Unknown engine=Unknown protection=Unknown reason=Unknown "
	plainData  = " D:=none/None/FullyDecrypted/Off Z:=none/None/FullyDecrypted/Off"
	nothing    = "C:=Unknown/Unknown/Unknown/Unknown D:=Unknown/Unknown/Unknown/Unknown Z:=Unknown/Unknown/Unknown/Unknown"
)

// standing are the guards that stand against decrypting each computer here: Intune manages it as far as
// the registry says, and Wine tells neither of disks' health nor of the soundness of file systems.
var standing = []string{"disk-health", "file-system", "managed"}

// autoUnlockKeys is the guard that a switch of its own overrides.
const autoUnlockKeys = "auto-unlock-keys"

// computers are the computers on which the scripts run.
var computers = []computer{
	{
		name: "XTS-AES 128, protected", state: contract.ComputerSoftwareEncrypted, guards: standing,
		facts:  encryptedC + "volumes=3 software=1 hardware=0 plain=2 unprotected=0 unknown=0 converting=0 critical=0 warnings=0 worst=software-encryption",
		detail: "C:=software/XtsAes128/FullyEncrypted/On" + plainData,
	},
	{
		name: "suspended until somebody resumes it", state: contract.ComputerSoftwareEncrypted, guards: standing,
		change: func(_ *simulator.Machine, c, _ *simulator.Volume) { c.KeyInClear = true },
		facts:  "os=C: conversion=FullyEncrypted method=XtsAes128 engine=software protection=Off reason=suspended volumes=3 software=1 hardware=0 plain=2 unprotected=1 unknown=0 converting=0 critical=0 warnings=1 worst=protection-suspended",
		detail: "C:=software/XtsAes128/FullyEncrypted/Off" + plainData,
	},
	{
		name: "waiting for activation", state: contract.ComputerSoftwareEncrypted, guards: standing,
		change: func(_ *simulator.Machine, c, _ *simulator.Volume) { c.KeyInClear, c.Protectors, c.Flags = true, nil, 1 },
		facts:  "os=C: conversion=FullyEncrypted method=XtsAes128 engine=software protection=Off reason=waiting-for-activation volumes=3 software=1 hardware=0 plain=2 unprotected=1 unknown=0 converting=0 critical=0 warnings=1 worst=waiting-for-activation",
		detail: "C:=software/XtsAes128/FullyEncrypted/Off" + plainData,
	},
	{
		name: "encrypting", state: contract.ComputerEncrypting, twice: len(hostedScripts),
		change: func(m *simulator.Machine, c, _ *simulator.Volume) {
			// It advances between two runs, and is far from its end after the last.
			m.Speed, c.Conversion, c.Percent, c.Takes = 1, simulator.Encrypting, 10, time.Hour
		},
		facts:  "os=C: conversion=EncryptionInProgress method=XtsAes128 engine=software protection=Off reason=converting volumes=3 software=1 hardware=0 plain=2 unprotected=1 unknown=0 converting=1 critical=0 warnings=0 worst=software-encryption",
		detail: "C:=software/XtsAes128/EncryptionInProgress/Off" + plainData,
	},
	{
		name: "encryption paused", state: contract.ComputerPaused,
		change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
			c.Conversion, c.Percent = simulator.EncryptingPaused, 10
		},
		facts:  "os=C: conversion=EncryptionPaused method=XtsAes128 engine=software protection=Off reason=converting volumes=3 software=1 hardware=0 plain=2 unprotected=1 unknown=0 converting=1 critical=0 warnings=1 worst=conversion-paused",
		detail: "C:=software/XtsAes128/EncryptionPaused/Off" + plainData,
	},
	{
		name: "decrypting", state: contract.ComputerDecrypting, twice: 1,
		change: func(m *simulator.Machine, c, _ *simulator.Volume) {
			m.Speed, c.Conversion, c.Percent, c.Takes = 1, simulator.Decrypting, 90, time.Hour
		},
		facts:  "os=C: conversion=DecryptionInProgress method=XtsAes128 engine=software protection=Off reason=converting volumes=3 software=1 hardware=0 plain=2 unprotected=1 unknown=0 converting=1 critical=0 warnings=0 worst=conversion-running",
		detail: "C:=software/XtsAes128/DecryptionInProgress/Off" + plainData,
	},
	{
		name: "decryption paused", state: contract.ComputerPaused, guards: standing,
		change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
			c.Conversion, c.Percent = simulator.DecryptingPaused, 90
		},
		facts:  "os=C: conversion=DecryptionPaused method=XtsAes128 engine=software protection=Off reason=converting volumes=3 software=1 hardware=0 plain=2 unprotected=1 unknown=0 converting=1 critical=0 warnings=1 worst=conversion-paused",
		detail: "C:=software/XtsAes128/DecryptionPaused/Off" + plainData,
	},
	{
		name: "decrypted", state: contract.ComputerNotEncrypted,
		change: func(_ *simulator.Machine, c, _ *simulator.Volume) { decrypt(c) },
		facts:  decryptedC + "volumes=3 software=0 hardware=0 plain=3 unprotected=0 unknown=0 converting=0 critical=0 warnings=0 worst=none",
		detail: "C:=none/None/FullyDecrypted/Off" + plainData,
	},
	{
		name: "encrypted by the drive", state: contract.ComputerHardwareEncrypted,
		change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
			c.Method, c.DriveMethod, c.Hardware = 5, "2.16.840.1.101.3.4.1.42", 3
		},
		facts:  "os=C: conversion=FullyEncrypted method=Hardware engine=drive protection=On reason=protected volumes=3 software=0 hardware=1 plain=2 unprotected=0 unknown=0 converting=0 critical=0 warnings=0 worst=hardware-encryption-advisory",
		detail: "C:=drive/Hardware/FullyEncrypted/On" + plainData,
	},
	{
		name: "decrypted beside a locked data volume", state: contract.ComputerUnknown, reasons: []string{"VolumeLocked"},
		change: func(_ *simulator.Machine, c, d *simulator.Volume) {
			decrypt(c)
			encrypt(d)
			d.Locked = true
		},
		facts:  decryptedC + "volumes=3 software=0 hardware=0 plain=2 unprotected=0 unknown=1 converting=0 critical=0 warnings=0 worst=volume-locked",
		detail: "C:=none/None/FullyDecrypted/Off D:=software/XtsAes128/Unknown/Unknown Z:=none/None/FullyDecrypted/Off",
	},
	{
		name: "encrypted beside a locked data volume", state: contract.ComputerUnknown, reasons: []string{"VolumeLocked"},
		change: func(_ *simulator.Machine, _, d *simulator.Volume) {
			encrypt(d)
			d.Locked = true
		},
		facts:  encryptedC + "volumes=3 software=1 hardware=0 plain=1 unprotected=0 unknown=1 converting=0 critical=0 warnings=0 worst=volume-locked",
		detail: "C:=software/XtsAes128/FullyEncrypted/On D:=software/XtsAes128/Unknown/Unknown Z:=none/None/FullyDecrypted/Off",
	},
	{
		name: "decrypted beside an encrypted stick", state: contract.ComputerNotEncrypted,
		change: func(m *simulator.Machine, c, _ *simulator.Volume) {
			decrypt(c)
			stick := &simulator.Volume{DeviceID: `\\?\Volume{a0b1c2d3-1111-2222-3333-444455556677}\`, Type: simulator.Removable, Version: 2}
			encrypt(stick)
			m.Volumes = append(m.Volumes, stick)
		},
		facts:  decryptedC + "volumes=3 software=0 hardware=0 plain=3 unprotected=0 unknown=0 converting=0 critical=0 warnings=0 worst=none",
		detail: "C:=none/None/FullyDecrypted/Off" + plainData,
	},
	{
		name: "two data volumes that unlock by themselves", state: contract.ComputerSoftwareEncrypted, twice: 1,
		guards: append([]string{autoUnlockKeys}, standing...),
		change: func(m *simulator.Machine, c, d *simulator.Volume) {
			other := &simulator.Volume{DeviceID: `\\?\Volume{a0b1c2d3-1111-2222-3333-444455556666}\`, Type: simulator.Fixed, Version: 2}
			for _, v := range []*simulator.Volume{d, other} {
				encrypt(v)
				v.Protectors = append(v.Protectors, simulator.Protector{
					ID: "{30000000-0000-0000-0000-00000000000C}", Type: simulator.ExternalKey, Name: "ExternalKey", Key: []byte("an external key of 32 bytes here"),
				})
				v.AutoUnlock = "{30000000-0000-0000-0000-00000000000C}"
			}
			c.KeysStored = true
			m.Volumes = append(m.Volumes, other)
		},
		facts:  encryptedC + "volumes=4 software=3 hardware=0 plain=1 unprotected=0 unknown=0 converting=0 critical=0 warnings=0 worst=software-encryption",
		detail: "C:=software/XtsAes128/FullyEncrypted/On D:=software/XtsAes128/FullyEncrypted/On Z:=none/None/FullyDecrypted/Off Volume{a0b1c2d3-1111-2222-3333-444455556666}=software/XtsAes128/FullyEncrypted/On",
	},
	{
		name: "26 volumes", state: contract.ComputerSoftwareEncrypted, guards: standing,
		change: func(m *simulator.Machine, _, _ *simulator.Volume) {
			for number := len(m.Volumes); number < 26; number++ {
				v := &simulator.Volume{DeviceID: fmt.Sprintf(`\\?\Volume{a0b1c2d3-1111-2222-3333-4444555566%02d}\`, number), Type: simulator.Fixed, Version: 2}
				encrypt(v)
				m.Volumes = append(m.Volumes, v)
			}
		},
		facts:  encryptedC + "volumes=26 software=24 hardware=0 plain=2 unprotected=0 unknown=0 converting=0 critical=0 warnings=0 worst=software-encryption",
		detail: "C:=software/XtsAes128/FullyEncrypted/On D:=none/None/FullyDecrypted/Off Z:=none/None/FullyDecrypted/Off Volume{a0b1c2d3-1111-2222-3333-444455556603}=software/XtsAes128/FullyEncrypted/On",
	},
	{
		name: "conversion of one volume cannot be read", state: contract.ComputerUnknown, reasons: []string{"WindowsError"},
		change: func(m *simulator.Machine, _, d *simulator.Volume) {
			encrypt(d)
			m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, DeviceID: d.DeviceID, Name: "GetConversionStatus", Instead: returned(eFail)}}
		},
		facts:  encryptedC + "volumes=3 software=1 hardware=0 plain=1 unprotected=0 unknown=1 converting=0 critical=0 warnings=0 worst=software-encryption",
		detail: "C:=software/XtsAes128/FullyEncrypted/On D:=software/XtsAes128/Unknown/On Z:=none/None/FullyDecrypted/Off",
	},
	{
		name: "list of volumes breaks off", state: contract.ComputerUnknown, reasons: []string{"EnumerationIncomplete", "NotListedByBitlocker"},
		change: strike(simulator.Fault{Point: simulator.AtNext, Skip: 1, Raise: bitlocker.WBEM_E_PROVIDER_FAILURE}),
		facts:  encryptedC + "volumes=-1 software=-1 hardware=-1 plain=-1 unprotected=-1 unknown=-1 converting=-1 critical=0 warnings=0 worst=software-encryption",
		detail: "C:=software/XtsAes128/FullyEncrypted/On D:=Unknown/Unknown/Unknown/Unknown Z:=Unknown/Unknown/Unknown/Unknown",
	},
	{
		name: "no provider", state: contract.ComputerUnknown, reasons: []string{"BitlockerNotIncluded"},
		change: func(m *simulator.Machine, _, _ *simulator.Volume) { m.NoBitLocker = true },
		facts:  unknownC + "volumes=3 software=0 hardware=0 plain=0 unprotected=0 unknown=3 converting=0 critical=0 warnings=1 worst=provider-unavailable",
		detail: nothing,
	},
	{
		name: "access denied", state: contract.ComputerUnknown, reasons: []string{"AccessDenied"},
		change: strike(simulator.Fault{Point: simulator.AtConnect, Raise: bitlocker.WBEM_E_ACCESS_DENIED}),
		facts:  unknownC + "volumes=3 software=0 hardware=0 plain=0 unprotected=0 unknown=3 converting=0 critical=0 warnings=1 worst=provider-unavailable",
		detail: nothing,
	},
	{
		name: "service disabled", state: contract.ComputerUnknown, reasons: []string{"ProviderUnavailable"},
		change: strike(simulator.Fault{Point: simulator.AtCreate, Fail: bitlocker.ERROR_SERVICE_DISABLED}),
		facts:  unknownC + "volumes=3 software=0 hardware=0 plain=0 unprotected=0 unknown=3 converting=0 critical=0 warnings=1 worst=provider-unavailable",
		detail: nothing,
	},
	{
		name: "provider hangs", state: contract.ComputerUnknown, reasons: []string{"Timeout"}, hangs: true,
		change: strike(simulator.Fault{Point: simulator.AtConnect, Hang: true}),
		facts:  unknownC + "volumes=3 software=0 hardware=0 plain=0 unprotected=0 unknown=3 converting=0 critical=0 warnings=1 worst=provider-unavailable",
		detail: nothing,
	},
	{name: "module missing", state: contract.ComputerUnknown, module: missing},
	{name: "executable in quarantine", state: contract.ComputerUnknown, module: quarantined, reasons: []string{"CoreNotFound"}},
	{
		name: "executable crashes", state: contract.ComputerUnknown, module: faulty, reasons: []string{"CoreFailed"},
		environment: map[string]string{"FAKECORE_CRASH": "panic"},
	},
	{
		name: "executable talks", state: contract.ComputerUnknown, module: faulty, reasons: []string{"CoreOutputInvalid"},
		environment: map[string]string{"FAKECORE_STDOUT": "talk.txt", "FAKECORE_STDERR": "and on stderr"},
	},
	{
		name: "executable of a later schema", state: contract.ComputerUnknown, module: faulty, reasons: []string{"SchemaVersionUnsupported"},
		environment: map[string]string{"FAKECORE_STDOUT": "later.txt"},
	},
}

// recoveryPassword is planted in every encrypted volume. No output may hold it, nor anything like it
// (cases C27 and B72).
const recoveryPassword = "111111-222222-333333-444444-555555-666666-777777-888888"

// ordinary is a computer with C: encrypted by XTS-AES 128 and protected, and two plain data volumes.
func ordinary() (m *simulator.Machine, c, d *simulator.Volume) {
	c = &simulator.Volume{DeviceID: simulator.WineVolume('C'), DriveLetter: "C:", Type: simulator.OperatingSystem, Version: 2}
	encrypt(c)
	d = &simulator.Volume{DeviceID: simulator.WineVolume('D'), DriveLetter: "D:", Type: simulator.Fixed, Version: 2}
	z := &simulator.Volume{DeviceID: simulator.WineVolume('Z'), DriveLetter: "Z:", Type: simulator.Fixed, Version: 2}
	return &simulator.Machine{Volumes: []*simulator.Volume{c, d, z}}, c, d
}

func (c computer) machine() *simulator.Machine {
	machine, system, data := ordinary()
	if c.change != nil {
		c.change(machine, system, data)
	}
	return machine
}

func encrypt(v *simulator.Volume) {
	v.Conversion, v.Percent, v.Method = simulator.Encrypted, 100, 6
	v.PersistentVolumeID = "{5D2C9E0A-7B11-4C7E-9F6A-0A1B2C3D4E5F}"
	v.Protectors = []simulator.Protector{
		{ID: "{20000000-0000-0000-0000-00000000000B}", Type: simulator.RecoveryPassword, Name: "Recovery", Password: recoveryPassword},
	}
	if v.Type == simulator.OperatingSystem {
		v.Protectors = append(v.Protectors, simulator.Protector{ID: "{10000000-0000-0000-0000-00000000000A}", Type: simulator.TPM, Name: "TPM"})
	}
}

func decrypt(v *simulator.Volume) {
	*v = simulator.Volume{DeviceID: v.DeviceID, DriveLetter: v.DriveLetter, Type: v.Type, Version: 2}
}

func strike(f simulator.Fault) func(*simulator.Machine, *simulator.Volume, *simulator.Volume) {
	return func(m *simulator.Machine, _, _ *simulator.Volume) { m.Faults = append(m.Faults, &f) }
}

// returned is how a method of the provider returns a code.
func returned(code bitlocker.HResult) simulator.Value { return int32(uint32(code)) }

// eFail is a failure without a name (learn.microsoft.com/windows/win32/seccrypto/common-hresult-values).
const eFail = bitlocker.HResult(0x80004005)
