package allocation

import (
	"errors"
	"fmt"
	"io"
)

// NTFS: the boot sector as learn.microsoft.com describes it ("NTFS boot sector" in the Windows
// Server resource kit pages); file records, attributes and their runs as in the linux-ntfs
// project's documentation ("NTFS Documentation", chapters on $Boot, $MFT, $Bitmap and data runs).
const (
	ntfsName         = "NTFS    "
	ntfsBitmapRecord = 6 // the file record of $Bitmap
	ntfsMostRecord   = 64 << 10
	ntfsMostCluster  = 2 << 20
	// ntfsStride is what the update sequence counts in, whatever the sector size.
	ntfsStride = 512
	ntfsChunk  = 1 << 20
)

// ntfsGeometry is what the boot sector says.
type ntfsGeometry struct {
	cluster  int64
	clusters int64
	// table is the offset of the file table, record the size of its records, in bytes.
	table  int64
	record int64
}

// ntfsRanges reads the bitmap of clusters.
func ntfsRanges(r io.ReaderAt, size int64) ([]Range, error) {
	v := &volume{r: r, size: size}
	geometry, err := ntfsBoot(v)
	if err != nil {
		return nil, err
	}
	bitmap, err := ntfsBitmap(v, geometry)
	if err != nil {
		return nil, fmt.Errorf("reading the bitmap of NTFS: %w", err)
	}
	var found collector
	err = bitmap.each(v, geometry, func(first int64, part []byte) error {
		return bitRuns(part, geometry.clusters-first, func(bit, length int64) error {
			// Nothing overflows: the boot sector's clusters fit the volume.
			offset := (first + bit) * geometry.cluster
			return found.add(offset, min(length*geometry.cluster, size-offset))
		})
	})
	if err != nil {
		return nil, fmt.Errorf("reading the bitmap of NTFS: %w", err)
	}
	return found.ranges, nil
}

// ntfsBoot reads the boot sector. A volume that does not begin with one of NTFS is ErrUnknown.
func ntfsBoot(v *volume) (ntfsGeometry, error) {
	if v.size < 512 {
		return ntfsGeometry{}, ErrUnknown
	}
	b, err := v.at(0, 512)
	if err != nil {
		return ntfsGeometry{}, fmt.Errorf("reading the boot sector: %w", err)
	}
	if string(b[3:11]) != ntfsName || b[510] != 0x55 || b[511] != 0xaa {
		return ntfsGeometry{}, ErrUnknown
	}
	sector := int64(le.Uint16(b[11:]))
	g := ntfsGeometry{cluster: ntfsUnits(b[13], sector, sector)}
	if sector < 256 || sector > 4096 || !powerOfTwo(sector) || g.cluster < sector || g.cluster > ntfsMostCluster || !powerOfTwo(g.cluster) {
		return g, fmt.Errorf("the boot sector of NTFS makes no sense: it speaks of sectors of %d and clusters of %d bytes", sector, g.cluster)
	}
	sectors, table := le.Uint64(b[40:]), le.Uint64(b[48:])
	if sectors == 0 || sectors > uint64(v.size/sector) {
		return g, fmt.Errorf("the boot sector of NTFS speaks of %d sectors of %d bytes, but the volume has %d bytes", sectors, sector, v.size)
	}
	g.clusters = int64(sectors) * sector / g.cluster
	g.record = ntfsUnits(b[64], g.cluster, 1)
	if g.record < ntfsStride || g.record > ntfsMostRecord || !powerOfTwo(g.record) || table >= uint64(g.clusters) {
		return g, errors.New("the boot sector of NTFS does not say where the file table lies")
	}
	g.table = int64(table) * g.cluster
	return g, nil
}

// ntfsUnits decodes a size in bytes: a number of units, or above 0x80 a negative power of two
// that counts powerUnit: sectors for a cluster, bytes for a file record.
func ntfsUnits(value byte, unit, powerUnit int64) int64 {
	if value <= 0x80 {
		return int64(value) * unit
	}
	return powerUnit << min(256-int(value), 31)
}

func powerOfTwo(n int64) bool { return n > 0 && n&(n-1) == 0 }

// ntfsStream is the content of an attribute: in its record, or in runs of clusters.
type ntfsStream struct {
	resident []byte
	runs     []ntfsRun
	// length is the number of bytes, of which those from initialized on are zeros whatever the
	// clusters hold.
	length, initialized int64
}

// ntfsRun is a run of clusters.
type ntfsRun struct{ first, count int64 }

// each calls f with one part after the other, and with the number of the part's first bit.
func (s ntfsStream) each(v *volume, g ntfsGeometry, f func(first int64, part []byte) error) error {
	if s.resident != nil {
		return f(0, s.resident)
	}
	at := int64(0)
	for _, run := range s.runs {
		for from, end := run.first*g.cluster, (run.first+run.count)*g.cluster; from < end; {
			length := min(ntfsChunk, end-from, s.initialized-at)
			if length <= 0 {
				return nil
			}
			part, err := v.at(from, int(length))
			if err != nil {
				return err
			}
			if err := f(at*8, part); err != nil {
				return err
			}
			at, from = at+length, from+length
		}
	}
	return nil
}
