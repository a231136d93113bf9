// Package plain makes text from a document harmless where it is one value among many: a cell, a
// label, a line.
package plain

import (
	"strings"
	"unicode"
)

// Cut ends a text that was too long.
const Cut = " [cut]"

// Text is s with everything that is not seen replaced: control characters, line ends and spaces of
// other widths by a space, and what only steers the reading of others, such as a change of direction,
// by the replacement character, as are bytes that are not UTF-8. Marks on characters stay.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r) || unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Within is as much of Text(s) as takes no more than limit units, by the cost of each character, and
// then the mark Cut. It never looks at more of s than it can use.
func Within(s string, limit int, cost func(rune) int) string {
	total, fits := 0, 0
	for i, r := range s {
		if total+len(Cut) <= limit {
			fits = i
		}
		total += cost(r)
		if total > limit {
			return Text(s[:fits]) + Cut
		}
	}
	return Text(s)
}
