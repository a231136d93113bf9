// Package allocation finds out which bytes of a volume or of a file are in use, so that only
// places with data on them are measured.
package allocation

import (
	"cmp"
	"errors"
	"io"
	"slices"
)

// Range is a run of bytes.
type Range struct {
	// Offset is the first byte, Length the number of bytes.
	Offset, Length int64
}

// ErrUnknown is the error of a volume whose file system is none of those read here.
var ErrUnknown = errors.New("the volume's file system is none whose allocation is read here")

// The sources of ranges.
const (
	SourceNTFS = "ntfs-bitmap"
	SourceExt  = "ext4-bitmap"
)

// Ranges returns the bytes of a volume of size bytes that its file system says are in use,
// ascending and not touching each other, and what told. A volume of another file system is
// ErrUnknown; anything else is an error that says what is damaged, unreadable or not supported.
func Ranges(r io.ReaderAt, size int64) (ranges []Range, source string, err error) {
	for _, reader := range readers {
		ranges, err := reader.read(r, size)
		if !errors.Is(err, ErrUnknown) {
			return ranges, reader.source, err
		}
	}
	return nil, "", ErrUnknown
}

var readers = []struct {
	source string
	read   func(r io.ReaderAt, size int64) ([]Range, error)
}{
	{SourceNTFS, ntfsRanges},
	{SourceExt, extRanges},
}

// Intersect returns the parts of upper that are also in lower, where byte 0 of upper is byte
// offset of lower; as offsets of upper.
func Intersect(upper, lower []Range, offset int64) []Range {
	upper, lower = sorted(upper), sorted(lower)
	var both []Range
	for i, j := 0, 0; i < len(upper) && j < len(lower); {
		from := max(upper[i].Offset, lower[j].Offset-offset)
		endUpper, endLower := upper[i].Offset+upper[i].Length, lower[j].Offset+lower[j].Length-offset
		if to := min(endUpper, endLower); to > from {
			both = append(both, Range{from, to - from})
		}
		if endUpper < endLower {
			i++
		} else {
			j++
		}
	}
	return both
}

// Without returns the parts of ranges that are in none of others; the two may be in any order.
func Without(ranges, others []Range) []Range {
	others = sorted(others)
	var left []Range
	for _, r := range sorted(ranges) {
		at, end := r.Offset, r.Offset+r.Length
		for _, o := range others {
			if o.Offset >= end {
				break
			}
			if o.Offset > at {
				left = append(left, Range{at, o.Offset - at})
			}
			at = max(at, o.Offset+o.Length)
		}
		if at < end {
			left = append(left, Range{at, end - at})
		}
	}
	return left
}

func sorted(ranges []Range) []Range {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.Offset, b.Offset) })
	return ranges
}
