package command

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/term"

	"diskaudit/core/report"
)

// output is stdout.
type output struct {
	w        io.Writer
	terminal bool
	width    int
}

func newOutput(w io.Writer) *output {
	out := &output{w: w}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		out.terminal = true
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			out.width = width
		}
	}
	return out
}

// raw writes data. A reader that has gone away is not an error: it had what it wanted.
func (o *output) raw(data []byte) error {
	if _, err := o.w.Write(data); err != nil && !isBrokenPipe(err) {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	return nil
}

// color tells whether the table may be coloured: on a terminal that has not asked otherwise
// (no-color.org; TERM=dumb).
func (o *output) color() bool {
	return o.terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// pageWidth is the width of a table that goes to a file or a pipe.
const pageWidth = 120

// tableWidth is how many columns the table may take.
func (o *output) tableWidth() int {
	if o.width > 0 {
		return o.width
	}
	return pageWidth
}

// options are how a table is written here.
func (o *output) options() report.Options {
	return report.Options{Width: o.tableWidth(), Color: o.color(), ASCII: !unicodeLocale()}
}

// tableError is an error of writing a table; a reader that has gone away is none.
func tableError(err error) error {
	if err != nil && !isBrokenPipe(err) {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// unicodeLocale tells whether a terminal of this locale shows more than ASCII. Windows and a system
// without a locale are taken to do so: Go writes to a console of Windows in Unicode.
func unicodeLocale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := os.Getenv(name); locale != "" {
			locale = strings.ToLower(locale)
			return runtime.GOOS == "windows" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}
