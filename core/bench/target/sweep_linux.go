package target

import (
	"os"

	"golang.org/x/sys/unix"
)

// sweepOne removes a file if a dead run left it, and tells whether it did. ours tells that it has
// one of our names.
func sweepOne(path string, ours bool) bool {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil || !sweepable(stat) {
		return false
	}
	descriptor, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	file := os.NewFile(uintptr(descriptor), path)
	defer file.Close()
	// First without the lock: it could be in the way of whoever locks a file that is not ours.
	if unix.Fstat(descriptor, &stat) != nil || !sweepable(stat) || !isLeftover(file, stat.Size, stat.Ino, ours) {
		return false
	}
	// A living run holds this lock; it goes with its process.
	if unix.Flock(descriptor, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false
	}
	if unix.Fstat(descriptor, &stat) != nil || !sweepable(stat) || !isLeftover(file, stat.Size, stat.Ino, ours) {
		return false
	}
	same, err := stillNamed(file, path)
	return err == nil && same && unix.Unlink(path) == nil
}

// sweepable tells whether a file can be one that we made: regular, with one name, of this user,
// who may still write it.
func sweepable(stat unix.Stat_t) bool {
	return stat.Mode&unix.S_IFMT == unix.S_IFREG && stat.Nlink == 1 && stat.Mode&unix.S_IWUSR != 0 &&
		int(stat.Uid) == unix.Geteuid()
}
