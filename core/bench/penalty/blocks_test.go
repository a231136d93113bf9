package penalty

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every number comes once, whatever their count.
func TestPermutation(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 1000, 65536, 65537} {
		p := newPermutation(n, 42)
		seen := make([]bool, n)
		for i := range n {
			v := p.at(i)
			if v >= n || seen[v] {
				t.Fatalf("of %d numbers, number %d is %d, which is too large or came before", n, i, v)
			}
			seen[v] = true
		}
	}
	p := newPermutation(math.MaxInt64/4096, 7)
	for i := range uint64(1000) {
		if v := p.at(i); v >= math.MaxInt64/4096 {
			t.Fatalf("number %d of the largest disk is %d", i, v)
		}
	}
}

// The first draws come from everywhere, and in another order with another seed.
func TestPermutationIsRandom(t *testing.T) {
	const n = 1 << 20
	var counts [16]int
	p, other := newPermutation(n, 1), newPermutation(n, 2)
	ascending, same := 0, 0
	for i := range uint64(1600) {
		counts[p.at(i)*16/n]++
		if p.at(i+1) > p.at(i) {
			ascending++
		}
		if p.at(i) == other.at(i) {
			same++
		}
	}
	for part, count := range counts {
		if count < 60 || count > 145 {
			t.Errorf("part %d of 16 got %d of 1600 draws", part, count)
		}
	}
	if ascending < 700 || ascending > 900 || same > 3 {
		t.Errorf("%d of 1600 draws ascend, %d are those of another seed", ascending, same)
	}
}

// The shift is the median of all differences, as counting them all finds it.
func TestShift(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		draw := func() []int64 {
			values := make([]int64, 1+random.IntN(12))
			for i := range values {
				values[i] = random.Int64N(20) - 5
			}
			slices.Sort(values)
			return values
		}
		a, b := draw(), draw()
		var all []int64
		for _, x := range a {
			for _, y := range b {
				all = append(all, y-x)
			}
		}
		if got, want := shift(a, b), median(all); got != want {
			t.Fatalf("shift of %v over %v is %v, want %v", b, a, got, want)
		}
	}
}
