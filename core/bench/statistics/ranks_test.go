package statistics

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// alike tells whether two probabilities are equal but for rounding.
func alike(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// above counts the pairs in which the value of a is the larger, equal ones half.
func above(a, b []float64) (count float64) {
	for _, x := range a {
		for _, y := range b {
			switch {
			case x > y:
				count++
			case x == y:
				count += 0.5
			}
		}
	}
	return count
}

// mannWhitneyByForce tries every way to divide the values into the two samples.
func mannWhitneyByForce(a, b []float64) float64 {
	all := append(append([]float64{}, a...), b...)
	even := float64(len(a)*len(b)) / 2
	seen := math.Abs(above(a, b) - even)
	as, more := 0, 0
	for choice := range uint(1) << len(all) {
		if bits.OnesCount(choice) != len(a) {
			continue
		}
		var x, y []float64
		for i, v := range all {
			if choice>>i&1 == 1 {
				x = append(x, v)
			} else {
				y = append(y, v)
			}
		}
		as++
		if math.Abs(above(x, y)-even) >= seen {
			more++
		}
	}
	return float64(more) / float64(as)
}

func TestMannWhitneyByForce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ m, n, levels, times int }{
		{4, 4, 1 << 40, 10}, {4, 6, 1 << 40, 10}, {6, 5, 1 << 40, 6}, {6, 6, 1 << 40, 3},
		{4, 4, 3, 20}, {4, 6, 4, 20}, {7, 4, 2, 10}, {5, 5, 6, 10}, {4, 5, 1, 1},
	} {
		for range c.times {
			a, b := make([]float64, c.m), make([]float64, c.n)
			for _, sample := range [][]float64{a, b} {
				for i := range sample {
					sample[i] = float64(random.IntN(c.levels))
				}
			}
			p, ok := MannWhitney(a, b)
			if want := mannWhitneyByForce(a, b); !ok || !alike(p, want) {
				t.Errorf("p of %v and %v is %v, want %v", a, b, p, want)
			}
			if other, _ := MannWhitney(b, a); !alike(p, other) {
				t.Errorf("p of %v and %v is %v one way and %v the other", a, b, p, other)
			}
		}
	}
}

// Values from tables of the distribution of U.
func TestMannWhitneyTables(t *testing.T) {
	for _, c := range []struct {
		m, n, u int
		p       float64
	}{
		{4, 4, 0, 2.0 / 70}, {6, 6, 0, 2.0 / 924}, {6, 6, 5, 38.0 / 924}, {6, 6, 6, 60.0 / 924},
	} {
		outside := 0.0
		for _, probability := range pairsBelow(c.m, c.n)[:c.u+1] {
			outside += 2 * probability
		}
		if !alike(outside, c.p) {
			t.Errorf("U up to %d of %d and %d has p %v, want %v", c.u, c.m, c.n, outside, c.p)
		}
	}
}

// The approximation for many values meets the exact p where one takes over from the other.
func TestMannWhitneyManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, levels := range []int{1 << 40, 7} {
		for _, shift := range []float64{0, 0.15, 0.3} {
			a, b := make([]float64, 32), make([]float64, 29)
			for i := range a {
				a[i] = float64(random.IntN(levels)) / float64(levels)
			}
			for i := range b {
				b[i] = math.Floor((float64(random.IntN(levels))/float64(levels)+shift)*float64(levels)) / float64(levels)
			}
			p, _ := MannWhitney(a, b)
			ranks, _ := doubledRanks(append(append([]float64{}, a...), b...))
			sum, exact := 0, 0.0
			for _, rank := range ranks[:len(a)] {
				sum += rank
			}
			even := len(a) * (len(ranks) + 1)
			for s, probability := range rankSums(ranks, len(a)) {
				if absolute(s-even) >= absolute(sum-even) {
					exact += probability
				}
			}
			if math.Abs(p-exact) > 0.01*exact+0.0005 {
				t.Errorf("%d levels, shift %v: p is %v, exactly %v", levels, shift, p, exact)
			}
		}
	}
	same := make([]float64, 40)
	if p, ok := MannWhitney(same, same); !ok || p != 1 {
		t.Errorf("p of equal values is %v, %v", p, ok)
	}
}

func TestMannWhitneyNeedsValues(t *testing.T) {
	few, enough := []float64{1, 2, 3}, []float64{1, 2, 3, 4, 5, 6, 7}
	for _, c := range [][2][]float64{
		{few, enough}, {enough, few}, {nil, nil}, {enough, {1, 2, 3, math.NaN()}}, {{math.Inf(1), 2, 3, 4}, enough},
	} {
		if p, ok := MannWhitney(c[0], c[1]); ok {
			t.Errorf("p of %v and %v is %v", c[0], c[1], p)
		}
		if v, ok := ShiftInterval(c[0], c[1]); ok {
			t.Errorf("the shift from %v to %v is %v", c[0], c[1], v)
		}
	}
}
