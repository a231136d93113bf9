package scripts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// documented are the pages and the scripts whose lines they have, by numbers of hostedScripts.
var documented = map[string][]int{
	"intune.md":    {0, 1},
	"configmgr.md": {3, 4},
}

// TestDocumentedLines holds the lines that scripts are to write on every computer against the tables of the
// documentation: each is there, with its exit code (case C55). That the scripts write them is what
// TestScripts shows.
func TestDocumentedLines(t *testing.T) {
	for page, numbers := range documented {
		text, err := os.ReadFile(filepath.Join(require.Root(t), "module", "docs", page))
		if err != nil {
			t.Error(err)
			continue
		}
		rows := tableRows(string(text))
		if len(rows) < 10 {
			t.Errorf("%s has %d rows with a line", page, len(rows))
		}
		for _, number := range numbers {
			for _, c := range computers {
				if want := hostedScripts[number].answer(c); !has(rows, want) {
					t.Errorf("%s: %s on the computer %q ends with %d and a line that the page does not have:\n%s", page, hostedScripts[number].name, c.name, want.code, want.line)
				}
			}
		}
	}
}

// tableRow is a row of a table: the exit codes that stand in a cell alone, and what is set as code.
type tableRow struct {
	codes []int
	lines []string
}

var inlineCode = regexp.MustCompile("`([^`]+)`")

// tableRows are the rows of a page's tables.
func tableRows(page string) []tableRow {
	var rows []tableRow
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		const bar = "\x00"
		var row tableRow
		for cell := range strings.SplitSeq(strings.ReplaceAll(line, `\|`, bar), "|") {
			cell = strings.TrimSpace(strings.ReplaceAll(cell, bar, "|"))
			if code, err := strconv.Atoi(cell); err == nil {
				row.codes = append(row.codes, code)
			}
			for _, match := range inlineCode.FindAllStringSubmatch(cell, -1) {
				row.lines = append(row.lines, match[1])
			}
		}
		if len(row.codes) == 0 {
			// A table without exit codes is that of a script which always ends with 0.
			row.codes = []int{0}
		}
		if len(row.lines) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// has tells whether a row has the exit code and a line of the same kind.
func has(rows []tableRow, want answer) bool {
	for _, row := range rows {
		for _, code := range row.codes {
			for _, line := range row.lines {
				if code == want.code && likened(line) == likened(want.line) {
					return true
				}
			}
		}
	}
	return false
}

// examples are what stands for more than one thing in the lines of a page, and in those of a computer.
var examples = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`state=[a-z-]+ os=.* tool=\S+`), "FACTS"},
	{regexp.MustCompile(`(FACTS.* \| .*) \| .*$`), "$1 | VOLUMES"},
	{regexp.MustCompile(`\b(guards|reasons|error|errors|overridden|volumes)=[A-Za-z.,-]+`), "$1=..."},
	{regexp.MustCompile(`\$Override = @\([^)]*\)(; \$ClearAutoUnlock = \$true)?`), "BLOCK"},
	{regexp.MustCompile(`^(Refused|Unknown|NotChanged|Failed): [A-Za-z -]+\b`), "$1: ..."},
	{regexp.MustCompile(`^NothingToDo: [a-z-]+`), "NothingToDo: ..."},
}

// likened is a line without what differs from computer to computer.
func likened(line string) string {
	line = strings.ReplaceAll(strings.TrimSuffix(line, goesOn), "<", "")
	line = strings.ReplaceAll(line, ">", "")
	for _, example := range examples {
		line = example.pattern.ReplaceAllString(line, example.instead)
	}
	return line
}
