package device

import (
	"fmt"
	"io"
	"sync"
)

const (
	// unit is what reads of a volume or disk are aligned to, in offset, length and memory: whole
	// sectors are all that it gives, and no common disk has larger ones
	// (learn.microsoft.com/windows/win32/fileio/file-buffering).
	unit = 4096
	// window is how much is read at once.
	window = 256 << 10
)

// aligned reads any bytes of what only gives whole sectors.
type aligned struct {
	size int64
	// read fills a part of the memory from an offset on; all are multiples of unit, but for the
	// end of what is read.
	read func(part []byte, offset int64) (int, error)
	// memory begins at a multiple of unit and has window bytes.
	memory []byte
	mutex  sync.Mutex
}

// ReadAt implements io.ReaderAt.
func (a *aligned) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, fmt.Errorf("reading at byte %d: there is none", offset)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	done := 0
	for done < len(p) {
		at := offset + int64(done)
		if at >= a.size {
			return done, io.EOF
		}
		from := at / unit * unit
		// A window's worth, and no more than asked for, in whole units but for the end.
		want := min(int64(len(a.memory)), (at-from+int64(len(p)-done)+unit-1)/unit*unit, a.size-from)
		n, err := a.read(a.memory[:want], from)
		if got := int64(n) - (at - from); got > 0 {
			done += copy(p[done:], a.memory[at-from:at-from+got])
		}
		if int64(n) < want && done < len(p) {
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return done, err
		}
	}
	return done, nil
}

// mostBytes is more than any disk has.
const mostBytes = 1 << 54

// endOf finds how much can be read of what does not tell its length, in whole units, by whether a
// unit can be read at an offset.
func endOf(readable func(offset int64) bool) int64 {
	if !readable(0) {
		return 0
	}
	// The last unit that can be read lies from good on and before bad, in units.
	good, bad := int64(0), int64(1)
	for readable(bad * unit) {
		good, bad = bad, bad*2
		if bad*unit > mostBytes {
			return 0
		}
	}
	for bad-good > 1 {
		if middle := good + (bad-good)/2; readable(middle * unit) {
			good = middle
		} else {
			bad = middle
		}
	}
	return (good + 1) * unit
}
