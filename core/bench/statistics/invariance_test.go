package statistics

import (
	"math/rand/v2"
	"testing"
)

// All estimates follow when every value is moved or measured in another unit, also one that
// points the other way; what is no figure in that unit stays as it is.
func TestShiftAndScale(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	draw := func(n int) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = latencies[i%len(latencies)].draw(random)
		}
		return values
	}
	for _, c := range []struct{ move, scale float64 }{{0, 1000}, {500, 1}, {-40, 0.001}, {12345, 7}, {3, -1}} {
		changed := func(values []float64) []float64 {
			result := make([]float64, len(values))
			for i, v := range values {
				result[i] = c.move + c.scale*v
			}
			return result
		}
		follow := func(i Interval, move float64) Interval {
			low, high := i.Low, i.High
			if c.scale < 0 {
				low, high = high, low
			}
			return Interval{move + c.scale*low, move + c.scale*i.Estimate, move + c.scale*high, i.Confidence}
		}
		for range 20 {
			a, b, many := draw(6+random.IntN(9)), draw(4+random.IntN(9)), draw(300+random.IntN(50))
			plain, _ := MedianInterval(a)
			if got, ok := MedianInterval(changed(a)); !ok || !near(got, follow(plain, c.move), 1e-9) {
				t.Errorf("%+v: the median's interval is %+v, want %+v", c, got, follow(plain, c.move))
			}
			plain, _ = ShiftInterval(a, b)
			if got, ok := ShiftInterval(changed(a), changed(b)); !ok || !near(got, follow(plain, 0), 1e-9) {
				t.Errorf("%+v: the shift's interval is %+v, want %+v", c, got, follow(plain, 0))
			}
			plain, _ = PairedShift(many, 10, 1)
			if got, ok := PairedShift(changed(many), 10, 1); !ok || !near(got, follow(plain, c.move), 1e-9) {
				t.Errorf("%+v: the pairs' interval is %+v, want %+v", c, got, follow(plain, c.move))
			}
			p, _ := MannWhitney(a, b)
			if got, ok := MannWhitney(changed(a), changed(b)); !ok || !alike(got, p) {
				t.Errorf("%+v: p is %v, want %v", c, got, p)
			}
			before, _ := Trend(a)
			after, ok := Trend(changed(a))
			if !ok || !alike(after.PValue, before.PValue) {
				t.Errorf("%+v: p of the trend is %v, want %v", c, after.PValue, before.PValue)
			}
			if c.move == 0 && !alike(after.Percent, before.Percent) {
				t.Errorf("%+v: the trend is %v %%, want %v %%", c, after.Percent, before.Percent)
			}
		}
	}
}
