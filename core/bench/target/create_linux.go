package target

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"diskaudit/core/contract"
)

// nameTries bounds how often a new name is tried when a sweep of another process takes the file
// away in the moment before it is locked.
const nameTries = 10

// create makes the empty file. Without a name to give it, it gets none at all, if the file system
// can: then not even kill -9 leaves it behind. Source: open(2), O_TMPFILE.
func create(p place, c choices) (*made, error) {
	if p.name != "" {
		return createNamed(p.folder, p.name)
	}
	if !c.named {
		if m, err := createUnnamed(p.folder); m != nil || err != nil {
			return m, err
		}
	}
	for range nameTries {
		m, err := createNamed(p.folder, newName())
		if !errors.Is(err, errTaken) {
			return m, err
		}
	}
	return nil, refuse("unavailable", "%s: the test file disappeared as soon as it was made, %d times. Find out what removes files there, or name another folder", p.folder, nameTries)
}

// errTaken is that a file was removed before it was locked.
var errTaken = errors.New("the file was removed as soon as it was made")

// noUnnamed are the answers of file systems and kernels without O_TMPFILE.
var noUnnamed = []error{unix.EOPNOTSUPP, unix.EISDIR, unix.ENOENT, unix.EINVAL, unix.ENOSYS}

// createUnnamed returns nil and no error when the file has to have a name.
func createUnnamed(folder string) (*made, error) {
	descriptor, err := unix.Open(folder, unix.O_TMPFILE|unix.O_EXCL|unix.O_RDWR|unix.O_DIRECT|unix.O_CLOEXEC, 0o600)
	for _, answer := range noUnnamed {
		if errors.Is(err, answer) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, explain("making a test file in", folder, err)
	}
	path := fmt.Sprintf("/proc/self/fd/%d", descriptor)
	file := os.NewFile(uintptr(descriptor), path)
	// The workers open it once more; some file systems cannot open what has no name.
	again, err := unix.Open(path, unix.O_RDWR|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		file.Close()
		return nil, nil
	}
	_ = unix.Close(again)
	return &made{file: file, path: path, shown: folder, remove: file.Close}, nil
}

// createNamed makes a file of that name, locked so that Sweep leaves it alone.
func createNamed(folder, name string) (*made, error) {
	path := filepath.Join(folder, name)
	// Not yet unbuffered: where that is not possible, the file would be made all the same.
	descriptor, err := unix.Open(path, unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, explain("making the test file", path, err)
	}
	locked := os.NewFile(uintptr(descriptor), path)
	if err := holdNamed(descriptor); err != nil {
		return nil, errors.Join(err, removeNamed(locked, path))
	}
	descriptor, err = unix.Open(path, unix.O_RDWR|unix.O_DIRECT|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		failure := explain("opening the test file", path, err)
		if errors.Is(err, unix.EINVAL) {
			failure = refuseNoDirect(path, err)
		}
		if err := removeNamed(locked, path); err != nil {
			return nil, errors.Join(failure, err)
		}
		return nil, failure
	}
	file := os.NewFile(uintptr(descriptor), path)
	remove := func() error {
		file.Close()
		return removeNamed(locked, path)
	}
	if same, err := stillNamed(locked, path); err != nil || !same || !sameFile(locked, file) {
		return nil, errors.Join(errTaken, remove())
	}
	return &made{file: file, path: path, shown: path, remove: remove}, nil
}

// holdNamed locks a new file. A sweep of another process may have come first.
func holdNamed(descriptor int) error {
	err := unix.Flock(descriptor, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errTaken
	}
	var stat unix.Stat_t
	if unix.Fstat(descriptor, &stat) == nil && stat.Nlink == 0 {
		return errTaken
	}
	// A file system without locks has no sweeps either: they need the lock.
	return nil
}

// removeNamed removes the name, only as long as it is that of the file, and closes the file.
func removeNamed(file *os.File, path string) error {
	defer file.Close()
	switch same, err := stillNamed(file, path); {
	case err != nil:
		return fmt.Errorf("removing the test file %s: %w", path, err)
	case !same:
		return nil
	}
	if err := unix.Unlink(path); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("removing the test file %s: %w; remove it by hand", path, err)
	}
	return nil
}

func sameFile(a, b *os.File) bool {
	first, err := a.Stat()
	second, err2 := b.Stat()
	return err == nil && err2 == nil && os.SameFile(first, second)
}

// stillNamed tells whether a path still names an open file: neither nothing nor another one.
func stillNamed(file *os.File, path string) (bool, error) {
	opened, err := file.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(opened, named), err
}

// openExisting opens an existing file or a device for unbuffered reading.
func openExisting(p place) (*os.File, int64, error) {
	// O_NONBLOCK: it may have become a pipe meanwhile.
	descriptor, err := unix.Open(p.path, unix.O_RDONLY|unix.O_DIRECT|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EINVAL) {
		return nil, 0, refuseNoDirect(p.path, err)
	}
	if err != nil {
		return nil, 0, explain("opening", p.path, err)
	}
	file := os.NewFile(uintptr(descriptor), p.path)
	size, err := sizeOf(file, p)
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, size, nil
}

func sizeOf(file *os.File, p place) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, explain("looking at", p.path, err)
	}
	device := info.Mode()&os.ModeDevice != 0 && info.Mode()&os.ModeCharDevice == 0
	if device != (p.kind == contract.TargetDevice) || !device && !info.Mode().IsRegular() {
		return 0, refuse("not-a-target", "%s became something else while it was looked at. Try again", p.path)
	}
	if !device {
		return info.Size(), nil
	}
	size, err := file.Seek(0, 2)
	if err != nil {
		return 0, explain("asking for the size of", p.path, err)
	}
	return size, nil
}

// identity is the file's number in its file system.
func identity(file *os.File) (uint64, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		return 0, explain("looking at", file.Name(), err)
	}
	return stat.Ino, nil
}

// space is the room on a file system for this user, and in all. Source: statvfs(3).
func space(folder string) (free, total int64, err error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(folder, &stat); err != nil {
		return 0, 0, err
	}
	unit := stat.Frsize
	if unit == 0 {
		unit = stat.Bsize
	}
	return toBytes(stat.Bavail, unit), toBytes(stat.Blocks, unit), nil
}
