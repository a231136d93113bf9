package allocation

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// bitmapOf answers like FSCTL_GET_VOLUME_BITMAP: from a cluster that is rounded down to a multiple
// of boundary on, with at most most bytes of bits.
func bitmapOf(used []bool, boundary int64, most int) func(from int64, answer []byte) (int, bool, error) {
	return func(from int64, answer []byte) (int, bool, error) {
		first := from / boundary * boundary
		left := int64(len(used)) - first
		le.PutUint64(answer, uint64(first))
		le.PutUint64(answer[8:], uint64(left))
		bytes := min(int((left+7)/8), most, len(answer)-bitmapHeader)
		clear(answer[bitmapHeader : bitmapHeader+bytes])
		for bit := range min(int64(bytes)*8, left) {
			if used[first+bit] {
				answer[bitmapHeader+bit/8] |= 1 << (bit % 8)
			}
		}
		return bitmapHeader + bytes, int64(bytes)*8 < left, nil
	}
}

func TestVolumeRanges(t *testing.T) {
	used := make([]bool, 1000)
	for _, run := range [][2]int{{0, 3}, {40, 1}, {63, 3}, {500, 64}, {990, 10}} {
		for i := range run[1] {
			used[run[0]+i] = true
		}
	}
	ranges := func(cluster, first int64) []Range {
		var want []Range
		for _, run := range [][2]int64{{0, 3}, {40, 1}, {63, 3}, {500, 64}, {990, 10}} {
			want = append(want, Range{first + run[0]*cluster, run[1] * cluster})
		}
		return want
	}
	const whole = 1 << 40
	for _, c := range []struct {
		name     string
		clusters Clusters
		ask      func(from int64, answer []byte) (int, bool, error)
		size     int64
		want     []Range
	}{
		{"NTFS, at once", Clusters{4096, 0}, bitmapOf(used, 8, 1<<20), whole, ranges(4096, 0)},
		{"NTFS, in parts", Clusters{4096, 0}, bitmapOf(used, 8, 5), whole, ranges(4096, 0)},
		{"in parts that overlap", Clusters{4096, 0}, bitmapOf(used, 64, 11), whole, ranges(4096, 0)},
		{"ReFS with 64 KiB", Clusters{65536, 0}, bitmapOf(used, 8, 7), whole, ranges(65536, 0)},
		{"FAT, whose data begin behind its tables", Clusters{2048, 1234 * 512}, bitmapOf(used, 8, 5), whole, ranges(2048, 1234*512)},
		// What lies below can be shorter than the volume.
		{"cut short", Clusters{4096, 0}, bitmapOf(used, 8, 5), 501 * 4096, []Range{{0, 3 * 4096}, {40 * 4096, 4096}, {63 * 4096, 3 * 4096}, {500 * 4096, 4096}}},
	} {
		got, err := volumeRanges(c.size, c.clusters, c.ask)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, error %v, want %v", c.name, got, err, c.want)
		}
	}
}

// Whatever the system answers, there are either the right ranges or an error, and an end.
func TestVolumeRangesRefuses(t *testing.T) {
	header := func(first, left int64, bits int) func(int64, []byte) (int, bool, error) {
		return func(_ int64, answer []byte) (int, bool, error) {
			le.PutUint64(answer, uint64(first))
			le.PutUint64(answer[8:], uint64(left))
			return bitmapHeader + bits, false, nil
		}
	}
	again := func(from int64, answer []byte) (int, bool, error) {
		n, _, err := header(0, 1000, 2)(from, answer)
		return n, true, err
	}
	broken := errors.New("access denied")
	good := Clusters{4096, 0}
	for _, c := range []struct {
		name     string
		clusters Clusters
		ask      func(int64, []byte) (int, bool, error)
		says     string
	}{
		{"an error", good, func(int64, []byte) (int, bool, error) { return 0, false, broken }, "access denied"},
		{"less than a header", good, func(int64, []byte) (int, bool, error) { return 15, false, nil }, "no bitmap"},
		{"more than there is room for", good, func(int64, []byte) (int, bool, error) { return bitmapAnswer + 1, false, nil }, "no bitmap"},
		{"a negative length", good, func(int64, []byte) (int, bool, error) { return -1, false, nil }, "no bitmap"},
		{"a negative start", good, header(-8, 100, 13), "-8"},
		{"a start behind what was asked for", good, header(8, 100, 13), "cluster 8"},
		{"a negative number of clusters", good, header(0, -1, 13), "-1 clusters"},
		{"more clusters than bytes can be counted", good, header(0, 1<<62, 13), "clusters"},
		{"too few bits", good, header(0, 1000, 2), "ends with cluster 16 of 1000"},
		{"the same forever", good, again, "does not go on"},
		{"clusters of 0 bytes", Clusters{0, 0}, header(0, 8, 1), "makes no sense"},
		{"clusters of 3 sectors", Clusters{1536, 0}, header(0, 8, 1), "makes no sense"},
		{"clusters that begin before the volume", Clusters{4096, -512}, header(0, 8, 1), "makes no sense"},
	} {
		got, err := volumeRanges(1<<40, c.clusters, c.ask)
		if err == nil || got != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, error %v, want one with %q", c.name, got, err, c.says)
		}
	}
}

// The numbers that Windows gives in sectors.
func TestInSectors(t *testing.T) {
	for _, c := range []struct {
		sector, perCluster uint32
		first              uint64
		want               Clusters
		ok                 bool
	}{
		{512, 8, 0, Clusters{4096, 0}, true},
		{4096, 1, 0, Clusters{4096, 0}, true},
		{512, 4096, 0, Clusters{2 << 20, 0}, true},
		{512, 1, 2080, Clusters{512, 2080 * 512}, true},
		{0, 8, 0, Clusters{}, false},
		{512, 0, 0, Clusters{}, false},
		{512, 8, 1 << 62, Clusters{}, false},
		{1 << 31, 1 << 31, 0, Clusters{}, false},
	} {
		got, err := inSectors(c.sector, c.perCluster, c.first)
		if (err == nil) != c.ok || c.ok && got != c.want {
			t.Errorf("%d, %d, %d: %+v, error %v", c.sector, c.perCluster, c.first, got, err)
		}
	}
	if question := startingCluster(0x0102030405); !slices.Equal(question[:], []byte{5, 4, 3, 2, 1, 0, 0, 0}) {
		t.Errorf("question %x", question)
	}
}

func FuzzVolumeRanges(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0xff, 0x0f}, true, int64(1<<30), int64(4096), int64(0))
	f.Fuzz(func(t *testing.T, data []byte, more bool, size, cluster, first int64) {
		size &= 1<<40 - 1
		asked := 0
		ranges, err := volumeRanges(size, Clusters{cluster, first}, func(_ int64, answer []byte) (int, bool, error) {
			if asked++; asked > 1000 {
				return 0, false, errors.New("enough")
			}
			return copy(answer, data), more, nil
		})
		if err != nil && ranges != nil {
			t.Fatalf("%d ranges and error %v", len(ranges), err)
		}
		orderly(t, ranges, size)
	})
}
