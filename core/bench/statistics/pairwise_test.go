package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sumsOf returns all sums, ascending.
func sumsOf(p pairwise) []float64 {
	var sums []float64
	for _, x := range p.x {
		for _, y := range p.y {
			sums = append(sums, x+y)
		}
	}
	slices.Sort(sums)
	return sums
}

// shapes are kinds of values that are hard to find a rank among: equal, steep, around 0, tiny.
var shapes = map[string]func(*rand.Rand) float64{
	"normal":      func(r *rand.Rand) float64 { return r.NormFloat64() },
	"large":       func(r *rand.Rand) float64 { return 1e6 + r.Float64() },
	"coarse":      func(r *rand.Rand) float64 { return 100 * float64(r.IntN(5)) },
	"mostly zero": func(r *rand.Rand) float64 { return float64(r.IntN(8)/7) * r.NormFloat64() },
	"steep":       func(r *rand.Rand) float64 { return math.Exp(150*r.NormFloat64()) * float64(r.IntN(2)*2-1) },
	"tiny":        func(r *rand.Rand) float64 { return float64(r.IntN(9)-4) * math.SmallestNonzeroFloat64 },
	"huge":        func(r *rand.Rand) float64 { return (r.Float64() - 0.5) * math.MaxFloat64 },
}

func TestRankedPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for name, draw := range shapes {
		for range 60 {
			p := pairwise{make([]float64, 1+random.IntN(12)), make([]float64, 1+random.IntN(12))}
			for _, values := range [][]float64{p.x, p.y} {
				for i := range values {
					values[i] = draw(random)
				}
				slices.Sort(values)
			}
			sums := sumsOf(p)
			for i, want := range sums {
				if got := p.ranked(int64(i + 1)); got != want {
					t.Fatalf("%s: sum %d of %v is %v, want %v", name, i+1, p, got, want)
				}
			}
			if got, want := p.median(), medianOf(sums); got != want {
				t.Errorf("%s: the median of %v is %v, want %v", name, p, got, want)
			}
		}
	}
}
