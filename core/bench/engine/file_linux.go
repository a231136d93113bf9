package engine

import (
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets are passed to the kernel in one register, which takes a 64-bit processor.
const _ = uintptr(math.MaxInt64)

// synchronousAPI is the name of the calls for one I/O at a time.
const synchronousAPI = apiPread

// openValues are the numbers of the flags on this architecture.
var openValues = map[string]uint32{
	"O_RDONLY":  unix.O_RDONLY,
	"O_WRONLY":  unix.O_WRONLY,
	"O_DIRECT":  unix.O_DIRECT,
	"O_CLOEXEC": unix.O_CLOEXEC,
	"O_DSYNC":   unix.O_DSYNC,
}

// openFlags are the flags with which a test opens its target.
func openFlags(s Spec) []Flag { return withValues(linuxFlags(s), openValues) }

// file is an open target. Its calls enter the kernel without telling the scheduler: that would add
// 60 to 80 ns to a latency, 2 % of a RAM disk's, and let the scheduler take the thread's processor
// slot away every 10 ms, which it then has to get back before the clock is read. Instead a slot is
// kept for each measuring thread (see quiet).
type file struct {
	descriptor uintptr
	number     uintptr
}

// openFile opens the target, past the cache of the kernel.
func openFile(s Spec) (*file, error) {
	info, err := os.Stat(s.Path)
	if err != nil {
		return nil, fmt.Errorf("opening the target: %w", err)
	}
	// Before opening, which waits for ever with a pipe.
	if err := checkKind(s, info.Mode()); err != nil {
		return nil, err
	}
	flags := 0
	for _, flag := range openFlags(s) {
		flags |= int(flag.Value)
	}
	descriptor, err := unix.Open(s.Path, flags, 0)
	if errors.Is(err, unix.EINVAL) {
		return nil, fmt.Errorf("opening %s: its file system does not do unbuffered I/O (O_DIRECT), and through the cache the memory would be measured: %w", s.Path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the target: %w", &os.PathError{Op: "open", Path: s.Path, Err: err})
	}
	f := &file{descriptor: uintptr(descriptor), number: unix.SYS_PREAD64}
	if s.writes() {
		f.number = unix.SYS_PWRITE64
	}
	if err := f.check(s); err != nil {
		_ = f.close()
		return nil, err
	}
	return f, nil
}

// checkKind refuses what cannot be measured, and writes to all but ordinary files.
func checkKind(s Spec, mode os.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode&os.ModeDevice == 0 || mode&os.ModeCharDevice != 0:
		return fmt.Errorf("%s: it is neither a file nor a block device", s.Path)
	case s.writes():
		return fmt.Errorf("operation write: %s is a device, and devices are only read; give a folder in which a new file can be made instead", s.Path)
	}
	return nil
}

// check makes sure that the open target is unbuffered, and that the stretch lies within it: a
// write beyond the end would extend the file, which measures the file system.
func (f *file) check(s Spec) error {
	set, err := unix.FcntlInt(f.descriptor, unix.F_GETFL, 0)
	if err != nil {
		return fmt.Errorf("asking how %s was opened: %w", s.Path, err)
	}
	for _, flag := range openFlags(s) {
		// O_CLOEXEC belongs to the descriptor and is not told here; O_DSYNC is several bits.
		if value := int(flag.Value); flag.Name != "O_CLOEXEC" && set&value != value {
			return fmt.Errorf("opening %s: the system dropped %s, and something else would be measured", s.Path, flag.Name)
		}
	}
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.descriptor), &stat); err != nil {
		return fmt.Errorf("examining %s: %w", s.Path, err)
	}
	if s.writes() && stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return fmt.Errorf("operation write: %s has become something else than a file", s.Path)
	}
	size, err := unix.Seek(int(f.descriptor), 0, unix.SEEK_END)
	if err != nil {
		return fmt.Errorf("asking for the size of %s: %w", s.Path, err)
	}
	return checkEnd(s, size)
}

// breakOff is nil: Linux cannot break off the I/O of a block device.
var breakOff func(*file)

func (f *file) close() error { return unix.Close(int(f.descriptor)) }

//go:norace
//go:nosplit
func (f *file) now() int64 { return now() }

//go:norace
//go:nosplit
func (f *file) transfer(block []byte, offset int64) (int, syscall.Errno) {
	bytes, _, errno := syscall.RawSyscall6(f.number, f.descriptor, uintptr(unsafe.Pointer(unsafe.SliceData(block))), uintptr(len(block)), uintptr(offset), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(bytes), 0
}

//go:norace
//go:nosplit
func (f *file) flush() syscall.Errno {
	_, _, errno := syscall.RawSyscall(unix.SYS_FDATASYNC, f.descriptor, 0, 0)
	return errno
}
