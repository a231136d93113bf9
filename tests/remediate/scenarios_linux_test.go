package remediate_test

import (
	"fmt"
	"sync/atomic"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/remediate"
	"diskaudit/tests/rig/simulator"
)

// scenario is a computer, and what is done to it.
type scenario struct {
	name string
	// change makes the computer from the one that desktop describes.
	change func(c *computer, system, data *simulator.Volume)
	// first is a command that is run to its end before anything is killed; empty for none.
	first []string
	// command is the one that is killed, and run again until it has ended well.
	command []string
	// prevention is PreventDeviceEncryption afterwards, in the words of a journal.
	prevention string
	// system and data are the states of conversion afterwards.
	system, data contract.Conversion
	// undone is PreventDeviceEncryption after "--action undo"; empty when that is not tried.
	undone string
}

const (
	systemID = `\\?\Volume{00000000-0000-0000-0000-000000000043}\`
	dataID   = `\\?\Volume{00000000-0000-0000-0000-000000000044}\`
	hardDisk = "PhysicalDrive1"
	absent   = remediate.Absent
)

var (
	decrypt = []string{"remediate", "--apply"}
	undo    = []string{"remediate", "--action", "undo", "--apply"}
)

var scenarios = []scenario{
	{
		name: "system volume", change: func(c *computer, _, data *simulator.Volume) { plain(data) },
		command: decrypt, prevention: "1", undone: absent,
	},
	{
		name: "data volume unlocks by itself", command: []string{"remediate", "--apply", "--clear-auto-unlock"}, prevention: "1", undone: absent,
	},
	{
		name: "hard disk is sped up", change: func(c *computer, system, data *simulator.Volume) {
			plain(system)
			data.AutoUnlock = ""
		},
		command: []string{"remediate", "--apply", "--speed-up-conversion"}, prevention: "1", undone: absent,
	},
	{
		name: "B53 paused decryption goes on", change: func(c *computer, system, data *simulator.Volume) {
			plain(data)
			system.KeysStored = false
			system.Conversion, system.Percent = simulator.DecryptingPaused, 60
			c.numbers[remediate.PreventionTarget] = 0
		},
		command: decrypt, prevention: "1", undone: "0",
	},
	{
		name: "prevention only", command: []string{"remediate", "--action", "prevent", "--apply"},
		prevention: "1", system: contract.FullyEncrypted, data: contract.FullyEncrypted, undone: absent,
	},
	{
		name: "pause", change: func(c *computer, system, data *simulator.Volume) {
			system.Conversion, system.Percent, system.Takes = simulator.Decrypting, 60, 0
			plain(data)
		},
		command: []string{"remediate", "--action", "pause", "--apply"}, prevention: absent, system: contract.DecryptionPaused, data: contract.FullyDecrypted,
	},
	{
		name: "resumption", change: func(c *computer, system, data *simulator.Volume) {
			system.Conversion, system.Percent, system.Takes = simulator.DecryptingPaused, 60, 0
			plain(data)
		},
		command: []string{"remediate", "--action", "resume", "--apply"}, prevention: absent, system: contract.DecryptionInProgress, data: contract.FullyDecrypted,
	},
	{
		name: "undo of a decryption", change: func(c *computer, _, data *simulator.Volume) { plain(data) },
		first: decrypt, command: undo, prevention: absent, undone: absent,
	},
	{
		name: "undo of a pause", change: func(c *computer, system, data *simulator.Volume) {
			system.Conversion, system.Percent, system.Takes = simulator.Decrypting, 60, 0
			plain(data)
		},
		first: []string{"remediate", "--action", "pause", "--apply"}, command: undo, prevention: absent, system: contract.DecryptionInProgress,
	},
}

// plain makes a volume one that was never encrypted.
func plain(v *simulator.Volume) {
	*v = simulator.Volume{DeviceID: v.DeviceID, DriveLetter: v.DriveLetter, Type: v.Type, Version: v.Version}
}

// recoveryPassword is planted wherever a provider could hand it out.
const recoveryPassword = "111111-222222-333333-444444-555555-666666-777777-888888"

var computers atomic.Int32

// computer makes the scenario's computer.
func (s scenario) computer() *computer {
	system := &simulator.Volume{
		DeviceID: systemID, DriveLetter: "C:", PersistentVolumeID: "{5D2C9E0A-7B11-4C7E-9F6A-0A1B2C3D4E5F}",
		Type: simulator.OperatingSystem, Conversion: simulator.Encrypted, Percent: 100, Method: 6, Version: 2, KeysStored: true,
		Takes: 100 * time.Second,
		Protectors: []simulator.Protector{
			{ID: "{10000000-0000-0000-0000-00000000000A}", Type: simulator.TPM},
			{ID: "{20000000-0000-0000-0000-00000000000B}", Type: simulator.RecoveryPassword, Password: recoveryPassword},
		},
	}
	data := &simulator.Volume{
		DeviceID: dataID, DriveLetter: "D:", PersistentVolumeID: "{6D2C9E0A-7B11-4C7E-9F6A-0A1B2C3D4E5F}",
		Type: simulator.Fixed, Conversion: simulator.Encrypted, Percent: 100, Method: 6, Version: 2,
		Takes: 100 * time.Second, AutoUnlock: "{30000000-0000-0000-0000-00000000000C}",
		Protectors: []simulator.Protector{
			{ID: "{30000000-0000-0000-0000-00000000000C}", Type: simulator.ExternalKey, Key: []byte("an external key of 32 bytes here")},
			{ID: "{40000000-0000-0000-0000-00000000000D}", Type: simulator.RecoveryPassword, Password: recoveryPassword},
		},
	}
	c := &computer{
		machine:  &simulator.Machine{Volumes: []*simulator.Volume{system, data}},
		numbers:  map[string]uint32{},
		flushing: map[string]bool{"PhysicalDrive0": true, hardDisk: true},
		facts:    desktop(),
		turn:     15 * time.Second,
		made:     map[string]int{},
	}
	var above string
	c.disk, above = mountDisk(c, fmt.Sprintf("computer%d", computers.Add(1)))
	c.folder = above + "/" + journalFolder
	if s.change != nil {
		s.change(c, system, data)
	}
	// Keys are stored for volumes that unlock by them.
	system.KeysStored = system.KeysStored && data.AutoUnlock != ""
	return c
}

// desktop are the facts of a desktop computer against which no guard has anything.
func desktop() facts {
	disk := func(id string, media contract.Media) contract.Disk {
		return contract.Disk{
			ID: id, Media: &media, SizeBytes: contract.Ptr[uint64](64 << 30),
			WriteCache: contract.WriteCache{Type: contract.Ptr(contract.WriteBack), Enabled: contract.Ptr(true)},
			Health: contract.Health{
				OK: contract.Ptr(true), CriticalWarning: contract.Ptr[uint64](0), MediaErrors: contract.Ptr[uint64](0),
				AvailableSparePercent: contract.Ptr(100.0), SpareThresholdPercent: contract.Ptr(10.0),
			},
		}
	}
	volume := func(id, letter, disk string) contract.Volume {
		return contract.Volume{
			ID: id, MountPoints: contract.List[string]{letter}, FileSystem: contract.Ptr("NTFS"), FileSystemDirty: contract.Ptr(false),
			SizeBytes: contract.Ptr[uint64](64 << 30), FreeBytes: contract.Ptr[uint64](32 << 30),
			Extents: contract.List[contract.Extent]{{DiskID: disk, LengthBytes: 64 << 30}},
		}
	}
	return facts{
		Machine: contract.Machine{
			OS: contract.Ptr("Windows 11 Pro"), Edition: contract.Ptr("Professional"), Elevated: contract.Ptr(true), RebootPending: contract.Ptr(false),
			Power: contract.Power{Source: contract.Ptr(contract.PowerAC), Portable: contract.Ptr(false)},
			Join:  contract.Join{Entra: contract.Ptr(false), Domain: contract.Ptr(false), MDM: contract.Ptr(false)},
		},
		Disks:   []contract.Disk{disk("PhysicalDrive0", contract.MediaSSD), disk(hardDisk, contract.MediaHDD)},
		Volumes: []contract.Volume{volume(systemID, "C:", "PhysicalDrive0"), volume(dataID, "D:", hardDisk)},
	}
}
