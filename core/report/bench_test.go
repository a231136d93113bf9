package report

import (
	"strings"
	"testing"

	"diskaudit/core/contract"
)

func figureOf(v float64) *float64 { return &v }

func benchFixture() contract.Bench {
	device := contract.DurabilityDeviceCache
	kind, size := contract.TargetFile, uint64(1<<30)
	return contract.Bench{
		Header:  contract.Header{Complete: true},
		Target:  contract.BenchTarget{Path: "/data", Kind: &kind, SizeBytes: &size, BytesWritten: 3 << 29},
		Profile: contract.BenchProfile{Name: "quick", Purpose: "at a glance"},
		Tests: []contract.BenchTest{
			{ID: "RND4K-Q1T1-read", IOPS: figureOf(20_123.4), MBPerSecond: figureOf(82.4), Valid: true,
				LatencyNs: contract.Latency{P50: figureOf(48_250), P99: figureOf(91_040), Mean: figureOf(49_700)},
				Interval:  &contract.TestInterval{P50Ns: contract.Range{Low: 47_900, High: 48_600}},
				Notes:     []contract.InvalidReason{{Code: "virtual-machine", Text: "This is a virtual machine."}}},
			{ID: "RND4K-Q1T1-write", Durability: &device, IOPS: figureOf(54_321), MBPerSecond: figureOf(222.5), Valid: false,
				LatencyNs:      contract.Latency{P50: figureOf(17_777), P99: figureOf(33_333)},
				InvalidReasons: []contract.InvalidReason{{Code: "target-sparse", Text: "Parts are holes."}},
				Notes:          []contract.InvalidReason{{Code: "virtual-machine", Text: "This is a virtual machine."}}},
		},
		Penalty: contract.Penalty{
			Evidence: contract.EvidencePaired, Valid: true, Pairs: 4800,
			AddedNs: &contract.Range{Low: 10_500, Estimate: 11_200, High: 11_900}, AddedPercent: &contract.Range{Low: 26, Estimate: 28, High: 30},
			Paths:   &contract.PenaltyPaths{Upper: "/dev/mapper/data", Lower: "/dev/sda3", LowerOffsetBytes: 16 << 20},
			Control: &contract.PenaltyControl{Kind: "same-path", AddedNs: contract.Range{Low: -90, Estimate: 10, High: 110}, Pairs: 4800},
			Proof:   &contract.PathProof{Blocks: 64, LowerRandom: 64, UpperRandom: 3, Result: "encrypted"},
		},
		Verdict:  contract.Verdict{Result: contract.VerdictMaterial, Text: "Encryption adds 11.2 us.", ThresholdPercent: 10},
		Headroom: []contract.Headroom{{TestID: "RND4K-Q1T1-read", Metric: "p50Ns", Measured: 48_250, Predicted: contract.Range{Low: 36_350, Estimate: 37_050, High: 37_750}}},
	}
}

func benchText(t *testing.T, bench contract.Bench, width int) string {
	t.Helper()
	var text strings.Builder
	if err := Bench(&text, bench, Options{Width: width, ASCII: true}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestBenchTable(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		text := benchText(t, benchFixture(), width)
		for _, want := range []string{"20123", "82.4", "48.2", "91.0", "material", "11.20 us", "10.50 to 11.90 us", "28 %", "4800 pairs", "target-sparse", "37.0", "1.5 GiB written", "encrypted"} {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
				t.Errorf("at %d columns %q is missing:\n%s", width, want, text)
			}
		}
		for line := range strings.Lines(text) {
			if len(strings.TrimRight(line, "\n")) > width {
				t.Errorf("wider than %d: %s", width, line)
			}
		}
		if strings.Count(text, "This is a virtual machine.") != 1 {
			t.Errorf("a note of all tests is said once:\n%s", text)
		}
	}
}

// Nothing that is printed for an invalid test looks like a result.
func TestInvalidTestsShowNoFigures(t *testing.T) {
	text := benchText(t, benchFixture(), 120)
	for _, figure := range []string{"54321", "222.5", "17.7", "17.8", "33.3"} {
		if strings.Contains(text, figure) {
			t.Errorf("%s of an invalid test is shown:\n%s", figure, text)
		}
	}
}

func TestBenchWithoutAnything(t *testing.T) {
	text := benchText(t, contract.Bench{Header: contract.Header{Problems: []contract.Problem{{Code: "no-space", Level: contract.LevelError, Text: "There is no room."}}}}, 80)
	if !strings.Contains(text, "There is no room.") || !strings.Contains(text, "undecided") {
		t.Error(text)
	}
}

func TestComparisonTable(t *testing.T) {
	bench := benchFixture()
	bench.Comparison = &contract.Comparison{
		Baseline: contract.Baseline{Path: "old.json"},
		Tests: []contract.TestComparison{{TestID: "RND4K-Q1T1-read", Metric: "p50Ns", Baseline: 37_000, Current: 48_250, ChangePercent: 30.4,
			Interval: &contract.Range{Low: 28, Estimate: 30.4, High: 33}, Result: contract.ChangeSlower}},
		Refusals: []contract.Refusal{{Code: "other-durability", TestID: "RND4K-Q1T1-write", Text: "One is flushed."}},
		Notes:    []contract.InvalidReason{{Code: "tool-version", Text: "Another version measured then."}},
	}
	text := benchText(t, bench, 120)
	for _, want := range []string{"old.json", "+30.4 %", "slower", "One is flushed.", "other-durability", "Another version measured then."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}

// A path of the target cannot command the terminal.
func TestBenchIsLegible(t *testing.T) {
	bench := benchFixture()
	bench.Target.Path = "/data/\x1b[31mred\u202e"
	if text := benchText(t, bench, 80); strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("%q", text)
	}
}
