package allocation

import (
	"errors"
	"fmt"
	"math"
)

// allocatedRangeBytes is the size of a FILE_ALLOCATED_RANGE_BUFFER: two 64-bit numbers, offset and
// length (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-file_allocated_range_buffer).
const allocatedRangeBytes = 16

// allocatedRange encodes the question for the ranges of a stretch of a file.
func allocatedRange(offset, length int64) [allocatedRangeBytes]byte {
	var question [allocatedRangeBytes]byte
	le.PutUint64(question[:], uint64(offset))
	le.PutUint64(question[8:], uint64(length))
	return question
}

// allocatedRanges asks for the ranges of a file of size bytes until there are no more. ask fills
// in as many as there is room for, and tells how many bytes that took and whether there are more.
func allocatedRanges(size int64, ask func(from, length int64, answer []byte) (n int, more bool, err error)) ([]Range, error) {
	answer := make([]byte, 1024*allocatedRangeBytes)
	var found collector
	for from := int64(0); from < size; {
		n, more, err := ask(from, size-from, answer)
		if err != nil {
			return nil, err
		}
		if n < 0 || n > len(answer) || n%allocatedRangeBytes != 0 {
			return nil, fmt.Errorf("the answer has %d bytes, which are no ranges", n)
		}
		before := from
		for part := answer[:n]; len(part) > 0; part = part[allocatedRangeBytes:] {
			offset, length := int64(le.Uint64(part)), int64(le.Uint64(part[8:]))
			if offset < 0 || length < 0 || offset > math.MaxInt64-length {
				return nil, fmt.Errorf("the answer has a range of %d bytes at byte %d", length, offset)
			}
			// The file system answers in units of its own, which can stick out.
			end := min(offset+length, size)
			offset = max(offset, from)
			if err := found.add(offset, end-offset); err != nil {
				return nil, err
			}
			from = max(from, end)
		}
		if more && from == before {
			return nil, errors.New("the answer does not go on")
		}
		if !more {
			break
		}
	}
	return found.ranges, nil
}
