package bench

import (
	"path/filepath"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// deviceName is the name by which Windows knows a volume or a disk, whatever way it was written:
// "c:", "volume{...}", "physicaldrive0"; "" for all that is none. Windows' names have no case, and
// a separator at the end makes a volume's name that of its root folder
// (learn.microsoft.com/windows/win32/fileio/naming-a-file, "Win32 Device Namespaces", and
// learn.microsoft.com/windows/win32/fileio/naming-a-volume).
func deviceName(path string) string {
	name := path
	for _, prefix := range []string{`\\?\`, `\\.\`, `\??\`} {
		name = strings.TrimPrefix(name, prefix)
	}
	bare := strings.TrimRight(name, `\`)
	drive := len(bare) == 2 && bare[1] == ':'
	if name == path && !drive || bare == "" || strings.ContainsRune(bare, '\\') {
		return ""
	}
	return strings.ToLower(bare)
}

// isDevice tells whether a volume is the device of that path.
func isDevice(volume contract.Volume, device string) bool {
	if device == "" {
		return false
	}
	if volume.ID == device || len(volume.Layers) > 0 && volume.Layers[0].Device == device {
		return true
	}
	name := deviceName(device)
	return name != "" && (deviceName(volume.ID) == name || slices.ContainsFunc(volume.MountPoints, func(mount string) bool { return deviceName(mount) == name }))
}

// namesOf are the names of a path: as given, in full, where its links lead to, and those by which
// Windows knows volumes and disks.
func namesOf(path string) []string {
	if name := deviceName(path); name != "" {
		return []string{path, name}
	}
	names := []string{path}
	if !strings.ContainsAny(path, `/\`) {
		// The id of one of Windows' disks.
		names = append(names, strings.ToLower(path))
	}
	if absolute, err := filepath.Abs(path); err == nil {
		names = append(names, absolute)
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		names = append(names, resolved)
	}
	return names
}
