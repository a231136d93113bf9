package target

import (
	"strings"

	"diskaudit/core/machine/pattern"
	"diskaudit/core/machine/reserved"
)

// windowsKind is what a path of Windows names by its form alone.
type windowsKind int

const (
	// windowsFile is a file or folder.
	windowsFile windowsKind = iota
	// windowsDrive is a drive as a whole, for a file on it: "C:" or "C:\".
	windowsDrive
	// windowsDevice is a volume or disk to read: "\\.\C:", "\\.\PhysicalDrive0".
	windowsDevice
)

// Devices that are disks or volumes.
// Source: https://learn.microsoft.com/windows/win32/fileio/naming-a-file, "Win32 Device Namespaces".
var (
	diskDevice    = pattern.New(`(?i)^(PhysicalDrive[0-9]{1,6}|Harddisk[0-9]{1,6}Partition[0-9]{1,6}|HarddiskVolume[0-9]{1,6}|Volume\{[0-9a-f-]{36}\}|[a-z]:)$`)
	driveRoot     = pattern.New(`^[A-Za-z]:\\*$`)
	volumeFolder  = pattern.New(`(?i)^Volume\{[0-9a-f-]{36}\}\\`)
	volumePath    = pattern.New(`(?i)^\\\\\?\\Volume\{[0-9a-f-]{36}\}\\`)
	forbiddenName = `<>"|?*`
)

// readWindowsPath tells what a path names by its form, and how to write it.
func readWindowsPath(given string) (windowsKind, string, error) {
	if strings.ContainsRune(given, 0) {
		return 0, "", refuse("not-a-target", "%q is not a path: it contains a NUL character", given)
	}
	path := strings.ReplaceAll(given, "/", `\`)
	for _, prefix := range []string{`\\?\`, `\\.\`, `\??\`} {
		if inside, ok := strings.CutPrefix(path, prefix); ok {
			return readDevicePath(given, inside)
		}
	}
	switch {
	case strings.HasPrefix(path, `\\`):
		return 0, "", refuseShare(given)
	case driveRoot.Regexp().MatchString(path):
		return windowsDrive, strings.ToUpper(path[:2]) + `\`, nil
	}
	return windowsFile, path, checkWindowsName(given, path)
}

// readDevicePath reads what follows "\\?\" or "\\.\".
func readDevicePath(given, inside string) (windowsKind, string, error) {
	upper := strings.ToUpper(inside)
	switch {
	case strings.HasPrefix(upper, `UNC\`):
		return 0, "", refuseShare(given)
	case diskDevice.Regexp().MatchString(inside):
		if strings.HasPrefix(upper, "VOLUME{") {
			return windowsDevice, `\\?\` + inside, nil
		}
		return windowsDevice, `\\.\` + inside, nil
	case driveRoot.Regexp().MatchString(inside):
		return windowsDrive, upper[:2] + `\`, nil
	case volumeFolder.Regexp().MatchString(inside):
		return windowsFile, `\\?\` + inside, checkWindowsName(given, inside)
	case len(inside) > 2 && driveRoot.Regexp().MatchString(inside[:3]):
		return windowsFile, inside, checkWindowsName(given, inside)
	}
	return 0, "", refuse("not-a-target", `%s is not a disk or volume. Name a folder, a drive such as C:, a volume such as \\.\C: or a disk such as \\.\PhysicalDrive0`, given)
}

// checkWindowsName refuses names that Windows takes for something else than a file.
func checkWindowsName(given, path string) error {
	rest := path
	if len(path) > 1 && path[1] == ':' {
		rest = path[2:]
	}
	device, isReserved := reserved.Device(rest)
	switch {
	case strings.ContainsRune(rest, ':'):
		return refuse("not-a-target", "%s names a part of a file (what follows a colon), which cannot be measured. Name a folder or a file", given)
	case strings.ContainsAny(rest, forbiddenName):
		return refuse("not-found", "%s is not a path: the characters %s cannot be in a name. Check the path", given, forbiddenName)
	case isReserved:
		return refuse("not-a-target", "%s: %s is the name of a device of Windows, not a disk. Name a folder or another file", given, device)
	}
	return nil
}

func refuseShare(path string) error {
	return refuse("remote", "%s is on a network share: that would measure the network and another computer, not a disk of this one. Name a folder on a local disk, or run this where the disk is", path)
}

// volumeIn is the volume that a path begins with by its GUID path, with the backslash at its end.
func volumeIn(path string) (string, bool) {
	volume := volumePath.Regexp().FindString(path)
	return volume, volume != ""
}
