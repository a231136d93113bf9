package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestShiftIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	sizes := [][2]int{{4, 4}, {6, 6}, {6, 8}, {8, 8}, {6, 12}, {10, 10}, {12, 12}}
	const shift = 7
	for _, distribution := range latencies {
		covered := make([]tally, len(sizes))
		for range 2000 {
			a := roundMedians(random, 12, distribution.draw)
			b := roundMedians(random, 12, distribution.draw)
			for i := range b {
				b[i] += shift
			}
			for i, size := range sizes {
				interval, _ := ShiftInterval(a[:size[0]], b[:size[1]])
				covered[i].add(interval.covers(shift))
			}
		}
		for i, size := range sizes {
			checkCoverage(t, fmt.Sprintf("%s, %d and %d rounds", distribution.name, size[0], size[1]), covered[i])
		}
	}
}

// It also holds when the values themselves are as skewed as latencies are, and where the
// approximation for many values has taken over.
func TestShiftIntervalCoversSkewed(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	const shift = 7
	for _, distribution := range latencies {
		for _, size := range [][2]int{{6, 6}, {40, 30}} {
			var covered tally
			for range 2000 {
				a, b := make([]float64, size[0]), make([]float64, size[1])
				for i := range a {
					a[i] = distribution.draw(random)
				}
				for i := range b {
					b[i] = distribution.draw(random) + shift
				}
				interval, _ := ShiftInterval(a, b)
				covered.add(interval.covers(shift))
			}
			checkCoverage(t, fmt.Sprintf("%s, %d and %d values", distribution.name, size[0], size[1]), covered)
		}
	}
}

// Two runs of the same thing are called different in at most 5 % of the cases, by the test and the
// interval together.
func TestSameRunsDoNotDiffer(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, size := range [][2]int{{4, 4}, {6, 6}, {6, 8}, {6, 12}, {9, 9}, {12, 12}} {
		var called tally
		for i := range 8000 {
			draw := latencies[i%len(latencies)].draw
			a, b := make([]float64, size[0]), make([]float64, size[1])
			for i := range a {
				a[i] = draw(random)
			}
			for i := range b {
				b[i] = draw(random)
			}
			p, ok := MannWhitney(a, b)
			differ := !ok || p < 0.05
			if differ {
				interval, _ := ShiftInterval(a, b)
				differ = !interval.covers(0)
			}
			called.add(differ)
		}
		t.Logf("%d and %d rounds: %.2f %% are called different", size[0], size[1], called.percent())
		if called.percent() > 5 || called.percent() < 1.5 {
			t.Errorf("%d and %d rounds: %.2f %% of equal runs are called different", size[0], size[1], called.percent())
		}
	}
}

// The test and the interval do not contradict each other: what the test finds different, the
// interval does too.
func TestShiftIntervalAgreesWithTheTest(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	found := 0
	for range 2000 {
		a, b := make([]float64, 4+random.IntN(9)), make([]float64, 4+random.IntN(9))
		for i := range a {
			a[i] = random.NormFloat64()
		}
		for i := range b {
			b[i] = random.NormFloat64() + 1.5
		}
		p, _ := MannWhitney(a, b)
		if interval, _ := ShiftInterval(a, b); p < 0.05 && interval.covers(0) {
			t.Errorf("%v and %v: p %v, interval %+v", a, b, p, interval)
		}
		if p < 0.05 {
			found++
		}
	}
	if found < 500 || found > 1900 {
		t.Errorf("%d of 2000 differ: this tests nothing", found)
	}
}

// By hand: 4 and 4 values have 16 differences, of which the ends enclose the shift with 68/70 and
// the next with 66/70; 95 % lies 3/4 of the way.
func TestShiftIntervalByHand(t *testing.T) {
	a, b := []float64{0, 1, 3, 7}, []float64{30, 10, 50, 100}
	var differences []float64
	for _, x := range a {
		for _, y := range b {
			differences = append(differences, y-x)
		}
	}
	slices.Sort(differences)
	want := Interval{
		Low:        differences[0] + 0.75*(differences[1]-differences[0]),
		Estimate:   (differences[7] + differences[8]) / 2,
		High:       differences[15] - 0.75*(differences[15]-differences[14]),
		Confidence: 0.95,
	}
	got, ok := ShiftInterval(a, b)
	if !ok || !near(got, want, 1e-12) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestShiftBeyondNumbers(t *testing.T) {
	a, b := slices.Repeat([]float64{-math.MaxFloat64}, 4), slices.Repeat([]float64{math.MaxFloat64}, 4)
	if interval, ok := ShiftInterval(a, b); ok {
		t.Errorf("%+v", interval)
	}
}

// near tells whether two intervals are equal within a part of their scale.
func near(a, b Interval, part float64) bool {
	scale := math.Abs(b.Low) + math.Abs(b.Estimate) + math.Abs(b.High)
	return math.Abs(a.Low-b.Low) <= part*scale && math.Abs(a.Estimate-b.Estimate) <= part*scale && math.Abs(a.High-b.High) <= part*scale
}
