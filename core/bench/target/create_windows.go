package target

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"

	"diskaudit/core/bench/device"
	"diskaudit/core/contract"
)

// shared lets others open the file beside us. Without the right to delete nobody could, for it
// goes when its handle is closed.
const shared = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

// createFile is CreateFile; tests look at what it is called with.
var createFile = windows.CreateFile

// create makes the empty file, only if nothing has its name. Windows removes it with its last
// handle, also when this process is ended. Source:
// https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew, FILE_FLAG_DELETE_ON_CLOSE.
func create(p place, _ choices) (*made, error) {
	name := p.name
	if name == "" {
		name = newName()
	}
	path := filepath.Join(p.folder, name)
	text, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, explain("making the test file", path, err)
	}
	handle, err := createFile(text, windows.GENERIC_READ|windows.GENERIC_WRITE|windows.DELETE, shared, nil, windows.CREATE_NEW,
		windows.FILE_FLAG_NO_BUFFERING|windows.FILE_FLAG_DELETE_ON_CLOSE|windows.FILE_ATTRIBUTE_NOT_CONTENT_INDEXED, 0)
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return nil, refuseNoDirect(path, err)
	}
	if err != nil {
		return nil, explain("making the test file", path, err)
	}
	file := os.NewFile(uintptr(handle), path)
	return &made{file: file, path: path, shown: path, remove: func() error { return removeWith(file, path) }}, nil
}

// removeWith closes the file, which removes it, and looks whether it is gone.
func removeWith(file *os.File, path string) error {
	if err := file.Close(); err != nil {
		return fmt.Errorf("closing the test file %s: %w", path, err)
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("the test file %s is still there, for another program has it open; it goes when that closes it", path)
	}
	return nil
}

// openExisting opens an existing file or a device for unbuffered reading.
func openExisting(p place) (*os.File, int64, error) {
	text, err := windows.UTF16PtrFromString(p.path)
	if err != nil {
		return nil, 0, explain("opening", p.path, err)
	}
	handle, err := createFile(text, windows.GENERIC_READ, shared, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_NO_BUFFERING, 0)
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return nil, 0, refuseNoDirect(p.path, err)
	}
	if err != nil {
		return nil, 0, explain("opening", p.path, err)
	}
	file := os.NewFile(uintptr(handle), p.path)
	size, err := sizeOf(handle, p)
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, size, nil
}

// sizeOf asks a file or a device for its length.
func sizeOf(handle windows.Handle, p place) (int64, error) {
	if p.kind == contract.TargetDevice {
		return deviceSize(handle, p.path)
	}
	kind, err := windows.GetFileType(handle)
	if err != nil {
		return 0, explain("looking at", p.path, err)
	}
	var info windows.ByHandleFileInformation
	if kind != windows.FILE_TYPE_DISK {
		return 0, refuse("not-a-target", "%s is not a file on a disk. Name a folder, a new file or an existing file", p.path)
	}
	if err := windows.GetFileInformationByHandle(handle, &info); err != nil {
		return 0, explain("looking at", p.path, err)
	}
	return int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow), nil
}

// deviceSize asks a volume or disk for its length.
func deviceSize(handle windows.Handle, path string) (int64, error) {
	size, err := device.Length(handle)
	if err != nil {
		return 0, explain("asking for the size of", path, err)
	}
	if !strings.HasPrefix(strings.ToLower(path), `\\.\physicaldrive`) {
		// A file system ends before its volume does, and what follows cannot be read through the
		// volume's handle without FSCTL_ALLOW_EXTENDED_DASD_IO.
		size -= min(size/16, volumeEnd)
	}
	return size, nil
}

// volumeEnd is how much of a volume's end is left alone: more than its largest cluster, 2 MiB.
const volumeEnd = 4 << 20

// identity is the file's number on its volume.
func identity(file *os.File) (uint64, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(file.Fd()), &info); err != nil {
		return 0, explain("looking at", file.Name(), err)
	}
	return uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow), nil
}

// space is the room on a volume for this user, and in all.
// Source: https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdiskfreespaceexw
func space(folder string) (free, total int64, err error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, 0, err
	}
	var own, all uint64
	if err := windows.GetDiskFreeSpaceEx(name, &own, &all, nil); err != nil {
		return 0, 0, err
	}
	return toBytes(own, 1), toBytes(all, 1), nil
}
