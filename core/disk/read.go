package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// SectorBytes is the sector of most disks, and the unit of every offset in a VHD.
const SectorBytes = 512

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// readAt reads length bytes at offset. The caller bounds length; what lies beyond size is
// reported as io.ErrUnexpectedEOF without asking the reader.
func readAt(r io.ReaderAt, size, offset int64, length int) ([]byte, error) {
	if offset < 0 || offset > size || int64(length) > size-offset {
		return nil, io.ErrUnexpectedEOF
	}
	buffer := make([]byte, length)
	n, err := r.ReadAt(buffer, offset)
	if n == length {
		return buffer, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return nil, err
}

// unreadable wraps an error of the reader with what was being read.
func unreadable(what string, offset int64, err error) *Error {
	return &Error{Code: CodeUnreadable, Text: fmt.Sprintf("reading %s at byte %d", what, offset), Err: err}
}

// isTruncation reports whether err says that the input ended, as opposed to a failing device.
func isTruncation(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

func allZero(data []byte) bool {
	for _, b := range data {
		if b != 0 {
			return false
		}
	}
	return true
}

func powerOfTwo(n uint64) bool {
	return n != 0 && n&(n-1) == 0
}
