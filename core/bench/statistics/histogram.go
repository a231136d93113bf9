package statistics

import "math/bits"

// Class counts the values from From to below To.
type Class struct {
	From, To, Count uint64
}

// classBits sets the width of the classes: 2^classBits of them in each power of two.
const classBits = 3

// Histogram counts ascending values in classes of 1 below 16 and of an eighth of a power of two
// above, so that a class is at most 12.5 % wide (the log-linear classes of HdrHistogram, G. Tene,
// hdrhistogram.org). Classes without a value are left out. A negative value, which a latency
// cannot be, is counted in the first class, so that the counts add up to the number of values.
func Histogram(sorted []int64) []Class {
	var classes []Class
	for _, value := range sorted {
		v := uint64(max(value, 0))
		if last := len(classes) - 1; last >= 0 && v < classes[last].To {
			classes[last].Count++
			continue
		}
		shift := max(bits.Len64(v)-1-classBits, 0)
		from := v >> shift << shift
		classes = append(classes, Class{From: from, To: from + 1<<shift, Count: 1})
	}
	return classes
}
