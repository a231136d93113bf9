//go:build unix

package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// entered is the folder of the journals, opened and found to be in the hands of this user. Files are
// opened in this very folder, whatever its name leads to meanwhile. Source: open(2), openat.
type entered struct {
	dir  *os.File
	path string
}

// makeFolder makes a folder for this user alone, with those above it, unless it is there.
func makeFolder(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("making the folder of the journals: %w", err)
	}
	above, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("making the folder of the journals %s last: %w", path, err)
	}
	defer above.Close()
	if err := syncFolder(above); err != nil {
		return fmt.Errorf("making the folder of the journals %s last: %w", path, err)
	}
	return nil
}

// enter opens the folder, if it is no link and nobody else can change what is in it.
func enter(path string) (*entered, error) {
	descriptor, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
		return nil, notAFolder(path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the folder of the journals: %w", &fs.PathError{Op: "open", Path: path, Err: err})
	}
	dir := os.NewFile(uintptr(descriptor), path)
	if err := inOurHands(dir, path, removeFolder); err != nil {
		dir.Close()
		return nil, err
	}
	return &entered{dir, path}, nil
}

func notAFolder(path string) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return &Refusal{Path: path, Reason: "it is a link, which can lead anywhere", WayOut: removeFolder}
	}
	return &Refusal{Path: path, Reason: "it is not a folder", WayOut: removeFolder}
}

// inOurHands tells whether this user, or root, owns a file and nobody else can change it.
func inOurHands(file *os.File, path, wayOut string) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("looking at whose %s is: %w", path, err)
	}
	stat, is := info.Sys().(*syscall.Stat_t)
	switch self := os.Geteuid(); {
	case !is:
		return &Refusal{Path: path, Reason: "the system does not tell whose it is", WayOut: wayOut}
	case stat.Uid != 0 && int64(stat.Uid) != int64(self):
		return &Refusal{Path: path, Reason: fmt.Sprintf("it belongs to user %d, and this is user %d", stat.Uid, self), WayOut: wayOut}
	case info.Mode().Perm()&0o022 != 0:
		return &Refusal{Path: path, Reason: fmt.Sprintf("others may write there (its mode is %v)", info.Mode().Perm()), WayOut: wayOut}
	}
	return nil
}

func (e *entered) Close() { e.dir.Close() }

// names reads some of the names in the folder; io.EOF when there are no more.
func (e *entered) names(limit int) ([]string, error) { return e.dir.Readdirnames(limit) }

// flush makes the names in the folder last a loss of power. Source: fsync(2).
func (e *entered) flush() error { return syncFolder(e.dir) }

// syncFolder flushes a folder. Some file systems have nothing to flush there, and say so. Source: fsync(2), EINVAL.
func syncFolder(dir *os.File) error {
	if err := dir.Sync(); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	return nil
}

// create makes a new file to append to.
func (e *entered) create(name string) (*os.File, error) {
	return e.open("making the journal", name, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT|unix.O_EXCL)
}

// read opens a file that is there.
func (e *entered) read(name string) (*os.File, error) {
	return e.open("opening the journal", name, unix.O_RDONLY)
}

// openLock opens the file that is locked, and makes it if it is not there.
func (e *entered) openLock(name string) (*os.File, error) {
	return e.open("opening the lock", name, unix.O_RDWR|unix.O_CREAT)
}

// open opens a regular file of the folder without following a link. A pipe that was put there would wait for
// its other end, without O_NONBLOCK.
func (e *entered) open(doing, name string, flags int) (*os.File, error) {
	path := filepath.Join(e.path, name)
	descriptor, err := unix.Openat(int(e.dir.Fd()), name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.ELOOP) {
		return nil, &Refusal{Path: path, Reason: "it is a link, which can lead anywhere", WayOut: removeFile}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	file := os.NewFile(uintptr(descriptor), path)
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &Refusal{Path: path, Reason: "it is not a file", WayOut: removeFile}
	}
	if err == nil {
		err = inOurHands(file, path, removeFile)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// privileged tells whether this process may look everywhere.
func privileged() bool { return os.Geteuid() == 0 }
