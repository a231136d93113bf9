//go:build linux

package main

import (
	"math"
	"slices"
)

// spread is a median with the ends of what was seen.
type spread struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// percent is how far the ends lie apart, in percent of the median.
func (s spread) percent() float64 {
	if s.Median == 0 {
		return 0
	}
	return (s.High - s.Low) / s.Median * 100
}

// spreadOf returns the median, of an even number of values the mean of the middle two, and the
// ends; nil for no values.
func spreadOf(values []float64) *spread {
	if len(values) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return &spread{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Low: sorted[0], High: sorted[n-1]}
}

// ratioOf returns the spread of a/b over the runs. A run in which one is unknown is left out.
func ratioOf[T any](runs []T, a, b func(T) float64) *spread {
	var ratios []float64
	for _, r := range runs {
		if x, y := a(r), b(r); x > 0 && y > 0 && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			ratios = append(ratios, x/y)
		}
	}
	return spreadOf(ratios)
}
