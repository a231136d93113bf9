package ondisk

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
)

const (
	// areaBytes is what Windows 7 and later reserves for each copy (libbde: files FVE2.{guid}.1 to 3).
	areaBytes = 64 << 10
	// maxCopyBytes bounds a copy that claims to be larger than its area.
	maxCopyBytes = 256 << 10
)

// Copy tells of one of the copies of the metadata.
type Copy struct {
	// Number is 1 to 3.
	Number int
	// Offset is where the copy lies.
	Offset uint64
	// State is what the copy is worth.
	State CopyState
	// Detail says what is wrong, as a phrase; empty for an intact copy.
	Detail string
}

// CopyState is what a copy of the metadata is worth.
type CopyState int

// The states of a copy.
const (
	// Intact: the checksum is right and nothing contradicts the other copies.
	Intact CopyState = iota
	// Stale: the checksum is right, but another copy is newer.
	Stale
	// Differs: the checksum is right, but bytes that it does not cover differ from the other copies.
	Differs
	// Damaged: it cannot be used.
	Damaged
	// Outside: it lies beyond the end of the volume.
	Outside
)

// candidate is a copy while the best one is looked for.
type candidate struct {
	Copy
	metadata *Metadata
	// sum stands for the bytes of the area: equal areas have equal sums.
	sum uint64
	// failure is why the copy could not be read, nil when it could.
	failure error
}

// sumSeed makes sums comparable within a run, which is all that they are for.
var sumSeed = maphash.MakeSeed()

// readCopies reads the copies and returns the metadata of the best one. Where the header and an
// intact copy disagree on where a copy lies, both places are tried. A copy that cannot be read
// is a damaged one while another is intact; when none is, the first failure is the error.
func readCopies(r io.ReaderAt, size int64, offsets [copyCount]uint64) (*Metadata, []Copy, error) {
	candidates := make([]candidate, 0, copyCount)
	buffer := make([]byte, areaBytes)
	for i, offset := range offsets {
		candidates = append(candidates, readCopy(r, size, i+1, offset, offsets[:i], buffer))
	}
	best := newest(candidates)
	if best == nil {
		for _, c := range candidates {
			if c.failure != nil {
				return nil, copiesOf(candidates), fmt.Errorf("reading metadata copy %d at byte %d: %w", c.Number, c.Offset, c.failure)
			}
		}
		return nil, copiesOf(candidates), ErrDamaged
	}
	for i := range candidates {
		listed := best.metadata.offsets[i]
		if candidates[i].metadata != nil || listed == candidates[i].Offset {
			continue
		}
		again := readCopy(r, size, i+1, listed, nil, buffer)
		if again.metadata == nil {
			continue
		}
		again.State = Differs
		again.Detail = fmt.Sprintf("the volume's header looks for it at byte %d, where it is not", candidates[i].Offset)
		candidates[i] = again
	}
	best = newest(candidates)
	compare(candidates, best)
	return best.metadata, copiesOf(candidates), nil
}

// hasSignature tells whether the metadata's signature is at one of the places.
func hasSignature(r io.ReaderAt, size int64, offsets [copyCount]uint64) bool {
	return slices.ContainsFunc(offsets[:], func(offset uint64) bool {
		if offset >= uint64(size) {
			return false
		}
		start, err := readFull(r, int64(offset), make([]byte, min(size-int64(offset), int64(len(signature)))))
		return err == nil && string(start) == signature
	})
}

func copiesOf(candidates []candidate) []Copy {
	copies := make([]Copy, len(candidates))
	for i, c := range candidates {
		copies[i] = c.Copy
	}
	return copies
}

// readCopy reads and checks one copy. The buffer is room for one area; nothing is kept of it.
func readCopy(r io.ReaderAt, size int64, number int, offset uint64, earlier []uint64, buffer []byte) candidate {
	c := candidate{Copy: Copy{Number: number, Offset: offset, State: Damaged}}
	if slices.Contains(earlier, offset) {
		c.Detail = fmt.Sprintf("the header puts it at byte %d, where another copy is", offset)
		return c
	}
	if offset >= uint64(size) || uint64(size)-offset < blockHeaderBytes {
		c.State = Outside
		c.Detail = fmt.Sprintf("it lies at byte %d, beyond the end of the volume at byte %d", offset, size)
		return c
	}
	room := size - int64(offset)
	area, err := readFull(r, int64(offset), buffer[:min(room, areaBytes)])
	if claimed := int64(claimedBytes(area)); err == nil && claimed > int64(len(area)) {
		switch {
		case claimed > room && room < areaBytes:
			c.State = Outside
			c.Detail = fmt.Sprintf("it needs %d bytes at byte %d, beyond the end of the volume at byte %d", claimed, offset, size)
			return c
		case claimed <= room && claimed <= maxCopyBytes:
			area, err = readFull(r, int64(offset), make([]byte, claimed))
		}
	}
	if err != nil {
		c.Detail = fmt.Sprintf("it cannot be read: %v", err)
		// The end of the volume says that the copy is not there, not that reading fails.
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			c.failure = err
		}
		return c
	}
	metadata, err := parseBlock(area)
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	c.sum, c.metadata, c.State = maphash.Bytes(sumSeed, area), metadata, Intact
	return c
}

// readFull fills data from offset on and returns it.
func readFull(r io.ReaderAt, offset int64, data []byte) ([]byte, error) {
	n, err := r.ReadAt(data, offset)
	if n == len(data) {
		return data, nil
	}
	return nil, err
}

// newest returns the intact copy whose nonce counter, which every change of the metadata
// raises, is the highest; of equals the first. Nil when no copy is intact.
func newest(candidates []candidate) *candidate {
	var best *candidate
	for i := range candidates {
		c := &candidates[i]
		if c.metadata != nil && (best == nil || c.metadata.nonce > best.metadata.nonce) {
			best = c
		}
	}
	return best
}

// compare marks copies that are older than the best one, and those whose bytes differ from the
// others although their checksum is right: it does not cover the whole area.
func compare(candidates []candidate, best *candidate) {
	var current []*candidate
	for i := range candidates {
		c := &candidates[i]
		if c.metadata == nil {
			continue
		}
		if c.metadata.nonce < best.metadata.nonce {
			c.State = Stale
			c.Detail = "its checksum is right, but another copy is newer"
			continue
		}
		current = append(current, c)
	}
	for _, c := range current {
		agree := 0
		for _, other := range current {
			if c.sum == other.sum {
				agree++
			}
		}
		// With two copies of one mind and one of another the odd one is named; with two in all,
		// or three of three minds, it cannot be told which is right, and every one is named.
		if agree*2 <= len(current) && c.State == Intact {
			c.State = Differs
			c.Detail = "its checksum is right, but bytes that the checksum does not cover differ from the other copies"
		}
	}
}
