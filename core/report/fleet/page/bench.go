package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/report/fleet"
)

func volumeName(bench contract.Bench) string {
	if volume := bench.Context.Volume; volume != nil {
		return mounts(*volume)
	}
	return bench.Target.Path
}

func benchBlocks(bench contract.Bench, drawn bool, l limits) []block {
	var blocks []block
	if !bench.Complete {
		blocks = append(blocks, block{Alert: "This measurement is not complete; its problems are under What is not known."})
	}
	blocks = append(blocks, penaltyBlocks(bench)...)
	blocks = append(blocks, block{Heading: "Tests", Table: testTable(bench, l)})
	if drawn {
		if drawings := histograms(bench, l); len(drawings) > 0 {
			blocks = append(blocks, block{Heading: "Latencies", Note: "How many I/Os took how long, on a logarithmic scale; the marks are the median, the 99th and the 99.9th percentile. A dashed outline is of a test whose figures are not valid.", Multiple: drawings})
		}
	}
	if reasons := reasonTable(bench, l); reasons != nil {
		blocks = append(blocks, block{Heading: "Why figures are not valid, and what to know about them", Table: reasons})
	}
	if len(bench.Headroom) > 0 {
		blocks = append(blocks, block{Heading: "Predicted without encryption", Table: headroomTable(bench, l)})
	}
	if bench.Comparison != nil {
		blocks = append(blocks, comparisonBlocks(*bench.Comparison, l)...)
	}
	return append(blocks, block{Heading: "How it was measured", Facts: contextFacts(bench)})
}

// penaltyBlocks say what encryption adds, with the interval and the threshold as a picture.
func penaltyBlocks(bench contract.Bench) []block {
	penalty, verdict := bench.Penalty, bench.Verdict
	blocks := []block{{Heading: "What encryption adds: " + string(verdictOf(verdict.Result)), Text: shown(verdict.Text, 1000)}}
	if !penalty.Valid || penalty.AddedNs == nil {
		if penalty.Reason != nil && !strings.Contains(verdict.Text, penalty.Reason.Text) {
			blocks = append(blocks, block{Note: shown(penalty.Reason.Text+" ("+penalty.Reason.Code+")", 1000)})
		}
		return blocks
	}
	if penalty.AddedPercent != nil {
		blocks = append(blocks, block{Figure: penaltyFigure(*penalty.AddedPercent, verdict.ThresholdPercent)})
	}
	facts := []fact{{"Evidence", string(penalty.Evidence)}, {"Added to one I/O", interval(*penalty.AddedNs, micros)}}
	if penalty.AddedPercent != nil {
		facts = append(facts, fact{"In percent", interval(*penalty.AddedPercent, percentage)})
	}
	if penalty.BareNs != nil {
		facts = append(facts, fact{"Median latency without the layer", micros(*penalty.BareNs)})
	}
	if penalty.LayeredNs != nil {
		facts = append(facts, fact{"Median latency with the layer", micros(*penalty.LayeredNs)})
	}
	facts = append(facts, fact{"Pairs of reads", count(penalty.Pairs)})
	if penalty.CPUNsPerIO != nil {
		facts = append(facts, fact{"Processor time that it adds to one I/O", micros(*penalty.CPUNsPerIO)})
	}
	if control := penalty.Control; control != nil {
		facts = append(facts, fact{"Control, which should give 0", shown(control.Kind, longestCell) + ": " + interval(control.AddedNs, micros)})
	}
	if proof := penalty.Proof; proof != nil {
		facts = append(facts, fact{"Proof of the paths", fmt.Sprintf("%s: of %s the same through both", shown(proof.Result, longestCell), things(proof.Blocks, "block", "blocks")+" "+count(proof.Same))})
	}
	return append(blocks, block{Facts: facts})
}

func interval(r contract.Range, format func(float64) string) string {
	return fmt.Sprintf("%s (95%s%% interval %s to %s)", format(r.Estimate), thin, format(r.Low), format(r.High))
}

// penaltyFigure draws the interval and the threshold on a linear axis from 0.
func penaltyFigure(r contract.Range, threshold float64) *figure {
	const wide, left, right = 880.0, 30.0, 850.0
	bottom := min(0, r.Low, r.Estimate)
	top := max(r.High, r.Estimate, threshold*1.5, 1)
	step := tickStep(top - bottom)
	bottom, top = math.Floor(bottom/step)*step, math.Ceil(top/step)*step
	at := func(x float64) float64 { return left + (right-left)*(x-bottom)/(top-bottom) }
	f := &figure{
		Width: int(wide), Height: 96,
		Caption: "Added latency in percent of the latency without encryption: the dot is the estimate, the line the 95 % interval, the dashed line the threshold.",
		Label:   fmt.Sprintf("Added latency: %s; threshold %s", interval(r, percentage), percentage(threshold)),
	}
	f.line("axis", left, 66, right, 66)
	for i := 0; i <= 20; i++ {
		tick := bottom + float64(i)*step
		if tick > top+step/2 {
			break
		}
		f.line("axis", at(tick), 66, at(tick), 71)
		f.text("tick", "middle", at(tick), 86, strconv.FormatFloat(tick, 'g', 6, 64)+thin+"%")
	}
	if threshold > 0 {
		f.line("limit", at(threshold), 16, at(threshold), 66)
		f.text("tick", "start", at(threshold)+5, 24, "threshold "+percentage(threshold))
	}
	f.line("interval", at(r.Low), 44, at(r.High), 44)
	f.line("interval", at(r.Low), 37, at(r.Low), 51)
	f.line("interval", at(r.High), 37, at(r.High), 51)
	f.dot("dot", at(r.Estimate), 44, 5)
	return f
}

// tickStep is a round number that divides a length into 4 to 10 parts.
func tickStep(length float64) float64 {
	if !(length > 0) || math.IsInf(length, 0) {
		return 1
	}
	step := math.Pow(10, math.Floor(math.Log10(length)))
	switch parts := length / step; {
	case parts < 2:
		return step / 5
	case parts < 5:
		return step / 2
	}
	return step
}

func testTable(bench contract.Bench, l limits) *table {
	t := &table{
		Caption: "Results by test; an interval is that of the rounds' medians, at 95 %", Sortable: true,
		Columns: []column{
			{Name: "Test"}, {Name: "Result"}, numeric("I/Os per second"), numeric("Throughput"), numeric("Median"), numeric("99th percentile"), numeric("99.9th percentile"), numeric("Longest"), numeric("I/Os"), {Name: "Write is done by"},
		},
	}
	for i, test := range bench.Tests {
		if i == l.tests {
			t.Caption += fmt.Sprintf("; %d more tests are in the document", len(bench.Tests)-l.tests)
			break
		}
		result := cell{Text: "valid", Class: "whole"}
		if !test.Valid {
			result = cell{Text: "not valid", Badge: "invalid", Class: "whole"}
		}
		rate, median := number(test.IOPS, perSecond), number(test.LatencyNs.P50, micros)
		if test.Interval != nil {
			rate.Small = trimUnit(perSecond(test.Interval.IOPS.Low)) + " to " + trimUnit(perSecond(test.Interval.IOPS.High))
			median.Small = trimUnit(micros(test.Interval.P50Ns.Low)) + " to " + trimUnit(micros(test.Interval.P50Ns.High))
		}
		durability := cell{Text: none, Class: "soft"}
		if test.Durability != nil {
			durability = cell{Text: string(*test.Durability), Class: "whole"}
		}
		t.Rows = append(t.Rows, []cell{
			{Text: shown(test.ID, longestCell), Head: true, Class: "whole"}, result, rate, number(test.MBPerSecond, func(x float64) string { return figure3(x) + thin + "MB/s" }),
			median, number(test.LatencyNs.P99, micros), number(test.LatencyNs.P999, micros), number(test.LatencyNs.Max, micros), counted(test.Ops), durability,
		})
	}
	return t
}

// histograms draws the latencies of each test that has any. What was withheld has none.
func histograms(bench contract.Bench, l limits) []*figure {
	var drawings []*figure
	for i, test := range bench.Tests {
		if i == l.tests {
			break
		}
		if drawing := histogram(test); drawing != nil {
			drawings = append(drawings, drawing)
		}
	}
	return drawings
}

// columns is how many bars a histogram has.
const columns = 220

func histogram(test contract.BenchTest) *figure {
	const wide, tall, base, top = 440.0, 164, 136.0, 44.0
	bars, scale, most := bin(test.Histogram, wide)
	if most == 0 {
		return nil
	}
	state, class := "valid", "area"
	if !test.Valid {
		state, class = "not valid", "area invalid"
	}
	f := &figure{
		Width: int(wide), Height: tall, Caption: shown(test.ID, longestCell) + " (" + state + ", " + things(test.Ops, "I/O", "I/Os") + ")",
		Label: fmt.Sprintf("Latencies of %s: median %s", shown(test.ID, longestCell), number(test.LatencyNs.P50, micros).Text),
	}
	f.path(class, outline(bars, most, scale, base, top))
	f.line("axis", scale.from, base+0.5, scale.to, base+0.5)
	for _, tick := range scale.rounds() {
		x := scale.at(tick)
		f.line("axis", x, base, x, base+5)
		f.text("tick", anchorAt(x, wide), x, base+19, shortTime(tick))
	}
	for row, mark := range []struct {
		name  string
		value *float64
	}{{"p50", test.LatencyNs.P50}, {"p99", test.LatencyNs.P99}, {"p99.9", test.LatencyNs.P999}} {
		if mark.value == nil || *mark.value <= 0 {
			continue
		}
		x, y := scale.at(*mark.value), 11+13*float64(row)
		f.line("percentile", x, y-8, x, base)
		anchor, beside := "start", x+4
		if x > wide*0.7 {
			anchor, beside = "end", x-4
		}
		f.text("", anchor, beside, y+1, mark.name+" "+micros(*mark.value))
	}
	return f
}

// anchorAt keeps a text within a drawing.
func anchorAt(x, wide float64) string {
	switch {
	case x < 24:
		return "start"
	case x > wide-24:
		return "end"
	}
	return "middle"
}

// bin spreads the classes of a histogram over bars of equal width on a logarithmic scale.
func bin(histogram []contract.HistogramClass, wide float64) (bars []float64, scale logScale, most float64) {
	low, high := math.Inf(1), 0.0
	for _, class := range histogram {
		if class.Count > 0 && class.ToNs > class.FromNs {
			low, high = min(low, float64(class.FromNs)), max(high, float64(class.ToNs))
		}
	}
	if high == 0 {
		return nil, scale, 0
	}
	scale = snug(max(low, 10), min(max(high, 20), 1e12), 2, wide-2)
	bars = make([]float64, columns)
	place := func(ns float64) float64 { return (scale.at(ns) - scale.from) / (scale.to - scale.from) * columns }
	for _, class := range histogram {
		if class.Count == 0 || class.ToNs <= class.FromNs {
			continue
		}
		from, to := place(float64(class.FromNs)), place(float64(class.ToNs))
		first := min(int(from), columns-1)
		last := min(max(int(math.Ceil(to)), first+1), columns)
		for i := first; i < last; i++ {
			part := min(to, float64(i+1)) - max(from, float64(i))
			if to-from > 0 {
				bars[i] += float64(class.Count) * part / (to - from)
			} else {
				bars[i] += float64(class.Count)
			}
			most = max(most, bars[i])
		}
	}
	return bars, scale, most
}

// outline is the path round the bars. Where there is anything there is something to see.
func outline(bars []float64, most float64, scale logScale, base, top float64) []string {
	step := (scale.to - scale.from) / float64(len(bars))
	points := []string{"M", px(scale.from), " ", px(base)}
	for i, bar := range bars {
		y := base
		if bar > 0 {
			y = base - max((base-top)*bar/most, 1.5)
		}
		points = append(points, "V", px(y), "H", px(scale.from+float64(i+1)*step))
	}
	return append(points, "V", px(base), "Z")
}

// reasonTable lists each reason and note once, with the tests that it is about; nil without any.
func reasonTable(bench contract.Bench, l limits) *table {
	type said struct {
		kind   string
		reason contract.InvalidReason
	}
	tests := map[said][]string{}
	var order []said
	add := func(kind, test string, reasons []contract.InvalidReason) {
		for _, reason := range reasons {
			one := said{kind, reason}
			if _, known := tests[one]; !known {
				order = append(order, one)
			}
			tests[one] = append(tests[one], test)
		}
	}
	for i, test := range bench.Tests {
		if i == l.tests {
			break
		}
		add("not valid", test.ID, test.InvalidReasons)
		add("note", test.ID, test.Notes)
	}
	if len(order) == 0 {
		return nil
	}
	t := &table{Caption: "Reasons and notes", Columns: []column{{Name: "Kind"}, {Name: "Reason"}, {Name: "Tests"}, {Name: "What it says", Class: "wide"}}}
	for i, one := range order {
		if i == l.problems {
			break
		}
		about := strings.Join(tests[one], ", ")
		if len(tests[one]) == len(bench.Tests) {
			about = "all tests"
		}
		kind := cell{Text: one.kind, Head: true, Class: "whole"}
		t.Rows = append(t.Rows, []cell{kind, text(one.reason.Code), {Text: shown(about, 300)}, {Text: shown(one.reason.Text, 500), Class: "wide"}})
	}
	return t
}

func headroomTable(bench contract.Bench, l limits) *table {
	t := &table{Caption: "Figures predicted for this disk without the encryption layer", Columns: []column{{Name: "Test"}, {Name: "Figure"}, numeric("Measured"), numeric("Predicted")}}
	for i, room := range bench.Headroom {
		if i == l.tests {
			break
		}
		name, format := "I/Os per second", perSecond
		if room.Metric == "p50Ns" {
			name, format = "median latency", micros
		}
		t.Rows = append(t.Rows, []cell{{Text: shown(room.TestID, longestCell), Head: true, Class: "whole"}, {Text: name, Class: "whole"}, number(&room.Measured, format), rangeCell(room.Predicted, format)})
	}
	return t
}

func comparisonBlocks(comparison contract.Comparison, l limits) []block {
	t := table{
		Caption: "Compared with " + shown(comparison.Baseline.Path, 200),
		Columns: []column{{Name: "Test"}, {Name: "Figure"}, numeric("Then"), numeric("Now"), numeric("Change"), {Name: "Result"}},
	}
	for i, test := range comparison.Tests {
		if i == l.tests {
			break
		}
		result := test.Result
		if result == "" {
			result = contract.ChangeUndecided
		}
		change := number(&test.ChangePercent, percentage)
		if test.Interval != nil {
			change.Small = trimUnit(percentage(test.Interval.Low)) + " to " + trimUnit(percentage(test.Interval.High))
		}
		t.Rows = append(t.Rows, []cell{
			{Text: shown(test.TestID, longestCell), Head: true, Class: "whole"}, text(test.Metric), number(&test.Baseline, figure3), number(&test.Current, figure3), change, {Text: string(result), Class: "whole"},
		})
	}
	blocks := []block{{Heading: "Comparison"}}
	if len(t.Rows) > 0 {
		blocks = append(blocks, block{Table: &t})
	}
	for i, refusal := range comparison.Refusals {
		if i == 20 {
			break
		}
		about := ""
		if refusal.TestID != "" {
			about = refusal.TestID + ": "
		}
		blocks = append(blocks, block{Note: shown("Not compared: "+about+refusal.Text, 500)})
	}
	return blocks
}

func contextFacts(bench contract.Bench) []fact {
	context := bench.Context
	facts := []fact{{"Target", bench.Target.Path}, {"Profile", bench.Profile.Name}, {"I/O by", orUnknown(bench.Engine.API)}, {"Clock", orUnknown(bench.Engine.Clock.Source)}}
	if context.Disk != nil {
		facts = append(facts, fact{"Disk", orUnknown(context.Disk.Model)}, fact{"Firmware", orUnknown(context.Disk.Firmware)}, fact{"Driver", driver(context.Disk.Driver)})
	}
	if context.Volume != nil {
		e := context.Volume.Encryption
		facts = append(facts, fact{"Cipher", word(e.Method).Text}, fact{"Engine", word(e.Engine).Text}, fact{"Conversion", word(e.Conversion).Text})
	}
	if context.Machine != nil {
		facts = append(facts, fact{"Processor", orUnknown(context.Machine.CPU.Name)}, fact{"System", orUnknown(context.Machine.OS)})
	}
	power := unknown
	if context.Before.PowerSource != nil {
		power = string(*context.Before.PowerSource)
	}
	facts = append(facts, fact{"Power", power}, fact{"Power plan", orUnknown(context.Before.PowerPlan)}, fact{"Written to the disk", size(&bench.Target.BytesWritten)}, fact{"Measured", minute(bench.CollectedAt)}, fact{"Measured by", bench.Tool.Name + " " + bench.Tool.Version})
	for i := range facts {
		facts[i].Value = shown(facts[i].Value, 200)
	}
	return facts
}

func earlierBlocks(portrait fleet.Portrait) []block {
	t := table{
		Caption: things(uint64(len(portrait.Earlier))+portrait.MoreEarlier, "earlier measurement", "earlier measurements"), Sortable: true, Search: "Search these measurements",
		Columns: []column{{Name: "Written"}, {Name: "Volume"}, {Name: "Profile"}, {Name: "Verdict"}, numeric("Added"), numeric("Added latency"), {Name: "Evidence"}, {Name: "File"}},
	}
	for _, earlier := range portrait.Earlier {
		percent, ns := cell{Text: none, Class: "num soft", HasValue: true}, cell{Text: none, Class: "num soft", HasValue: true}
		if earlier.Penalty.Valid && earlier.Penalty.AddedPercent != nil {
			percent = rangeCell(*earlier.Penalty.AddedPercent, percentage)
		}
		if earlier.Penalty.Valid && earlier.Penalty.AddedNs != nil {
			ns = rangeCell(*earlier.Penalty.AddedNs, micros)
		}
		t.Rows = append(t.Rows, []cell{
			{Text: minute(earlier.Place.CollectedAt), Head: true, Class: "whole"}, text(earlier.Volume), text(earlier.Profile), badge(string(verdictOf(earlier.Verdict.Result))),
			percent, ns, {Text: string(earlier.Penalty.Evidence), Class: "whole"}, {Text: shown(earlier.Place.Path, 220)},
		})
	}
	return []block{{Table: &t}}
}
