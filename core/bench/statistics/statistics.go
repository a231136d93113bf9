// Package statistics turns measured latencies into figures that say how sure they are: exact
// percentiles, medians and differences with 95 % intervals, drift and tests of difference. It
// assumes no distribution: latencies are skewed, have several peaks and long tails. It has no
// clock and no randomness but what a seed determines, so equal input gives equal output.
//
// What has too little input to be known is not answered: the second result is false.
package statistics

import "math"

// Confidence is the probability with which the intervals of this package cover the true value.
const Confidence = 0.95

// Interval is an estimate with the interval that covers the true value with probability
// Confidence, all but that in the unit of the input.
type Interval struct {
	Low, Estimate, High, Confidence float64
}

// finite tells whether all values are numbers; nothing follows from infinity or from NaN.
func finite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// normalQuantile is the value below which a standard normal variable lies with probability p.
func normalQuantile(p float64) float64 {
	return math.Sqrt2 * math.Erfinv(2*p-1)
}

// beyond is the probability that a standard normal variable lies at least z from 0, on either
// side.
func beyond(z float64) float64 {
	return math.Erfc(math.Abs(z) / math.Sqrt2)
}
