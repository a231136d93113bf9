package engine

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// synchronousAPI is the name of the calls for one I/O at a time.
const synchronousAPI = apiReadFile

var (
	readFile         = kernel32.NewProc("ReadFile").Addr()
	writeFile        = kernel32.NewProc("WriteFile").Addr()
	flushFileBuffers = kernel32.NewProc("FlushFileBuffers").Addr()
)

// openValues are the numbers of the flags
// (https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew).
var openValues = map[string]uint32{
	"GENERIC_READ":            windows.GENERIC_READ,
	"GENERIC_WRITE":           windows.GENERIC_WRITE,
	"FILE_FLAG_NO_BUFFERING":  windows.FILE_FLAG_NO_BUFFERING,
	"FILE_FLAG_OVERLAPPED":    windows.FILE_FLAG_OVERLAPPED,
	"FILE_FLAG_WRITE_THROUGH": windows.FILE_FLAG_WRITE_THROUGH,
}

// openFlags are the access right, which comes first, and the flags with which a test opens its
// target.
func openFlags(s Spec) []Flag { return withValues(windowsFlags(s), openValues) }

// file is an open target. What a call points to lies in memory outside of Go's heap.
type file struct {
	handle windows.Handle
	call   uintptr
	state  *callState
	memory []byte
}

// callState is what one synchronous call needs.
type callState struct {
	overlapped  windows.Overlapped
	transferred uint32
}

// createFile is CreateFile; tests look at what it is called with.
var createFile = windows.CreateFile

// openFile opens the target, past the cache of the system. Other handles may be open.
func openFile(s Spec) (*file, error) {
	name, err := windows.UTF16PtrFromString(s.Path)
	if err != nil {
		return nil, fmt.Errorf("opening the target: path %q: %w", s.Path, err)
	}
	flags := openFlags(s)
	attributes := uint32(0)
	for _, flag := range flags[1:] {
		attributes |= flag.Value
	}
	share := uint32(windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE)
	handle, err := createFile(name, flags[0].Value, share, nil, windows.OPEN_EXISTING, attributes, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the target: %w", &os.PathError{Op: "open", Path: s.Path, Err: err})
	}
	f := &file{handle: handle, call: readFile}
	if s.writes() {
		f.call = writeFile
	}
	if f.memory, err = mapMemory(dataPage); err == nil {
		f.state = (*callState)(unsafe.Pointer(unsafe.SliceData(f.memory)))
		err = f.check(s)
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// check refuses writes to all but ordinary files, and a stretch that ends behind the target: a
// write beyond the end would extend the file, which Windows does synchronously.
func (f *file) check(s Spec) error {
	kind, err := windows.GetFileType(f.handle)
	if err != nil || kind != windows.FILE_TYPE_DISK {
		return fmt.Errorf("%s: it is neither a file nor a disk (type %d)", s.Path, kind)
	}
	// Disks and volumes have no file information.
	var information windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(f.handle, &information); err == nil {
		return checkEnd(s, int64(information.FileSizeHigh)<<32|int64(information.FileSizeLow))
	}
	if s.writes() {
		return fmt.Errorf("operation write: %s is a device, and devices are only read; give a folder in which a new file can be made instead", s.Path)
	}
	var length struct{ bytes int64 }
	var returned uint32
	if err := windows.DeviceIoControl(f.handle, ioctlDiskGetLengthInfo, nil, 0, (*byte)(unsafe.Pointer(&length)), uint32(unsafe.Sizeof(length)), &returned, nil); err != nil {
		// Where the target does not tell, a read beyond the end fails and says so.
		return nil
	}
	return checkEnd(s, length.bytes)
}

// ioctlDiskGetLengthInfo asks for the size of a disk or volume
// (https://learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_disk_get_length_info).
const ioctlDiskGetLengthInfo = 0x7405c

// breakOff asks the drivers to end the I/Os that are in flight, from any thread; those that do
// have an error (https://learn.microsoft.com/windows/win32/fileio/cancelioex-func).
var breakOff = func(f *file) {
	// It fails when nothing is in flight any more.
	_ = windows.CancelIoEx(f.handle, nil)
}

func (f *file) close() error {
	err := windows.CloseHandle(f.handle)
	if f.memory != nil {
		err = errors.Join(err, unmapMemory(f.memory))
	}
	return err
}

//go:norace
//go:nosplit
func (f *file) now() int64 { return now() }

// transfer passes the offset in an OVERLAPPED, which a synchronous handle takes as well.
//
//go:norace
//go:nosplit
func (f *file) transfer(block []byte, offset int64) (int, syscall.Errno) {
	state := f.state
	state.overlapped.Offset, state.overlapped.OffsetHigh = uint32(offset), uint32(offset>>32)
	ok, _, errno := syscall.SyscallN(f.call, uintptr(f.handle), uintptr(unsafe.Pointer(unsafe.SliceData(block))), uintptr(len(block)),
		uintptr(unsafe.Pointer(&state.transferred)), uintptr(unsafe.Pointer(&state.overlapped)))
	if uint32(ok) == 0 {
		return 0, orInvalid(errno)
	}
	return int(state.transferred), 0
}

//go:norace
//go:nosplit
func (f *file) flush() syscall.Errno {
	ok, _, errno := syscall.SyscallN(flushFileBuffers, uintptr(f.handle))
	if uint32(ok) == 0 {
		return orInvalid(errno)
	}
	return 0
}

// orInvalid is for a call that failed without a reason.
//
//go:norace
//go:nosplit
func orInvalid(errno syscall.Errno) syscall.Errno {
	if errno == 0 {
		return syscall.EINVAL
	}
	return errno
}
