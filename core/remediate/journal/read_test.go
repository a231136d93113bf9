package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// A journal's lines, as this program writes them, with one change that ended and one that did not.
const sample = `{"sequence":1,"time":"2026-11-30T22:00:01Z","event":"begin","format":1,"tool":{"name":"diskaudit","version":"1.2.3","commit":null},"process":7,"plan":{"id":"p","action":"decrypt","steps":[],"guards":[]}}
{"sequence":2,"time":"2026-11-30T22:00:02Z","event":"step","step":"1","change":"set-prevent-device-encryption","target":"value","old":"absent","new":"1"}
{"sequence":3,"time":"2026-11-30T22:00:03Z","event":"step-end","step":"1","result":"done"}
{"sequence":4,"time":"2026-11-30T22:00:04Z","event":"step","step":"2","change":"decrypt","target":"volume","old":"FullyEncrypted","new":"DecryptionInProgress"}
{"sequence":5,"time":"2026-11-30T22:00:05Z","event":"progress","target":"volume","percent":12.5}
`

// sampleName is a journal's name.
const sampleName = "20261130T220000.000000Z-00000001.jsonl"

// A loss of power can cut a journal off after any byte. What was flushed before is all there.
func TestTornAtEveryByte(t *testing.T) {
	for cut := range len(sample) + 1 {
		run, problem := decode("path", []byte(sample[:cut]), fileBytes, fullBudget())
		whole := strings.Count(sample[:cut], "\n")
		torn := cut > 0 && sample[cut-1] != '\n'
		if problem != nil || len(run.Lines) != whole || run.Torn != torn || run.Damaged {
			t.Fatalf("cut after %d bytes: %d lines, torn %t, damaged %t, %v; %d lines are whole", cut, len(run.Lines), run.Torn, run.Damaged, problem, whole)
		}
		inForce := History{Runs: []Run{run}}.InForce()
		// Each step that was announced may have been made; what ended before is certain.
		switch {
		case whole < 2 && len(inForce) != 0,
			whole == 2 && (len(inForce) != 1 || inForce[0].Ended),
			whole == 3 && (len(inForce) != 1 || !inForce[0].Ended),
			whole >= 4 && (len(inForce) != 2 || inForce[0].Ended || !inForce[1].Ended):
			t.Fatalf("cut after %d bytes, %d lines are whole: in force is %+v", cut, whole, inForce)
		}
	}
}

func TestTornFiles(t *testing.T) {
	first := strings.Index(sample, "\n") + 1
	for _, test := range []struct {
		name  string
		data  string
		lines int
		torn  bool
	}{
		{"empty", "", 0, false},
		{"half a first line", sample[:first/2], 0, false},
		{"first line without its end", sample[:first-1], 0, false},
		{"first line", sample[:first], 1, false},
		{"half a second line", sample[:first+20], 1, true},
		{"zeros where the second line was to be", sample[:first] + strings.Repeat("\x00", 300), 1, true},
		{"whole", sample, 5, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := opened(t)
			path := put(t, folder, sampleName, test.data)
			history, problems := Read(folder.Path())
			if len(problems) > 0 {
				t.Errorf("problems: %v", problems)
			}
			if test.lines == 0 {
				if len(history.Runs) != 0 {
					t.Errorf("a run that changed nothing is in the history: %+v", history.Runs)
				}
				return
			}
			if len(history.Runs) != 1 || len(history.Runs[0].Lines) != test.lines || history.Runs[0].Torn != test.torn || history.Runs[0].Path != path {
				t.Errorf("the history is %+v", history)
			}
		})
	}
}

// A line in the middle that cannot be read is a problem that names file and line, and what stands
// before it is kept.
func TestDamagedLine(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimSuffix(sample, "\n"), "\n")
	for name, damage := range map[string]string{
		"nothing":           "",
		"zeros":             strings.Repeat("\x00", 100),
		"half":              `{"sequence":2,"time":"20`,
		"a number":          "17",
		"a list":            "[]",
		"another number":    `{"sequence":9,"time":"2026-11-30T22:00:02Z","event":"end"}`,
		"negative number":   `{"sequence":-2,"time":"2026-11-30T22:00:02Z","event":"end"}`,
		"no time":           `{"sequence":%d,"event":"end"}`,
		"bad time":          `{"sequence":%d,"time":"yesterday","event":"end"}`,
		"no event":          `{"sequence":%d,"time":"2026-11-30T22:00:02Z"}`,
		"unknown event":     `{"sequence":%d,"time":"2026-11-30T22:00:02Z","event":"teleport"}`,
		"step without id":   `{"sequence":%d,"time":"2026-11-30T22:00:02Z","event":"step"}`,
		"end without id":    `{"sequence":%d,"time":"2026-11-30T22:00:02Z","event":"step-end"}`,
		"far too long":      `{"sequence":%d,"time":"2026-11-30T22:00:02Z","event":"end","old":"` + strings.Repeat("x", lineBytes) + `"}`,
		"wrong kind of old": `{"sequence":%d,"time":"2026-11-30T22:00:02Z","event":"end","old":7}`,
	} {
		t.Run(name, func(t *testing.T) {
			for at := range lines {
				changed := strings.Clone(damage)
				if strings.Contains(changed, "%d") {
					changed = fmt.Sprintf(changed, at+1)
				}
				if name == "another number" && at+1 == 9 {
					continue
				}
				text := strings.Join(lines[:at], "") + changed + "\n" + strings.Join(lines[at+1:], "")
				run, problem := decode("a/journal", []byte(text), fileBytes, fullBudget())
				if problem == nil || problem.Code != "journal-damaged" || problem.Level != contract.LevelError || problem.Target != "a/journal" ||
					!strings.Contains(problem.Text, fmt.Sprintf("Line %d of a/journal", at+1)) {
					t.Fatalf("line %d: the problem is %+v", at+1, problem)
				}
				if len(run.Lines) != at || !run.Damaged {
					t.Fatalf("line %d: %d lines are kept, damaged %t", at+1, len(run.Lines), run.Damaged)
				}
				if len(problem.Text) > 1000 {
					t.Errorf("line %d: the text is %d bytes long", at+1, len(problem.Text))
				}
			}
		})
	}
}

// A plan stands in the first line and nowhere else.
func TestPlanInItsPlace(t *testing.T) {
	lines := strings.SplitAfter(sample, "\n")
	second := strings.Replace(lines[0], `"sequence":1`, `"sequence":2`, 1)
	for name, text := range map[string]string{
		"none":               `{"sequence":1,"time":"2026-11-30T22:00:01Z","event":"begin","format":1}` + "\n",
		"begins with a step": strings.Replace(lines[1], `"sequence":2`, `"sequence":1`, 1),
		"twice":              lines[0] + second,
		"in a step":          lines[0] + strings.Replace(second, `"begin"`, `"end"`, 1),
	} {
		if run, problem := decode("path", []byte(text), fileBytes, fullBudget()); problem == nil || problem.Code != "journal-damaged" || !run.Damaged {
			t.Errorf("%s: %+v, %+v", name, run, problem)
		}
	}
}

// A journal of a newer program may mean something else by the same words.
func TestNewerJournal(t *testing.T) {
	folder := opened(t)
	put(t, folder, sampleName, strings.Replace(sample, `"format":1,"tool":{"name":"diskaudit","version":"1.2.3"`, `"format":2,"tool":{"name":"diskaudit","version":"7.8.9"`, 1))
	history, problems := Read(folder.Path())
	if len(history.Runs) != 0 || codes(problems) != "journal-newer" || problems[0].Level != contract.LevelError ||
		!strings.Contains(problems[0].Text, "7.8.9") || !strings.Contains(problems[0].Text, sampleName) {
		t.Errorf("the history is %+v, %+v", history, problems)
	}
	// Also when its form is another one altogether.
	for _, first := range []string{`{"format":3,"event":"start"}`, `{"format":3}`} {
		if run, problem := decode("path", []byte(first+"\n"), fileBytes, fullBudget()); problem == nil || problem.Code != "journal-newer" || len(run.Lines) != 0 {
			t.Errorf("%s: %+v, %+v", first, run, problem)
		}
	}
}

func TestOneBadJournalHidesNoOther(t *testing.T) {
	folder := opened(t)
	put(t, folder, "20261130T220001.000000Z-00000001.jsonl", sample)
	put(t, folder, "20261130T220002.000000Z-00000001.jsonl", "nonsense\n")
	put(t, folder, "20261130T220003.000000Z-00000001.jsonl", sample)
	history, problems := Read(folder.Path())
	if codes(problems) != "journal-damaged" || !strings.Contains(problems[0].Target, "220002") {
		t.Errorf("the problems are %+v", problems)
	}
	if len(history.Runs) != 2 || !strings.Contains(history.Runs[0].Path, "220003") || !strings.Contains(history.Runs[1].Path, "220001") {
		t.Errorf("the history is %+v", history)
	}
}

// Reading makes nothing and locks nothing.
func TestReadChangesNothing(t *testing.T) {
	missing := filepath.Join(fresh(t), "above", "journal")
	if history, problems := Read(missing); len(history.Runs) > 0 || len(problems) > 0 {
		t.Errorf("a missing folder: %+v, %+v", history, problems)
	}
	if _, err := os.Lstat(filepath.Dir(missing)); !os.IsNotExist(err) {
		t.Errorf("something was made: %v", err)
	}
	folder := opened(t)
	lock := taken(t, folder, Owner{})
	writer := begun(t, folder, contract.ActionDecrypt)
	if history, problems := Read(folder.path); len(history.Runs) != 1 || len(problems) > 0 {
		t.Errorf("while a run acts: %+v, %+v", history, problems)
	}
	wrote(t, writer, Line{Event: EventEnd, Result: contract.StepDone})
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
	if names := namesIn(t, folder.path); len(names) != 2 {
		t.Errorf("the folder holds %v", names)
	}
}

// Other files are none of its business, whatever they hold.
func TestForeignFiles(t *testing.T) {
	folder := opened(t)
	for _, name := range []string{
		"desktop.ini", "journal.jsonl", ".jsonl", sampleName + ".bak", "x" + sampleName, strings.ToUpper(sampleName),
		"20261330T220000.000000Z-00000001.jsonl", "20261130T220000.000000Z-0000000g.jsonl", "20261130T220000.000000Z+00000001.jsonl",
		"99991130T220000.000000Z-00000001.jsonl", "20261130T220000.000000Z-00000001.json",
	} {
		if name == strings.ToUpper(sampleName) && os.Getenv(wineVariable) != "" {
			// There it is the same name as the next one's.
			continue
		}
		put(t, folder, name, "nonsense\n")
	}
	if err := os.Mkdir(filepath.Join(folder.path, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, folder, "20261130T220009.000000Z-00000001.jsonl", sample)
	history, problems := Read(folder.Path())
	if len(history.Runs) != 1 || len(problems) > 0 {
		t.Errorf("the history is %+v, %+v", history, problems)
	}
}

func TestFolderNamedAsAJournal(t *testing.T) {
	folder := opened(t)
	if err := os.Mkdir(filepath.Join(folder.path, sampleName), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, folder, "20261130T220009.000000Z-00000001.jsonl", sample)
	history, problems := Read(folder.Path())
	if len(history.Runs) != 1 || len(problems) != 1 || problems[0].Level != contract.LevelError || !strings.Contains(problems[0].Text, sampleName) {
		t.Errorf("the history is %+v, %+v", history, problems)
	}
}

// What is read is bounded, and what is not read is told.
func TestTooLargeJournal(t *testing.T) {
	folder := opened(t)
	path := put(t, folder, sampleName, sample)
	if err := os.Truncate(path, fileBytes+1<<20); err != nil {
		t.Fatal(err)
	}
	history, problems := Read(folder.Path())
	if codes(problems) != "journal-too-large" || len(history.Runs) != 1 || len(history.Runs[0].Lines) != 5 || !history.Runs[0].Damaged {
		t.Errorf("the history is %+v, %+v", history.Runs, problems)
	}
	// A limit in the middle of a line cuts it off.
	for limit := range len(sample) {
		run, problem := decode("path", []byte(sample[:limit+1]), limit, fullBudget())
		if want := strings.Count(sample[:limit], "\n"); problem == nil || problem.Code != "journal-too-large" || len(run.Lines) != want || !run.Damaged {
			t.Fatalf("limit %d: %d lines, %+v", limit, len(run.Lines), problem)
		}
	}
}

func TestTooManyJournals(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it makes a thousand files")
	}
	folder := opened(t)
	for i := range fileLimit + 3 {
		put(t, folder, fmt.Sprintf("20261130T220000.%06dZ-00000001.jsonl", i), sample)
	}
	history, problems := Read(folder.Path())
	if codes(problems) != "journals-left-out" || !strings.Contains(problems[0].Text, "the oldest 3 ") {
		t.Errorf("the problems are %+v", problems)
	}
	if len(history.Runs) != fileLimit || !strings.Contains(history.Runs[0].Path, ".001002Z") || !strings.Contains(history.Runs[fileLimit-1].Path, ".000003Z") {
		t.Errorf("%d runs are read", len(history.Runs))
	}
}

// All journals together are bounded too: the newest win.
func TestRoomForAllJournals(t *testing.T) {
	for name, room := range map[string]budget{
		"bytes": {bytes: 2*len(sample) + 10, lines: 100, parts: 100},
		"lines": {bytes: 1 << 20, lines: 12, parts: 100},
	} {
		t.Run(name, func(t *testing.T) {
			folder := opened(t)
			for i := range 5 {
				put(t, folder, fmt.Sprintf("20261130T22000%d.000000Z-00000001.jsonl", i), sample)
			}
			history, problems := readWithin(folder.path, room)
			if codes(problems) != "journal-too-large journals-left-out" || !strings.Contains(problems[1].Text, "the oldest 2 ") {
				t.Errorf("the problems are %+v", problems)
			}
			for i, run := range history.Runs {
				if whole := i < 2; whole && (len(run.Lines) != 5 || run.Damaged) || !whole && !run.Damaged {
					t.Errorf("run %d has %d lines, damaged %t", i, len(run.Lines), run.Damaged)
				}
			}
		})
	}
	// A plan of eleven steps does not fit where ten do.
	plan := strings.Replace(sample, `"steps":[]`, `"steps":[`+strings.Repeat("{},", 10)+`{}]`, 1)
	for parts, lines := range map[int]int{10: 0, 11: 5} {
		room := fullBudget()
		room.parts = parts
		if run, problem := decode("path", []byte(plan), fileBytes, room); len(run.Lines) != lines || (problem == nil) != (lines == 5) {
			t.Errorf("room for %d: %d lines, %+v", parts, len(run.Lines), problem)
		}
	}
}

func namesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
