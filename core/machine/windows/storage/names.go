package storage

import (
	"slices"
	"unicode/utf16"
)

// splitNames reads a list of names, each with a zero at its end, up to an empty one or the end.
func splitNames(units []uint16) []string {
	var names []string
	for len(units) > 0 && units[0] != 0 {
		end := slices.Index(units, 0)
		if end < 0 {
			end = len(units)
		}
		names = append(names, string(utf16.Decode(units[:end])))
		units = units[min(end+1, len(units)):]
	}
	return names
}
