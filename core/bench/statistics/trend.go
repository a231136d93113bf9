package statistics

import (
	"math"
	"slices"
)

// Drift tells how values changed in the course of time.
type Drift struct {
	// Percent is the change from the first to the last value, by the median slope, in percent of
	// the median.
	Percent float64
	// PValue is the probability of an order at least as rising or falling if nothing changed.
	PValue float64
	// Significant is true when PValue is below 5 %.
	Significant bool
}

const (
	leastForTrend = 6
	// mostForTrend bounds the memory, which grows with the square.
	mostForTrend = 1000
)

// Trend returns how equally spaced values changed from the first to the last: the median slope
// (Theil, A rank-invariant method of linear and polynomial regression analysis, 1950; Sen,
// Estimates of the Regression Coefficient Based on Kendall's Tau, Journal of the American
// Statistical Association 63, 1968) and the probability of such an order by chance (Mann,
// Nonparametric Tests Against Trend, Econometrica 13, 1945). The probability is exact, also
// with equal values, up to 60 values; for more, the normal approximation with corrections for
// ties and continuity. More than 1000 values are first joined to medians of neighbours.
//
// It returns false below 6 values, when one is not a number, and when the median is 0, of which
// nothing is a percentage.
func Trend(x []float64) (Drift, bool) {
	if len(x) < leastForTrend || !finite(x) {
		return Drift{}, false
	}
	x = joined(x, mostForTrend)
	center := medianOf(ascending(x))
	change := medianSlope(x) * float64(len(x)-1) / math.Abs(center) * 100
	if center == 0 || !finite([]float64{change}) {
		return Drift{}, false
	}
	p := kendall(x)
	return Drift{Percent: change, PValue: p, Significant: p < 1-Confidence}, true
}

// joined returns at most so many medians of neighbouring values.
func joined(x []float64, most int) []float64 {
	if len(x) <= most {
		return x
	}
	medians := make([]float64, most)
	for i := range medians {
		medians[i] = medianOf(ascending(x[bound(i, most, len(x)):bound(i+1, most, len(x))]))
	}
	return medians
}

// bound returns where part i begins when n values are cut into parts as equal as can be.
func bound(i, parts, n int) int {
	return int(int64(i) * int64(n) / int64(parts))
}

func medianSlope(x []float64) float64 {
	slopes := make([]float64, 0, len(x)*(len(x)-1)/2)
	for i, from := range x {
		for j, to := range x[i+1:] {
			slopes = append(slopes, (to-from)/float64(j+1))
		}
	}
	slices.Sort(slopes)
	return medianOf(slopes)
}

// kendall returns the two-sided probability of the values' order, if all orders are equally
// likely (Kendall, A New Measure of Rank Correlation, Biometrika 30, 1938).
func kendall(x []float64) float64 {
	rising, falling := 0, 0
	for i, from := range x {
		for _, to := range x[i+1:] {
			if to > from {
				rising++
			} else if to < from {
				falling++
			}
		}
	}
	_, groups := doubledRanks(x)
	distance := absolute(rising - falling)
	if len(x) > exactRanks {
		n := float64(len(x))
		variance := n * (n - 1) * (2*n + 5)
		for _, t := range groups {
			variance -= float64(t) * float64(t-1) * float64(2*t+5)
		}
		if variance <= 0 || distance == 0 {
			return 1
		}
		return beyond(float64(distance-1) / math.Sqrt(variance/18))
	}
	p := 0.0
	untied := rising + falling
	for down, probability := range inversions(groups) {
		if absolute(untied-2*down) >= distance {
			p += probability
		}
	}
	return min(p, 1)
}

// inversions returns the probability of each number of falling pairs in a random order of values
// that consist of groups of equal ones. Values in groups added one after the other, each group
// falls among those before as one sample falls among another, and independently of their order:
// so the number is a sum of Mann and Whitney's (Terpstra, The asymptotic normality and
// consistency of Kendall's test against trend, when ties are present in one ranking,
// Indagationes Mathematicae 14, 1952).
func inversions(groups []int) []float64 {
	distribution := []float64{1}
	before := 0
	for _, size := range groups {
		if before > 0 {
			distribution = convolved(distribution, pairsBelow(before, size))
		}
		before += size
	}
	return distribution
}

func convolved(a, b []float64) []float64 {
	sums := make([]float64, len(a)+len(b)-1)
	for i, p := range a {
		for j, q := range b {
			sums[i+j] += p * q
		}
	}
	return sums
}
