package bench

import (
	"fmt"
	"io"

	"diskaudit/core/bench/allocation"
	"diskaudit/core/bench/device"
	"diskaudit/core/bench/engine"
	"diskaudit/core/bench/penalty"
	"diskaudit/core/contract"
)

// pair is two open paths. A nil one is closed.
type pair struct {
	over         paths
	upper, lower *engine.Path
	// ranges are the bytes in use, as offsets of the upper path.
	ranges []penalty.Range
}

func (p *pair) close() {
	if p != nil {
		p.upper.Close()
		p.lower.Close()
	}
}

// openPair opens the paths of a volume that is to be measured. Why one cannot be opened is also a
// problem.
func (r *run) openPair(over paths) (*pair, *contract.InvalidReason) {
	upper, reason := r.openPath(over.upper)
	if reason != nil {
		return nil, reason
	}
	lower, reason := r.openPath(over.lower)
	if reason != nil {
		upper.Close()
		return nil, reason
	}
	return &pair{over: over, upper: upper, lower: lower}, nil
}

// leastRegionBytes is the data that a plain region needs to be of use.
const leastRegionBytes = 24 << 20

// plainRegion opens the first plain volume beside the encrypted one that has enough data; nil when
// there is none. That one cannot be opened or read is no failure: another control is used then.
func (r *run) plainRegion(over paths) *pair {
	for _, region := range plainRegions(r.status, findVolume(r.status.Volumes, over.upper, "")) {
		ranges, _, err := inUse(region)
		if err != nil || lengthOf(ranges) < leastRegionBytes {
			continue
		}
		upper, err := engine.OpenPath(region.upper, priceBlockBytes)
		if err != nil {
			continue
		}
		lower, err := engine.OpenPath(region.lower, priceBlockBytes)
		if err != nil {
			upper.Close()
			continue
		}
		return &pair{over: region, upper: upper, lower: lower, ranges: ranges}
	}
	return nil
}

// asControl is the region as the measurement takes it.
func (p *pair) asControl() *penalty.Region {
	if p == nil {
		return nil
	}
	return &penalty.Region{Upper: p.upper, Lower: p.lower, Ranges: p.ranges, LowerOffset: p.over.offset}
}

// inUse finds the bytes of the upper path that are in use, as its own offsets: by the file
// system on it, by the holes of the files that stand for the paths, else all of it, where the
// measurement leaves out blocks of zeros. What BitLocker keeps for itself is never among them:
// there the two paths show different things.
func inUse(over paths) ([]penalty.Range, string, error) {
	upper, err := device.Open(over.upper)
	if err != nil {
		return nil, "", err
	}
	defer upper.Close()
	lower, err := device.Open(over.lower)
	if err != nil {
		return nil, "", err
	}
	defer lower.Close()
	size := min(upper.Size, lower.Size-over.offset)
	if size < priceBlockBytes {
		return nil, "", fmt.Errorf("%s has no bytes at offset %d for those of %s", over.lower, over.offset, over.upper)
	}
	ranges, source, err := upper.InUse(size)
	if err != nil {
		return nil, "", err
	}
	if stored, ok := lower.Stored(); ok {
		ranges = allocation.Intersect(ranges, stored, over.offset)
		if source == device.SourceContent {
			source = "file-extents"
		}
	}
	own, err := allocation.BitLockerAreas(io.NewSectionReader(lower, over.offset, lower.Size-over.offset), lower.Size-over.offset)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", over.lower, err)
	}
	return allocation.Without(ranges, own), source, nil
}
