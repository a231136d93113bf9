package statistics

import (
	"math"
	"slices"
)

// leastForComparing is the size of either sample from which a difference can be found at all at
// the 5 % level: of 4 + 4 values, all of one below all of the other has the probability 2/70.
const leastForComparing = 4

// MannWhitney returns the probability that two samples differ as much as they do, in either
// direction, if both come from one distribution (Mann and Whitney, On a Test of Whether one of
// Two Random Variables is Stochastically Larger than the Other, Annals of Mathematical
// Statistics 18, 1947). It is exact, also with equal values, up to 60 values in all; for more,
// the normal approximation with corrections for ties and continuity (Lehmann,
// Nonparametrics: Statistical Methods Based on Ranks, 1975, section 1.4).
//
// The values have to be independent of each other: rounds, not single I/Os. It returns false
// below 4 values on either side and when one is not a number.
func MannWhitney(a, b []float64) (p float64, ok bool) {
	if min(len(a), len(b)) < leastForComparing || !finite(a) || !finite(b) {
		return 0, false
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	ranks, groups := doubledRanks(slices.Concat(a, b))
	sum := 0
	for _, rank := range ranks[:len(a)] {
		sum += rank
	}
	m, n := float64(len(a)), float64(len(b))
	middle := len(a) * (len(ranks) + 1) // mean of the doubled sum
	distance := absolute(sum - middle)
	if len(ranks) <= exactRanks {
		for s, probability := range rankSums(ranks, len(a)) {
			if absolute(s-middle) >= distance {
				p += probability
			}
		}
		return min(p, 1), true
	}
	all := m + n
	variance := m * n / 12 * (all + 1 - tieTerm(groups)/(all*(all-1)))
	away := float64(distance)/2 - 0.5
	if variance <= 0 || away <= 0 {
		return 1, true
	}
	return beyond(away / math.Sqrt(variance)), true
}

func absolute(x int) int {
	return max(x, -x)
}
