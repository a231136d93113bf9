// Package reserved knows the names that Windows takes for devices in every folder.
package reserved

import (
	"strings"

	"diskaudit/core/machine/pattern"
)

// device matches the last part of a path: a device's name, and what Windows ignores behind it.
// Source: https://learn.microsoft.com/windows/win32/fileio/naming-a-file, "Naming Conventions".
var device = pattern.New(`(?i)^(CON|PRN|AUX|NUL|COM[0-9¹²³]|LPT[0-9¹²³]|CONIN\$|CONOUT\$) *([.:].*)?$`)

// Device returns the last part of a path of Windows when it is the name of a device, such as "nul.txt"
// in "C:\folder\nul.txt", and whether it is. What is written there is lost, or goes to a port.
func Device(path string) (name string, is bool) {
	name = path[strings.LastIndexAny(path, `\/`)+1:]
	if len(name) > 2 && name[1] == ':' {
		name = name[2:]
	}
	return name, device.Regexp().MatchString(name)
}
