package allocation

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small is a volume of NTFS with its bitmap in two runs, 64 clusters of 4096 bytes apart.
func small() []byte {
	volume := make([]byte, 128*4096)
	copy(volume[3:], ntfsName)
	le.PutUint16(volume[11:], 512)
	volume[13] = 8
	le.PutUint64(volume[40:], 128*8-1)
	le.PutUint64(volume[48:], 4) // the file table begins at cluster 4
	volume[64] = 0xf6            // records of 2^10 bytes
	volume[510], volume[511] = 0x55, 0xaa
	record := volume[4*4096+6*1024:][:1024]
	copy(record, "FILE")
	le.PutUint16(record[4:], 48) // update sequence
	le.PutUint16(record[6:], 3)
	le.PutUint16(record[20:], 56) // first attribute
	le.PutUint16(record[22:], 1)
	a := record[56:]
	le.PutUint32(a, ntfsData)
	le.PutUint32(a[4:], 80)
	a[8] = 1
	le.PutUint16(a[32:], 64)
	le.PutUint64(a[24:], 1)
	le.PutUint64(a[40:], 2*4096)
	le.PutUint64(a[48:], 4096+16)
	le.PutUint64(a[56:], 4096+16)
	copy(a[64:], []byte{0x11, 1, 100, 0x11, 1, 0x100 - 90, 0}) // cluster 100, then 90 before it
	le.PutUint32(a[80:], ntfsEnd)
	for _, end := range []int{510, 1022} {
		copy(record[50+end/1022*2:], record[end:end+2])
		record[end], record[end+1] = 7, 0
	}
	record[48] = 7
	bitmap := volume[100*4096:]
	bitmap[0] = 0b0111_0110
	bitmap[2] = 0xff
	bitmap[3] = 0x01
	bitmap[15] = 0xff // bit 127 lies beyond the last cluster
	return volume
}

func TestNTFSInRuns(t *testing.T) {
	volume := small()
	got, err := ntfsRanges(bytes.NewReader(volume), int64(len(volume)))
	want := []Range{{4096, 2 * 4096}, {4 * 4096, 3 * 4096}, {16 * 4096, 9 * 4096}, {120 * 4096, 7 * 4096}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
	// The second run holds the bits from 4096*8 on; a volume with so many clusters has them there.
	large := slices.Grow(slices.Clone(volume), 0)
	le.PutUint64(large[40:], (4096*8+64)*8)
	large[10*4096] = 0x0c
	got, err = ntfsRanges(padded{large}, (4096*8+64)*4096)
	want[3].Length = 8 * 4096
	want = append(want, Range{(4096*8 + 2) * 4096, 2 * 4096})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
}

// padded is a volume whose rest is zeros, without end.
type padded struct{ begin []byte }

func (p padded) ReadAt(b []byte, offset int64) (int, error) {
	clear(b)
	if offset < int64(len(p.begin)) {
		copy(b, p.begin[offset:])
	}
	return len(b), nil
}

func TestNTFSRefuses(t *testing.T) {
	const record = 4*4096 + 6*1024
	for name, c := range map[string]struct {
		change func(v []byte)
		says   string
	}{
		"an attribute list": {func(v []byte) {
			a := v[record+56:]
			copy(a[32+80:], a[:84])
			clear(a[:32])
			le.PutUint32(a, ntfsAttributeList)
			le.PutUint32(a[4:], 32)
		}, "overflowed into other file records"},
		"a torn record":          {func(v []byte) { v[record+510] = 9 }, "written only in part"},
		"no record":              {func(v []byte) { clear(v[record : record+4]) }, "no file record"},
		"a record not in use":    {func(v []byte) { v[record+22] = 0 }, "no file record"},
		"a compressed bitmap":    {func(v []byte) { v[record+56+12] = 1 }, "compressed, encrypted or sparse"},
		"a hole":                 {func(v []byte) { copy(v[record+56+64:], []byte{0x01, 2, 0}) }, "a hole"},
		"a run before the start": {func(v []byte) { copy(v[record+56+64:], []byte{0x11, 2, 0x80, 0}) }, "from cluster -128"},
		"a run beyond the end":   {func(v []byte) { copy(v[record+56+64:], []byte{0x11, 30, 100, 0}) }, "the volume has 127"},
		"too short a bitmap":     {func(v []byte) { le.PutUint64(v[record+56+48:], 15); le.PutUint64(v[record+56+56:], 15) }, "has 15 bytes, but 127 clusters need 16"},
		"clusters of 3 sectors":  {func(v []byte) { v[13] = 3 }, "makes no sense"},
		"more than the volume":   {func(v []byte) { v[46] = 1 }, "but the volume has"},
		"a table beyond the end": {func(v []byte) { v[54] = 1 }, "where the file table lies"},
		"records of 0 bytes":     {func(v []byte) { v[64] = 0 }, "where the file table lies"},
	} {
		t.Run(name, func(t *testing.T) {
			volume := small()
			c.change(volume)
			ranges, source, err := Ranges(bytes.NewReader(volume), int64(len(volume)))
			if err == nil || errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), c.says) || source != SourceNTFS || ranges != nil {
				t.Errorf("%d ranges, source %q, error %v", len(ranges), source, err)
			}
		})
	}
}

// A bitmap whose end was never initialised reads as zeros there, whatever lies in its clusters.
func TestNTFSInitializedLength(t *testing.T) {
	volume := small()
	le.PutUint64(volume[4*4096+6*1024+56+56:], 3)
	got, err := ntfsRanges(bytes.NewReader(volume), int64(len(volume)))
	want := []Range{{4096, 2 * 4096}, {4 * 4096, 3 * 4096}, {16 * 4096, 8 * 4096}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
}

// seeds are small real volumes, as far as there are tools to make them, without their zeros.
func seeds(f *testing.F) {
	f.Helper()
	f.Add(small(), int64(128*4096))
	for _, command := range [][]string{{"mkfs.ext4", "-q", "-F", "-b", "1024", "-N", "16"}, {"mkfs.ext4", "-q", "-F", "-t", "ext2", "-b", "1024"}} {
		path := filepath.Join(f.TempDir(), "image")
		if os.WriteFile(path, make([]byte, 1<<20), 0o600) != nil || exec.Command(command[0], append(command[1:], path)...).Run() != nil {
			continue
		}
		if data, err := os.ReadFile(path); err == nil {
			f.Add(data[:64<<10], int64(1<<20))
		}
	}
}

// Whatever a volume says, the ranges are orderly or there are none, and reading ends soon.
func FuzzRanges(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		size &= 1<<34 - 1
		reads := 0
		ranges, _, err := Ranges(counting{padded{data}, &reads}, size)
		if err != nil && ranges != nil {
			t.Fatalf("%d ranges and error %v", len(ranges), err)
		}
		orderly(t, ranges, size)
		// One read for each 8 MiB of bitmapped volume at the least, a group of 256 blocks of 1 KiB
		// at the most.
		if limit := int(size>>18)*2 + 16; reads > limit {
			t.Fatalf("%d reads of a volume of %d bytes", reads, size)
		}
	})
}

type counting struct {
	padded
	reads *int
}

func (c counting) ReadAt(b []byte, offset int64) (int, error) {
	*c.reads++
	return c.padded.ReadAt(b, offset)
}
