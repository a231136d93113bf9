package report

import (
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// piece is a part of a text that stays on one line.
type piece struct {
	text string
	// A space separates it from the piece before it on the same line.
	spaced bool
}

// pieces splits text where a line may end: at spaces, and around wide characters, whose scripts
// write no spaces. A word stays whole: half a path or an address is of no use.
func pieces(s string) []piece {
	var all []piece
	for _, word := range strings.Fields(s) {
		spaced, start, wide := true, 0, false
		cut := func(end int) {
			if end > start {
				all = append(all, piece{word[start:end], spaced})
				start, spaced = end, false
			}
		}
		for i, r := range word {
			switch text.RuneWidth(r) {
			case 0: // a mark stays with what it stands on
			case 2:
				if !closes(r) {
					cut(i)
				}
				wide = true
			default:
				if wide {
					cut(i)
				}
				wide = false
			}
		}
		cut(len(word))
	}
	return all
}

// closes reports whether a character belongs to the one before it and must not begin a line.
func closes(r rune) bool {
	return unicode.In(r, unicode.Pe, unicode.Pf, unicode.Po)
}

// wrap breaks text into lines of at most the given columns; a piece that is wider gets a line
// for itself. There is always a line, if an empty one.
func wrap(s string, columns int) []string {
	var lines []string
	var line strings.Builder
	used := 0
	for _, piece := range pieces(s) {
		gap := 0
		if piece.spaced && used > 0 {
			gap = 1
		}
		if used > 0 && used+gap+width(piece.text) > columns {
			lines = append(lines, line.String())
			line.Reset()
			used, gap = 0, 0
		}
		line.WriteString(strings.Repeat(" ", gap))
		line.WriteString(piece.text)
		used += gap + width(piece.text)
	}
	return append(lines, line.String())
}

// widestPiece is the least width that text can be wrapped to.
func widestPiece(s string) int {
	widest := 0
	for _, piece := range pieces(s) {
		widest = max(widest, width(piece.text))
	}
	return widest
}
