// Package report writes documents for people. What it writes is for reading only: programs read
// the JSON document.
package report

import (
	"fmt"
	"io"

	"diskaudit/core/contract"
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
	names := volumeNames(status)

	p.field("Computer", computer(status.Machine))
	p.field("BitLocker", provider(status.BitLocker))

	p.heading("Disks")
	if len(status.Disks) == 0 {
		p.paragraph(span{text: nothingListed(status)}, 0, 0)
	} else {
		p.grid(diskGrid(status.Disks))
	}

	p.heading("Volumes")
	if len(status.Volumes) == 0 {
		p.paragraph(span{text: nothingListed(status)}, 0, 0)
	} else {
		p.grid(volumeGrid(status))
	}

	if len(status.Findings) > 0 {
		p.heading("Findings")
		for _, finding := range status.Findings {
			writeFinding(p, finding, names)
		}
	}
	writeProblems(p, status.Problems, names)

	p.blank()
	p.paragraph(span{text: summary(status)}, 0, 0)

	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// nothingListed says whether an empty list means that there is nothing.
func nothingListed(status contract.Status) string {
	if status.Complete {
		return "none"
	}
	return "none listed; the document is incomplete"
}
