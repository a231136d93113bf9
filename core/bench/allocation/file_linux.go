package allocation

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// FileRanges returns the parts of a file that hold data, and not holes (lseek(2), SEEK_DATA and
// SEEK_HOLE). A file system that does not know its holes says that everything is data. It is an
// error for a device, which has none.
func FileRanges(f *os.File) ([]Range, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("asking for the data of %s: %w", f.Name(), err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("asking for the data of %s: it is not a file", f.Name())
	}
	fd := int(f.Fd())
	position, err := unix.Seek(fd, 0, unix.SEEK_CUR)
	if err != nil {
		return nil, fmt.Errorf("asking for the data of %s: %w", f.Name(), err)
	}
	var found collector
	for at := int64(0); at < info.Size(); {
		data, err := unix.Seek(fd, at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			break // nothing but a hole from here on
		}
		var hole int64
		if err == nil {
			hole, err = unix.Seek(fd, data, unix.SEEK_HOLE)
		}
		if err == nil && (data < at || hole <= data) {
			err = errors.New("the file changes")
		}
		if err == nil {
			err = found.add(data, min(hole, info.Size())-data)
		}
		if err != nil {
			return nil, fmt.Errorf("asking for the data of %s from byte %d: %w", f.Name(), at, err)
		}
		at = hole
	}
	if _, err := unix.Seek(fd, position, unix.SEEK_SET); err != nil {
		return nil, fmt.Errorf("asking for the data of %s: %w", f.Name(), err)
	}
	return found.ranges, nil
}
