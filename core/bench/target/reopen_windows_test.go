package target

import (
	"os"

	"golang.org/x/sys/windows"
)

// reopen opens a file as the workers do.
func reopen(path string) (*os.File, error) {
	return reopenWith(path, windows.GENERIC_READ|windows.GENERIC_WRITE)
}

func reopenToRead(path string) (*os.File, error) {
	return reopenWith(path, windows.GENERIC_READ)
}

func reopenWith(path string, access uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(name, access, shared, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_NO_BUFFERING, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(handle), path), nil
}
