package device

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"diskaudit/core/bench/allocation"
)

// ioctlDiskGetLengthInfo asks a disk or a volume for its length, into a 64-bit number
// (learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_disk_get_length_info).
const ioctlDiskGetLengthInfo = 0x7405c

// shared lets whoever uses the disk go on; without the right to write beside us a volume in use
// cannot be opened (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew, "Physical
// Disks and Volumes").
const shared = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

// Open opens a file, a volume such as \\.\C: or a disk such as \\.\PhysicalDrive0 for reading.
func Open(path string) (*Device, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, fmt.Errorf("opening %q: %w", path, err)
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ, shared, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	d := &Device{Path: path, close: func() error { return windows.CloseHandle(handle) }}
	root := rootOf(path)
	if root == "" && !isDisk(path) {
		d.file(handle)
	} else if err := d.device(handle, root); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// file prepares an ordinary file.
func (d *Device) file(handle windows.Handle) {
	file := os.NewFile(uintptr(handle), d.Path)
	d.close, d.ReaderAt = file.Close, file
	if info, err := file.Stat(); err == nil {
		d.Size, d.Readable = info.Size(), info.Size()
	}
	d.stored = func() ([]allocation.Range, error) { return allocation.FileRanges(file) }
}

// device prepares a disk or, with its root folder, a volume.
func (d *Device) device(handle windows.Handle, root string) error {
	var err error
	if d.Size, err = Length(handle); err != nil {
		return fmt.Errorf("finding the size of %s: %w", d.Path, err)
	}
	memory, free, err := pages(window)
	if err != nil {
		return err
	}
	d.close = func() error { return errors.Join(windows.CloseHandle(handle), free()) }
	d.Readable = d.Size
	d.ReaderAt = &aligned{size: d.Size, memory: memory, read: func(part []byte, offset int64) (int, error) { return readAt(handle, part, offset) }}
	if root != "" {
		d.Readable = readableOf(d.Size)
		d.mounted = func(size int64) ([]allocation.Range, error) { return allocation.VolumeRanges(handle, root, size) }
	}
	return nil
}

// Length asks a disk or a volume, opened for reading, for its length in bytes. Drivers of virtual
// disks that do not answer that may know where they end, or else the end is found by reading.
func Length(handle windows.Handle) (int64, error) {
	var length int64
	var returned uint32
	err := windows.DeviceIoControl(handle, ioctlDiskGetLengthInfo, nil, 0, (*byte)(unsafe.Pointer(&length)), uint32(unsafe.Sizeof(length)), &returned, nil)
	if err == nil {
		return length, nil
	}
	if end, err := windows.Seek(handle, 0, io.SeekEnd); err == nil && end > 0 {
		return end, nil
	}
	memory, free, err2 := pages(unit)
	if err2 != nil {
		return 0, err2
	}
	end := endOf(func(offset int64) bool {
		n, err := readAt(handle, memory, offset)
		return err == nil && n == len(memory)
	})
	if err2 := free(); err2 != nil {
		return 0, err2
	}
	if end == 0 {
		return 0, err
	}
	return end, nil
}

// readAt reads by an offset in an OVERLAPPED, which a synchronous handle takes as well
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-readfile).
func readAt(handle windows.Handle, part []byte, offset int64) (int, error) {
	at := windows.Overlapped{Offset: uint32(offset), OffsetHigh: uint32(offset >> 32)}
	var read uint32
	if err := windows.ReadFile(handle, part, &read, &at); err != nil {
		return int(read), fmt.Errorf("reading %d bytes at byte %d: %w", len(part), offset, err)
	}
	return int(read), nil
}

// pages allocates memory that begins at a page
// (learn.microsoft.com/windows/win32/api/memoryapi/nf-memoryapi-virtualalloc).
func pages(bytes int) (memory []byte, free func() error, err error) {
	address, err := windows.VirtualAlloc(0, uintptr(bytes), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, nil, fmt.Errorf("allocating %d bytes of memory: %w", bytes, err)
	}
	free = func() error { return windows.VirtualFree(address, 0, windows.MEM_RELEASE) }
	// The address is not Go's: reading it as a pointer through its own place keeps vet's rule.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), bytes), free, nil
}
