package allocation

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestIntersect(t *testing.T) {
	for _, c := range []struct {
		name         string
		upper, lower []Range
		offset       int64
		want         []Range
	}{
		{"nothing", nil, []Range{{0, 10}}, 0, nil},
		{"all", []Range{{5, 10}}, []Range{{0, 100}}, 0, []Range{{5, 10}}},
		{"below an offset", []Range{{0, 10}, {20, 10}}, []Range{{1005, 20}}, 1000, []Range{{5, 5}, {20, 5}}},
		{"one over several", []Range{{0, 100}}, []Range{{10, 5}, {20, 5}, {99, 5}}, 0, []Range{{10, 5}, {20, 5}, {99, 1}}},
		{"in any order", []Range{{20, 5}, {0, 5}}, []Range{{22, 9}, {3, 9}}, 0, []Range{{3, 2}, {22, 3}}},
		{"only touching", []Range{{0, 10}}, []Range{{10, 10}}, 0, nil},
	} {
		if got := Intersect(c.upper, c.lower, c.offset); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWithout(t *testing.T) {
	for _, c := range []struct {
		name           string
		ranges, others []Range
		want           []Range
	}{
		{"nothing", nil, []Range{{0, 10}}, nil},
		{"nothing to leave out", []Range{{5, 10}}, nil, []Range{{5, 10}}},
		{"all", []Range{{5, 10}}, []Range{{0, 100}}, nil},
		{"the middle, the ends", []Range{{0, 100}}, []Range{{40, 20}, {95, 10}, {0, 5}}, []Range{{5, 35}, {60, 35}}},
		{"what overlaps", []Range{{0, 100}}, []Range{{10, 20}, {15, 30}, {12, 2}}, []Range{{0, 10}, {45, 55}}},
		{"one over several", []Range{{20, 5}, {0, 5}, {10, 5}}, []Range{{3, 18}}, []Range{{0, 3}, {21, 4}}},
		{"only touching", []Range{{10, 10}}, []Range{{0, 10}, {20, 5}}, []Range{{10, 10}}},
	} {
		if got := Without(c.ranges, c.others); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestBitRuns(t *testing.T) {
	for _, c := range []struct {
		bitmap []byte
		count  int64
		want   [][2]int64
	}{
		{nil, 5, nil},
		{[]byte{0}, 8, nil},
		{[]byte{0xff}, 8, [][2]int64{{0, 8}}},
		{[]byte{0xff}, 3, [][2]int64{{0, 3}}},
		{[]byte{0x81, 0x01}, 16, [][2]int64{{0, 1}, {7, 2}}},
		{[]byte{0x0e, 0, 0xff, 0xff, 0x7f}, 40, [][2]int64{{1, 3}, {16, 23}}},
		{[]byte{0x00, 0x80}, 15, nil},
		{[]byte{0xff}, 100, [][2]int64{{0, 8}}},
	} {
		var got [][2]int64
		if err := bitRuns(c.bitmap, c.count, func(first, length int64) error {
			got = append(got, [2]int64{first, length})
			return nil
		}); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%x, %d bits: got %v, want %v", c.bitmap, c.count, got, c.want)
		}
	}
}

// A volume in more pieces than memory is set aside for is refused.
func TestTooManyPieces(t *testing.T) {
	found := collector{most: 3}
	for i := range int64(3) {
		if err := found.add(i*10, 5); err != nil {
			t.Fatal(err)
		}
	}
	if err := found.add(25, 1); err != nil {
		t.Errorf("a range that touches the last one: %v", err)
	}
	if err := found.add(100, 1); err == nil || !strings.Contains(err.Error(), "more than 3 pieces") {
		t.Errorf("error %v", err)
	}
}

// Windows' answers about a file come in parts, in units of the file system.
func TestAllocatedRanges(t *testing.T) {
	answer := func(into []byte, ranges ...Range) int {
		for i, r := range ranges {
			le.PutUint64(into[16*i:], uint64(r.Offset))
			le.PutUint64(into[16*i+8:], uint64(r.Length))
		}
		return 16 * len(ranges)
	}
	var asked []Range
	got, err := allocatedRanges(1_000_000, func(from, length int64, into []byte) (int, bool, error) {
		asked = append(asked, Range{from, length})
		if from == 0 {
			return answer(into, Range{0, 65536}, Range{131072, 65536}), true, nil
		}
		return answer(into, Range{196608, 65536}, Range{917504, 131072}), false, nil
	})
	want := []Range{{0, 65536}, {131072, 131072}, {917504, 1_000_000 - 917504}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
	if !slices.Equal(asked, []Range{{0, 1_000_000}, {196608, 1_000_000 - 196608}}) {
		t.Errorf("asked for %v", asked)
	}
	question := allocatedRange(196608, 803392)
	if !bytes.Equal(question[:], []byte{0, 0, 3, 0, 0, 0, 0, 0, 0x40, 0x42, 0x0c, 0, 0, 0, 0, 0}) {
		t.Errorf("question %x", question)
	}
	broken := errors.New("broken")
	for name, ask := range map[string]func(from, length int64, into []byte) (int, bool, error){
		"an error":         func(int64, int64, []byte) (int, bool, error) { return 0, false, broken },
		"half a range":     func(int64, int64, []byte) (int, bool, error) { return 8, false, nil },
		"no end":           func(_, _ int64, into []byte) (int, bool, error) { return answer(into, Range{0, 0}), true, nil },
		"the same forever": func(_, _ int64, into []byte) (int, bool, error) { return answer(into, Range{0, 10}), true, nil },
		"a length below 0": func(_, _ int64, into []byte) (int, bool, error) { return answer(into, Range{0, -5}), false, nil },
	} {
		if got, err := allocatedRanges(100, ask); err == nil {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if got, err := allocatedRanges(0, func(int64, int64, []byte) (int, bool, error) { return 0, false, broken }); err != nil || len(got) != 0 {
		t.Errorf("an empty file: %v, %v", got, err)
	}
}

// A volume that cannot be read is an error, not an unknown or empty one.
func TestUnreadable(t *testing.T) {
	broken := errors.New("input/output error")
	volume := small()
	for name, limit := range map[string]int64{"the boot sector": 0, "the file table": 4096, "the bitmap": 99 * 4096} {
		ranges, _, err := Ranges(failing{bytes.NewReader(volume), limit, broken}, int64(len(volume)))
		if !errors.Is(err, broken) || ranges != nil {
			t.Errorf("%s: %d ranges, error %v", name, len(ranges), err)
		}
	}
	// An image that was cut short.
	if ranges, _, err := Ranges(bytes.NewReader(volume[:50*4096]), int64(len(volume))); !errors.Is(err, io.ErrUnexpectedEOF) || ranges != nil {
		t.Errorf("cut short: %d ranges, error %v", len(ranges), err)
	}
	if _, _, err := Ranges(bytes.NewReader(nil), 0); !errors.Is(err, ErrUnknown) {
		t.Errorf("nothing: %v", err)
	}
}

type failing struct {
	io.ReaderAt
	limit int64
	err   error
}

func (f failing) ReadAt(b []byte, offset int64) (int, error) {
	if offset >= f.limit {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(b, offset)
}
