package penalty

import "math"

// randomBytes is how much of a block is looked at.
const randomBytes = 64 << 10

// looksRandom tells whether a block's bytes are as evenly spread as those of ciphertext: by the
// chi-square statistic of the 256 byte values. It has 255 degrees of freedom, so mean 255 and
// variance 510 for random bytes; five standard deviations either way hold all but one in a
// million. Text, code, tables and zeros lie far above, counters below. Compressed data looks
// random too, so a block that does proves nothing by itself.
func looksRandom(block []byte) bool {
	block = block[:min(len(block), randomBytes)]
	var counts [256]int
	for _, b := range block {
		counts[b]++
	}
	expected := float64(len(block)) / 256
	statistic := 0.0
	for _, n := range counts {
		statistic += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	return math.Abs(statistic-255) < 5*math.Sqrt(510)
}

// allZero tells whether a block holds only zeros, which is what a disk answers for blocks that
// were trimmed or never written, without looking for them.
func allZero(block []byte) bool {
	for _, b := range block {
		if b != 0 {
			return false
		}
	}
	return true
}
