package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestMedianIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	sizes := []int{6, 7, 8, 10, 12, 20}
	for _, distribution := range latencies {
		covered := make([]tally, len(sizes))
		for range 3000 {
			rounds := roundMedians(random, 20, distribution.draw)
			for i, n := range sizes {
				interval, _ := MedianInterval(rounds[:n])
				covered[i].add(interval.covers(distribution.median))
			}
		}
		for i, n := range sizes {
			checkCoverage(t, fmt.Sprintf("%s, %d rounds", distribution.name, n), covered[i])
		}
	}
}

// It also holds when the values themselves are as skewed as latencies are, from 7 on: 6 that fall
// into two distant groups have their median covered in 92.9 %.
func TestMedianIntervalCoversSkewed(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for _, distribution := range latencies {
		for _, n := range []int{7, 10, 40, 200} {
			var covered tally
			for range 3000 {
				values := make([]float64, n)
				for i := range values {
					values[i] = distribution.draw(random)
				}
				interval, _ := MedianInterval(values)
				covered.add(interval.covers(distribution.median))
			}
			checkCoverage(t, fmt.Sprintf("%s, %d values", distribution.name, n), covered)
		}
	}
}

// The probabilities that the interpolation rests on, from the binomial distribution by hand.
func TestMedianDepth(t *testing.T) {
	for _, c := range []struct {
		n, depth        int
		wider, narrower float64
	}{
		{6, 1, 1 - 2.0/64, 1 - 2*7.0/64},
		{8, 1, 1 - 2.0/256, 1 - 2*9.0/256},
		{9, 2, 1 - 2*10.0/512, 1 - 2*46.0/512},
		{12, 3, 1 - 2*79.0/4096, 1 - 2*299.0/4096},
	} {
		depth, wider, narrower := medianDepth(c.n)
		if depth != c.depth || !alike(wider, c.wider) || !alike(narrower, c.narrower) {
			t.Errorf("%d values: %d, %v, %v; want %d, %v, %v", c.n, depth, wider, narrower, c.depth, c.wider, c.narrower)
		}
	}
}

// More values narrow the interval as the normal approximation says, however many there are.
func TestMedianIntervalOfMany(t *testing.T) {
	const n = 100_000
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i)
	}
	interval, ok := MedianInterval(values)
	if !ok || interval.Estimate != (n-1)/2.0 || math.Abs(interval.High-interval.Low-1.959964*math.Sqrt(n)) > 2 {
		t.Errorf("%+v, %v", interval, ok)
	}
}

func TestMedianIntervalOfNothing(t *testing.T) {
	for _, values := range [][]float64{nil, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, math.NaN()}, {1, 2, 3, 4, 5, math.Inf(-1)}} {
		if interval, ok := MedianInterval(values); ok {
			t.Errorf("%v has the interval %+v", values, interval)
		}
	}
}

// Equal rounds, which a coarse clock gives, have an interval without width.
func TestMedianIntervalOfEqualValues(t *testing.T) {
	want := Interval{Low: 0.3, Estimate: 0.3, High: 0.3, Confidence: 0.95}
	if interval, ok := MedianInterval([]float64{0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3}); !ok || interval != want {
		t.Errorf("%+v, %v", interval, ok)
	}
}
