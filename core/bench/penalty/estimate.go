package penalty

import (
	"math"
	"slices"

	"diskaudit/core/bench/statistics"
	"diskaudit/core/contract"
)

// stretches are the numbers of stretches of consecutive cycles whose scatter the interval is
// made from: fewer and longer ones hold slower changes. The widest of the intervals is taken.
var stretches = []int{12, 20}

// estimate is what the cycles say.
type estimate struct {
	added, control, bare contract.Range
	layered              float64
	// half is the half-width of the interval of added before it is widened.
	half  float64
	pairs uint64
}

// estimate reduces the cycles; false when they are too few.
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
	e.added, e.control, e.bare = m.interval(added), m.interval(control), m.interval(bare)
	e.half = (e.added.High - e.added.Low) / 2
	e.added = widened(e.added)
	e.layered = spread(layered).Estimate
	return e, true
}

// spread is the median and what all but one value in twenty lie between.
func spread(values []float64) contract.Range {
	sorted := slices.Sorted(slices.Values(values))
	last := len(sorted) - 1
	return contract.Range{Low: sorted[last/40], Estimate: sorted[last/2]/2 + sorted[(last+1)/2]/2, High: sorted[last-last/40]}
}

// methodPercent is how far apart the cost of a layer is found by two programs that both do it
// right: reads that follow each other more closely or less find other states of caches and of
// sleeping threads. It was seen between this package, fio and fio's own repetitions on loop
// devices, whose cost a thread of the kernel makes.
const methodPercent = 5

// widened adds to an interval what no repetition of the same method shows.
func widened(r contract.Range) contract.Range {
	method := methodPercent / 100.0 * math.Abs(r.Estimate)
	return contract.Range{
		Low:      r.Estimate - math.Hypot(r.Estimate-r.Low, method),
		Estimate: r.Estimate,
		High:     r.Estimate + math.Hypot(r.High-r.Estimate, method),
	}
}

// interval is the widest of those over stretches of different length. Where the stretches have
// next to nothing in common, no interval for their middle follows, and it is all that they show.
func (m *measurement) interval(values []float64) contract.Range {
	var widest contract.Range
	for i, count := range stretches {
		if len(values) < count {
			continue
		}
		found, ok := statistics.PairedShift(values, len(values)/count, m.Seed)
		if !ok {
			return spread(values)
		}
		if i == 0 {
			widest = contract.Range{Low: found.Low, Estimate: found.Estimate, High: found.High}
		}
		widest.Low, widest.High = min(widest.Low, found.Low), max(widest.High, found.High)
	}
	// A symmetric interval can reach beyond anything that was seen, where some stretches are
	// disturbed to one side.
	long, seen := longStretches(values), spread(values)
	widest.Low = min(widest.Low, max(widest.Estimate-long, seen.Low))
	widest.High = max(widest.High, min(widest.Estimate+long, seen.High))
	return widest
}

// longStretches is the half-width of Student's 95 % interval for the mean of six values: the
// medians of six long stretches. A bootstrap needs more of them, and so shorter ones, that have
// slow changes in common and do not show them.
func longStretches(values []float64) float64 {
	const count, student = 6, 2.571 // the 97.5 % quantile for 5 degrees of freedom
	var medians [count]float64
	mean := 0.0
	for i := range medians {
		medians[i] = spread(values[i*len(values)/count : (i+1)*len(values)/count]).Estimate
		mean += medians[i] / count
	}
	squares := 0.0
	for _, m := range medians {
		squares += (m - mean) * (m - mean)
	}
	return student * math.Sqrt(squares/(count*(count-1)))
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

// An interval is narrow when its half-width is below one of these parts, of the added time or of
// the bare latency.
const (
	preciseAdded = 0.04
	preciseBare  = 0.02
)

// precise tells whether the interval lies on one side of the threshold and is narrow.
func (m *measurement) precise() bool {
	e, ok := m.estimate()
	if !ok {
		return false
	}
	percent := e.percent()
	return (percent.Low >= m.ThresholdPercent || percent.High < m.ThresholdPercent) &&
		e.half <= max(preciseAdded*math.Abs(e.added.Estimate), preciseBare*e.bare.Estimate)
}

// conclude fills in what the cycles say.
func (m *measurement) conclude(result *contract.Penalty) {
	e, ok := m.estimate()
	result.Pairs = e.pairs
	if ok {
		percent := e.percent()
		result.BareNs, result.LayeredNs = &e.bare.Estimate, &e.layered
		result.AddedNs, result.AddedPercent = &e.added, &percent
		result.Control = &contract.PenaltyControl{Kind: m.controlKind(), AddedNs: e.control, Pairs: e.pairs}
	}
	result.Reason = m.objection(e, ok, *result.Ended)
	result.Valid = result.Reason == nil
}

// controlKind names the control, as contract.PenaltyControl.Kind has it.
func (m *measurement) controlKind() string {
	if m.control != nil {
		return "plain-region"
	}
	return "same-path"
}

// floorNs is below what any path to a disk takes: a call that copies a page from a cache takes 0.5 to 0.7
// us, an unbuffered read never less than this.
const floorNs = 1000

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
	case e.bare.Estimate < floorNs:
		return because(codeCached, "The path below the layer answers in %.2f us, which no path to a disk can: a cache in front of the disk answers, so what the layer adds is no part of a disk's latency. Name the device itself as the lower path.", e.bare.Estimate/1000)
	case e.added.High < -tolerance(e.bare.Estimate):
		return because(codeFaster, "The path above the layer answers %s faster than the one below it, which cannot be the layer's work: something keeps data for the upper path, or the lower one is another or a busier disk. Check the two paths.", fromTo(-e.added.High, -e.added.Low))
	case m.control != nil && e.control.High < -tolerance(e.bare.Estimate):
		return because(codeControl, "Of a plain volume on the same disk the path above is %s faster than the one below, so the method does not work here: something keeps data for the upper path. Measure again while the computer is idle.", fromTo(-e.control.High, -e.control.Low))
	case m.control == nil && min(math.Abs(e.control.Low), math.Abs(e.control.High)) > 0.1*e.bare.Estimate && e.control.Low*e.control.High > 0:
		return because(codeControl, "The lower path compared with itself differs by %s, so the method does not work here. Measure again while the computer is idle.", fromTo(e.control.Low, e.control.High))
	}
	return nil
}
