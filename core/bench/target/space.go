package target

import (
	"fmt"
	"math"
)

// reserve is how much of a volume stays free: a twentieth, and at least 1 GiB on volumes that have
// it to spare. A full volume disturbs everybody on it, and a full SSD is slower.
func reserve(total int64) int64 {
	return max(total/20, min(1<<30, total/10))
}

// roomFor returns the length that the file can have on the volume that holds folder.
func (t *Target) roomFor(r Request, folder string) (int64, error) {
	free, total, err := space(folder)
	if err != nil {
		return 0, explain("asking for the free space of", folder, err)
	}
	if total == 0 {
		return 0, refuse("not-a-target", "%s is on a file system without room for files, such as /proc: there is no disk below it. Name a folder on a disk", folder)
	}
	kept := reserve(total)
	t.Facts.FreeBytes, t.Facts.ReserveBytes = &free, &kept
	// The block behind the part for the tests, and what the file system needs to know of it.
	fits := free - kept - chunk
	fits -= fits % chunk
	if fits < max(r.MinBytes, chunk) {
		return 0, refuse("no-space", "%s has %s free, of which %s stay free: that leaves no room for a test file of %s. Free some space, ask for a smaller size, or name a folder on another volume",
			folder, bytesText(free), bytesText(kept), bytesText(max(r.MinBytes, chunk)))
	}
	if fits < r.SizeBytes {
		t.Facts.yes(FactShortened, fmt.Sprintf("%s has %s free, of which %s stay free: the file has at most %s instead of %s", folder, bytesText(free), bytesText(kept), bytesText(fits), bytesText(r.SizeBytes)))
		return fits, nil
	}
	return r.SizeBytes, nil
}

// toBytes multiplies without overflow: a file system may claim any number of blocks.
func toBytes(blocks uint64, unit int64) int64 {
	if unit <= 0 {
		return 0
	}
	if blocks > uint64(math.MaxInt64/unit) {
		return math.MaxInt64
	}
	return int64(blocks) * unit
}
