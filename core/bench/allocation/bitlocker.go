package allocation

import (
	"errors"
	"fmt"
	"io"

	"diskaudit/core/bitlocker/ondisk"
)

// Layout of a BitLocker volume (libyal/libbde, "BitLocker Drive Encryption (BDE) format",
// section "Virtual sector(s)"; cryptsetup, lib/bitlk/bitlk.c;
// dislocker, include/dislocker/metadata/metadata.priv.h). Numbers are little-endian.
const (
	// fveAreaBytes is what is set aside for each copy of the metadata.
	fveAreaBytes = 64 << 10
	// fveLeastHeader is what is moved from the volume's start at the least.
	fveLeastHeader = 8 << 10
	// fveEncryptOnWrite is where the header of a volume of which only the used space was encrypted
	// names the two areas that tell which space that is.
	fveEncryptOnWrite = 200
	// mostSector is the largest sector of a volume.
	mostSector = 4096
)

// BitLockerAreas returns the parts of a BitLocker volume that do not show the same bytes above and
// below its driver, encryption apart: its start, which holds BitLocker's own header and was moved;
// the place it was moved to; and the copies of the metadata, which read as zeros from above. below
// is the volume as the disk has it, size its length. The ranges can overlap, and are in no order.
// A volume without BitLocker has none.
//
// When the volume is BitLocker's but its layout is not known, that is an error: blocks of those
// parts would be taken for others.
func BitLockerAreas(below io.ReaderAt, size int64) ([]Range, error) {
	volume, err := ondisk.Read(below, size)
	switch {
	case errors.Is(err, ondisk.ErrNotBitLocker):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("finding BitLocker's own areas: %w", err)
	}
	sector := int64(volume.SectorBytes)
	if sector == 0 {
		sector = mostSector
	}
	var areas []Range
	for _, offset := range volume.Offsets {
		areas = appendArea(areas, offset, fveAreaBytes, size)
	}
	for _, c := range volume.Copies {
		areas = appendArea(areas, c.Offset, fveAreaBytes, size)
	}
	sectors, to := int64(volume.MovedSectors), volume.MovedTo
	if sectors == 0 || sectors > size/sector || to == 0 || to > uint64(size-sectors*sector) {
		return nil, fmt.Errorf("finding BitLocker's own areas: the metadata says that the first %d sectors were moved to byte %d, which makes no sense", sectors, to)
	}
	areas = appendArea(areas, 0, max(sectors*sector, fveLeastHeader), size)
	areas = appendArea(areas, to, sectors*sector, size)
	return appendEncryptOnWrite(areas, below, volume, size)
}

// appendEncryptOnWrite adds the areas that only volumes with encryption of the used space have.
func appendEncryptOnWrite(areas []Range, below io.ReaderAt, volume *ondisk.Volume, size int64) ([]Range, error) {
	if volume.Format != ondisk.Standard || volume.UsedSpaceOnly == nil || !*volume.UsedSpaceOnly {
		return areas, nil
	}
	var offsets [16]byte
	if n, err := below.ReadAt(offsets[:], fveEncryptOnWrite); n < len(offsets) {
		return nil, fmt.Errorf("finding BitLocker's own areas: reading the volume's first sector: %w", err)
	}
	for at := 0; at < len(offsets); at += 8 {
		if offset := le.Uint64(offsets[at:]); offset != 0 {
			areas = appendArea(areas, offset, fveAreaBytes, size)
		}
	}
	return areas, nil
}

// appendArea adds the part of an area that lies within the volume.
func appendArea(areas []Range, offset uint64, length, size int64) []Range {
	if offset >= uint64(size) {
		return areas
	}
	return append(areas, Range{int64(offset), min(length, size-int64(offset))})
}
