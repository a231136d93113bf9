package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"diskaudit/core/bench/penalty"
	"diskaudit/core/contract"
)

// paths are the two ways to the same bytes that a paired penalty compares.
type paths struct {
	upper, lower string
	offset       int64
}

// layersOf finds the two paths of an encrypted volume among the facts, or says why there are
// none: on Linux the mapped device and what is below it, on Windows the volume and the physical
// disk that holds its single extent.
func layersOf(status contract.Status, volume *contract.Volume) (paths, *contract.InvalidReason) {
	if volume == nil {
		return paths{}, because("volume-unknown", "Which volume was measured is not known, so neither is its encryption layer. %s", otherEvidence)
	}
	for _, refusal := range refusals {
		if refusal.when(volume) {
			return paths{}, because(refusal.code, "%s", refusal.text)
		}
	}
	if status.Machine.Source == contract.SourceWindows {
		return windowsLayers(status, volume)
	}
	return linuxLayers(volume)
}

// refusals are the states of a volume in which its two paths cannot be compared.
var refusals = []struct {
	code string
	when func(*contract.Volume) bool
	text string
}{
	{
		"volume-locked",
		func(v *contract.Volume) bool { return is(v.Encryption.Lock, contract.Locked) },
		"The volume is locked, so there is nothing to read above its encryption. Unlock it (Unlock-BitLocker, or open it in Explorer), then measure again.",
	},
	{
		"drive-encrypts",
		func(v *contract.Volume) bool { return is(v.Encryption.Engine, contract.EngineDrive) },
		"The drive encrypts by itself, inside: there is no layer of the system that could be measured from outside.",
	},
	{
		"conversion-running",
		func(v *contract.Volume) bool {
			return is(v.Encryption.Conversion, contract.EncryptionInProgress) || is(v.Encryption.Conversion, contract.DecryptionInProgress)
		},
		"The volume is being encrypted or decrypted: parts of it are in either state, and the disk is busy with that. Measure when it is done (diskaudit status tells how far it is).",
	},
	{
		"conversion-paused",
		func(v *contract.Volume) bool {
			return is(v.Encryption.Conversion, contract.EncryptionPaused) || is(v.Encryption.Conversion, contract.DecryptionPaused)
		},
		"The volume's encryption or decryption was paused half-way, so parts of it are in either state. Let it go on to its end (manage-bde -resume), then measure again.",
	},
	{
		"wiping-running",
		func(v *contract.Volume) bool { return is(v.Encryption.Wiping, contract.WipeInProgress) },
		"The volume's free space is being wiped, which keeps the disk busy. Measure when it is done (manage-bde -status tells how far it is).",
	},
}

func is[T comparable](value *T, wanted T) bool { return value != nil && *value == wanted }

// linuxLayers takes the topmost layer that encrypts.
func linuxLayers(volume *contract.Volume) (paths, *contract.InvalidReason) {
	for _, layer := range volume.Layers {
		if layer.Kind != "crypt" {
			continue
		}
		if layer.Below == nil || layer.OffsetBytes == nil {
			return paths{}, because("layer-unknown", "%s encrypts, but where its data begins in the device below it is not known. Give both paths with --upper %s --lower DEVICE --lower-offset BYTES. %s", layer.Device, layer.Device, otherEvidence)
		}
		return paths{upper: layer.Device, lower: *layer.Below, offset: int64(*layer.OffsetBytes)}, nil
	}
	if plain(volume) {
		return paths{}, because("not-encrypted", "The volume is not encrypted by software, so there is no layer whose cost could be measured.")
	}
	return paths{}, because("layer-unknown", "Whether something encrypts this volume is not known. Give two paths with --upper and --lower. %s", otherEvidence)
}

// windowsLayers compares the volume with the disk below it. Where the disk is made of others, or of
// a file, what is below the volume is not the disk but another layer.
func windowsLayers(status contract.Status, volume *contract.Volume) (paths, *contract.InvalidReason) {
	switch engine := volume.Encryption.Engine; {
	case engine == nil && is(status.Machine.Elevated, false):
		return paths{}, because("needs-elevation", "Whether BitLocker encrypts this volume by software, and what the disk below it holds, is told to administrators alone. Run again elevated. %s", otherEvidence)
	case engine == nil:
		return paths{}, because("engine-unknown", "Whether this volume is encrypted, and whether by software, could not be found out; the problems say why. Two paths can be given with --upper and --lower. %s", otherEvidence)
	case *engine == contract.EngineNone:
		return paths{}, because("not-encrypted", "The volume is not encrypted by software, so there is no layer whose cost could be measured.")
	}
	found, reason := onDisk(status, volume)
	if reason == nil && is(status.Machine.Elevated, false) {
		reason = because("needs-elevation", "%s and %s may only be read by an administrator. Run again elevated. %s", found.upper, found.lower, otherEvidence)
	}
	if reason != nil {
		return paths{}, reason
	}
	return found, nil
}

// onDisk finds a volume of Windows on its disk.
func onDisk(status contract.Status, volume *contract.Volume) (paths, *contract.InvalidReason) {
	switch len(volume.Extents) {
	case 0:
		return paths{}, because("extents-unknown", "Where the volume lies on its disk is not known, so neither is the path below its encryption. %s", otherEvidence)
	case 1:
	default:
		return paths{}, because("several-extents", "The volume lies in %d pieces on disks, so no single path below it shows the same bytes. %s", len(volume.Extents), otherEvidence)
	}
	extent := volume.Extents[0]
	if disk := findDisk(status.Disks, extent.DiskID); disk != nil {
		switch {
		case is(disk.Bus, contract.BusSpaces):
			return paths{}, because("storage-spaces", "%s is made of other disks by Storage Spaces, whose own cost would be taken for that of the disk. %s", disk.ID, otherEvidence)
		case is(disk.Bus, contract.BusFileBacked):
			return paths{}, because("virtual-disk", "%s is a file (VHD) on another volume, whose file system and encryption would be taken for the disk. Measure the volume that holds the file.", disk.ID)
		}
	}
	if extent.OffsetBytes > math.MaxInt64 {
		return paths{}, because("extents-unknown", "The volume is said to begin at byte %d of %s, which no disk has. %s", extent.OffsetBytes, extent.DiskID, otherEvidence)
	}
	return paths{upper: devicePath(volume), lower: `\\.\` + extent.DiskID, offset: int64(extent.OffsetBytes)}, nil
}

// plainRegions are other volumes on the disk of an encrypted volume of Windows that are known to be
// plain, the largest first: the same two ways through the system, but for the encryption. On Linux
// there are none: there the path below is that of the partition, not of the disk, and nothing but
// the encryption lies between the two.
func plainRegions(status contract.Status, encrypted *contract.Volume) []paths {
	if status.Machine.Source != contract.SourceWindows || encrypted == nil || len(encrypted.Extents) != 1 {
		return nil
	}
	var regions []paths
	sizes := map[string]uint64{}
	for i := range status.Volumes {
		volume := &status.Volumes[i]
		if volume.ID == encrypted.ID || !is(volume.Encryption.Engine, contract.EngineNone) || len(volume.Extents) != 1 || volume.Extents[0].DiskID != encrypted.Extents[0].DiskID {
			continue
		}
		if region, reason := onDisk(status, volume); reason == nil {
			regions = append(regions, region)
			sizes[region.upper] = volume.Extents[0].LengthBytes
		}
	}
	slices.SortStableFunc(regions, func(a, b paths) int { return cmp.Compare(sizes[b.upper], sizes[a.upper]) })
	return regions
}

// unrelated tells why two paths cannot be above and below one layer: by the system's own account
// the upper one lies on something else. It is nil where the system does not say what it lies on.
// A path counts by all of its names: devices are often called by links to them.
func unrelated(volumes []contract.Volume, over paths, names func(string) []string) *contract.InvalidReason {
	uppers, lowers := names(over.upper), names(over.lower)
	for _, volume := range volumes {
		if !slices.ContainsFunc(uppers, func(upper string) bool { return isDevice(volume, upper) }) {
			continue
		}
		below := []string{over.upper}
		for _, layer := range volume.Layers {
			below = append(below, layer.Device)
			if layer.Below != nil {
				below = append(below, *layer.Below)
			}
		}
		for _, extent := range volume.Extents {
			below = append(below, extent.DiskID)
		}
		if len(below) < 2 {
			return nil
		}
		for _, device := range below {
			for _, name := range names(device) {
				if slices.Contains(lowers, name) {
					return nil
				}
			}
		}
		return because("paths-unrelated", "%s does not lie on %s, by the system's own account, but on %s. Name what lies below it.", over.upper, over.lower, strings.Join(below[1:], ", "))
	}
	return nil
}

// devicePath is the volume's GUID path without the separator at the end, which would name its
// root folder (learn.microsoft.com/windows/win32/fileio/naming-a-volume).
func devicePath(volume *contract.Volume) string {
	id := volume.ID
	for len(id) > 0 && id[len(id)-1] == '\\' {
		id = id[:len(id)-1]
	}
	return id
}

// plain tells whether a volume is known not to be encrypted by software. Decrypted by BitLocker's account,
// it can be encrypted by something else.
func plain(volume *contract.Volume) bool {
	e := volume.Encryption
	if penalty.CryptLayer(volume) || is(e.Engine, contract.EngineSoftware) || e.Conversion != nil && *e.Conversion != contract.FullyDecrypted {
		return false
	}
	return is(e.Engine, contract.EngineNone) || is(e.Conversion, contract.FullyDecrypted)
}

const otherEvidence = "Other evidence: --twin FOLDER on a plain volume of the same disk, or keep this document (--output) and give it as --baseline once the volume is in the other state."

func because(code, format string, args ...any) *contract.InvalidReason {
	return &contract.InvalidReason{Code: code, Text: fmt.Sprintf(format, args...)}
}
