//go:build !windows

package device

import (
	"fmt"
	"io"
	"os"

	"diskaudit/core/bench/allocation"
)

// Open opens a file or a block device for reading.
func Open(path string) (*Device, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("finding the size of %s: %w", path, err)
	}
	d := &Device{Path: path, Size: size, Readable: size, ReaderAt: file, close: file.Close}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		d.stored = func() ([]allocation.Range, error) { return allocation.FileRanges(file) }
	}
	return d, nil
}
