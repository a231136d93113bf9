//go:build unix

package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// take locks an open file, and tells whether that went: another open file has it otherwise. The lock
// belongs to the open file, and ends with its last descriptor. Source: flock(2).
func take(file *os.File) (bool, error) {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.EWOULDBLOCK) {
			return false, nil
		}
		return err == nil, err
	}
}

func give(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_UN) }
