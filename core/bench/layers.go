package bench

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// paths are the two ways to the same bytes that a paired penalty compares.
type paths struct {
	upper, lower string
	offset       int64
}

// layersOf finds the two paths of an encrypted volume among its facts, or says why there are
// none: on Linux the mapped device and what is below it, on Windows the volume and the physical
// disk that holds its single extent.
func layersOf(source contract.Source, volume *contract.Volume) (paths, *contract.InvalidReason) {
	if volume == nil {
		return paths{}, because("volume-unknown", "Which volume was measured is not known, so neither is its encryption layer. %s", otherEvidence)
	}
	if engine := volume.Encryption.Engine; engine != nil && *engine == contract.EngineDrive {
		return paths{}, because("drive-encrypts", "The drive encrypts by itself, inside: there is no layer of the system that could be measured from outside.")
	}
	if running := volume.Encryption.Conversion; running != nil && converting(*running) {
		return paths{}, because("conversion-running", "The volume is being encrypted or decrypted, so parts of it are in either state. Measure when that is done.")
	}
	find := linuxLayers
	if source == contract.SourceWindows {
		find = windowsLayers
	}
	return find(volume)
}

func converting(conversion contract.Conversion) bool {
	switch conversion {
	case contract.EncryptionInProgress, contract.DecryptionInProgress, contract.EncryptionPaused, contract.DecryptionPaused:
		return true
	}
	return false
}

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

// windowsLayers compares the volume with the disk below it. A volume of several extents, on
// Storage Spaces or in a virtual disk does not lie below itself in one piece.
func windowsLayers(volume *contract.Volume) (paths, *contract.InvalidReason) {
	switch engine := volume.Encryption.Engine; {
	case engine == nil:
		return paths{}, because("layer-unknown", "Whether BitLocker encrypts this volume by software is not known; run as administrator. %s", otherEvidence)
	case *engine == contract.EngineNone:
		return paths{}, because("not-encrypted", "The volume is not encrypted by software, so there is no layer whose cost could be measured.")
	}
	if len(volume.Extents) != 1 {
		return paths{}, because("several-extents", "The volume lies in %d pieces on disks, so no single path below it shows the same bytes. %s", len(volume.Extents), otherEvidence)
	}
	return paths{upper: devicePath(volume), lower: `\\.\` + volume.Extents[0].DiskID, offset: int64(volume.Extents[0].OffsetBytes)}, nil
}

// unrelated tells why two paths cannot be above and below one layer: by the system's own account
// the upper one lies on something else. It is nil where the system does not say what it lies on.
// A path counts by all of its names: devices are often called by links to them.
func unrelated(volumes []contract.Volume, over paths, names func(string) []string) *contract.InvalidReason {
	uppers, lowers := names(over.upper), names(over.lower)
	for _, volume := range volumes {
		if !slices.Contains(uppers, volume.ID) && (len(volume.Layers) == 0 || !slices.Contains(uppers, volume.Layers[0].Device)) {
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

// namesOf are the names of a path: as given, in full, where its links lead to, and the last part,
// by which Windows' disks are known.
func namesOf(path string) []string {
	names := []string{path, filepath.Base(path)}
	if absolute, err := filepath.Abs(path); err == nil {
		names = append(names, absolute)
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		names = append(names, resolved)
	}
	return names
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

// plain tells whether a volume is known not to be encrypted by software.
func plain(volume *contract.Volume) bool {
	return volume.Encryption.Engine != nil && *volume.Encryption.Engine == contract.EngineNone ||
		volume.Encryption.Conversion != nil && *volume.Encryption.Conversion == contract.FullyDecrypted
}

const otherEvidence = "Other evidence: --twin FOLDER on a plain volume of the same disk, or keep this document (--output) and give it as --baseline once the volume is in the other state."

func because(code, format string, args ...any) *contract.InvalidReason {
	return &contract.InvalidReason{Code: code, Text: fmt.Sprintf(format, args...)}
}
