package storage

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// RawDisk reads a disk's bytes at any offset.
type RawDisk interface {
	io.ReaderAt
	io.Closer
}

const diskPrefix = "PhysicalDrive"

// OpenDisk opens a disk by its id, such as PhysicalDrive0, to read its bytes as they lie on it, and
// tells its size in bytes. That takes an administrator; others get fs.ErrPermission. A read may
// block for as long as the disk hangs.
func (r *Reader) OpenDisk(id string) (RawDisk, int64, error) {
	number, ok := diskNumber(id)
	if !ok {
		return nil, 0, fmt.Errorf("%q names no disk: it must be %s and a number", id, diskPrefix)
	}
	device, err := r.system.Open(diskPath(number), AccessRead)
	if err != nil {
		return nil, 0, fmt.Errorf("opening %s: %w", id, err)
	}
	sector, size, err := dimensions(device)
	if err != nil {
		device.Close()
		return nil, 0, fmt.Errorf("asking %s for its size: %w", id, err)
	}
	return rawDisk{newAlignedReader(device, sector, size), device}, size, nil
}

type rawDisk struct {
	*alignedReader
	io.Closer
}

// defaultSector is right for every disk but those with sectors of 4096 bytes only, which tell.
const defaultSector = 512

// dimensions tells the sector and the size of a disk or volume that is open for reading.
func dimensions(device Device) (sector, size int64, err error) {
	sector = defaultSector
	var geometry *uint64
	if data, err := device.Control(ioctlGeometry, nil, firstAnswerBytes); err == nil {
		var bytes *uint64
		if bytes, geometry, err = decodeGeometry(data); err == nil && bytes != nil {
			sector = int64(*bytes)
		}
	}
	data, err := device.Control(ioctlLength, nil, 8)
	if err == nil {
		var length *uint64
		if length, err = decodeLength(data); err == nil && length != nil {
			return sector, int64(*length), nil
		}
	}
	if geometry != nil {
		return sector, int64(*geometry), nil
	}
	// Some drivers of virtual disks only know where they end.
	if end, endErr := device.End(); endErr == nil && end > 0 {
		return sector, end, nil
	}
	if err == nil {
		err = fmt.Errorf("it tells of none")
	}
	return 0, 0, err
}

// diskPath opens a disk by its number
// (learn.microsoft.com/windows/win32/fileio/naming-a-file#win32-device-namespaces).
func diskPath(number uint32) string {
	return `\\.\` + diskID(number)
}

func diskID(number uint32) string {
	return diskPrefix + strconv.FormatUint(uint64(number), 10)
}

// diskNumber is the number in a disk's id, in any case of its letters.
func diskNumber(id string) (uint32, bool) {
	if len(id) <= len(diskPrefix) || !strings.EqualFold(id[:len(diskPrefix)], diskPrefix) {
		return 0, false
	}
	number, err := strconv.ParseUint(id[len(diskPrefix):], 10, 32)
	return uint32(number), err == nil && number < math.MaxUint32
}
