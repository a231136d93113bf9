package statistics

import (
	"math"
	"math/bits"
)

// whole is 100 % in the unit in which percentiles are computed, so that 99.9 % of 1000 is 999
// and not, through binary fractions, 1000.
const whole = 100_000_000

// Percentile returns the p-th percentile, p in percent, of ascending values: the smallest of
// them that at least p percent of them do not exceed (nearest rank: Hyndman and Fan, Sample
// Quantiles in Statistical Packages, The American Statistician 50, 1996, definition 1). It is
// one of the values, never between two. p counts to six decimals.
//
// It returns false where the values do not carry it, that is when fewer than one of them is
// expected on its outer side: p99.99 needs 10,000, p99 needs 100, p90 and p10 need 10, the
// median needs 1. The ends are the values' first and last, not percentiles: p has to be
// between 0 and 100.
func Percentile(sorted []int64, p float64) (int64, bool) {
	parts := math.Round(p / 100 * whole)
	if len(sorted) == 0 || !(parts > 0 && parts < whole) {
		return 0, false
	}
	below, count := uint64(parts), uint64(len(sorted))
	if below != whole/2 {
		hi, lo := bits.Mul64(count, min(below, whole-below))
		if hi == 0 && lo < whole {
			return 0, false
		}
	}
	hi, lo := bits.Mul64(count, below)
	rank, rest := bits.Div64(hi, lo, whole)
	if rest > 0 {
		rank++
	}
	return sorted[rank-1], true
}
