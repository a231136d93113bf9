package statistics

import "math"

// pairwise holds the sums of every value of x with every value of y, both ascending, without
// storing them: they are only counted, which takes time in proportion to the values, not the
// pairs.
type pairwise struct {
	x, y []float64
}

// split says how a limit divides the sums. Rounding keeps sums in order, so it is exact for the
// sums as they are rounded.
type split struct {
	// upTo is how many sums do not exceed the limit; last is the largest of them and next the
	// smallest that does, -Inf and Inf where there is none.
	upTo       int64
	last, next float64
}

func (p pairwise) splitAt(limit float64) split {
	s := split{last: math.Inf(-1), next: math.Inf(1)}
	j := len(p.y)
	for _, x := range p.x {
		for j > 0 && x+p.y[j-1] > limit {
			j--
		}
		s.upTo += int64(j)
		if j > 0 && x+p.y[j-1] > s.last {
			s.last = x + p.y[j-1]
		}
		if j < len(p.y) && x+p.y[j] < s.next {
			s.next = x + p.y[j]
		}
	}
	return s
}

func (p pairwise) pairs() int64 { return int64(len(p.x)) * int64(len(p.y)) }

func (p pairwise) ends() (low, high float64) {
	return p.x[0] + p.y[0], p.x[len(p.x)-1] + p.y[len(p.y)-1]
}

// ranked returns the sum at a rank from 1 to the number of pairs. It narrows the range in which
// the sum lies, each time to sums that exist, until one is left (the idea of Johnson and
// Mizoguchi, Selecting the Kth Element in X + Y and X_1 + ... + X_m, SIAM Journal on Computing 7,
// 1978, with the limits guessed from values instead of from medians of rows).
func (p pairwise) ranked(rank int64) float64 {
	low, high := p.ends()
	under, upTo := int64(0), p.pairs() // sums below low, and sums up to high
	for step := 0; low < high; step++ {
		s := p.splitAt(guess(step, low, high, float64(rank-under)/float64(upTo-under)))
		if s.upTo >= rank {
			high, upTo = s.last, s.upTo
		} else {
			low, under = s.next, s.upTo
		}
	}
	return high
}

// guess returns a limit from low to below high: by turns where the wanted sum should be if the
// sums were spread evenly, which narrows fast, and in the middle, which always narrows. Now and then
// the middle is that of the floating-point numbers in between, which bounds the number of
// steps for values of whatever scale.
func guess(step int, low, high, part float64) float64 {
	var limit float64
	switch {
	case step%8 == 7:
		from, to := ordinal(low), ordinal(high)
		limit = number(from + (to-from)/2)
	case step%2 == 0:
		limit = between(low, high, 0.5)
	default:
		limit = between(low, high, part)
	}
	if limit >= low && limit < high {
		return limit
	}
	return low
}

// median returns the median of the sums.
func (p pairwise) median() float64 {
	n := p.pairs()
	low := p.ranked((n + 1) / 2)
	if n%2 == 1 {
		return low
	}
	if s := p.splitAt(low); s.upTo == n/2 {
		return between(low, s.next, 0.5)
	}
	return low
}

// ordinal numbers the floating-point numbers in their order.
func ordinal(x float64) uint64 {
	b := math.Float64bits(x)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

// number is the inverse of ordinal.
func number(ordinal uint64) float64 {
	if ordinal>>63 == 1 {
		return math.Float64frombits(ordinal &^ (1 << 63))
	}
	return math.Float64frombits(^ordinal)
}
