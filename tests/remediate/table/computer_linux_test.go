package table_test

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/core/remediate"
	"diskaudit/tests/rig/simulator"
)

// fact is what is true, false, or not known.
type fact int

const (
	no fact = iota
	yes
	unknown
)

func (f fact) pointer() *bool {
	if f == unknown {
		return nil
	}
	return contract.Ptr(f == yes)
}

// keys is how the key of an encrypted volume is kept.
type keys int

const (
	// protected: by protectors.
	protected keys = iota
	// suspended: it has protectors, and the key lies in the clear beside them.
	suspended
	// waiting: device encryption that was never activated; the key lies in the clear, without a protector.
	waiting
)

// The ciphers that matter: one of software, the drive's own, and one that Windows does not know.
const (
	software = 6
	drive    = 5
	obscure  = -1
)

// volume is a volume of a computer in the table.
type volume struct {
	letter             byte
	kind               int32
	conversion, method int32
	wiping             int32
	locked             bool
	keys               keys
	// bound: a data volume unlocks by itself, the operating system's holds the keys for that.
	bound bool
	// onlyKey: the key by which it unlocks by itself is its only protector.
	onlyKey bool
	// test is the state of the hardware test.
	test int32
	// dirty: its file system is marked as not sound.
	dirty fact
	// nowhere: it lies on no disk that Windows tells of.
	nowhere bool
	// fileSystem is NTFS where it is empty.
	fileSystem string
	// unread: a fact about it that BitLocker does not tell.
	unread bool
	// doubtful: what is told of it contradicts itself.
	doubtful bool
	// damaged: its metadata is.
	damaged bool
}

func (v volume) id() string { return simulator.WineVolume(v.letter) }

func (v volume) String() string {
	text := fmt.Sprintf("%c: %s %s", v.letter, []string{"system", "fixed", "removable"}[v.kind], contract.Conversion(v.conversion))
	if v.conversion != simulator.Decrypted {
		text += fmt.Sprintf(" method %d wiping %d keys %d", v.method, v.wiping, v.keys)
	}
	for _, word := range []struct {
		is   bool
		text string
	}{{v.locked, " locked"}, {v.bound, " bound"}, {v.onlyKey, " only key"}, {v.unread, " unread"}, {v.doubtful, " doubtful"}, {v.damaged, " damaged"}} {
		if word.is {
			text += word.text
		}
	}
	return text
}

// takes is how long each conversion takes.
const takes = 20 * time.Second

// recoveryPassword and the other secrets are planted wherever a method could hand them out.
const recoveryPassword = "111111-222222-333333-444444-555555-666666-777777-888888"

func (v volume) simulated() *simulator.Volume {
	s := &simulator.Volume{
		DeviceID: v.id(), DriveLetter: string(v.letter) + ":", Type: v.kind, Conversion: v.conversion, Takes: takes, Locked: v.locked,
		HardwareTest: v.test,
	}
	if v.conversion == simulator.Decrypted {
		return s
	}
	s.PersistentVolumeID = "{5D2C9E0A-7B11-4C7E-9F6A-0A1B2C3D4E" + fmt.Sprintf("%02X", v.letter) + "}"
	s.Method, s.Wiping, s.Version, s.Percent, s.KeyInClear = v.method, v.wiping, 2, 100, v.keys != protected
	if v.conversion != simulator.Encrypted {
		s.Percent = 50
	}
	switch v.wiping {
	case simulator.Wiped:
		s.WipePercent = 100
	case simulator.Wiping, simulator.WipePaused:
		s.WipePercent = 40
	}
	if v.method == drive {
		s.DriveMethod, s.Hardware = "2.16.840.1.101.3.4.1.42", 2
	}
	external := simulator.Protector{ID: "{30000000-0000-0000-0000-00000000000C}", Type: simulator.ExternalKey, Key: []byte("an external key of 32 bytes here")}
	recovery := simulator.Protector{ID: "{20000000-0000-0000-0000-00000000000B}", Type: simulator.RecoveryPassword, Password: recoveryPassword, Package: []byte("a key package of it")}
	switch {
	case v.keys == waiting:
	case v.onlyKey:
		s.Protectors = []simulator.Protector{external}
	case v.kind == simulator.OperatingSystem:
		s.Protectors = []simulator.Protector{{ID: "{10000000-0000-0000-0000-00000000000A}", Type: simulator.TPM}, recovery}
	default:
		s.Protectors = []simulator.Protector{external, recovery}
	}
	switch {
	case v.bound && v.kind == simulator.OperatingSystem:
		s.KeysStored = true
	case v.bound:
		s.AutoUnlock = external.ID
	}
	return s
}

func (v volume) listed() contract.Volume {
	listed := contract.Volume{
		ID: v.id(), MountPoints: contract.List[string]{string(v.letter) + ":"}, FileSystem: contract.Ptr("NTFS"), FileSystemDirty: v.dirty.pointer(),
		SizeBytes: contract.Ptr[uint64](64 << 30), FreeBytes: contract.Ptr[uint64](32 << 30),
		Extents: contract.List[contract.Extent]{{DiskID: diskID, LengthBytes: 64 << 30}},
	}
	if v.fileSystem != "" {
		listed.FileSystem = &v.fileSystem
	}
	if v.nowhere {
		listed.Extents = nil
	}
	return listed
}

const diskID = "PhysicalDrive0"

// computer is a computer of the table.
type computer struct {
	volumes []volume
	// Who manages it.
	mdm, domain, entra fact
	// What it is, and how it stands.
	portable, battery, reboot fact
	// failing: its disk warns of that.
	failing fact
	// Policies: encryption is required, MBAM encrypts, writing without BitLocker is denied.
	require, enforce, denyFixed, denyRemovable fact
	// standard: the program runs without an administrator's rights.
	standard bool
	// prevention is PreventDeviceEncryption: absent, a number, or unreadable.
	prevention string
	// faults are what goes wrong with its provider.
	faults []*simulator.Fault
}

const (
	absent     = remediate.Absent
	unreadable = "unreadable"
)

const (
	managerKey = `HKLM\SOFTWARE\Microsoft\PolicyManager\current\device\BitLocker`
	mbamKey    = `HKLM\SOFTWARE\Policies\Microsoft\FVE\MDOPBitLockerManagement`
	denyKey    = `HKLM\SYSTEM\CurrentControlSet\Policies\Microsoft\FVE`
	switchKey  = `HKLM\SYSTEM\CurrentControlSet\Control\BitLocker`
	switchName = "PreventDeviceEncryption"
)

// registry is what Windows' registry holds.
func (c computer) registry() registry.Memory {
	memory := registry.Memory{}
	put := func(key, name string, value any) {
		if memory[key] == nil {
			memory[key] = map[string]any{}
		}
		memory[key][name] = value
	}
	for _, policy := range []struct {
		key, name string
		state     fact
	}{
		{managerKey, "RequireDeviceEncryption", c.require},
		{mbamKey, "ShouldEncryptOSDrive", c.enforce},
		{denyKey, "FDVDenyWriteAccess", c.denyFixed},
		{denyKey, "RDVDenyWriteAccess", c.denyRemovable},
	} {
		switch policy.state {
		case yes:
			put(policy.key, policy.name, 1)
		case unknown:
			put(policy.key, policy.name, fs.ErrPermission)
		}
	}
	switch c.prevention {
	case absent, "":
	case unreadable:
		put(switchKey, switchName, fs.ErrPermission)
	default:
		var number int
		_, _ = fmt.Sscan(c.prevention, &number)
		put(switchKey, switchName, number)
	}
	return memory
}

func (c computer) machine() contract.Machine {
	power := contract.Power{Source: contract.Ptr(contract.PowerAC), Portable: c.portable.pointer()}
	switch c.battery {
	case yes:
		power.Source = contract.Ptr(contract.PowerBattery)
	case unknown:
		power.Source = nil
	}
	return contract.Machine{
		OS: contract.Ptr("Windows 11 Pro"), Edition: contract.Ptr("Professional"), Elevated: contract.Ptr(!c.standard), RebootPending: c.reboot.pointer(),
		Power: power, Join: contract.Join{Entra: c.entra.pointer(), Domain: c.domain.pointer(), MDM: c.mdm.pointer()},
	}
}

func (c computer) disk() contract.Disk {
	disk := contract.Disk{
		ID: diskID, Media: contract.Ptr(contract.MediaSSD), SizeBytes: contract.Ptr[uint64](64 << 30),
		WriteCache: contract.WriteCache{Type: contract.Ptr(contract.WriteBack), Enabled: contract.Ptr(true), PowerProtected: contract.Ptr(false)},
		Health: contract.Health{
			OK: contract.Ptr(true), CriticalWarning: contract.Ptr[uint64](0), MediaErrors: contract.Ptr[uint64](0),
			AvailableSparePercent: contract.Ptr(100.0), SpareThresholdPercent: contract.Ptr(10.0),
		},
	}
	switch c.failing {
	case yes:
		disk.Health.OK, disk.Health.CriticalWarning = contract.Ptr(false), contract.Ptr[uint64](1)
	case unknown:
		disk.Health = contract.Health{}
	}
	return disk
}

func (c computer) simulated() *simulator.Machine {
	m := &simulator.Machine{Speed: 1}
	for _, v := range c.volumes {
		m.Volumes = append(m.Volumes, v.simulated())
		switch {
		case v.damaged:
			m.Faults = append(m.Faults, &simulator.Fault{
				Point: simulator.AtMethod, DeviceID: v.id(), Name: "GetConversionStatus", Instead: signed(bitlocker.FVE_E_BAD_INFORMATION),
			})
		case v.doubtful:
			m.Faults = append(m.Faults, &simulator.Fault{
				Point: simulator.AtMethod, DeviceID: v.id(), Name: "GetProtectionStatus", Outs: map[string]simulator.Value{"ProtectionStatus": int32(1)},
			})
		}
	}
	for _, fault := range c.faults {
		copied := *fault
		m.Faults = append(m.Faults, &copied)
	}
	return m
}

// signed is a code as scripting hands it over.
func signed(code bitlocker.HResult) simulator.Value { return int32(uint32(code)) }

// drives are the volumes by their letters.
func (c computer) String() string {
	var texts []string
	for _, v := range c.volumes {
		texts = append(texts, v.String())
	}
	return strings.Join(texts, ", ")
}
