package comparison

import (
	"math"

	"diskaudit/core/bench/statistics"
	"diskaudit/core/contract"
)

// metric is one figure that a test can have.
type metric struct {
	// name as in contract.TestComparison.
	name string
	// moreIsSlower is true of times, false of rates.
	moreIsSlower bool
	of           func(*Test) *float64
	// round is the figure of one round, nil where the round does not have it.
	round func(contract.BenchRound) *float64
}

var (
	median = metric{"p50Ns", true, func(t *Test) *float64 { return t.LatencyNs.P50 }, func(r contract.BenchRound) *float64 { return r.P50Ns }}
	mean   = metric{"meanNs", true, func(t *Test) *float64 { return t.LatencyNs.Mean }, func(r contract.BenchRound) *float64 { return r.MeanNs }}
	iops   = metric{"iops", false, func(t *Test) *float64 { return t.IOPS }, func(r contract.BenchRound) *float64 { return &r.IOPS }}
	rate   = metric{"mbPerSecond", false, func(t *Test) *float64 { return t.MBPerSecond }, func(r contract.BenchRound) *float64 { return &r.MBPerSecond }}
)

// choices are the figures of a pair: of each list the first that both sides have. The rate of a
// spaced test is that of its spacing.
func choices(now *Test) [][]metric {
	if now.SpacingMs > 0 {
		return [][]metric{{median, mean}}
	}
	return [][]metric{{median, mean}, {iops, rate}}
}

// figure is one figure of a pair on its way to a result.
type figure struct {
	contract.TestComparison
	moreIsSlower bool
	// shift is the change by the rounds, in percent; nil without enough rounds on both sides.
	shift *contract.Range
	p     float64
	// band is the change that a figure without rounds must exceed, in percent, and apart tells that
	// no round of the side that has them reaches the other side's figure.
	band  float64
	apart bool
}

// figure computes the first figure of a list that both sides have.
func (c *comparer) figure(list []metric, then, now *Test) (figure, bool) {
	for _, m := range list {
		x, y, ok := both(m.of(then), m.of(now))
		if !ok || !positive(x) || !positive(y) {
			continue
		}
		f := figure{moreIsSlower: m.moreIsSlower}
		f.TestID, f.Metric, f.Baseline, f.Current = now.ID, m.name, x, y
		if f.ChangePercent = 100 * (y - x) / x; math.IsInf(f.ChangePercent, 0) {
			continue
		}
		f.apart = m.beyond(now.Rounds, x, y) && m.beyond(then.Rounds, y, x)
		f.band = math.Max(BandWithoutRounds, c.out.ThresholdPercent)
		if m.moreIsSlower {
			f.band = math.Max(f.band, 100*(then.ResolutionNs+now.ResolutionNs)/x)
		}
		f.fromRounds(m, then, now)
		return f, true
	}
	return figure{}, false
}

// fromRounds compares the rounds of both sides. The logarithms' shift is the rounds' ratio, which
// is what a change in percent means whichever side is larger.
func (f *figure) fromRounds(m metric, then, now *Test) {
	x, y := logarithms(m, then.Rounds), logarithms(m, now.Rounds)
	shift, ok := statistics.ShiftInterval(x, y)
	if !ok {
		return
	}
	p, ok := statistics.MannWhitney(x, y)
	interval := contract.Range{Low: percentOf(shift.Low), Estimate: percentOf(shift.Estimate), High: percentOf(shift.High)}
	if !ok || !finite(p, interval.Low, interval.Estimate, interval.High) {
		return
	}
	f.shift, f.p = &interval, p
	f.Interval, f.PValue = &interval, &p
}

// beyond tells whether all rounds lie on the side of a limit on which their own figure lies.
func (m metric) beyond(rounds []contract.BenchRound, limit, own float64) bool {
	for _, round := range rounds {
		if value := m.round(round); value != nil && (*value > limit) != (own > limit) {
			return false
		}
	}
	return true
}

func logarithms(m metric, rounds []contract.BenchRound) []float64 {
	values := make([]float64, 0, len(rounds))
	for _, round := range rounds {
		if value := m.round(round); value != nil && positive(*value) {
			values = append(values, math.Log(*value))
		}
	}
	return values
}

func percentOf(logarithm float64) float64 { return 100 * math.Expm1(logarithm) }

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

func finite(values ...float64) bool {
	for _, value := range values {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return false
		}
	}
	return true
}
