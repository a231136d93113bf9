package statistics

import (
	"math/bits"
	"slices"
)

// Summary describes latencies in the unit they came in. A percentile that their number does not
// carry is nil (see Percentile). With a Count of 0 nothing else means anything.
type Summary struct {
	Count                           int
	Min, Max                        int64
	Mean                            float64
	P50, P90, P95, P99, P999, P9999 *int64
}

// Summarize sorts the latencies in place and describes them. The mean is rounded once, at the
// end: the sum has 128 bits.
func Summarize(latencies []int64) Summary {
	if len(latencies) == 0 {
		return Summary{}
	}
	slices.Sort(latencies)
	s := Summary{
		Count: len(latencies),
		Min:   latencies[0],
		Max:   latencies[len(latencies)-1],
		Mean:  mean(latencies),
	}
	for _, wanted := range []struct {
		percent float64
		to      **int64
	}{
		{50, &s.P50}, {90, &s.P90}, {95, &s.P95}, {99, &s.P99}, {99.9, &s.P999}, {99.99, &s.P9999},
	} {
		if value, ok := Percentile(latencies, wanted.percent); ok {
			*wanted.to = &value
		}
	}
	return s
}

// mean adds up in two's complement of 128 bits, which the sum of as many 64-bit numbers as fit
// into memory cannot overflow.
func mean(values []int64) float64 {
	var hi, lo, carry uint64
	for _, v := range values {
		lo, carry = bits.Add64(lo, uint64(v), 0)
		hi, _ = bits.Add64(hi, uint64(v>>63), carry)
	}
	sign := 1.0
	if int64(hi) < 0 {
		sign = -1
		lo, carry = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, carry)
	}
	count := uint64(len(values))
	quotient, rest := bits.Div64(hi, lo, count)
	return sign * (float64(quotient) + float64(rest)/float64(count))
}
