package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"diskaudit/core/contract"
)

// lockName is the file that is locked. It stays when nobody holds it: what counts is the system's lock on it.
const lockName = "lock"

// Lock is held by the one run that may change the computer.
type Lock struct {
	file *os.File
	path string
}

// Lock takes the lock for a run; this process and the present are filled in where they are zero. The
// error is a *Busy when another run holds it for longer than the system takes to clear a dead process
// away. The system gives the lock back when this process ends, in whatever way.
func (f *Folder) Lock(owner Owner) (*Lock, error) {
	if owner.Process == 0 {
		owner.Process = os.Getpid()
	}
	if owner.Started.IsZero() {
		owner.Started = f.clock().UTC()
	}
	inside, err := enter(f.path)
	if err != nil {
		return nil, err
	}
	defer inside.Close()
	path := filepath.Join(f.path, lockName)
	for attempt := 1; ; attempt++ {
		file, err := inside.openLock(lockName)
		if err != nil {
			return nil, err
		}
		switch held, err := take(file); {
		case err != nil:
			file.Close()
			return nil, fmt.Errorf("locking %s: %w", path, err)
		case held:
			lock := &Lock{file, path}
			if err := lock.sign(owner); err != nil {
				file.Close()
				return nil, err
			}
			return lock, nil
		}
		other := readOwner(file)
		file.Close()
		// "The time it takes for the operating system to unlock these locks depends upon available system
		// resources": https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-lockfileex.
		if attempt == ownerTries {
			return nil, &Busy{Folder: f.path, Owner: other}
		}
		time.Sleep(ownerPause)
	}
}

// How often, and with what pauses, a lock that is held is tried for: a second in all.
const (
	ownerTries = 20
	ownerPause = 50 * time.Millisecond
	ownerBytes = 4096
)

// sign writes whose the lock is.
func (l *Lock) sign(owner Owner) error {
	data, err := contract.Encode(owner)
	if err == nil {
		err = l.file.Truncate(0)
	}
	if err == nil {
		_, err = l.file.WriteAt(append(contract.ASCII(data), '\n'), 0)
	}
	if err != nil {
		return fmt.Errorf("writing the owner into %s: %w", l.path, err)
	}
	return nil
}

// readOwner reads whose a lock is; nil when that is not written there as a whole.
func readOwner(file *os.File) *Owner {
	data, err := io.ReadAll(io.NewSectionReader(file, 0, ownerBytes))
	if err != nil || !bytes.HasSuffix(data, []byte("\n")) {
		return nil
	}
	var owner Owner
	if json.Unmarshal(data, &owner) != nil || owner.Process <= 0 || owner.Started.IsZero() || !slices.Contains(contract.Actions(), owner.Action) {
		return nil
	}
	return &owner
}

// Release gives the lock back.
func (l *Lock) Release() error {
	// Without an owner it is not taken for the one of a run that has just begun.
	err := errors.Join(l.file.Truncate(0), give(l.file), l.file.Close())
	if err != nil {
		return fmt.Errorf("giving back the lock %s: %w", l.path, err)
	}
	return nil
}
