package report

import (
	"fmt"
	"io"
	"strings"

	"diskaudit/core/contract"
)

// Bench writes a bench document as tables: the target, the tests, what encryption adds, the
// verdict, the comparison and the problems. A test that is not valid shows its reason in place of
// figures, so that nothing that is not a result looks like one.
func Bench(w io.Writer, bench contract.Bench, options Options) error {
	p := newPage(options)
	p.field("Target", targetLine(bench))
	if bench.Context.Disk != nil {
		p.field("Disk", diskLine(*bench.Context.Disk))
	}
	p.field("Profile", bench.Profile.Name+", "+bench.Profile.Purpose)

	if len(bench.Tests) > 0 {
		p.heading("Tests")
		p.grid(testGrid(bench.Tests))
		p.paragraph(span{text: "MB/s are 10^6 bytes a second; latencies in us (microseconds), exact percentiles; IOPS and MB/s are medians of the rounds."}, 0, 0)
		writeReasons(p, bench.Tests)
	}
	writePenalty(p, bench)
	if bench.Comparison != nil {
		writeComparison(p, *bench.Comparison)
	}
	writeProblems(p, bench.Problems, nil)
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

func targetLine(bench contract.Bench) string {
	t := bench.Target
	if t.Path == "" {
		return "none"
	}
	line := t.Path
	if t.SizeBytes != nil {
		line += ", " + english.size(t.SizeBytes)
	}
	if t.FileSystem != nil {
		line += " on " + *t.FileSystem
	}
	if t.VolumeID != nil && *t.VolumeID != t.Path {
		line += ", volume " + *t.VolumeID
	}
	if t.BytesWritten > 0 {
		line += fmt.Sprintf("; %s written", english.size(&t.BytesWritten))
	}
	return line
}

func diskLine(disk contract.Disk) string {
	words := []string{disk.ID}
	if disk.Model != nil {
		words = append(words, *disk.Model)
	}
	words = append(words, english.bus(disk), "driver "+orUnknown(disk.Driver.Name, unknown, ""))
	return strings.Join(words, ", ")
}

func testGrid(tests []contract.BenchTest) grid {
	g := grid{columns: []column{
		{name: "Test", whole: true}, number("IOPS"), number("MB/s"), number("p50 us"), number("p99 us"),
		spareNumber("mean us"), spareNumber("95 % of p50, us"), {name: "Result"},
	}}
	for _, test := range tests {
		result := span{"valid", good}
		if !test.Valid {
			codes := make([]string, 0, len(test.InvalidReasons))
			for _, reason := range test.InvalidReasons {
				codes = append(codes, reason.Code)
			}
			result = span{"invalid: " + strings.Join(codes, ", "), bad}
			test.IOPS, test.MBPerSecond, test.LatencyNs, test.Interval = nil, nil, contract.Latency{}, nil
		}
		interval := notApplicable
		if test.Interval != nil {
			interval = fmt.Sprintf("%.1f to %.1f", test.Interval.P50Ns.Low/1000, test.Interval.P50Ns.High/1000)
		}
		g.rows = append(g.rows, []span{
			{text: test.ID}, {text: figure(test.IOPS, 1, 0)}, {text: figure(test.MBPerSecond, 1, 1)}, {text: figure(test.LatencyNs.P50, 1000, 1)},
			{text: figure(test.LatencyNs.P99, 1000, 1)}, {text: figure(test.LatencyNs.Mean, 1000, 1)}, {text: interval}, result,
		})
	}
	return g
}

func number(name string) column {
	return column{name: name, whole: true, verbatim: true, right: true}
}

func spareNumber(name string) column {
	spare := number(name)
	spare.spare = true
	return spare
}

// figure writes a number divided by a unit; null is "-", which the result explains.
func figure(value *float64, unit float64, decimals int) string {
	if value == nil {
		return notApplicable
	}
	return fmt.Sprintf("%.*f", decimals, *value/unit)
}

// writeReasons writes each reason and note once, with the tests that it is about.
func writeReasons(p *page, tests []contract.BenchTest) {
	type said struct {
		reason contract.InvalidReason
		tests  []string
		bad    bool
	}
	var all []*said
	add := func(reason contract.InvalidReason, test string, bad bool) {
		for _, known := range all {
			if known.reason == reason {
				known.tests = append(known.tests, test)
				return
			}
		}
		all = append(all, &said{reason, []string{test}, bad})
	}
	for _, test := range tests {
		for _, reason := range test.InvalidReasons {
			add(reason, test.ID, true)
		}
		for _, reason := range test.Notes {
			add(reason, test.ID, false)
		}
	}
	if len(all) > 0 {
		p.blank()
	}
	for _, one := range all {
		label, style := "NOTE:", note
		if one.bad {
			label, style = "INVALID:", bad
		}
		about := strings.Join(one.tests, ", ")
		if len(one.tests) == len(tests) {
			about = "all tests"
		}
		p.labelled(label, style, span{text: fmt.Sprintf("%s (%s; %s)", one.reason.Text, one.reason.Code, about)}, 0, indent)
	}
}

var verdictStyles = map[contract.VerdictResult]style{
	contract.VerdictMaterial:   caution,
	contract.VerdictNegligible: good,
}

func writePenalty(p *page, bench contract.Bench) {
	penalty := bench.Penalty
	p.heading("What encryption adds")
	p.labelled("Verdict:", strong, span{string(verdict(bench.Verdict.Result)) + ". " + bench.Verdict.Text, verdictStyles[bench.Verdict.Result]}, 0, indent)
	if penalty.Valid && penalty.AddedNs != nil {
		text := fmt.Sprintf("%s, %d pairs: %.2f us (95 %% interval %.2f to %.2f us)", penalty.Evidence, penalty.Pairs,
			penalty.AddedNs.Estimate/1000, penalty.AddedNs.Low/1000, penalty.AddedNs.High/1000)
		if penalty.AddedPercent != nil {
			text += fmt.Sprintf(", %.0f %% of the latency without it", penalty.AddedPercent.Estimate)
		}
		p.field("Evidence", text)
	}
	if paths := penalty.Paths; paths != nil {
		p.field("Paths", fmt.Sprintf("%s above, %s below from byte %d", paths.Upper, paths.Lower, paths.LowerOffsetBytes))
	}
	if control := penalty.Control; control != nil {
		p.field("Control", fmt.Sprintf("%s: %.2f us (%.2f to %.2f us), %d pairs; 0 is expected", control.Kind,
			control.AddedNs.Estimate/1000, control.AddedNs.Low/1000, control.AddedNs.High/1000, control.Pairs))
	}
	if proof := penalty.Proof; proof != nil {
		p.field("Proof of the paths", fmt.Sprintf("%s: of %d blocks %d are the same, %d look random below and %d above", proof.Result, proof.Blocks, proof.Same, proof.LowerRandom, proof.UpperRandom))
	}
	if reason := penalty.Reason; reason != nil && !strings.Contains(bench.Verdict.Text, reason.Text) {
		p.field("Reason", reason.Text+" ("+reason.Code+")")
	}
	for _, room := range bench.Headroom {
		unit, divide := "IOPS", 1.0
		if room.Metric == "p50Ns" {
			unit, divide = "us", 1000
		}
		p.field("Without it", fmt.Sprintf("%s would have %.1f %s (%.1f to %.1f) instead of %.1f", room.TestID,
			room.Predicted.Estimate/divide, unit, room.Predicted.Low/divide, room.Predicted.High/divide, room.Measured/divide))
	}
}

// verdict is the result, or undecided for the zero value.
func verdict(result contract.VerdictResult) contract.VerdictResult {
	if result == "" {
		return contract.VerdictUndecided
	}
	return result
}

var changeStyles = map[contract.ChangeResult]style{
	contract.ChangeSlower: bad,
	contract.ChangeFaster: good,
}

func writeComparison(p *page, comparison contract.Comparison) {
	p.heading("Compared with " + comparison.Baseline.Path)
	if len(comparison.Tests) > 0 {
		g := grid{columns: []column{
			{name: "Test", whole: true}, {name: "Figure", whole: true}, number("then"), number("now"), number("change"),
			spareNumber("95 % interval"), {name: "Result", whole: true},
		}}
		for _, test := range comparison.Tests {
			interval := notApplicable
			if test.Interval != nil {
				interval = fmt.Sprintf("%+.1f to %+.1f %%", test.Interval.Low, test.Interval.High)
			}
			result := test.Result
			if result == "" {
				result = contract.ChangeUndecided
			}
			g.rows = append(g.rows, []span{
				{text: test.TestID}, {text: test.Metric}, {text: fmt.Sprintf("%.1f", test.Baseline)}, {text: fmt.Sprintf("%.1f", test.Current)},
				{text: fmt.Sprintf("%+.1f %%", test.ChangePercent)}, {text: interval}, {string(result), changeStyles[result]},
			})
		}
		p.grid(g)
	}
	for _, refusal := range comparison.Refusals {
		about := refusal.Code
		if refusal.TestID != "" {
			about += "; " + refusal.TestID
		}
		p.labelled("NOT COMPARED:", caution, span{text: refusal.Text + " (" + about + ")"}, 0, indent)
	}
	for _, remark := range comparison.Notes {
		p.labelled("NOTE:", note, span{text: remark.Text + " (" + remark.Code + ")"}, 0, indent)
	}
}
