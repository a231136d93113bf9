package page

import (
	"fmt"
	"strconv"
	"strings"

	"diskaudit/core/contract"
)

// verdictLooks say how verdicts are drawn: never by colour alone.
var verdictLooks = []struct {
	verdict contract.VerdictResult
	look    swatch
}{
	{contract.VerdictMaterial, swatch{Class: "v-material", Text: "material"}},
	{contract.VerdictUndecided, swatch{Class: "v-undecided", Fill: "url(#stripes)", Text: "undecided"}},
	{contract.VerdictNegligible, swatch{Class: "v-negligible", Fill: "url(#dots)", Text: "negligible"}},
}

func costBlocks(r contract.Report) []block {
	p := r.Penalty
	if p.Measured == 0 {
		return []block{{Text: "There is no bench document. To learn what encryption costs, run diskaudit bench on some computers and add its documents."}}
	}
	t := table{
		Caption: "Measured volumes by what was found",
		Columns: []column{{Name: "Result"}, numeric("Volumes"), numeric("Share"), {Name: "Meaning"}},
	}
	add := func(name string, look *swatch, n uint64, meaning string) {
		t.Rows = append(t.Rows, []cell{{Text: name, Head: true, Class: "whole", Swatch: look}, counted(n), {Text: share(n, p.Measured), Class: "num"}, text(meaning)})
	}
	add("material", &verdictLooks[0].look, p.Material, "the whole interval lies above the threshold")
	add("negligible", &verdictLooks[2].look, p.Negligible, "the whole interval lies below the threshold")
	add("undecided", &verdictLooks[1].look, p.Undecided, "the threshold lies within the interval")
	add("not valid", nil, p.Invalid, "no evidence, or figures that do not tell what encryption costs")
	blocks := []block{{Table: &t}}
	if p.Valid == 0 {
		return append(blocks, block{Text: "No measurement is valid, so there is nothing to draw. The reasons are below, under What is not known."})
	}
	blocks = append(blocks,
		block{Heading: "Volumes encrypted by software", Note: otherEngines(r)},
		block{Figure: classFigure(r.AddedNs, classTotal(r.AddedNs), "added latency", micros, "The latency that encryption adds to a read (n = %s). Classes widen to the right.")},
		block{Figure: classFigure(r.AddedPercent, classTotal(r.AddedPercent), "added latency in percent", percentage, "The same in percent of the latency without encryption (n = %s). Each is judged by its own interval and threshold.")},
		block{Heading: "By disk model and cipher", Table: combinationTable(r)},
	)
	return blocks
}

// otherEngines says what the pictures leave out.
func otherEngines(r contract.Report) string {
	others := r.Penalty.Valid - r.SoftwarePenalty.Valid
	if others == 0 {
		return ""
	}
	return fmt.Sprintf("Only volumes that are known to be encrypted by software are in these two pictures. %s with valid evidence are not encrypted, encrypted by hardware, or it is not known by what; they are in the tables.", things(others, "volume", "volumes"))
}

func classTotal(classes []contract.ReportClass) uint64 {
	total := uint64(0)
	for _, class := range classes {
		total += class.Material + class.Negligible + class.Undecided
	}
	return total
}

// classFigure draws how many measurements are in each class, stacked by verdict.
func classFigure(classes []contract.ReportClass, n uint64, what string, format func(float64) string, caption string) *figure {
	if n == 0 {
		return nil
	}
	// Empty classes at both ends are left out.
	first, last := 0, len(classes)-1
	for first < last && classTotal(classes[first:first+1]) == 0 {
		first++
	}
	for last > first && classTotal(classes[last:last+1]) == 0 {
		last--
	}
	classes = classes[first : last+1]
	const wide, tall, base, top = 880.0, 230, 190.0, 24.0
	f := &figure{Width: int(wide), Height: tall, Caption: fmt.Sprintf(caption, things(n, "volume", "volumes")), Label: "Bars: " + what}
	for _, known := range verdictLooks {
		f.Legend = append(f.Legend, known.look)
	}
	most := uint64(1)
	for i := range classes {
		most = max(most, classTotal(classes[i:i+1]))
	}
	f.Numbers = &table{Caption: "Measured volumes by " + what, Columns: []column{{Name: "From, to below"}, numeric("Material"), numeric("Undecided"), numeric("Negligible"), numeric("Together")}}
	step := min(wide/float64(len(classes)), 110)
	f.line("axis", 0, base+0.5, step*float64(len(classes)), base+0.5)
	for i, class := range classes {
		x, y := float64(i)*step+step*0.08, base
		parts := []uint64{class.Material, class.Undecided, class.Negligible}
		for j, part := range parts {
			high := (base - top) * float64(part) / float64(most)
			if part == 0 {
				continue
			}
			high = max(high, 1.5)
			y -= high
			f.rect(verdictLooks[j].look.Class, verdictLooks[j].look.Fill, x, y, step*0.84, high)
		}
		total := parts[0] + parts[1] + parts[2]
		middle := float64(i)*step + step/2
		if total > 0 {
			f.text("", "middle", middle, y-5, count(total))
		}
		from, to := classEnds(class, format)
		f.text("tick", "middle", middle, base+16, from)
		f.text("tick", "middle", middle, base+30, to)
		f.Numbers.Rows = append(f.Numbers.Rows, []cell{{Text: from + " " + to, Head: true}, counted(parts[0]), counted(parts[1]), counted(parts[2]), counted(total)})
	}
	return f
}

// classEnds writes the ends of a class in two short lines.
func classEnds(class contract.ReportClass, format func(float64) string) (string, string) {
	short := func(x float64) string {
		if x == 0 {
			return "0"
		}
		return shortNumber(format(x))
	}
	switch {
	case class.From == nil && class.To == nil:
		return "all", ""
	case class.From == nil:
		return "below", short(*class.To)
	case class.To == nil:
		return "from", short(*class.From)
	}
	return short(*class.From), "to " + short(*class.To)
}

// shortNumber takes zeros at the end of decimals off: "1.00 µs" is "1 µs".
func shortNumber(s string) string {
	number, unit, _ := strings.Cut(s, thin)
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + thin + unit
}

// plotWidth is that of the small plots in tables.
const plotWidth = 220

func combinationTable(r contract.Report) *table {
	low, high := 1000.0, 1000.0
	for _, combination := range r.Combinations {
		if q := combination.Penalty.AddedNs; q != nil {
			low, high = min(low, max(q.P5, 100)), max(high, q.P95)
		}
	}
	scale := decades(low, high, 100, 4, plotWidth-4)
	t := &table{
		Caption:  "Added latency by disk model and cipher. The box is from quartile to quartile, the mark in it the median, the line from the 5th to the 95th percentile",
		Sortable: true,
		Columns: []column{
			{Name: "Disk model"}, {Name: "Cipher"}, {Name: "Engine"}, numeric("Measured"), numeric("Valid (n)"), numeric("Material"),
			numeric("Added latency"), numeric("Added"), plotted("Added latency", scale.axis(plotWidth, shortTime)),
		},
	}
	for _, c := range r.Combinations {
		cells := []cell{groupName(c.Model, c.Rest), whole(optional(c.Method)), whole(optional(c.Engine)), counted(c.Penalty.Measured)}
		if c.Rest {
			cells[1], cells[2] = cell{}, cell{}
		}
		cells = append(cells, penaltyCells(c.Penalty)...)
		t.Rows = append(t.Rows, append(cells, cell{Class: "plot", Figure: boxPlot(c.Penalty.AddedNs, scale)}))
	}
	return t
}

// boxPlot draws quantiles on a scale; nil when there are none.
func boxPlot(q *contract.Quantiles, scale logScale) *figure {
	if q == nil {
		return nil
	}
	f := &figure{Width: plotWidth, Height: 20, Fixed: true}
	left, right := scale.at(q.P25), scale.at(q.P75)
	f.line("whisker", scale.at(q.P5), 10, scale.at(q.P95), 10)
	f.rect("box", "", left, 4, max(right-left, 1), 12)
	f.line("median", scale.at(q.P50), 2, scale.at(q.P50), 18)
	return f
}

// shortTime writes a power of ten in ns.
func shortTime(ns float64) string {
	for _, unit := range []struct {
		ns   float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= unit.ns*0.999 {
			return strconv.FormatFloat(ns/unit.ns, 'g', 4, 64) + thin + unit.name
		}
	}
	return strconv.FormatFloat(ns, 'g', 4, 64) + thin + "ns"
}

func worstBlocks(r contract.Report) []block {
	if len(r.Worst) == 0 {
		return []block{{Text: "No measurement has valid evidence."}}
	}
	high := 100.0
	for _, m := range r.Worst {
		if m.AddedPercent != nil {
			high = max(high, min(m.AddedPercent.High, 10_000))
		}
	}
	scale := decades(1, high, 1, 4, plotWidth-4)
	t := table{
		Caption: fmt.Sprintf("%s of %s with valid evidence, ordered by the lower end of the interval. In the picture the line is the 95 %% interval, the dot the estimate, the dashed mark the threshold; its left edge is 1 %% or less",
			count(uint64(len(r.Worst))), things(r.Penalty.Valid, "measured volume", "measured volumes")),
		Sortable: true, Search: "Search these volumes",
		Columns: []column{
			{Name: "Computer or file"}, {Name: "Volume"}, {Name: "Verdict"}, numeric("Added"), plotted("Added, 95 % interval", scale.axis(plotWidth, percentTick)), numeric("Added latency"),
			{Name: "Disk model"}, {Name: "Cipher"}, {Name: "Engine"}, {Name: "Evidence"}, {Name: "State"}, numeric("Critical findings"), numeric("Warnings"), {Name: "Worst finding"},
		},
	}
	for _, m := range r.Worst {
		state, critical, warnings, worst := cell{Text: unknown, Class: "soft"}, cell{Text: none, Class: "num soft", HasValue: true}, cell{Text: none, Class: "num soft", HasValue: true}, cell{Text: unknown, Class: "soft"}
		if m.State != nil {
			state = stateCell(*m.State)
			worst = cell{Text: "none", Class: "soft"}
		}
		if m.WorstFinding != nil {
			worst = text(*m.WorstFinding)
		}
		if m.Critical != nil && m.Warnings != nil {
			critical, warnings = counted(*m.Critical), counted(*m.Warnings)
		}
		percent := cell{Text: none, Class: "num soft", HasValue: true}
		if m.AddedPercent != nil {
			percent = rangeCell(*m.AddedPercent, percentage)
		}
		t.Rows = append(t.Rows, []cell{
			place(m.Place), text(m.Volume), badge(string(verdictOf(m.Verdict))), percent,
			{Class: "plot", Figure: intervalPlot(m.AddedPercent, m.ThresholdPercent, scale)}, rangeCell(m.AddedNs, micros),
			modelCell(m.Model), whole(optional(m.Method)), whole(optional(m.Engine)), {Text: string(m.Evidence), Class: "whole"}, state, critical, warnings, worst,
		})
	}
	return []block{
		{Note: "State and findings are those of the status document of the same computer, which is known where both documents have the computer's name (--identify)."},
		{Table: &t},
	}
}

// verdictOf is the verdict, or undecided for the zero value.
func verdictOf(verdict contract.VerdictResult) contract.VerdictResult {
	if verdict == "" {
		return contract.VerdictUndecided
	}
	return verdict
}

func rangeCell(r contract.Range, format func(float64) string) cell {
	c := number(&r.Estimate, format)
	c.Small = trimUnit(format(r.Low)) + " to " + trimUnit(format(r.High))
	return c
}

func percentTick(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) + thin + "%" }

// intervalPlot draws an estimate with its interval and the threshold; nil when there is none.
func intervalPlot(r *contract.Range, threshold float64, scale logScale) *figure {
	if r == nil {
		return nil
	}
	f := &figure{Width: plotWidth, Height: 20, Fixed: true}
	if threshold > 0 {
		f.line("limit", scale.at(threshold), 1, scale.at(threshold), 19)
	}
	f.line("interval", scale.at(r.Low), 10, scale.at(r.High), 10)
	f.line("interval", scale.at(r.Low), 7, scale.at(r.Low), 13)
	f.line("interval", scale.at(r.High), 7, scale.at(r.High), 13)
	f.dot("dot", scale.at(r.Estimate), 10, 3.5)
	return f
}

func latencyBlocks(r contract.Report) []block {
	if len(r.Tests) == 0 {
		return []block{{Text: "No document has a test's result."}}
	}
	low, high := 1e5, 1e5
	for _, test := range r.Tests {
		if test.P50Ns != nil {
			low, high = min(low, max(test.P50Ns.P5, 100)), max(high, test.P50Ns.P95)
		}
		if test.P99Ns != nil {
			high = max(high, test.P99Ns.P95)
		}
	}
	scale := decades(low, min(high, 1e11), 100, 4, plotWidth-4)
	axis := func() *figure { return scale.axis(plotWidth, shortTime) }
	t := table{
		Caption:  "Latency by test and by what encrypts the volume, as median [quartiles] over measured volumes. In the pictures the box is from quartile to quartile, the line from the 5th to the 95th percentile",
		Sortable: true, Search: "Search the tests",
		Columns: []column{
			{Name: "Test"}, {Name: "Engine"}, {Name: "Write is done by"}, numeric("Valid (n)"), numeric("Not valid"),
			numeric("Median latency"), plotted("Median latency", axis()), numeric("99th percentile"), plotted("99th percentile", axis()), numeric("I/Os per second"),
		},
	}
	for _, test := range r.Tests {
		id := cell{Text: shown(test.TestID, longestCell), Head: true, Class: "whole"}
		if test.TestID == "" {
			id = groupName(nil, true)
		}
		durability := cell{Text: none, Class: "soft"}
		if test.Durability != nil {
			durability = cell{Text: string(*test.Durability), Class: "whole"}
		}
		t.Rows = append(t.Rows, []cell{
			id, whole(optional(test.Engine)), durability, counted(test.Valid), counted(test.Invalid),
			quartiles(test.P50Ns, micros), {Class: "plot", Figure: boxPlot(test.P50Ns, scale)},
			quartiles(test.P99Ns, micros), {Class: "plot", Figure: boxPlot(test.P99Ns, scale)}, quartiles(test.IOPS, perSecond),
		})
	}
	return []block{
		{Note: "Different disks are in these figures: they tell how latencies are spread in the fleet, and not what encryption costs. A 99th percentile is there where a run had enough I/Os for it."},
		{Table: &t},
	}
}
