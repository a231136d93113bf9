package storage

import (
	"context"
	"fmt"
	"time"

	"diskaudit/core/contract"
)

// positioned is where a volume lies.
type positioned struct {
	extents   []contract.Extent
	sizeBytes *uint64
	// kind is what its partition is for, where the type of that says so.
	kind string
	// err is why the extents are not known, sizeErr why the size is not.
	err, sizeErr error
}

// position asks the device of a volume where it lies and how large it is, for at most limit. All
// that takes no rights but to know that the device exists.
func (r *Reader) position(ctx context.Context, limit time.Duration, p place) positioned {
	at, err := within(ctx, limit, func(d *draft[positioned]) {
		device, err := r.system.Open(p.device(), AccessAttributes)
		if err != nil {
			err = fmt.Errorf("opening its device: %w", err)
			d.note(func(at *positioned) { at.err, at.sizeErr = err, err })
			return
		}
		defer device.Close()
		var part *partition
		if data, err := device.Control(ioctlPartition, nil, partitionBytes); err == nil {
			if decoded, err := decodePartition(data); err == nil {
				part = &decoded
			}
		}
		extents, err := readExtents(device)
		size, sizeErr := r.sizeOf(p, extents, part)
		d.note(func(at *positioned) {
			at.err, at.sizeErr, at.sizeBytes = err, sizeErr, size
			if part != nil {
				at.kind = part.kind
			}
			for _, e := range extents {
				at.extents = append(at.extents, contract.Extent{DiskID: diskID(e.disk), OffsetBytes: e.offset, LengthBytes: e.length})
			}
		})
	})
	if err != nil {
		at.err, at.sizeErr = err, err
	}
	return at
}

// sizeOf is the size of a volume in bytes: its only extent's, or its partition's. Of one with more
// extents their sum is not the size, since they may mirror each other; the volume tells, to those
// who may read it.
func (r *Reader) sizeOf(p place, extents []extent, part *partition) (*uint64, error) {
	switch {
	case len(extents) == 1 && extents[0].length > 0:
		return &extents[0].length, nil
	case part != nil && part.length > 0 && len(extents) == 0:
		return &part.length, nil
	}
	device, err := r.system.Open(p.device(), AccessRead)
	if err != nil {
		return nil, err
	}
	defer device.Close()
	data, err := device.Control(ioctlLength, nil, 8)
	if err != nil {
		return nil, err
	}
	size, err := decodeLength(data)
	if err == nil && size == nil {
		err = errUnasked
	}
	return size, err
}
