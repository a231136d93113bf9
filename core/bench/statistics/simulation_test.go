package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// latencies are distributions like those of disks, with their median from their quantile
// function, which no sampling blurs.
var latencies = []struct {
	name   string
	draw   func(*rand.Rand) float64
	median float64
}{
	{"normal", func(r *rand.Rand) float64 { return 80 + 10*r.NormFloat64() }, 80},
	{"lognormal", func(r *rand.Rand) float64 { return 80 * math.Exp(0.6*r.NormFloat64()) }, 80},
	{"exponential", func(r *rand.Rand) float64 { return 20 + 30*r.ExpFloat64() }, 20 + 30*math.Ln2},
	{"pareto 2.5", func(r *rand.Rand) float64 { return 50 * math.Pow(1-r.Float64(), -1/2.5) }, 50 * math.Pow(2, 1/2.5)},
	{"student 3", func(r *rand.Rand) float64 { return 100 + 5*student3(r) }, 100},
	// 6 of 10 are quick. Normal distribution's quantile of 5/6: 0.967422.
	{"bimodal", func(r *rand.Rand) float64 {
		if r.Float64() < 0.6 {
			return 20 + r.NormFloat64()
		}
		return 60 + 4*r.NormFloat64()
	}, 20.967422},
}

func student3(r *rand.Rand) float64 {
	squares := 0.0
	for range 3 {
		z := r.NormFloat64()
		squares += z * z
	}
	return r.NormFloat64() / math.Sqrt(squares/3)
}

// roundMedians returns the median latency of each of so many rounds.
func roundMedians(r *rand.Rand, rounds int, draw func(*rand.Rand) float64) []float64 {
	medians := make([]float64, rounds)
	round := make([]float64, 75)
	for i := range medians {
		for j := range round {
			round[j] = draw(r)
		}
		slices.Sort(round)
		medians[i] = medianOf(round)
	}
	return medians
}

// tally counts how often something is so.
type tally struct{ yes, all int }

func (c *tally) add(yes bool) {
	c.all++
	if yes {
		c.yes++
	}
}

func (c tally) percent() float64 { return 100 * float64(c.yes) / float64(c.all) }

// covers tells whether an interval holds a value.
func (i Interval) covers(x float64) bool { return i.Low <= x && x <= i.High }

func checkCoverage(t *testing.T, what string, c tally) {
	t.Helper()
	t.Logf("%s: %.2f %% of %d intervals cover the truth", what, c.percent(), c.all)
	if c.percent() < 93 || c.percent() > 97 {
		t.Errorf("%s: %.2f %% of the intervals cover the truth", what, c.percent())
	}
}
