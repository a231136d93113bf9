package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// wandering returns noise in which each value keeps a part of the one before.
func wandering(r *rand.Rand, n int, keep float64) []float64 {
	noise := make([]float64, n)
	state := r.NormFloat64()
	for i := range noise {
		state = keep*state + math.Sqrt(1-keep*keep)*r.NormFloat64()
		noise[i] = state
	}
	return noise
}

// pairs describes how the latencies of both paths come about; a layer on the second adds shift.
type pairs struct {
	name    string
	n       int
	block   int
	latency func(*rand.Rand) float64
	// keep and wander are how long and how strongly the differences of neighbours go together.
	keep, wander float64
	// drift is the part by which the disk slows down, and its scatter grows, in the course of the run.
	drift float64
	// layer is the delay that the layer adds, if it is not the same each time.
	layer func(*rand.Rand) float64
}

func (p pairs) differences(r *rand.Rand, shift float64) []float64 {
	common := wandering(r, p.n, p.keep)
	differences := make([]float64, p.n)
	for i := range differences {
		slower := 1 + p.drift*float64(i)/float64(p.n)
		differences[i] = (p.latency(r)-p.latency(r))*slower + p.wander*common[i] + shift
		if p.layer != nil {
			differences[i] += p.layer(r)
		}
	}
	return differences
}

func latency(name string) func(*rand.Rand) float64 {
	for _, distribution := range latencies {
		if distribution.name == name {
			return distribution.draw
		}
	}
	panic("no distribution " + name)
}

func constant(*rand.Rand) float64 { return 80 }

var pairing = []pairs{
	{name: "normal", n: 400, block: 20, latency: latency("normal")},
	{name: "normal, least blocks", n: 300, block: 25, latency: latency("normal")},
	{name: "normal, blocks of one", n: 300, block: 1, latency: latency("normal")},
	{name: "lognormal", n: 500, block: 20, latency: latency("lognormal")},
	{name: "exponential", n: 400, block: 20, latency: latency("exponential")},
	{name: "pareto 2.5", n: 400, block: 20, latency: latency("pareto 2.5")},
	{name: "student 3", n: 400, block: 20, latency: latency("student 3")},
	{name: "bimodal", n: 400, block: 20, latency: latency("bimodal")},
	{name: "slowing down", n: 600, block: 30, latency: latency("lognormal"), drift: 1},
	{name: "neighbours, weak", n: 400, block: 20, latency: constant, keep: 0.5, wander: 10},
	{name: "neighbours, strong", n: 1600, block: 80, latency: constant, keep: 0.9, wander: 10},
	{name: "neighbours, strong, short blocks", n: 1000, block: 20, latency: constant, keep: 0.8, wander: 10},
	{name: "slow wander below the noise", n: 1600, block: 80, latency: latency("exponential"), keep: 0.95, wander: 10},
}

// The interval of a path against itself holds 0 as often as the interval of a layer's delay holds
// that delay, since it moves with it (TestShiftAndScale). So this is also how often equal paths are
// called different: in at most 5 % of all cases, and in each kind of case within two standard
// errors of the simulation.
func TestPairedShiftCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var all tally
	for _, p := range pairing {
		var covered tally
		for seed := range uint64(1500) {
			interval, _ := PairedShift(p.differences(random, 0), p.block, seed)
			covered.add(interval.Confidence == Confidence && interval.covers(0))
			all.add(interval.covers(0))
		}
		checkCoverage(t, fmt.Sprintf("%s, %d pairs", p.name, p.n), covered)
		if wrong := 100 - covered.percent(); wrong > 5+2*100*math.Sqrt(0.05*0.95/float64(covered.all)) {
			t.Errorf("%s, %d pairs: %.2f %% of equal paths are called different", p.name, p.n, wrong)
		}
	}
	if wrong := 100 - all.percent(); wrong > 5 {
		t.Errorf("%.2f %% of equal paths are called different", wrong)
	}
}

// Where the layer's delay is skewed or has two peaks, the interval covers the median of the means
// of two independent differences, here that of a large sample.
func TestPairedShiftCoversSkewed(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, p := range []pairs{
		{name: "lognormal delay", n: 400, block: 20, latency: latency("normal"), layer: func(r *rand.Rand) float64 { return 20 * math.Exp(r.NormFloat64()) }},
		{name: "exponential delay, steady disk", n: 400, block: 20, latency: constant, layer: func(r *rand.Rand) float64 { return 5 + 10*r.ExpFloat64() }},
		{name: "delay with two peaks", n: 400, block: 20, latency: latency("student 3"), layer: func(r *rand.Rand) float64 { return 10 + 40*float64(r.IntN(4)/3) }},
		{name: "pareto 2.5 delay", n: 400, block: 20, latency: latency("exponential"), layer: latency("pareto 2.5")},
	} {
		large := p
		large.n = 400_000
		halves := large.differences(random, 0)
		for i := range halves {
			halves[i] /= 2
		}
		slices.Sort(halves)
		truth := pairwise{halves, halves}.median()
		var covered tally
		for seed := range uint64(1000) {
			interval, _ := PairedShift(p.differences(random, 0), p.block, seed)
			covered.add(interval.covers(truth))
		}
		checkCoverage(t, fmt.Sprintf("%s, truth %.3f", p.name, truth), covered)
	}
}

// The estimate is the median of all means of two, however many there are and however they lie.
func TestPairedShiftEstimate(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for name, draw := range shapes {
		differences := make([]float64, 250)
		for i := range differences {
			differences[i] = draw(random)
		}
		var means []float64
		for _, x := range differences {
			for _, y := range differences {
				means = append(means, x/2+y/2)
			}
		}
		slices.Sort(means)
		interval, ok := PairedShift(differences, 10, 1)
		if !ok || interval.Estimate != medianOf(means) || interval.Low > interval.Estimate || interval.High < interval.Estimate {
			t.Errorf("%s: %+v, %v; want %v", name, interval, ok, medianOf(means))
		}
	}
}

// Of independent normal differences the interval is close to the one that theory gives: the mean's
// variance over 3/pi, and the quantile of Student's distribution for 20 blocks. Dependence that the
// blocks show widens it.
func TestPairedShiftWidth(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	const n, times = 2000, 60
	for _, c := range []struct{ keep, widening float64 }{{0, 1}, {0.8, 3}} { // sqrt((1+keep)/(1-keep))
		width := 0.0
		for seed := range uint64(times) {
			interval, _ := PairedShift(wandering(random, n, c.keep), 100, seed)
			width += (interval.High - interval.Low) / 2 / times
		}
		want := 2.093 * math.Sqrt(math.Pi/3/n) * c.widening
		if width < 0.95*want || width > 1.25*want {
			t.Errorf("keeping %v: half the width is %v on average, in theory %v", c.keep, width, want)
		}
	}
}

// One stray in a hundred, however far, moves neither the estimate nor the ends by much.
func TestPairedShiftWithStrays(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	differences := wandering(random, 1000, 0)
	clean, _ := PairedShift(differences, 50, 1)
	for i := 0; i < len(differences); i += 100 {
		differences[i] = 1e9
	}
	if stray, ok := PairedShift(differences, 50, 1); !ok || math.Abs(stray.Estimate-clean.Estimate) > 0.05 || stray.High-stray.Low > 1.5*(clean.High-clean.Low) {
		t.Errorf("%+v with strays, %+v without", stray, clean)
	}
}

func TestPairedShiftNeedsBlocks(t *testing.T) {
	values := wandering(rand.New(rand.NewPCG(7, 7)), 240, 0)
	rising := make([]float64, 240)
	for i := range rising {
		rising[i] = float64(i)
	}
	for _, c := range []struct {
		name        string
		differences []float64
		block       int
		ok          bool
	}{
		{"12 blocks", values, 20, true},
		{"11 blocks", values[:239], 20, false},
		{"no block", values, 0, false},
		{"block of less than nothing", values, -5, false},
		{"block of all", values, math.MaxInt, false},
		{"nothing", nil, 1, false},
		{"not a number", append([]float64{math.NaN()}, values...), 10, false},
		{"infinite", append([]float64{math.Inf(1)}, values...), 10, false},
		{"nothing but drift", rising, 20, false},
	} {
		if interval, ok := PairedShift(c.differences, c.block, 1); ok != c.ok {
			t.Errorf("%s: %+v, %v", c.name, interval, ok)
		}
	}
	want := Interval{Low: 0.7, Estimate: 0.7, High: 0.7, Confidence: 0.95}
	if interval, ok := PairedShift(slices.Repeat([]float64{0.7}, 100), 5, 1); !ok || interval != want {
		t.Errorf("equal differences: %+v, %v", interval, ok)
	}
}

func TestPairedShiftRepeats(t *testing.T) {
	differences := wandering(rand.New(rand.NewPCG(8, 8)), 1000, 0.5)
	before := slices.Clone(differences)
	first, _ := PairedShift(differences, 20, 42)
	second, _ := PairedShift(differences, 20, 42)
	if first != second || !slices.Equal(before, differences) {
		t.Errorf("%+v, then %+v; the input is changed: %v", first, second, !slices.Equal(before, differences))
	}
}

func BenchmarkPairedShift(b *testing.B) {
	differences := wandering(rand.New(rand.NewPCG(9, 9)), 100_000, 0.3)
	for b.Loop() {
		PairedShift(differences, 100, 1)
	}
}
