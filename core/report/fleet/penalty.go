package fleet

import (
	"math"

	"diskaudit/core/contract"
)

// penalties counts what encryption was measured to add.
type penalties struct {
	counts       contract.ReportPenalty
	addedNs      spread
	addedPercent spread
}

// figures are a valid penalty's; ok is false when there are none that can be.
func figures(penalty contract.Penalty) (ns contract.Range, percent *contract.Range, ok bool) {
	if !penalty.Valid || penalty.AddedNs == nil || !finite(*penalty.AddedNs) {
		return ns, nil, false
	}
	if penalty.AddedPercent != nil && finite(*penalty.AddedPercent) {
		percent = penalty.AddedPercent
	}
	return *penalty.AddedNs, percent, true
}

func finite(r contract.Range) bool {
	for _, x := range []float64{r.Low, r.Estimate, r.High} {
		if !(math.Abs(x) <= largest) {
			return false
		}
	}
	return true
}

func (p *penalties) add(bench *contract.Bench) {
	p.counts.Measured++
	ns, percent, ok := figures(bench.Penalty)
	if !ok {
		p.counts.Invalid++
		return
	}
	p.counts.Valid++
	switch bench.Verdict.Result {
	case contract.VerdictMaterial:
		p.counts.Material++
	case contract.VerdictNegligible:
		p.counts.Negligible++
	default:
		p.counts.Undecided++
	}
	p.addedNs.add(ns.Estimate)
	if percent != nil {
		p.addedPercent.add(percent.Estimate)
	}
}

func (p *penalties) merge(from *penalties) {
	p.counts.Measured += from.counts.Measured
	p.counts.Valid += from.counts.Valid
	p.counts.Invalid += from.counts.Invalid
	p.counts.Material += from.counts.Material
	p.counts.Negligible += from.counts.Negligible
	p.counts.Undecided += from.counts.Undecided
	p.addedNs.merge(&from.addedNs)
	p.addedPercent.merge(&from.addedPercent)
}

func (p *penalties) report() contract.ReportPenalty {
	report := p.counts
	report.AddedNs, report.AddedPercent = p.addedNs.quantiles(), p.addedPercent.quantiles()
	return report
}

// classes counts valid penalties between fixed ends.
type classes struct {
	ends   []float64
	counts []contract.ReportClass
}

// Ends of the classes of added latency, in ns and in percent.
var (
	nsEnds      = []float64{0, 500, 1e3, 2e3, 5e3, 10e3, 20e3, 50e3, 100e3, 200e3, 500e3, 1e6, 2e6, 5e6, 10e6}
	percentEnds = []float64{0, 2, 5, 10, 20, 50, 100, 200, 500}
)

func newClasses(ends []float64) *classes {
	c := &classes{ends: ends, counts: make([]contract.ReportClass, len(ends)+1)}
	for i := range ends {
		c.counts[i].To, c.counts[i+1].From = &ends[i], &ends[i]
	}
	return c
}

func (c *classes) add(x float64, verdict contract.VerdictResult) {
	place := 0
	for place < len(c.ends) && x >= c.ends[place] {
		place++
	}
	switch class := &c.counts[place]; verdict {
	case contract.VerdictMaterial:
		class.Material++
	case contract.VerdictNegligible:
		class.Negligible++
	default:
		class.Undecided++
	}
}
