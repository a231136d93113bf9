package storage

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/registry"
)

const (
	aJournal     = `C:\ProgramData\BitLockerDiskAudit\journal\1.jsonl`
	otherJournal = `C:\ProgramData\BitLockerDiskAudit\journal\2.jsonl`
)

func askWithJournals(t *testing.T, journals Journals) contract.Status {
	t.Helper()
	f := newFake(t)
	f.disk("0", map[int64]any{})
	f.disk("1", map[int64]any{})
	report := machine.NewReport(nil)
	reader := New(f, registry.Memory{}).WithJournals(journals)
	reader.timeout = time.Hour
	reader.Disks(context.Background(), report, false)
	return report.Close()
}

// A journal of a speed-up goes to its disk; what cannot be looked up is told, and costs no disk.
func TestJournalsOfSpeedUps(t *testing.T) {
	var release chan struct{}
	denied := contract.Problem{Code: "journal-access-denied", Level: contract.LevelInfo, Stage: "journal", Target: "folder", Text: "It is for administrators."}
	torn := contract.Problem{Code: "journal-torn", Level: contract.LevelWarning, Stage: "journal", Target: "folder", Text: "Its last line was cut off."}
	type journals = map[string]string
	for _, test := range []struct {
		name     string
		journals Journals
		want     string
		// target and problem are of the only problem beside those of the disks.
		target, problem string
	}{
		{"nobody keeps journals", nil, "null null", "", ""},
		{"none", func() (journals, []contract.Problem) { return nil, nil }, "null null", "", ""},
		{"of one disk", func() (journals, []contract.Problem) { return journals{"PhysicalDrive1": aJournal}, nil }, "null " + aJournal, "", ""},
		{"of both", func() (journals, []contract.Problem) {
			return journals{"PhysicalDrive0": otherJournal, "PhysicalDrive1": aJournal}, nil
		}, otherJournal + " " + aJournal, "", ""},
		{"one of two can be read", func() (journals, []contract.Problem) {
			return journals{"PhysicalDrive0": aJournal}, []contract.Problem{torn}
		}, aJournal + " null", "folder", "warning journal-torn"},
		{"kept from a standard user", func() (journals, []contract.Problem) { return nil, []contract.Problem{denied} }, "null null", "folder", "info journal-access-denied"},
		{"of a disk that is not there", func() (journals, []contract.Problem) {
			return journals{"PhysicalDrive0": aJournal, "PhysicalDrive7": otherJournal}, nil
		}, aJournal + " null", "PhysicalDrive7", "warning speed-up-disk-missing"},
		{"of what is no disk's id", func() (journals, []contract.Problem) { return journals{"physicaldrive0": otherJournal}, nil }, "null null", "physicaldrive0", "warning speed-up-disk-missing"},
		{"a folder that hangs", func() (journals, []contract.Problem) {
			<-release
			return journals{"PhysicalDrive0": aJournal}, nil
		}, "null null", "", "error journals-unknown"},
		{"a fault", func() (journals, []contract.Problem) { panic("on purpose") }, "null null", "", "error journals-unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release = make(chan struct{})
				defer close(release)
				status := askWithJournals(t, test.journals)
				if len(status.Disks) != 2 {
					t.Fatalf("%d disks, want 2", len(status.Disks))
				}
				if got := show(status.Disks[0].WriteCache.SpeedUpJournal) + " " + show(status.Disks[1].WriteCache.SpeedUpJournal); got != test.want {
					t.Errorf("journals %s, want %s", got, test.want)
				}
				if got := problemsOf(status.Problems, test.target); got != test.problem {
					t.Errorf("problems of %q: %q, want %q", test.target, got, test.problem)
				}
				for _, problem := range status.Problems {
					if problem.Stage != machine.StageDisks {
						t.Errorf("a problem of the stage %s: %+v", problem.Stage, problem)
					}
				}
			})
		})
	}
}

// One whose disk is not there says which journal it is and where to look.
func TestSpeedUpOfAMissingDisk(t *testing.T) {
	status := askWithJournals(t, func() (map[string]string, []contract.Problem) {
		return map[string]string{"PhysicalDrive7": otherJournal}, nil
	})
	text := textOf(status.Problems, "PhysicalDrive7", "speed-up-disk-missing")
	for _, part := range []string{otherJournal, "another number", "Device Manager"} {
		if !strings.Contains(text, part) {
			t.Errorf("the problem does not say %q: %s", part, text)
		}
	}
}
