package statistics

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func counting(n int) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i + 1)
	}
	return values
}

// A percentile is answered from the number of values on that carries it, and is then the value
// whose rank is the percentage of that number, which binary fractions easily miss by one.
func TestPercentileNeedsItsSamples(t *testing.T) {
	for _, c := range []struct {
		percent float64
		least   int
		value   int64
	}{
		{50, 1, 1}, {90, 10, 9}, {95, 20, 19}, {99, 100, 99}, {99.9, 1000, 999}, {99.99, 10_000, 9999},
		{99.999, 100_000, 99_999}, {10, 10, 1}, {1, 100, 1}, {75, 4, 3},
	} {
		if value, ok := Percentile(counting(c.least), c.percent); !ok || value != c.value {
			t.Errorf("p%v of %d values is %d, %v; want %d", c.percent, c.least, value, ok, c.value)
		}
		if value, ok := Percentile(counting(c.least-1), c.percent); ok {
			t.Errorf("p%v of %d values is %d; they are too few", c.percent, c.least-1, value)
		}
	}
}

func TestPercentileOfNothing(t *testing.T) {
	for _, percent := range []float64{0, 100, -1, 101, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if value, ok := Percentile(counting(1000), percent); ok {
			t.Errorf("p%v is %d", percent, value)
		}
	}
}

// naivePercentile takes the definition at its word: the smallest value that at least so many
// percent of the values do not exceed, percentages as decimal fractions.
func naivePercentile(values []int64, percent string) int64 {
	wanted, _ := new(big.Rat).SetString(percent)
	best, found := int64(0), false
	for _, candidate := range values {
		upTo := 0
		for _, v := range values {
			if v <= candidate {
				upTo++
			}
		}
		share := big.NewRat(int64(upTo)*100, int64(len(values)))
		if share.Cmp(wanted) >= 0 && (!found || candidate < best) {
			best, found = candidate, true
		}
	}
	return best
}

func TestPercentileAgainstItsDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	percents := map[string]float64{"0.7": 0.7, "12.5": 12.5, "33.333333": 33.333333, "50": 50, "90": 90, "95": 95, "99": 99, "99.5": 99.5}
	for range 200 {
		values := make([]int64, 1+random.IntN(400))
		for i := range values {
			values[i] = random.Int64N(300) - 20
		}
		slices.Sort(values)
		for text, percent := range percents {
			if got, ok := Percentile(values, percent); ok && got != naivePercentile(values, text) {
				t.Fatalf("p%s of %v is %d, want %d", text, values, got, naivePercentile(values, text))
			}
		}
	}
}

// latenciesOf reads numbers from arbitrary bytes.
func latenciesOf(data []byte) []int64 {
	var values []int64
	for ; len(data) >= 8; data = data[8:] {
		values = append(values, int64(binary.LittleEndian.Uint64(data)))
	}
	return values
}

func FuzzPercentile(f *testing.F) {
	f.Add([]byte{}, 50.0)
	f.Add(binary.LittleEndian.AppendUint64(nil, math.MaxInt64), 50.0)
	f.Add(binary.LittleEndian.AppendUint64(nil, 1<<63), 99.99)
	f.Add(make([]byte, 8*30), math.SmallestNonzeroFloat64)
	f.Fuzz(func(t *testing.T, data []byte, percent float64) {
		values := latenciesOf(data)
		slices.Sort(values)
		if value, ok := Percentile(values, percent); ok && !slices.Contains(values, value) {
			t.Errorf("p%v of %v is %d", percent, values, value)
		}
	})
}
