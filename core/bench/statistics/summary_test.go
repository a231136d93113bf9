package statistics

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func exactMean(values []int64) float64 {
	sum := new(big.Int)
	for _, v := range values {
		sum.Add(sum, big.NewInt(v))
	}
	mean, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(len(values)))).Float64()
	return mean
}

func TestSummarize(t *testing.T) {
	values := counting(10_000)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	s := Summarize(values)
	if s.Count != 10_000 || s.Min != 1 || s.Max != 10_000 || s.Mean != 5000.5 {
		t.Errorf("%+v", s)
	}
	for _, c := range []struct {
		got  *int64
		want int64
	}{{s.P50, 5000}, {s.P90, 9000}, {s.P95, 9500}, {s.P99, 9900}, {s.P999, 9990}, {s.P9999, 9999}} {
		if c.got == nil || *c.got != c.want {
			t.Errorf("a percentile is %v, want %d", c.got, c.want)
		}
	}
	if !slices.IsSorted(values) {
		t.Error("the latencies are not sorted")
	}
}

// What too few latencies do not tell is absent, not 0.
func TestSummarizeFew(t *testing.T) {
	if s := Summarize(nil); s != (Summary{}) {
		t.Errorf("nothing is summarized as %+v", s)
	}
	s := Summarize(counting(99))
	if s.P50 == nil || s.P90 == nil || s.P95 == nil || s.P99 != nil || s.P999 != nil || s.P9999 != nil {
		t.Errorf("99 latencies give %+v", s)
	}
}

// Sums beyond 64 bits and latencies below 0, which a clock can give, are averaged all the same.
func TestMeanDoesNotOverflow(t *testing.T) {
	for _, values := range [][]int64{
		{math.MaxInt64, math.MaxInt64, math.MaxInt64},
		{math.MinInt64, math.MinInt64, math.MinInt64},
		{math.MinInt64},
		{math.MinInt64, math.MaxInt64},
		{math.MaxInt64, math.MaxInt64, math.MinInt64},
		{-7, -8}, {-1, 1}, {0}, {-1, 0, 0},
	} {
		if got, want := Summarize(slices.Clone(values)).Mean, exactMean(values); math.Abs(got-want) > math.Abs(want)*1e-15 {
			t.Errorf("the mean of %v is %v, want %v", values, got, want)
		}
	}
}

func FuzzSummarize(f *testing.F) {
	f.Add([]byte{})
	f.Add(binary.LittleEndian.AppendUint64(nil, math.MaxInt64))
	f.Add(slices.Repeat(binary.LittleEndian.AppendUint64(nil, 1<<63), 11))
	f.Fuzz(func(t *testing.T, data []byte) {
		values := latenciesOf(data)
		s := Summarize(values)
		if len(values) == 0 {
			return
		}
		if s.Count != len(values) || s.Min != slices.Min(values) || s.Max != slices.Max(values) || *s.P50 < s.Min || *s.P50 > s.Max {
			t.Errorf("%v is summarized as %+v", values, s)
		}
		if want := exactMean(values); math.Abs(s.Mean-want) > math.Abs(want)*1e-15 {
			t.Errorf("the mean of %v is %v, want %v", values, s.Mean, want)
		}
		checkHistogram(t, values)
	})
}
