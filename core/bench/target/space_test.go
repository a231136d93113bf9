package target

import (
	"math"
	"testing"
)

func TestReserve(t *testing.T) {
	for total, want := range map[int64]int64{
		100 << 20: 10 << 20, 10 << 30: 1 << 30, 20 << 30: 1 << 30, 40 << 30: 2 << 30, 1000 << 30: 50 << 30,
	} {
		if got := reserve(total); got != want {
			t.Errorf("of %d bytes %d stay free, want %d", total, got, want)
		}
	}
}

func TestToBytes(t *testing.T) {
	for _, c := range []struct {
		blocks uint64
		unit   int64
		want   int64
	}{{3, 4096, 12288}, {math.MaxUint64, 4096, math.MaxInt64}, {1 << 52, 4096, math.MaxInt64}, {5, 0, 0}, {5, -1, 0}} {
		if got := toBytes(c.blocks, c.unit); got != c.want {
			t.Errorf("%d blocks of %d bytes are %d, want %d", c.blocks, c.unit, got, c.want)
		}
	}
}
