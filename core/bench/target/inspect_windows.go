package target

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// align finds the unit that unbuffered I/O on the file or device has to keep to: the logical
// sector. Source: https://learn.microsoft.com/windows/win32/fileio/file-buffering
func align(file *os.File, s *site, facts *Facts) (int, error) {
	logical, physical, evidence := s.logical, s.physical, "the device's logical sector"
	info := make([]byte, storageInfoBytes)
	if err := windows.GetFileInformationByHandleEx(windows.Handle(file.Fd()), windows.FileStorageInfo, &info[0], uint32(len(info))); err == nil {
		if l, p := fileSectorsOf(info); l > 0 {
			logical, physical, evidence = l, p, "the volume's logical sector"
		}
	}
	if logical > 0 {
		facts.LogicalSectorBytes = &logical
	}
	if physical > 0 {
		facts.PhysicalSectorBytes = &physical
	}
	unit := logical
	if unit <= 0 {
		unit, evidence = os.Getpagesize(), "a page, for the device does not say"
	}
	if unit&(unit-1) != 0 || unit > chunk {
		return 0, fmt.Errorf("%s: unbuffered I/O would have to keep to units of %d bytes, which is no power of two up to 1 MiB", file.Name(), unit)
	}
	facts.note(FactAlignment, nil, fmt.Sprintf("%d bytes: %s", unit, evidence))
	return unit, nil
}

// allocation finds out which of the file's first size bytes are allocated, and whether the file
// system stores something else than what was written.
func allocation(file *os.File, size int64, facts *Facts) (allocated *uint64, transformed *bool) {
	transformed = attributes(file, facts)
	sum, err := allocatedBytes(file, size)
	if err != nil {
		facts.note(FactProof, nil, fmt.Sprintf("the file system does not tell allocated ranges (%v)", err))
		return nil, transformed
	}
	text := fmt.Sprintf("%d of %d bytes are allocated (FSCTL_QUERY_ALLOCATED_RANGES)", sum, size)
	facts.note(FactProof, nil, text)
	if sum < size {
		facts.yes(FactSparse, text)
	}
	bytes := uint64(sum)
	return &bytes, transformed
}

// rangeLimit bounds how many answers are asked for.
const rangeLimit = 1 << 12

// allocatedBytes sums up the ranges that are no holes.
// Source: https://learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-fsctl_query_allocated_ranges
func allocatedBytes(file *os.File, size int64) (int64, error) {
	answer := make([]byte, 512*rangeBytes)
	var sum, at int64
	for range rangeLimit {
		query := [2]int64{at, size - at}
		var n uint32
		err := windows.DeviceIoControl(windows.Handle(file.Fd()), windows.FSCTL_QUERY_ALLOCATED_RANGES,
			(*byte)(unsafe.Pointer(&query[0])), rangeBytes, &answer[0], uint32(len(answer)), &n, nil)
		if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
			return 0, err
		}
		for _, r := range rangesOf(answer[:n]) {
			end := min(r.offset+r.length, size)
			if r.offset < at || end < r.offset {
				return 0, errors.New("the file system's list of ranges goes backwards")
			}
			sum += end - r.offset
			at = end
		}
		if err == nil || n == 0 || at >= size {
			return sum, nil
		}
	}
	return 0, fmt.Errorf("the file has more than %d ranges", rangeLimit*512)
}

// attributes looks at the file's marks; nil when they cannot be read.
// Source: https://learn.microsoft.com/windows/win32/fileio/file-attribute-constants
func attributes(file *os.File, facts *Facts) *bool {
	handle := windows.Handle(file.Fd())
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(handle, &info); err != nil {
		facts.note(FactCompressed, nil, fmt.Sprintf("asking for the file's attributes: %v", err))
		return nil
	}
	changed := false
	for _, mark := range []struct {
		bit       uint32
		fact      Fact
		name      string
		transform bool
	}{
		{windows.FILE_ATTRIBUTE_SPARSE_FILE, FactSparse, "sparse", false},
		{windows.FILE_ATTRIBUTE_COMPRESSED, FactCompressed, "compressed", true},
		{windows.FILE_ATTRIBUTE_ENCRYPTED, FactEncrypted, "encrypted (EFS)", true},
	} {
		set := info.FileAttributes&mark.bit != 0
		text := fmt.Sprintf("the file is marked %s", mark.name)
		if !set {
			text = fmt.Sprintf("the file is not marked %s", mark.name)
		}
		facts.note(mark.fact, &set, text)
		changed = changed || set && mark.transform
	}
	var format [2]byte
	var n uint32
	err := windows.DeviceIoControl(handle, windows.FSCTL_GET_COMPRESSION, nil, 0, &format[0], 2, &n, nil)
	if code := binary.LittleEndian.Uint16(format[:]); err == nil && code != 0 {
		facts.yes(FactCompressed, fmt.Sprintf("the file system compresses the file (FSCTL_GET_COMPRESSION: %d)", code))
		changed = true
	}
	return &changed
}

// dontTransform turns the compression off that the file may have got from its folder. File
// systems without compression refuse; the proof tells whether the file is compressed.
// Source: https://learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-fsctl_set_compression
func dontTransform(file *os.File, _ *Facts) {
	var none [2]byte // COMPRESSION_FORMAT_NONE
	var n uint32
	_ = windows.DeviceIoControl(windows.Handle(file.Fd()), windows.FSCTL_SET_COMPRESSION, &none[0], 2, nil, 0, &n, nil)
}
