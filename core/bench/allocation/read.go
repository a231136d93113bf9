package allocation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

var le = binary.LittleEndian

// readUnit is what reads are aligned to: a raw volume on Windows gives whole sectors only, and no
// common disk has larger ones than this.
const readUnit = 4096

// volume is what a file system is read from.
type volume struct {
	r    io.ReaderAt
	size int64
	// window is the buffer of the last read.
	window []byte
}

// at returns length bytes at offset, until the next call.
func (v *volume) at(offset int64, length int) ([]byte, error) {
	if offset < 0 || length < 0 || offset > v.size || int64(length) > v.size-offset {
		return nil, fmt.Errorf("reading %d bytes at byte %d: the volume ends at byte %d", length, offset, v.size)
	}
	from := offset / readUnit * readUnit
	to := v.size
	if end := offset + int64(length); end <= v.size/readUnit*readUnit {
		to = (end + readUnit - 1) / readUnit * readUnit
	}
	if need := int(to - from); cap(v.window) < need {
		v.window = make([]byte, need)
	}
	v.window = v.window[:to-from]
	n, err := v.r.ReadAt(v.window, from)
	if n < len(v.window) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("reading %d bytes at byte %d: %w", len(v.window), from, err)
	}
	return v.window[offset-from:][:length], nil
}
