package metrics

import (
	"fmt"
	"slices"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// volumeFacts are the numbers of a volume.
var volumeFacts = []fact[namedVolume]{
	{name: "diskaudit_volume_size_bytes", kind: gauge, help: "Size of the volume.", of: func(v namedVolume) *float64 { return number(v.SizeBytes) }},
	{name: "diskaudit_volume_free_bytes", kind: gauge, help: "Space left in the file system.", of: func(v namedVolume) *float64 { return number(v.FreeBytes) }, optional: true},
	{name: "diskaudit_volume_encrypted_ratio", kind: gauge, help: "Part of the volume that is encrypted; 1 does not mean that conversion is complete.", of: func(v namedVolume) *float64 {
		return ratio(v.Encryption.Percent)
	}, optional: true},
	{name: "diskaudit_volume_locked", kind: gauge, help: "Whether the volume's content can not be reached now.", of: func(v namedVolume) *float64 { return locked(v.Encryption.Lock) }, optional: true},
	{name: "diskaudit_volume_clear_key", kind: gauge, help: "Whether a key is stored in the clear beside the data.", of: func(v namedVolume) *float64 { return truth(v.Encryption.ClearKey) }, optional: true},
}

// locked is not known for a code that Windows' documentation does not list.
func locked(lock *contract.Lock) *float64 {
	if lock == nil || !lock.Recognized() {
		return nil
	}
	return truth(contract.Ptr(*lock == contract.Locked))
}

// volumeStates are what a volume is in one of several states of.
var volumeStates = []struct {
	name, help, label string
	states            []string
	of                func(contract.Encryption) string
}{
	{
		"diskaudit_volume_conversion", "How far the data is encrypted by BitLocker: 1 for the state that the volume is in.", "state",
		[]string{"FullyDecrypted", "FullyEncrypted", "EncryptionInProgress", "DecryptionInProgress", "EncryptionPaused", "DecryptionPaused"},
		func(e contract.Encryption) string { return coded(e.Conversion) },
	},
	{
		"diskaudit_volume_engine", "What does the encrypting: 1 for the engine that does.", "engine",
		[]string{"none", "software", "drive", "soc"},
		func(e contract.Encryption) string { return word(e.Engine) },
	},
	{
		"diskaudit_volume_protection", "Whether the volume's key is kept from a thief: 1 for the state that it is in.", "state",
		[]string{"On", "Off"},
		func(e contract.Encryption) string { return coded(e.Protection) },
	},
	{
		"diskaudit_volume_protection_reason", "Why protection is what it is: 1 for the reason.", "reason",
		[]string{"protected", "suspended", "waiting-for-activation", "converting", "locked", "decrypted"},
		func(e contract.Encryption) string { return word(e.ProtectionReason) },
	},
}

// unknownState is the state of what is not known, or is none that there is a name for.
const unknownState = "Unknown"

func writeVolumes(e *exposition, s contract.Status) []string {
	volumes := nameVolumes(s.Volumes)
	e.begin("diskaudit_volume_info", gauge, "What the volume is, how it is encrypted and on which disk it lies.")
	disks := map[string]namedDisk{}
	for _, disk := range nameDisks(s.Disks) {
		disks[disk.ID] = disk
	}
	for _, v := range volumes {
		disk := disks[onDisk(v.Volume)]
		e.sample(1, label{"volume", v.name}, label{"type", coded(v.Type)}, label{"file_system", text(v.FileSystem)}, label{"method", coded(v.Encryption.Method)}, label{"disk", disk.name}, label{"model", text(disk.Model)})
	}
	var unknown []string
	for _, family := range volumeStates {
		e.begin(family.name, gauge, family.help)
		all := append(family.states[:len(family.states):len(family.states)], unknownState)
		for _, v := range volumes {
			state := family.of(v.Encryption)
			if !slices.Contains(family.states, state) {
				if !ofBitLocker(v) {
					continue
				}
				state = unknownState
				unknown = append(unknown, scopeVolumes)
			}
			e.states(family.label, all, state, label{"volume", v.name})
		}
	}
	return append(unknown, writeFacts(e, volumeFacts, volumes, func(v namedVolume) []label { return []label{{"volume", v.name}} }, ofBitLocker, scopeVolumes)...)
}

// ofBitLocker leaves out volumes that BitLocker by their nature has nothing to do with, such as a drive
// without a medium: what they have no state of is not missing.
func ofBitLocker(v namedVolume) bool { return !bitlocker.Outside(v.Volume) }

// onDisk is the disk that a volume lies on; empty when it is on several, or on none that is known.
func onDisk(v contract.Volume) string {
	if len(v.Extents) == 0 {
		return ""
	}
	first := v.Extents[0].DiskID
	for _, extent := range v.Extents {
		if extent.DiskID != first {
			return ""
		}
	}
	return first
}

// coded is the name of a coded value; empty when it is not known.
func coded[T fmt.Stringer](value *T) string {
	if value == nil {
		return ""
	}
	return (*value).String()
}

func word[T ~string](value *T) string {
	if value == nil {
		return ""
	}
	return string(*value)
}
