package storage

import (
	"errors"
	"fmt"
	"math"
)

// Where the fields of VOLUME_DISK_EXTENTS and DISK_EXTENT are
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-volume_disk_extents,
// learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-disk_extent). The count is padded to
// the alignment of the 64-bit numbers that follow.
const (
	extentsHeaderBytes = 8
	extentBytes        = 24
	extentOffset       = 8
	extentLength       = 16
)

// Bounds of how many extents are asked for.
const (
	firstExtents = 16
	maxExtents   = 1 << 14
)

// errNoExtents is the error of a volume that tells of no place: a driver that does not know.
var errNoExtents = fmt.Errorf("it tells of no extent: %w", errUnasked)

// extent is a run of a volume on disk N of \\.\PhysicalDriveN.
type extent struct {
	disk           uint32
	offset, length uint64
}

// readExtents asks a volume where it lies. An answer that did not fit tells how many there are.
func readExtents(device Device) ([]extent, error) {
	for room := firstExtents; ; {
		data, err := device.Control(ioctlExtents, nil, extentsHeaderBytes+extentBytes*room)
		if !errors.Is(err, errMoreData) {
			if err != nil {
				return nil, err
			}
			return decodeExtents(data)
		}
		wanted := 2 * room
		if len(data) >= 4 {
			wanted = max(wanted, int(min(le.Uint32(data), maxExtents)))
		}
		if room == maxExtents {
			return nil, fmt.Errorf("the volume has more than %d extents", maxExtents)
		}
		room = min(wanted, maxExtents)
	}
}

func decodeExtents(data []byte) ([]extent, error) {
	if err := need("the list of extents", data, extentsHeaderBytes); err != nil {
		return nil, err
	}
	count := uint64(le.Uint32(data))
	if room := uint64(len(data)-extentsHeaderBytes) / extentBytes; count > room {
		return nil, fmt.Errorf("the list of extents tells of %d and holds %d", count, room)
	}
	extents := make([]extent, 0, count)
	for i := range int(count) {
		entry := data[extentsHeaderBytes+i*extentBytes:]
		e := extent{disk: le.Uint32(entry), offset: le.Uint64(entry[extentOffset:]), length: le.Uint64(entry[extentLength:])}
		if e.offset > math.MaxInt64 || e.length > math.MaxInt64-e.offset {
			return nil, fmt.Errorf("extent %d lies beyond what a disk can hold: offset %d, length %d", i, int64(e.offset), int64(e.length))
		}
		if e.disk == noNumber {
			return nil, fmt.Errorf("extent %d lies on a disk that is not there", i)
		}
		extents = append(extents, e)
	}
	if len(extents) == 0 {
		return nil, errNoExtents
	}
	return extents, nil
}
