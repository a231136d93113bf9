package allocation

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// fsctlQueryAllocatedRanges is FSCTL_QUERY_ALLOCATED_RANGES
// (learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-fsctl_query_allocated_ranges).
const fsctlQueryAllocatedRanges = 0x940cf

// FileRanges returns the parts of a file that hold data, and not holes. A file that is not sparse
// is all data. It is an error for a device, which has none.
func FileRanges(f *os.File) ([]Range, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("asking for the data of %s: %w", f.Name(), err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("asking for the data of %s: it is not a file", f.Name())
	}
	ranges, err := allocatedRanges(info.Size(), func(from, length int64, answer []byte) (int, bool, error) {
		question := allocatedRange(from, length)
		var returned uint32
		err := windows.DeviceIoControl(windows.Handle(f.Fd()), fsctlQueryAllocatedRanges,
			(*byte)(unsafe.Pointer(&question[0])), uint32(len(question)), &answer[0], uint32(len(answer)), &returned, nil)
		more := errors.Is(err, windows.ERROR_MORE_DATA)
		if more {
			err = nil
		}
		return int(returned), more, err
	})
	if err != nil {
		return nil, fmt.Errorf("asking for the data of %s: %w", f.Name(), err)
	}
	return ranges, nil
}
