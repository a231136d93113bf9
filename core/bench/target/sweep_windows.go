package target

import (
	"os"

	"golang.org/x/sys/windows"
)

// sweepOne removes a file if a dead run left it, and tells whether it did. ours tells that it has
// one of our names.
func sweepOne(path string, ours bool) bool {
	// First beside everybody else: to open it alone could be in the way of whoever uses a file that
	// is not ours.
	if !sweepable(path, windows.GENERIC_READ, shared, ours, func(windows.Handle) bool { return true }) {
		return false
	}
	// Sharing nothing: it fails as long as a living run has the file open.
	return sweepable(path, windows.GENERIC_READ|windows.DELETE, 0, ours, func(handle windows.Handle) bool {
		// FILE_DISPOSITION_INFO: it goes when the handle is closed.
		remove := byte(1)
		return windows.SetFileInformationByHandle(handle, windows.FileDispositionInfo, &remove, 1) == nil
	})
}

// unlike are the attributes of what we did not make.
const unlike = windows.FILE_ATTRIBUTE_DIRECTORY | windows.FILE_ATTRIBUTE_REPARSE_POINT | windows.FILE_ATTRIBUTE_READONLY | windows.FILE_ATTRIBUTE_DEVICE

// sweepable opens a file, and goes on with it if it can be one that a run left: regular, with one
// name, not read-only, and ours by its content.
func sweepable(path string, access, share uint32, ours bool, then func(windows.Handle) bool) bool {
	text, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return false
	}
	handle, err := windows.CreateFile(text, access, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return false
	}
	file := os.NewFile(uintptr(handle), path)
	defer file.Close()
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(handle, &info) != nil || info.FileAttributes&unlike != 0 || info.NumberOfLinks != 1 {
		return false
	}
	size := int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow)
	number := uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)
	return isLeftover(file, size, number, ours) && then(handle)
}
