package penalty

import (
	"math"
	"slices"

	"diskaudit/core/bench/statistics"
	"diskaudit/core/contract"
)

// stretches are the numbers of stretches of consecutive cycles whose scatter the interval is
// made from: fewer and longer ones hold slower changes. The widest of the intervals is taken.
var stretches = []int{12, 24}

// estimate is what the cycles say.
type estimate struct {
	added, control, bare contract.Range
	layered              float64
	pairs                uint64
}

func (m *measurement) estimate() (estimate, bool) {
	n := len(m.cycles)
	added, control, bare, layered := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	e := estimate{}
	for i, c := range m.cycles {
		added[i], control[i], bare[i], layered[i] = c.shift-c.control, c.control, c.bare, c.layered
		e.pairs += uint64(c.pairs)
	}
	if n < leastCycles || e.pairs < leastPairs {
		return e, false
	}
	ok := true
	for _, part := range []struct {
		values []float64
		into   *contract.Range
	}{{added, &e.added}, {control, &e.control}, {bare, &e.bare}} {
		var found bool
		*part.into, found = m.interval(part.values)
		ok = ok && found
	}
	slices.Sort(layered)
	e.layered = layered[(n-1)/2]/2 + layered[n/2]/2
	return e, ok && e.bare.Low > 0
}

// interval is the widest of those over stretches of different length.
func (m *measurement) interval(values []float64) (contract.Range, bool) {
	var widest contract.Range
	for i, count := range stretches {
		found, ok := statistics.PairedShift(values, len(values)/count, m.Seed)
		if !ok {
			return contract.Range{}, false
		}
		if i == 0 {
			widest = contract.Range{Low: found.Low, Estimate: found.Estimate, High: found.High}
		}
		widest.Low, widest.High = min(widest.Low, found.Low), max(widest.High, found.High)
	}
	return widest, true
}

// percent is the added time in percent of the bare one. Its ends take the end of the bare latency
// that makes them wider.
func (e estimate) percent() contract.Range {
	of := func(added, whenPositive, whenNegative float64) float64 {
		if added < 0 {
			return 100 * added / whenNegative
		}
		return 100 * added / whenPositive
	}
	return contract.Range{
		Low:      of(e.added.Low, e.bare.High, e.bare.Low),
		Estimate: 100 * e.added.Estimate / e.bare.Estimate,
		High:     of(e.added.High, e.bare.Low, e.bare.High),
	}
}

// precise tells whether the interval lies on one side of the threshold and is narrow.
func (m *measurement) precise() bool {
	e, ok := m.estimate()
	if !ok {
		return false
	}
	percent := e.percent()
	half := (e.added.High - e.added.Low) / 2
	return (percent.Low >= m.ThresholdPercent || percent.High < m.ThresholdPercent) &&
		half <= max(0.05*math.Abs(e.added.Estimate), 0.02*e.bare.Estimate)
}

// conclude fills in what the cycles say.
func (m *measurement) conclude(result *contract.Penalty) {
	e, ok := m.estimate()
	result.Pairs = e.pairs
	if ok {
		percent := e.percent()
		result.BareNs, result.LayeredNs = &e.bare.Estimate, &e.layered
		result.AddedNs, result.AddedPercent = &e.added, &percent
		result.Control = &contract.PenaltyControl{Kind: "same-path", AddedNs: e.control, Pairs: e.pairs}
	}
	result.Reason = m.objection(e, ok, *result.Ended)
	result.Valid = result.Reason == nil
}

// tolerance is what the layered path may be faster without that being called impossible.
func tolerance(bare float64) float64 { return max(0.02*bare, 200) }

// objection says why the figures do not hold; nil when they do.
func (m *measurement) objection(e estimate, ok bool, ended string) *contract.InvalidReason {
	switch {
	case m.fault != nil:
		return m.fault
	case !ok && ended == endedInterrupted:
		return because(codeInterrupted, "Measuring was interrupted after %d pairs of reads, too few for a figure. Run again.", e.pairs)
	case !ok:
		return because(codeFewPairs, "%d pairs of reads in %d bursts are too few for a figure (%d blocks held only zeros and were left out). Give more time (--penalty-time), or a volume with more data.", e.pairs, len(m.cycles), m.zeros)
	case e.added.High < -tolerance(e.bare.Estimate):
		return because(codeFaster, "The path above the layer answers %s faster than the one below it, which cannot be the layer's work: something keeps data for the upper path, or the lower one is another or a busier disk. Check the two paths.", span(-e.added.High, -e.added.Low))
	case min(math.Abs(e.control.Low), math.Abs(e.control.High)) > 0.1*e.bare.Estimate && e.control.Low*e.control.High > 0:
		return because(codeControl, "The lower path compared with itself differs by %s, so the method does not work here. Measure again while the computer is idle.", span(e.control.Low, e.control.High))
	}
	return nil
}
