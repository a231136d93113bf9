// Package report writes documents for people. What it writes is for reading only: programs read
// the JSON document.
package report

import (
	"fmt"
	"io"

	"diskaudit/core/contract"
	"diskaudit/core/language"
)

// Options says what the terminal can show.
type Options struct {
	// Columns of the terminal; 0 or less means 80.
	Width int
	// Whether to emphasize with colours. They repeat what the words say.
	Color bool
	// Whether to write ASCII only: other characters become \u and four or \U and eight
	// hexadecimal digits.
	ASCII bool
	// The language of a status table's own words and of its findings, where the document has them in
	// it; empty for English. With ASCII it is English: the other languages need more characters.
	Language language.Language
	// What the program was called with, without its own name: a table that tells which command comes
	// next repeats it. Without it the table says in words what to add.
	Arguments []string
}

// Table writes a status document as tables, in the document's order: the computer, the disks,
// the volumes, the findings, the problems and a summary in one sentence. A fact that is not known
// reads "unknown"; "-" means that there is no such fact. Where the width does not hold a table,
// its rows become paragraphs. No line is wider than the width, except for a single word that has
// to stay whole, such as a path. Control characters and characters that change the direction of
// text become "?", so that a label cannot command the terminal. The error is the writer's.
func Table(w io.Writer, status contract.Status, options Options) error {
	p := newPage(options)
	if !options.ASCII {
		p.tongue = tongue(options.Language)
	}
	t, names := p.tongue, p.tongue.volumeNames(status)

	p.field(t.say("Computer"), t.computer(status.Machine))
	p.field("BitLocker", t.provider(status.BitLocker))

	p.heading(t.say("Disks"))
	if len(status.Disks) == 0 {
		p.paragraph(span{text: t.nothingListed(status)}, 0, 0)
	} else {
		p.grid(t.diskGrid(status.Disks))
	}

	p.heading(t.say("Volumes"))
	if len(status.Volumes) == 0 {
		p.paragraph(span{text: t.nothingListed(status)}, 0, 0)
	} else {
		p.grid(t.volumeGrid(status))
	}

	if len(status.Findings) > 0 {
		p.heading(t.say("Findings"))
		for _, finding := range status.Findings {
			writeFinding(p, finding, names)
		}
	}
	writeProblems(p, status.Problems, names)

	p.blank()
	p.paragraph(span{text: t.summary(status)}, 0, 0)

	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// nothingListed says whether an empty list means that there is nothing.
func (t tongue) nothingListed(status contract.Status) string {
	if status.Complete {
		return t.say("none")
	}
	return t.say("none listed; the document is incomplete")
}
