package penalty

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// blocks hands out the blocks of some ranges in random order, none of them twice.
type blocks struct {
	runs  []run
	count int64
	// next is the number of blocks handed out.
	next  int64
	order permutation
	bytes int64
}

// run is a run of whole blocks.
type run struct {
	// first is the offset of its first block.
	first int64
	// before is the number of blocks in the runs before it.
	before int64
}

// newBlocks lays out the whole blocks of ranges: those that begin at a multiple of blockBytes.
// Ranges may come in any order and overlap.
func newBlocks(ranges []Range, blockBytes int, lowerOffset int64, seed uint64) (*blocks, error) {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b Range) int { return cmp.Compare(a.Offset, b.Offset) })
	b := &blocks{bytes: int64(blockBytes)}
	// free is where the blocks end that were already laid out.
	free := int64(0)
	for i := 0; i < len(sorted); {
		r := sorted[i]
		if r.Offset < 0 || r.Length < 0 || r.Offset > math.MaxInt64-lowerOffset-b.bytes-r.Length {
			return nil, fmt.Errorf("a range begins at byte %d and has %d", r.Offset, r.Length)
		}
		end := r.Offset + r.Length
		// What touches or overlaps is one run, so that a block across the seam counts.
		for i++; i < len(sorted) && sorted[i].Offset <= end; i++ {
			if next := sorted[i]; next.Length > 0 && next.Offset <= math.MaxInt64-lowerOffset-b.bytes-next.Length {
				end = max(end, next.Offset+next.Length)
			} else if next.Length != 0 {
				return nil, fmt.Errorf("a range begins at byte %d and has %d", next.Offset, next.Length)
			}
		}
		first := max((r.Offset+b.bytes-1)/b.bytes*b.bytes, free)
		if n := (end - first) / b.bytes; n > 0 {
			b.runs = append(b.runs, run{first, b.count})
			b.count += n
			free = first + n*b.bytes
		}
	}
	b.order = newPermutation(uint64(b.count), seed)
	return b, nil
}

// left is the number of blocks not yet handed out.
func (b *blocks) left() int64 { return b.count - b.next }

// draw returns the offset of another block in the upper path; false when there is none left.
func (b *blocks) draw() (int64, bool) {
	if b.next >= b.count {
		return 0, false
	}
	number := int64(b.order.at(uint64(b.next)))
	b.next++
	in := b.runs[sort.Search(len(b.runs), func(i int) bool { return b.runs[i].before > number })-1]
	return in.first + (number-in.before)*b.bytes, true
}
