package allocation

import "math/bits"

// bitRuns calls f for each run of ones in the first count bits of a bitmap, where bit 0 is the
// lowest of byte 0.
func bitRuns(bitmap []byte, count int64, f func(first, length int64) error) error {
	count = min(count, int64(len(bitmap))*8)
	for at := int64(0); at < count; {
		first := nextBit(bitmap, at, count, 0)
		end := nextBit(bitmap, first, count, 0xff)
		if end > first {
			if err := f(first, end-first); err != nil {
				return err
			}
		}
		at = end
	}
	return nil
}

// nextBit returns the first bit from at that is one, or zero when invert is 0xff; count when there
// is none.
func nextBit(bitmap []byte, at, count int64, invert byte) int64 {
	for at < count {
		rest := (bitmap[at/8] ^ invert) >> (at % 8)
		if rest != 0 {
			return min(at+int64(bits.TrailingZeros8(rest)), count)
		}
		at = (at/8 + 1) * 8
	}
	return count
}
