package table_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/journal"
	changes "diskaudit/core/remediate/windows"
	"diskaudit/tests/rig/simulator"
)

// full is a journal on a disk that is full from one line on.
type full struct {
	from  int
	lines []journal.Line
	// refused tells that a line was not taken.
	refused bool
}

func (f *full) Write(line journal.Line) error {
	if f.from > 0 && len(f.lines)+1 >= f.from {
		f.refused = true
		return &fs.PathError{Op: "write", Path: "journal", Err: syscall.ENOSPC}
	}
	line.Sequence = uint64(len(f.lines) + 1)
	f.lines = append(f.lines, line)
	return nil
}

// TestJournalFull: the disk with the journal gets full at each line. No change is made whose line is not on it, nor
// any after a line that was refused, and the run says so.
func TestJournalFull(t *testing.T) {
	base := inMemory(t)
	r := troubledRows()[0]
	var plan contract.Plan
	r.apply = false
	r.inBubble(t, base, func(_ *world, result ran) { plan = result.document.Plan })
	lines := r.full(t, plan, 0)
	if lines < 9 {
		t.Fatalf("%d lines", lines)
	}
	for from := 1; from <= lines; from++ {
		r.full(t, plan, from)
	}
}

// full carries out the plan with a journal that is full from a line on, and counts its lines.
func (r row) full(t *testing.T, plan contract.Plan, from int) (lines int) {
	t.Helper()
	rows.Add(1)
	var wrong []string
	synctest.Test(t, func(t *testing.T) {
		written := &full{from: from}
		w := r.exist("")
		defer w.machine.Release()
		w.written = func() []journal.Line { return written.lines }
		w.intercept = func(change contract.Change, target string) error {
			if written.refused {
				w.wrongf("%s of %s after a line that was refused", change, target)
			}
			return nil
		}
		inner := changes.New(changes.Sources{
			Provider: func() provider.Caller { return simulator.NewCaller(w.machine) }, Registry: w.store, Cache: cache{},
		})
		computer := &watched{Computer: inner, world: w}
		defer computer.Close()
		outcome := remediate.Apply(t.Context(), plan, computer, written, remediate.Options{Wait: true, Poll: time.Second, Pauses: []time.Duration{time.Second}})
		said := slices.ContainsFunc(outcome.Steps, func(step contract.StepResult) bool {
			return step.Problem != nil && step.Problem.Code == "journal-failed"
		})
		// That the last line, which closes the journal, is missing costs nothing; nor does a progress line.
		if from > 0 && !said && written.refused && from < lines {
			w.wrongf("nothing says that the journal could not be written: %+v", outcome.Steps)
		}
		if made := len(w.store.written) > 0; made && !announcedBy(written.lines, contract.ChangePrevent) {
			w.wrongf("PreventDeviceEncryption was changed without a line")
		}
		for _, call := range w.machine.Forbidden() {
			if !announcedBy(written.lines, permitted[call.Name]) {
				w.wrongf("%s without a line", call.Name)
			}
		}
		lines, wrong = len(written.lines), w.wrong
	})
	for _, text := range wrong {
		t.Errorf("full from line %d on: %s", from, text)
	}
	return lines
}

func announcedBy(lines []journal.Line, change contract.Change) bool {
	return slices.ContainsFunc(lines, func(line journal.Line) bool { return line.Event == journal.EventStep && line.Change == change })
}

// TestNoJournal: where no journal can be kept, nothing is changed.
func TestNoJournal(t *testing.T) {
	r := troubledRows()[0]
	r.apply = true
	var wrong []string
	rows.Add(1)
	synctest.Test(t, func(t *testing.T) {
		w := r.exist(filepath.Join("/proc/self/no-journals", "here"))
		defer w.machine.Release()
		result := w.run(t.Context(), r.arguments()...)
		if result.code != 1 || len(result.calls) > 0 || len(result.written) > 0 || result.document.Applied {
			w.wrongf("exit code %d, applied %v, %v %v", result.code, result.document.Applied, result.calls, result.written)
		}
		if !slices.ContainsFunc(result.document.Problems, func(problem contract.Problem) bool { return problem.Code == "journal-folder-unusable" }) {
			w.wrongf("nothing says why: %+v", result.document.Problems)
		}
		wrong = w.wrong
	})
	for _, text := range wrong {
		t.Error(text)
	}
}

// TestRegistryRefuses: PreventDeviceEncryption cannot be written, or does not stay written. Nothing is decrypted
// then, for Windows may encrypt again.
func TestRegistryRefuses(t *testing.T) {
	base := inMemory(t)
	for name, one := range map[string]struct {
		store store
		code  string
	}{
		"access denied":        {store{refuses: fs.ErrPermission}, "access-denied"},
		"registry fails":       {store{refuses: errors.New("the hive is damaged")}, "registry-failed"},
		"B35 it is put back":   {store{forgets: true}, "write-not-kept"},
		"it fails and is kept": {store{fails: errors.New("the hive could not be flushed")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, action := range []contract.Action{contract.ActionDecrypt, contract.ActionPrevent} {
				r := row{computer: whole(), request: request{action: action}, apply: true}
				if action == contract.ActionDecrypt {
					r.overrides = []string{keysGuard}
				}
				r.inStore(t, base, one.store, one.code)
			}
		})
	}
}

func (r row) inStore(t *testing.T, base string, faulty store, code string) {
	t.Helper()
	rows.Add(1)
	var wrong []string
	synctest.Test(t, func(t *testing.T) {
		w := r.exist(filepath.Join(base, "registry", string(r.action), fmt.Sprint(folders.Add(1))))
		defer w.machine.Release()
		w.store.refuses, w.store.forgets, w.store.fails = faulty.refuses, faulty.forgets, faulty.fails
		result := w.run(t.Context(), r.arguments()...)
		w.invariants(result, true, r.clearsKeys(), nil)
		said := code == "" || slices.ContainsFunc(result.document.Problems, func(problem contract.Problem) bool { return problem.Code == code })
		switch {
		case code == "" && (result.code != 0 || len(result.written) != 1):
			w.wrongf("it was kept: want exit code 0 and one attempt, got %d and %d: %+v", result.code, len(result.written), result.document.Problems)
		case code != "" && (result.code != 1 || !said || len(result.calls) > 0):
			w.wrongf("want exit code 1, %s and no call, got %d, %+v, %v", code, result.code, result.document.Problems, result.calls)
		}
		wrong = w.wrong
	})
	for _, text := range wrong {
		t.Errorf("%s: %s", r.action, text)
	}
}
