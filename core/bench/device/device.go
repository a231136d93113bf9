// Package device opens a disk, a volume or a file to look at it: how long it is, what it holds and
// which of its bytes are in use. Nothing here is timed, and nothing is written.
package device

import (
	"errors"
	"fmt"
	"io"

	"diskaudit/core/bench/allocation"
)

// Device is an open disk, volume or file. Its methods are for one goroutine.
type Device struct {
	// Path is what it was opened by.
	Path string
	// Size is its length in bytes. Of a volume that is larger than what Readable says.
	Size int64
	// Readable is how many bytes from its start can surely be read.
	Readable int64

	io.ReaderAt
	// mounted asks the system which bytes are in use, nil where it cannot be asked.
	mounted func(size int64) ([]allocation.Range, error)
	// stored are the parts of a file that are no holes, nil for a device.
	stored func() ([]allocation.Range, error)
	close  func() error
}

// SourceContent says that nothing tells which bytes are in use.
const SourceContent = "content"

// Close closes it.
func (d *Device) Close() error { return d.close() }

// InUse returns which of its first size bytes are in use, and what told: the system, which knows
// the file system that is mounted; else the bitmap of the file system, as it is on the disk. Where
// neither knows the file system these are all bytes, by SourceContent.
func (d *Device) InUse(size int64) ([]allocation.Range, string, error) {
	size = min(size, d.Size)
	if d.mounted != nil {
		// Also where the system refuses, the disk has the bitmap.
		if ranges, err := d.mounted(size); err == nil {
			return ranges, allocation.SourceVolume, nil
		}
	}
	ranges, source, err := allocation.Ranges(d, size)
	if errors.Is(err, allocation.ErrUnknown) {
		return []allocation.Range{{Offset: 0, Length: min(size, d.Readable)}}, SourceContent, nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", d.Path, err)
	}
	return ranges, source, nil
}

// Stored returns the parts of a file that are no holes; false for a device, and where the file
// system does not tell.
func (d *Device) Stored() ([]allocation.Range, bool) {
	if d.stored == nil {
		return nil, false
	}
	ranges, err := d.stored()
	return ranges, err == nil
}
