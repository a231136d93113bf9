package penalty

import "math/bits"

// permutation is a random order of the numbers below n that needs no memory, so that the blocks
// of a disk of any size can be drawn without repetition: a Feistel network over the next power
// of four, walked until it hits a number below n (Black and Rogaway, Ciphers with Arbitrary
// Finite Domains, CT-RSA 2002).
type permutation struct {
	n    uint64
	half uint
	keys [6]uint64
}

func newPermutation(n, seed uint64) permutation {
	p := permutation{n: n, half: uint(bits.Len64(max(n, 2)-1)+1) / 2}
	for i := range p.keys {
		seed += 0x9e3779b97f4a7c15
		p.keys[i] = scramble(seed)
	}
	return p
}

// at returns the i-th number, for i below n.
func (p permutation) at(i uint64) uint64 {
	mask := uint64(1)<<p.half - 1
	for {
		left, right := i>>p.half, i&mask
		for _, key := range p.keys {
			left, right = right, left^scramble(right^key)&mask
		}
		if i = left<<p.half | right; i < p.n {
			return i
		}
	}
}

// scramble is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
