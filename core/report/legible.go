package report

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// maxMarks is how many combining marks stay on one character: scripts need up to three, and a
// tower of them would paint over other lines.
const maxMarks = 3

// legible makes text from a document harmless for a terminal and measurable. Control characters,
// line separators, characters that change the direction of text, and all others that cannot be
// seen become "?". Joiners, variation selectors and skin tones only change the look of the
// character before them, and terminals disagree on the width of the result: they are left out.
// With ascii, characters beyond ASCII are written as escapes.
func legible(s string, ascii bool) string {
	var out strings.Builder
	// No character has been written yet that a mark could stand on.
	base, marks := false, 0
	for _, r := range s {
		switch {
		case shapesOnly(r):
			continue
		case unicode.Is(unicode.Zs, r):
			r = ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			// Bytes that are not UTF-8 come as the replacement character.
			r = '?'
		}
		if text.RuneWidth(r) == 0 {
			marks++
			if !base {
				r, base = '?', true
			} else if marks > maxMarks {
				continue
			}
		} else {
			base, marks = r != ' ', 0
		}
		switch {
		case !ascii || r <= unicode.MaxASCII:
			out.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\U%08x`, r)
		}
	}
	return out.String()
}

// shapesOnly reports whether a character has no look of its own.
func shapesOnly(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200C, 0x200D
	return r == zeroWidthNonJoiner || r == zeroWidthJoiner || unicode.Is(unicode.Variation_Selector, r) ||
		// Emoji modifiers (Unicode Technical Standard 51, section 2.4).
		(r >= 0x1F3FB && r <= 0x1F3FF)
}

// width is how many columns legible text takes.
func width(s string) int {
	return text.StringWidthWithoutEscSequences(s)
}
