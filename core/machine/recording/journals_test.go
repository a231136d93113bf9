package recording

import (
	"testing"

	"diskaudit/core/contract"
)

// A recording tells that flushing is off and that this program did it; not where somebody keeps files.
func TestJournals(t *testing.T) {
	for path, want := range map[string]string{
		`C:\ProgramData\BitLockerDiskAudit\journal\20261130T223000.123456Z-0badcafe.jsonl`: `C:\ProgramData\BitLockerDiskAudit\journal\20261130T223000.123456Z-0badcafe.jsonl`,
		`C:\ProgramData\BitLockerDiskAudit\journal\ALICE-PC.jsonl`:                         "journal-1",
		`D:\Alice\audit\1.jsonl`:             "journal-1",
		"/home/alice/journal/20261130.jsonl": "journal-1",
		"":                                   "",
	} {
		problem := contract.Problem{Code: "journal-torn", Level: contract.LevelWarning, Stage: "disks", Target: path, Text: "The journal " + path + " is cut off."}
		status := contract.Status{
			Header: contract.Header{Problems: contract.List[contract.Problem]{problem}},
			Disks:  contract.List[contract.Disk]{{ID: "PhysicalDrive0", WriteCache: contract.WriteCache{SpeedUpJournal: ptr(path), PowerProtected: ptr(true)}}},
			Volumes: contract.List[contract.Volume]{
				{ID: "one", FileSystemDirty: ptr(true)}, {ID: "two", FileSystemDirty: ptr(false)}, {ID: "three"},
			},
		}
		redacted := Redact(status)
		if got := *redacted.Disks[0].WriteCache.SpeedUpJournal; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if got := redacted.Problems[0]; got.Target != want || got.Text != "The journal "+want+" is cut off." {
			t.Errorf("%s: a problem about it is %q, about %q", path, got.Text, got.Target)
		}
		again := Redact(redacted)
		if got := *again.Disks[0].WriteCache.SpeedUpJournal; got != want {
			t.Errorf("%s: redacted twice it is %s, want %s", path, got, want)
		}
		dirty := again.Volumes
		if dirty[0].FileSystemDirty == nil || !*dirty[0].FileSystemDirty || dirty[1].FileSystemDirty == nil || *dirty[1].FileSystemDirty || dirty[2].FileSystemDirty != nil {
			t.Errorf("the dirty bits are other ones: %+v", dirty)
		}
	}
}
