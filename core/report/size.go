package report

import (
	"fmt"

	"diskaudit/core/language"
)

// binaryUnits are the units of sizes, each 1024 of the one before it (IEC 80000-13).
var binaryUnits = []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// size writes a size in the largest unit of which there is a whole one, cut off after one
// decimal: what is shown is never more than there is. Null is the word for unknown.
func (t tongue) size(bytes *uint64) string {
	if bytes == nil {
		return t.unknown()
	}
	if *bytes < 1024 {
		return fmt.Sprintf("%d B", *bytes)
	}
	unit, name := uint64(1), ""
	for _, next := range binaryUnits {
		if *bytes/unit < 1024 {
			break
		}
		unit, name = unit<<10, next
	}
	return fmt.Sprintf("%d%s%d %s", *bytes/unit, t.point(), *bytes%unit*10/unit, name)
}

// point separates decimals.
func (t tongue) point() string {
	if t == tongue(language.German) {
		return ","
	}
	return "."
}
