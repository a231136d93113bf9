package remediate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

// newestLines are the lines of the newest journal on the disk that a loss of power would leave; the last
// may be torn, and is left out then.
func newestLines(d *disk) []journal.Line {
	files := d.files(true)
	var names []string
	for name := range files {
		if path.Dir(name) == journalFolder && strings.Contains(string(files[name]), `"event":"begin"`) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	var lines []journal.Line
	for text := range bytes.Lines(files[slices.Max(names)]) {
		var line journal.Line
		if json.Unmarshal(text, &line) != nil {
			break
		}
		lines = append(lines, line)
	}
	return lines
}

// announced says what is wrong with how the journal announces a change that is about to be made;
// empty when its last line says just this, and is on the disk. The state that a conversion leads to
// is left open: it is named for what it is then.
func announced(d *disk, kind contract.Change, target, from, to string) string {
	lines := newestLines(d)
	if len(lines) == 0 {
		return "no journal is on the disk"
	}
	last := lines[len(lines)-1]
	switch {
	case last.Event != journal.EventStep || last.Change != kind || !strings.EqualFold(last.Target, target):
		return fmt.Sprintf("the last line of the journal is %s %s %s", last.Event, last.Change, last.Target)
	case last.Old != from:
		return fmt.Sprintf("the journal says that it was %s", last.Old)
	case to != "" && last.New != to:
		return fmt.Sprintf("the journal says that it becomes %s", last.New)
	}
	return ""
}
