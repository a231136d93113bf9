package penalty

import (
	"math"
	"slices"
)

// shift returns by how much b lies above a: the median of all differences of one value of b and
// one of a. Both are ascending. Where a path answers some reads from a cache, this is much steadier
// than a difference of medians.
func shift(a, b []int64) float64 {
	pairs := len(a) * len(b)
	low := difference(a, b, (pairs+1)/2)
	if pairs%2 == 1 {
		return float64(low)
	}
	return float64(low) + float64(difference(a, b, pairs/2+1)-low)/2
}

// difference returns the difference of a rank from 1, by halving the range that holds it.
func difference(a, b []int64, rank int) int64 {
	low, high := b[0]-a[len(a)-1], b[len(b)-1]-a[0]
	for low < high {
		middle := low + (high-low)/2
		if upTo(a, b, middle) >= rank {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// upTo counts the differences that do not exceed limit.
func upTo(a, b []int64, limit int64) int {
	count, j := 0, 0
	for _, v := range b {
		for j < len(a) && v-a[j] > limit {
			j++
		}
		if j == len(a) {
			break
		}
		count += len(a) - j
	}
	return count
}

func median(values []int64) float64 {
	return medianOfSorted(slices.Sorted(slices.Values(values)))
}

func medianOfSorted(sorted []int64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return float64(sorted[(n-1)/2])/2 + float64(sorted[n/2])/2
}
