package hive

import (
	"errors"
	"io/fs"
	"os"
)

// open opens a file for reading, and returns its size.
func open(path string) (*os.File, int64, error) {
	// Looked at before it is opened, because opening a pipe waits for somebody to write into it.
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, openError(path, err)
	}
	if info.IsDir() {
		return nil, 0, refuse(path, CodeNotAFile, "is a folder. Name the file SYSTEM itself; in a Windows image it is in the folder Windows\\System32\\config")
	}
	if !info.Mode().IsRegular() {
		return nil, 0, refuse(path, CodeNotAFile, "is no file but a device or a pipe. Name the file SYSTEM in the image's folder Windows\\System32\\config")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, openError(path, err)
	}
	if info, err = file.Stat(); err != nil {
		_ = file.Close() // It was only read.
		return nil, 0, openError(path, err)
	}
	return file, info.Size(), nil
}

func openError(path string, err error) *Error {
	refused := refuse(path, CodeUnreadable, "cannot be opened: %v. Check the path and the disk that it is on", reason(err))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		refused = refuse(path, CodeNotFound, "does not exist. Check the path; quote it when it has spaces. In a mounted Windows image the file is Windows\\System32\\config\\SYSTEM")
	case inUse(err):
		refused = refuse(path, CodeInUse, "is in use. If it is the hive of the Windows that is running, leave --offline-hive out; if it was loaded with reg load or regedit, unload it there first, then run this again")
	case errors.Is(err, fs.ErrPermission):
		refused = refuse(path, CodeNeedsElevation, "may not be read by this user. Run this as administrator (as root on Linux)")
	}
	refused.Err = err
	return refused
}

// reason is an error without the path that the text names already.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
