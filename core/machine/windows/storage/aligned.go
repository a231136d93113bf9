package storage

import (
	"fmt"
	"io"
	"sync"
)

// maxTransferBytes bounds one read of a device, and so the memory that reads take.
const maxTransferBytes = 1 << 20

// alignedReader reads at any offset from a device that takes whole sectors at multiples of a sector
// only, as volumes and disks do
// (learn.microsoft.com/windows/win32/fileio/file-buffering; the buffer is aligned by what reads the
// device). It may be used from several goroutines.
type alignedReader struct {
	device io.ReaderAt
	// sector is a power of two, size a multiple of it as a rule.
	sector, size int64
	buffers      sync.Pool
}

func newAlignedReader(device io.ReaderAt, sector, size int64) *alignedReader {
	a := &alignedReader{device: device, sector: sector, size: size}
	a.buffers.New = func() any {
		buffer := make([]byte, max(maxTransferBytes, sector))
		return &buffer
	}
	return a
}

// ReadAt reads up to the size. What a device gave before it failed is delivered with its error.
func (a *alignedReader) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, fmt.Errorf("reading at a negative offset: %d", offset)
	}
	if offset >= a.size {
		return 0, io.EOF
	}
	wanted := p[:min(int64(len(p)), a.size-offset)]
	buffer, ok := a.buffers.Get().(*[]byte)
	if !ok {
		return 0, fmt.Errorf("reading at %d: no buffer", offset)
	}
	defer a.buffers.Put(buffer)
	done := 0
	for done < len(wanted) {
		at := offset + int64(done)
		start := at &^ (a.sector - 1)
		// Up to the end of the sector that holds the last byte that is wanted. The last sector of all
		// is read whole although it may reach beyond a size that is no multiple.
		end := (offset + int64(len(wanted)) + a.sector - 1) &^ (a.sector - 1)
		block := (*buffer)[:min(end-start, int64(len(*buffer)))]
		n, err := a.device.ReadAt(block, start)
		skip := at - start
		if int64(n) > skip {
			done += copy(wanted[done:], block[skip:n])
		}
		if done == len(wanted) {
			break
		}
		if err == nil && n < len(block) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return done, err
		}
	}
	if done < len(p) {
		return done, io.EOF
	}
	return done, nil
}
