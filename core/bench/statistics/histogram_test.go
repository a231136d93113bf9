package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkHistogram checks ascending values' classes: they are in order, do not overlap, hold
// every value once and are narrow.
func checkHistogram(t *testing.T, sorted []int64) {
	t.Helper()
	classes := Histogram(sorted)
	rest := sorted
	end := uint64(0)
	for _, class := range classes {
		if class.From < end || class.To <= class.From || class.Count == 0 || class.Count > uint64(len(rest)) {
			t.Fatalf("class %+v of %v", class, classes)
		}
		if width := class.To - class.From; width > 1 && width > class.From/8 {
			t.Errorf("class %+v is wider than an eighth", class)
		}
		for _, v := range rest[:class.Count] {
			if v := uint64(max(v, 0)); v < class.From || v >= class.To {
				t.Errorf("%d was counted in %+v", v, class)
			}
		}
		rest, end = rest[class.Count:], class.To
	}
	if len(rest) > 0 {
		t.Errorf("%d of %d values are in no class", len(rest), len(sorted))
	}
}

func TestHistogram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	values := []int64{math.MinInt64, -1, 0, 1, 7, 8, 15, 16, 17, 18, math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64}
	for range 3000 {
		values = append(values, random.Int64()>>random.IntN(63))
	}
	slices.Sort(values)
	checkHistogram(t, values)
	if got := Histogram(nil); len(got) != 0 {
		t.Errorf("nothing has the classes %v", got)
	}
}

// The classes are the same whatever lies in them, so that histograms of two runs can be laid
// side by side.
func TestHistogramClassesAreFixed(t *testing.T) {
	want := []Class{{15, 16, 1}, {16, 18, 2}, {1024, 1152, 1}, {1 << 62, 1<<62 + 1<<59, 1}}
	if got := Histogram([]int64{15, 16, 17, 1151, 1 << 62}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
