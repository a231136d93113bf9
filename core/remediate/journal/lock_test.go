package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
)

// busy takes a lock that another run must have.
func busy(t *testing.T, folder *Folder) *Busy {
	t.Helper()
	lock, err := folder.Lock(Owner{Action: contract.ActionDecrypt})
	var refused *Busy
	if !errors.As(err, &refused) {
		if lock != nil {
			_ = lock.Release()
		}
		t.Fatalf("the lock is not refused as held by another: %v", err)
	}
	return refused
}

// taken takes a lock that must be free.
func taken(t *testing.T, folder *Folder, owner Owner) *Lock {
	t.Helper()
	lock, err := folder.Lock(owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	return lock
}

// Two runs at once, in two processes: one has the lock, and the other can say who. A process that was killed
// does not hold it.
func TestLockBetweenProcesses(t *testing.T) {
	folder := opened(t)
	before := time.Now().Add(-time.Second)
	child := holding(t, folder.path)
	refused := busy(t, folder)
	owner := refused.Owner
	if owner == nil || owner.Process != child.Process.Pid || owner.Action != contract.ActionPause ||
		owner.Started.Before(before) || owner.Started.After(time.Now().Add(time.Second)) {
		t.Errorf("the owner is %+v, not process %d that pauses", owner, child.Process.Pid)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	lock := taken(t, folder, Owner{Action: contract.ActionUndo})
	if owner := busy(t, folder).Owner; owner == nil || owner.Process != os.Getpid() || owner.Action != contract.ActionUndo {
		t.Errorf("after the kill the owner is %+v", owner)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	taken(t, folder, Owner{})
}

func TestLockWithinAProcess(t *testing.T) {
	folder := opened(t)
	other, err := Open(folder.path)
	if err != nil {
		t.Fatal(err)
	}
	lock := taken(t, folder, Owner{Process: 4711, Started: start, Action: contract.ActionDecrypt})
	refused := busy(t, other)
	for _, want := range []string{"process 4711", "--action decrypt", "2026-11-30T22:00:00Z", "Wait until it has ended", "changed nothing"} {
		if !strings.Contains(refused.Error(), want) {
			t.Errorf("%q is not in %q", want, refused.Error())
		}
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	taken(t, other, Owner{})
	if owner := busy(t, folder).Owner; owner == nil || owner.Process != os.Getpid() {
		t.Errorf("then the owner is %+v", owner)
	}
}

// What stands in the file is not believed unless it is whole: another run acts all the same.
func TestLockWithoutAnOwner(t *testing.T) {
	whole := `{"process":4711,"started":"2026-11-30T22:00:00Z","action":"decrypt"}` + "\n"
	for name, content := range map[string]string{
		"empty":           "",
		"no end":          strings.TrimSuffix(whole, "\n"),
		"cut":             whole[:20] + "\n",
		"no process":      strings.Replace(whole, "4711", "0", 1),
		"not a process":   strings.Replace(whole, "4711", `"<b>"`, 1),
		"no time":         strings.Replace(whole, "2026-11-30T22:00:00Z", "0001-01-01T00:00:00Z", 1),
		"another action":  strings.Replace(whole, "decrypt", "format c:", 1),
		"far too long":    strings.Repeat(" ", 1<<20) + whole,
		"bytes":           "\xff\x00\n",
		"two lines, torn": whole + "{",
	} {
		t.Run(name, func(t *testing.T) {
			folder := opened(t)
			lock := taken(t, folder, Owner{})
			if err := lock.file.Truncate(0); err != nil {
				t.Fatal(err)
			}
			if _, err := lock.file.WriteAt([]byte(content), 0); err != nil {
				t.Fatal(err)
			}
			refused := busy(t, folder)
			if refused.Owner != nil {
				t.Errorf("the owner is %+v", refused.Owner)
			}
			if text := refused.Error(); !strings.HasPrefix(text, "Another run") || strings.Contains(text, "process 4711") {
				t.Errorf("it says %q", text)
			}
		})
	}
}

// The name of the owner is a line that people and other programs can read while it is locked.
func TestLockCanBeRead(t *testing.T) {
	folder := opened(t)
	lock := taken(t, folder, Owner{Process: 4711, Started: start, Action: contract.ActionResume})
	path := filepath.Join(folder.path, "lock")
	if got, want := content(t, path), `{"process":4711,"started":"2026-11-30T22:00:00Z","action":"resume"}`+"\n"; got != want {
		t.Errorf("it holds %q, not %q", got, want)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "" {
		t.Errorf("when it is given back it still names %q", got)
	}
}
