package allocation

import (
	"errors"
	"fmt"
	"math"
)

// SourceVolume is the source of ranges that Windows told about a mounted volume.
const SourceVolume = "volume-bitmap"

// Clusters tells where a mounted file system's clusters lie, in bytes.
type Clusters struct {
	// Bytes is the size of one.
	Bytes int64
	// First is the volume's offset of cluster 0: 0 with NTFS; with FAT and exFAT, whose clusters
	// begin behind their tables, the start of the data.
	First int64
}

// bitmapHeader is what precedes the bits of a VOLUME_BITMAP_BUFFER: the first cluster that they
// tell about, and the number of clusters from there to the volume's last
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-volume_bitmap_buffer).
const bitmapHeader = 16

// bitmapAnswer is how much is asked for at once: 8 million clusters.
const bitmapAnswer = bitmapHeader + 1<<20

// startingCluster encodes a STARTING_LCN_INPUT_BUFFER
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-starting_lcn_input_buffer).
func startingCluster(from int64) [8]byte {
	var question [8]byte
	le.PutUint64(question[:], uint64(from))
	return question
}

// check refuses a geometry that no file system has.
func (c Clusters) check() error {
	const most = 256 << 20
	if c.Bytes < 512 || c.Bytes > most || !powerOfTwo(c.Bytes) || c.First < 0 || c.First%512 != 0 {
		return fmt.Errorf("the file system speaks of clusters of %d bytes from byte %d on, which makes no sense", c.Bytes, c.First)
	}
	return nil
}

// volumeRanges asks for the bitmap of a mounted volume of size bytes until it has all of it. ask
// fills in as much of a VOLUME_BITMAP_BUFFER as there is room for, from a cluster on or from one
// before it, and tells how many bytes that took and whether there is more.
func volumeRanges(size int64, c Clusters, ask func(from int64, answer []byte) (n int, more bool, err error)) ([]Range, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	answer := make([]byte, bitmapAnswer)
	var found collector
	for from := int64(0); ; {
		n, more, err := ask(from, answer)
		if err != nil {
			return nil, err
		}
		if n < bitmapHeader || n > len(answer) {
			return nil, fmt.Errorf("the answer of %d bytes is no bitmap", n)
		}
		first, left := int64(le.Uint64(answer)), int64(le.Uint64(answer[8:]))
		if first < 0 || first > from || left < 0 || left > (math.MaxInt64-c.First)/c.Bytes-first {
			return nil, fmt.Errorf("the answer has %d clusters from cluster %d on, where those from %d on were asked for", left, first, from)
		}
		told := min(left, int64(n-bitmapHeader)*8)
		if err := found.clusters(answer[bitmapHeader:n], told, first, from, size, c); err != nil {
			return nil, err
		}
		switch {
		case told == left:
			return found.ranges, nil
		case !more:
			return nil, fmt.Errorf("the answer ends with cluster %d of %d", first+told, first+left)
		case first+told <= from:
			return nil, errors.New("the answer does not go on")
		}
		from = first + told
	}
}

// clusters adds those of a bitmap that are in use, of which those before from are known already.
func (c *collector) clusters(bitmap []byte, count, first, from, size int64, geometry Clusters) error {
	return bitRuns(bitmap, count, func(bit, length int64) error {
		begin, end := max(first+bit, from), first+bit+length
		offset := geometry.First + begin*geometry.Bytes
		return c.add(offset, min(geometry.First+end*geometry.Bytes, size)-offset)
	})
}

// inSectors is the geometry of a file system that tells it in sectors: the clusters' size and
// where the first begins.
func inSectors(sectorBytes, sectorsPerCluster uint32, firstSector uint64) (Clusters, error) {
	if sectorBytes == 0 || firstSector > math.MaxInt64/uint64(sectorBytes) {
		return Clusters{}, fmt.Errorf("the file system speaks of sectors of %d bytes, and of clusters from sector %d on, which makes no sense", sectorBytes, firstSector)
	}
	c := Clusters{Bytes: int64(sectorBytes) * int64(sectorsPerCluster), First: int64(firstSector) * int64(sectorBytes)}
	return c, c.check()
}
