package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
)

// witness writes down what is done with a file, and fails where it is told to.
type witness struct {
	file   File
	events *[]string
	// failWrite and failSync count down to a failure; half of the data is written before it.
	failWrite, failSync int
}

var errDisk = errors.New("the disk is full")

func (w *witness) Write(data []byte) (int, error) {
	*w.events = append(*w.events, "write")
	if w.failWrite--; w.failWrite == 0 {
		n, _ := w.file.Write(data[:len(data)/2])
		return n, errDisk
	}
	if lines := strings.Count(string(data), "\n"); lines != 1 || data[len(data)-1] != '\n' {
		*w.events = append(*w.events, fmt.Sprintf("not one line: %q", data))
	}
	return w.file.Write(data)
}

func (w *witness) Sync() error {
	*w.events = append(*w.events, "sync")
	if w.failSync--; w.failSync == 0 {
		return errDisk
	}
	return w.file.Sync()
}

func (w *witness) Close() error {
	*w.events = append(*w.events, "close")
	return w.file.Close()
}

// Each line is on the disk before the call that writes it returns, and the journal's name before
// anything may be changed.
func TestFlushedBeforeItReturns(t *testing.T) {
	folder := opened(t)
	var events []string
	folder.letThrough(func(file File) File { return &witness{file: file, events: &events} })
	flush := folder.flushed
	folder.flushed = func(inside *entered) error {
		events = append(events, "folder")
		return flush(inside)
	}
	expect := func(doing string, want ...string) {
		t.Helper()
		if !slices.Equal(events, want) {
			t.Errorf("%s: %v, not %v", doing, events, want)
		}
		events = nil
	}
	writer := begun(t, folder, contract.ActionDecrypt)
	expect("creating", "write", "sync", "folder")
	wrote(t, writer, step("1", contract.ChangePrevent, prevention, "absent", "1"))
	expect("writing", "write", "sync")
	wrote(t, writer, ended("1", contract.StepDone))
	expect("writing", "write", "sync")
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	expect("closing", "close")
	if err := writer.Write(ended("1", contract.StepDone)); err == nil {
		t.Error("a closed journal takes lines")
	}
	if err := writer.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	expect("after closing")
}

// After a failure no line follows, for one may have been cut off.
func TestNothingAfterAFailure(t *testing.T) {
	for _, test := range []struct {
		name                string
		failWrite, failSync int
		// lines are in the file afterwards; torn tells that a part of one follows.
		lines int
		torn  bool
	}{
		{"writing", 3, 0, 2, true},
		{"flushing", 0, 3, 3, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := opened(t)
			var events []string
			folder.letThrough(func(file File) File {
				return &witness{file: file, events: &events, failWrite: test.failWrite, failSync: test.failSync}
			})
			writer := begun(t, folder, contract.ActionDecrypt)
			wrote(t, writer, step("1", contract.ChangePrevent, prevention, "absent", "1"))
			for range 3 {
				if err := writer.Write(ended("1", contract.StepDone)); !errors.Is(err, errDisk) || !strings.Contains(err.Error(), writer.Path()) {
					t.Errorf("it says %v", err)
				}
			}
			history, problems := Read(folder.Path())
			if len(problems) > 0 || len(history.Runs) != 1 || len(history.Runs[0].Lines) != test.lines || history.Runs[0].Torn != test.torn {
				t.Errorf("the history is %+v, %v", history, problems)
			}
		})
	}
}

// A journal that cannot be begun is an error before anything is changed, and is no run.
func TestCreateFails(t *testing.T) {
	for name, fails := range map[string]witness{"writing": {failWrite: 1}, "flushing": {failSync: 1}} {
		t.Run(name, func(t *testing.T) {
			folder := opened(t)
			var events []string
			folder.letThrough(func(file File) File {
				fails.file, fails.events = file, &events
				return &fails
			})
			if _, err := folder.Create(contract.Tool{}, contract.Plan{}); !errors.Is(err, errDisk) {
				t.Errorf("it says %v", err)
			}
			if len(events) == 0 || events[len(events)-1] != "close" {
				t.Errorf("the file is left open: %v", events)
			}
			if history, problems := Read(folder.Path()); len(problems) > 0 || len(history.InForce()) > 0 {
				t.Errorf("the history is %+v, %v", history, problems)
			}
		})
	}
	folder := opened(t)
	folder.flushed = func(*entered) error { return errDisk }
	if _, err := folder.Create(contract.Tool{}, contract.Plan{}); !errors.Is(err, errDisk) {
		t.Errorf("a name that may not last: %v", err)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	folder := opened(t)
	commit := "abc"
	plan := contract.Plan{ID: "plan", Action: contract.ActionDecrypt, Steps: []contract.PlanStep{{ID: "1", Text: "Grüße 🚸\n\u2028"}}}
	writer, err := folder.Create(contract.Tool{Name: "diskaudit", Version: "1.2.3", Commit: &commit}, plan)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	percent := 41.5
	wrote(t, writer,
		step("1", contract.ChangeDecrypt, volumeC, "FullyEncrypted", "DecryptionInProgress"),
		Line{Event: EventStepEnd, Step: "1", Result: contract.StepFailed, Unsure: true, Problem: &contract.Problem{Code: "x", Text: "é"}},
		Line{Event: EventProgress, Target: volumeC, Percent: &percent},
		Line{Event: EventEnd, Result: contract.StepFailed})
	for _, b := range []byte(content(t, writer.Path())) {
		if b != '\n' && (b < 0x20 || b > 0x7e) {
			t.Fatalf("byte %#x is not printable ASCII", b)
		}
	}
	history, problems := Read(folder.Path())
	if len(problems) > 0 || len(history.Runs) != 1 {
		t.Fatalf("the history is %+v, %v", history, problems)
	}
	run := history.Runs[0]
	if run.Path != writer.Path() || run.Torn || run.Damaged || len(run.Lines) != 5 {
		t.Fatalf("the run is %+v", run)
	}
	for i, line := range run.Lines {
		// The name took the first second.
		if want := start.Add(time.Duration(i+2) * time.Second); line.Sequence != uint64(i+1) || !line.Time.Equal(want) {
			t.Errorf("line %d says %d at %v, not at %v", i+1, line.Sequence, line.Time, want)
		}
	}
	first := run.Lines[0]
	if first.Event != EventBegin || first.Format != 1 || first.Process != os.Getpid() || *first.Tool.Commit != commit || first.Plan.Steps[0].Text != plan.Steps[0].Text {
		t.Errorf("the first line is %+v", first)
	}
	if third := run.Lines[2]; !third.Unsure || third.Problem == nil || third.Problem.Text != "é" || third.Result != contract.StepFailed {
		t.Errorf("the end of the step is %+v", third)
	}
	if fourth := run.Lines[3]; fourth.Percent == nil || *fourth.Percent != percent || fourth.Target != volumeC {
		t.Errorf("the progress is %+v", fourth)
	}
}

// Cases C27 and B72: no recovery password gets into a journal, wherever it came from.
func TestNoRecoveryPassword(t *testing.T) {
	password := "111111-222222-333333-444444-555555-666666-777777-888888"
	forbidden := regexp.MustCompile(`(\d{6}\D{1,6}){7}\d{6}`)
	for name, text := range map[string]string{
		"alone":         password,
		"in a sentence": "The key is " + password + ".",
		"after digits":  "0" + password + "9",
		"nine groups":   password + "-999999",
		"twice":         password + "-" + password + " " + password,
		"spaces":        strings.ReplaceAll(password, "-", " "),
		"dashes":        strings.ReplaceAll(password, "-", "\u2013"),
		"minus signs":   strings.ReplaceAll(password, "-", "\u2212"),
	} {
		t.Run(name, func(t *testing.T) {
			folder := opened(t)
			writer, err := folder.Create(contract.Tool{Version: text}, contract.Plan{Steps: []contract.PlanStep{{ID: text, Text: text}}})
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close()
			wrote(t, writer,
				step(text, contract.ChangeDecrypt, text, text, text),
				Line{Event: EventStepEnd, Step: text, Problem: &contract.Problem{Text: "before " + text + " after", Target: text}})
			written := content(t, writer.Path())
			if found := forbidden.FindString(written); found != "" || strings.Contains(written, "222222") {
				t.Errorf("%q is in the journal:\n%s", found, written)
			}
			history, problems := Read(folder.Path())
			if len(problems) > 0 || len(history.Runs) != 1 || len(history.Runs[0].Lines) != 3 {
				t.Fatalf("the rest cannot be read: %+v, %v", history, problems)
			}
			if got := history.Runs[0].Lines[2].Problem.Text; !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Errorf("the text around it is lost: %q", got)
			}
		})
	}
	// What only looks like one stays.
	for _, text := range []string{"111111-222222-333333-444444-555555-666666-777777", volumeC, "2026-11-30T22:00:00.123456Z"} {
		if got := string(withoutPasswords([]byte(text))); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestLineTooLong(t *testing.T) {
	folder := opened(t)
	writer := begun(t, folder, contract.ActionDecrypt)
	if err := writer.Write(Line{Event: EventEnd, Problem: &contract.Problem{Text: strings.Repeat("x", 1<<20)}}); err == nil {
		t.Error("a line is written that is not read again")
	}
	history, problems := Read(folder.Path())
	if len(problems) > 0 || len(history.Runs) != 1 || len(history.Runs[0].Lines) != 1 || history.Runs[0].Torn {
		t.Errorf("the history is %+v, %v", history, problems)
	}
}

// Watching a conversion for months does not fill the journal up to where changes could not be read again.
func TestProgressLeavesRoom(t *testing.T) {
	folder := opened(t)
	writer := begun(t, folder, contract.ActionDecrypt)
	writer.size = fileBytes - fileReserve + 1
	percent := 50.0
	before := content(t, writer.Path())
	wrote(t, writer, Line{Event: EventProgress, Target: volumeC, Percent: &percent})
	if content(t, writer.Path()) != before {
		t.Error("progress is written though the journal is nearly full")
	}
	wrote(t, writer, step("1", contract.ChangeDecrypt, volumeC, "FullyEncrypted", "DecryptionInProgress"))
	if history, problems := Read(folder.Path()); len(problems) > 0 || len(history.InForce()) != 1 {
		t.Errorf("the history is %+v, %v", history, problems)
	}
}

// Names tell the order of runs, also when the clock was put back between them.
func TestNamesSortByRun(t *testing.T) {
	folder := opened(t)
	times := []time.Time{start, start.Add(time.Hour), start.Add(-24 * time.Hour), start.Add(-24 * time.Hour), start.Add(2 * time.Hour).In(time.FixedZone("east", 3600*11))}
	var paths []string
	for _, at := range times {
		folder.clock = func() time.Time { return at }
		paths = append(paths, begun(t, folder, contract.ActionPrevent).Path())
	}
	if !slices.IsSorted(paths) || len(slices.Compact(slices.Clone(paths))) != len(paths) {
		t.Errorf("the names are not in order: %v", paths)
	}
	if name := filepath.Base(paths[4]); !strings.HasPrefix(name, "20261201T000000.000000Z-") {
		t.Errorf("the name %s is not the time in UTC", name)
	}
	history, problems := Read(folder.Path())
	if len(problems) > 0 || len(history.Runs) != len(paths) {
		t.Fatalf("the history is %+v, %v", history, problems)
	}
	for i, run := range history.Runs {
		if want := paths[len(paths)-1-i]; run.Path != want {
			t.Errorf("run %d is %s, not %s", i, run.Path, want)
		}
	}
}
