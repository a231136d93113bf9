package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockedAt is the byte that is locked. Windows keeps others from reading what is locked, so it lies
// far behind the owner's line; a range beyond a file's end can be locked
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-lockfileex).
const lockedAt = 1 << 30

// take locks an open file, and tells whether that went: another handle has it otherwise. Windows
// unlocks it when the handle is closed or the process ends (same page).
func take(file *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockedRange())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-unlockfileex
func give(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, lockedRange())
}

func lockedRange() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: lockedAt} }
