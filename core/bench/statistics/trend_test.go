package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func concordance(x []float64) (s int) {
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			switch {
			case x[j] > x[i]:
				s++
			case x[j] < x[i]:
				s--
			}
		}
	}
	return s
}

// kendallByForce tries every order.
func kendallByForce(x []float64) float64 {
	seen := absolute(concordance(x))
	orders, more := 0, 0
	var permute func(k int)
	order := slices.Clone(x)
	permute = func(k int) {
		if k == len(order) {
			orders++
			if absolute(concordance(order)) >= seen {
				more++
			}
			return
		}
		for i := k; i < len(order); i++ {
			order[k], order[i] = order[i], order[k]
			permute(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	permute(0)
	return float64(more) / float64(orders)
}

func TestKendallByForce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ n, levels, times int }{
		{6, 1 << 40, 10}, {7, 1 << 40, 10}, {8, 1 << 40, 5}, {6, 3, 10}, {7, 2, 10}, {8, 4, 5}, {6, 1, 1},
	} {
		for range c.times {
			x := make([]float64, c.n)
			for i := range x {
				x[i] = float64(1 + random.IntN(c.levels))
			}
			drift, ok := Trend(x)
			if want := kendallByForce(x); !ok || !alike(drift.PValue, want) {
				t.Errorf("p of %v is %v, want %v", x, drift.PValue, want)
			}
		}
	}
}

func TestTrend(t *testing.T) {
	line := func(n int, slope float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 1000 + slope*(float64(i)-float64(n-1)/2)
		}
		return x
	}
	for _, c := range []struct {
		name    string
		x       []float64
		percent float64
		p       float64
	}{
		{"rising", line(6, 20), 10, 2.0 / 720},
		{"falling", line(6, -20), -10, 2.0 / 720},
		{"steady", line(6, 0), 0, 1},
		{"one stray round", []float64{1000, 1020, 5000, 1060, 1080, 1100, 1120}, 100 * 120.0 / 1080, 348.0 / 5040}, // 4 of 21 pairs fall: 1+6+20+49+98 orders have no more
		{"many", line(5000, 0.1), 50, 0},
		{"many and steady", line(5000, 0), 0, 1},
	} {
		drift, ok := Trend(c.x)
		if !ok || math.Abs(drift.Percent-c.percent) > 0.1 {
			t.Errorf("%s: %+v, want %v percent", c.name, drift, c.percent)
		}
		if math.Abs(drift.PValue-c.p) > 1e-9 || drift.Significant != (drift.PValue < 0.05) {
			t.Errorf("%s: %+v, want p %v", c.name, drift, c.p)
		}
	}
}

func TestTrendOfNothing(t *testing.T) {
	for name, x := range map[string][]float64{
		"none":           nil,
		"few":            {1, 2, 3, 4, 5},
		"not a number":   {1, 2, 3, 4, 5, math.NaN()},
		"infinite":       {1, 2, 3, 4, 5, math.Inf(1)},
		"percent of 0":   {-1, 0, 0, 0, 0, 1},
		"beyond numbers": {-math.MaxFloat64, -math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64},
	} {
		if drift, ok := Trend(x); ok {
			t.Errorf("%s: %+v", name, drift)
		}
	}
}

// The approximation for many values meets the exact p where one takes over from the other.
func TestTrendOfManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, levels := range []int{1 << 40, 5} {
		for _, slope := range []float64{0, 0.3, 0.6} {
			x := make([]float64, exactRanks+1)
			for i := range x {
				x[i] = math.Floor((random.Float64()+slope*float64(i)/float64(len(x)))*float64(levels)) + 1
			}
			drift, _ := Trend(x)
			_, groups := doubledRanks(x)
			exact, seen := 0.0, absolute(concordance(x))
			distribution := inversions(groups)
			for down, probability := range distribution {
				if absolute(len(distribution)-1-2*down) >= seen {
					exact += probability
				}
			}
			if math.Abs(drift.PValue-exact) > 0.02*exact+0.0005 {
				t.Errorf("%d levels, slope %v: p is %v, exactly %v", levels, slope, drift.PValue, exact)
			}
		}
	}
}

// Steady rounds are called drifting in at most 5 % of the cases.
func TestTrendOfSteadyRounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{6, 9, 20} {
		const times = 4000
		called := 0
		for range times {
			x := make([]float64, n)
			for i := range x {
				x[i] = 100 + random.ExpFloat64()
			}
			if drift, _ := Trend(x); drift.Significant {
				called++
			}
		}
		if share := 100 * float64(called) / times; share > 5 {
			t.Errorf("%d rounds: %.1f percent", n, share)
		}
	}
}
