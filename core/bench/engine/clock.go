package engine

import (
	"math"
	"math/bits"
	"slices"

	"diskaudit/core/contract"
)

// nanoseconds converts ticks without overflow and without rounding on the way. Negative ticks,
// from a clock that went backwards, stay negative.
func nanoseconds(ticks int64) int64 {
	return scale(ticks, ticksPerSecond(), 1e9)
}

// scale gives value in units of which there are to a second, from units of which there are from.
func scale(value, from, to int64) int64 {
	if from == to {
		return value
	}
	if value < 0 {
		return -scale(-value, from, to)
	}
	high, low := bits.Mul64(uint64(value), uint64(to))
	if high >= uint64(from) {
		return math.MaxInt64
	}
	scaled, _ := bits.Div64(high, low, uint64(from))
	return int64(min(scaled, math.MaxInt64))
}

// MeasureClock tells the clock that times the I/Os, the smallest step seen between two different
// readings, and the time that one reading takes, as the median of many. It takes some
// milliseconds.
func MeasureClock() contract.BenchClock {
	source := clockSource
	clock := contract.BenchClock{Source: &source}
	const batches, batch = 101, 500
	smallest := int64(math.MaxInt64)
	overheads := make([]float64, 0, batches)
	for range batches {
		begin := now()
		last := begin
		for range batch {
			reading := now()
			if step := reading - last; step > 0 && step < smallest {
				smallest = step
			}
			last = reading
		}
		if last > begin {
			overheads = append(overheads, float64(last-begin)*1e9/float64(ticksPerSecond())/batch)
		}
	}
	if smallest < math.MaxInt64 {
		clock.ResolutionNs = contract.Ptr(float64(smallest) * 1e9 / float64(ticksPerSecond()))
	}
	if len(overheads) > 0 {
		slices.Sort(overheads)
		clock.OverheadNs = contract.Ptr(overheads[len(overheads)/2])
	}
	return clock
}
