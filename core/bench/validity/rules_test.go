package validity

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

func value[T any](v T) *T { return &v }

// sound is a test on a healthy disk to which no rule applies.
func sound() Evidence {
	rounds := make([]contract.BenchRound, 6)
	return Evidence{
		Test: contract.BenchTest{
			ID: "RND4K-Q1T1-read", Operation: contract.OperationRead, Pattern: contract.PatternRandom, BlockBytes: 4096, QueueDepth: 1, Threads: 1,
			Ops: 60_000, Rounds: rounds, IOPS: value(20_000.0), MBPerSecond: value(81.9), MiBPerSecond: value(78.1),
			LatencyNs:     contract.Latency{Min: value(40e3), Mean: value(50e3), P50: value(49e3), P99: value(90e3)},
			AchievedDepth: value(0.99), CPUPercent: value(12.0), CPUNsPerIO: value(6e3),
			Histogram: []contract.HistogramClass{{FromNs: 1, ToNs: 2, Count: 3}},
			Interval:  &contract.TestInterval{}, Drift: &contract.Drift{Percent: 1, PValue: 0.6},
		},
		Target: contract.BenchTarget{
			SizeBytes: value(uint64(8 << 30)),
			Proof:     &contract.TargetProof{SampledBlocks: 64, RepeatReadNs: value(20e3), MemoryCopyNs: value(150.0)},
		},
		Facts: Facts{
			InMemory: Fact{Known: true}, Sparse: Fact{Known: true}, Unwritten: Fact{Known: true},
			Compressed: Fact{Known: true}, Encrypted: Fact{Known: true}, Cached: Fact{Known: true},
		},
		Context: contract.BenchContext{
			Machine: &contract.Machine{
				CPU: contract.CPU{LogicalProcessors: value(uint64(16))}, VirtualMachine: contract.VirtualMachine{Detected: value(false)},
				Power: contract.Power{Saver: value(false)},
			},
			Disk:   &contract.Disk{Bus: value(contract.BusNVMe)},
			Before: contract.BenchState{PowerSource: value(contract.PowerAC), Conversion: value(contract.FullyEncrypted), BusyPercent: value(3.0)},
			After:  contract.BenchState{PowerSource: value(contract.PowerAC), Conversion: value(contract.FullyEncrypted), TemperatureCelsius: value(45.0)},
		},
	}
}

func codes(reasons []contract.InvalidReason) []string {
	var all []string
	for _, reason := range reasons {
		all = append(all, reason.Code)
	}
	return all
}

func TestASoundTestIsValid(t *testing.T) {
	if judged := Judge(sound()); len(judged.Invalid)+len(judged.Notes) > 0 || judged.Withhold {
		t.Errorf("%+v", judged)
	}
}

// Each rule: what makes it apply, and what is just short of that.
var provocations = []struct {
	code     string
	provoke  func(*Evidence)
	shortOf  func(*Evidence)
	also     []string
	withheld bool
}{
	{code: "nothing-measured", withheld: true, also: []string{"io-error"},
		provoke: func(e *Evidence) { e.Test.Ops, e.Failed = 0, errors.New("input/output error") },
		shortOf: func(e *Evidence) { e.Test.Ops = 1 }},
	// P51, G#31160.
	{code: "clock-backwards", withheld: true, provoke: func(e *Evidence) { e.Backwards = 1 }},
	// P31, P51, P56, P57.
	{code: "zero-latency", withheld: true, provoke: func(e *Evidence) { e.Zero = 1 }},
	// P1, P26.
	{code: "target-sparse", withheld: true,
		provoke: func(e *Evidence) { e.Facts.Sparse = Fact{true, true, "4096 of 8192 bytes"} }},
	// P3, P4, P27.
	{code: "target-unwritten", withheld: true,
		provoke: func(e *Evidence) { e.Facts.Unwritten = Fact{true, true, "unwritten extents"} }},
	// P49.
	{code: "target-compressed", withheld: true,
		provoke: func(e *Evidence) { e.Facts.Compressed = Fact{true, true, "encoded extents"} }},
	{code: "target-encrypted-by-file-system", withheld: true,
		provoke: func(e *Evidence) { e.Facts.Encrypted = Fact{true, true, "EFS"} }},
	{code: "target-content-wrong", withheld: true,
		provoke: func(e *Evidence) { e.Target.Proof.WrongBlocks = 1 }},
	// P44, P72: 6.3 GB/s from a hard disk through NTFS-3G.
	{code: "cached", withheld: true,
		provoke: func(e *Evidence) { e.Target.Proof.RepeatReadNs = value(700.0) },
		shortOf: func(e *Evidence) { e.Target.Proof.RepeatReadNs = value(1500.0) }},
	{code: "cached", withheld: true, provoke: func(e *Evidence) { e.Facts.Cached = Fact{true, true, "a loop device without direct I/O"} }},
	{code: "cached", withheld: true, also: []string{"faster-than-flash"},
		provoke: func(e *Evidence) { e.Test.LatencyNs.P50, e.Test.LatencyNs.Mean = value(600.0), value(700.0) }},
	// P1: 53.7 GB/s where the disk does 529 MB/s.
	{code: "faster-than-memory", withheld: true, also: []string{"above-link-speed"},
		provoke: func(e *Evidence) { e.Test.MBPerSecond, e.Target.Proof.MemoryCopyNs = value(53_700.0), value(300.0) },
		shortOf: func(e *Evidence) { e.Test.MBPerSecond = value(27_000.0) }},
	{code: "above-link-speed", withheld: true,
		provoke: func(e *Evidence) { e.Test.MBPerSecond, e.Context.Disk.Bus = value(6300.0), value(contract.BusSATA) },
		shortOf: func(e *Evidence) { e.Test.MBPerSecond, e.Context.Disk.Bus = value(560.0), value(contract.BusSATA) }},
	// P33.
	{code: "flushes-missing", withheld: true,
		provoke: func(e *Evidence) {
			e.Test.Operation, e.Test.Durability, e.Test.Flushes = contract.OperationWrite, value(contract.DurabilityFlush), 59_999
		},
		shortOf: func(e *Evidence) {
			e.Test.Operation, e.Test.Durability, e.Test.Flushes = contract.OperationWrite, value(contract.DurabilityFlush), 60_000
		}},
	// P23: queue depth 256 asked for, 1 or 2 reached.
	{code: "depth-not-reached", withheld: true,
		provoke: func(e *Evidence) { e.Test.QueueDepth, e.Test.AchievedDepth = 256, value(1.6) },
		shortOf: func(e *Evidence) { e.Test.QueueDepth, e.Test.AchievedDepth = 256, value(250.0) }},
	{code: "memory-backed", provoke: func(e *Evidence) { e.Facts.InMemory = Fact{true, true, "zram0"} }},
	{code: "faster-than-flash",
		provoke: func(e *Evidence) { e.Test.LatencyNs.Mean, e.Test.LatencyNs.P50 = value(3e3), value(3e3) },
		shortOf: func(e *Evidence) { e.Test.LatencyNs.Mean, e.Test.LatencyNs.P50 = value(9e3), value(9e3) }},
	// P34: an error in the middle keeps what was measured.
	{code: "io-error", provoke: func(e *Evidence) { e.Failed = errors.New("input/output error") }},
	{code: "conversion-running", provoke: func(e *Evidence) { e.Activities = []Activity{{Kind: Encrypting}} }},
	{code: "conversion-running", provoke: func(e *Evidence) { e.Activities = []Activity{{Kind: Wiping, Volume: "C:"}} }},
	{code: "conversion-running",
		provoke: func(e *Evidence) {
			e.Context.Before.Conversion, e.Context.After.Conversion = value(contract.FullyEncrypted), value(contract.FullyDecrypted)
		},
		shortOf: func(e *Evidence) {
			e.Context.Before.Conversion, e.Context.After.Conversion = value(contract.FullyEncrypted), nil
		}},
	{code: "on-battery", provoke: func(e *Evidence) { e.Context.After.PowerSource = value(contract.PowerBattery) }},
	{code: "thermal-throttling", also: []string{"not-steady"},
		provoke: func(e *Evidence) {
			e.Context.After.TemperatureCelsius, e.Test.Drift = value(82.0), &contract.Drift{Percent: 40, PValue: 0.001, Significant: true}
		},
		shortOf: func(e *Evidence) { e.Context.After.TemperatureCelsius = value(82.0) }},
	{code: "few-rounds", provoke: func(e *Evidence) { e.Test.Rounds = e.Test.Rounds[:5] }},
	// P18.
	{code: "not-steady",
		provoke: func(e *Evidence) { e.Test.Drift = &contract.Drift{Percent: 20, PValue: 0.01, Significant: true} },
		shortOf: func(e *Evidence) { e.Test.Drift = &contract.Drift{Percent: 3, PValue: 0.01, Significant: true} }},
	// P20.
	{code: "processor-bound", provoke: func(e *Evidence) { e.Test.CPUPercent = value(98.0) }},
	// P16.
	{code: "more-threads-than-processors", provoke: func(e *Evidence) { e.Test.Threads = 17 }, shortOf: func(e *Evidence) { e.Test.Threads = 16 }},
	{code: "fallback", provoke: func(e *Evidence) { e.Test.APIFallback = value("io_uring is switched off") }},
	// P35, P47, P53: 0.48 ms within 1 MiB, 13 ms over the disk.
	{code: "small-span", provoke: func(e *Evidence) { e.Target.SizeBytes = value(uint64(1 << 20)) }, shortOf: func(e *Evidence) { e.Target.SizeBytes = value(uint64(1 << 30)) }},
	{code: "power-saver", provoke: func(e *Evidence) { e.Context.Machine.Power.Saver = value(true) }},
	// P19.
	{code: "virtual-machine", provoke: func(e *Evidence) { e.Context.Machine.VirtualMachine.Detected = value(true) }},
	{code: "busy-computer", provoke: func(e *Evidence) { e.Context.Before.BusyPercent = value(60.0) }},
	{code: "not-proven", provoke: func(e *Evidence) { e.Target.Proof = nil }},
}

func TestEachRule(t *testing.T) {
	provoked := map[string]bool{}
	for _, test := range provocations {
		provoked[test.code] = true
		evidence := sound()
		test.provoke(&evidence)
		judged := Judge(evidence)
		all := append(codes(judged.Invalid), codes(judged.Notes)...)
		want := append([]string{test.code}, test.also...)
		slices.Sort(all)
		slices.Sort(want)
		if !slices.Equal(all, want) || judged.Withhold != test.withheld {
			t.Errorf("%s: %v, withheld %v; want %v, %v", test.code, all, judged.Withhold, want, test.withheld)
		}
		if test.shortOf == nil {
			continue
		}
		evidence = sound()
		test.shortOf(&evidence)
		if judged := Judge(evidence); slices.Contains(append(codes(judged.Invalid), codes(judged.Notes)...), test.code) {
			t.Errorf("%s applies to what is just short of it", test.code)
		}
	}
	invalidates, notes := Codes()
	for _, code := range append(invalidates, notes...) {
		if !provoked[code] {
			t.Errorf("no test provokes %s", code)
		}
	}
}

// The text names each activity once, and what to do; of very many it names some.
func TestTextOfActivities(t *testing.T) {
	const end = ", which keeps the disk busy meanwhile. Measure when that is done; diskaudit status tells."
	many := []Activity{{Encrypting, "A:"}, {Encrypting, "B:"}, {Encrypting, "C:"}, {Encrypting, "D:"}, {Encrypting, "E:"}, {Encrypting, "F:"}}
	for _, test := range []struct {
		name       string
		activities []Activity
		want       string
	}{
		{"none", nil, ""},
		{"before and after", []Activity{{Encrypting, ""}, {Encrypting, ""}}, "BitLocker is encrypting the volume" + end},
		{"another volume", []Activity{{Decrypting, "C:"}}, "BitLocker is decrypting C: on the same disk" + end},
		{"free space", []Activity{{Wiping, ""}}, "BitLocker is wiping the free space of the volume" + end},
		{"two", []Activity{{Encrypting, ""}, {Wiping, "E:"}}, "BitLocker is encrypting the volume, wiping the free space of E: on the same disk" + end},
		{"many", many, "BitLocker is encrypting A: on the same disk, encrypting B: on the same disk, encrypting C: on the same disk, encrypting D: on the same disk, 2 more of the kind" + end},
	} {
		evidence := sound()
		evidence.Activities = test.activities
		if got := conversionRunning(evidence); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// What lies in memory is marked as that, and its figures are kept: they are the target's.
func TestMemoryIsNotCalledACache(t *testing.T) {
	evidence := sound()
	evidence.Facts.InMemory, evidence.Facts.Compressed = Fact{true, true, "zram0"}, Fact{true, true, "zram0"}
	evidence.Test.LatencyNs.P50, evidence.Test.LatencyNs.Mean = value(600.0), value(600.0)
	if judged := Judge(evidence); strings.Join(codes(judged.Invalid), " ") != "memory-backed" || judged.Withhold {
		t.Errorf("%+v", judged)
	}
}

// Unknown facts make nothing invalid; that nothing was verified is said.
func TestUnknownFactsJudgeNothing(t *testing.T) {
	evidence := sound()
	evidence.Facts, evidence.Context, evidence.Target = Facts{}, contract.BenchContext{}, contract.BenchTarget{}
	judged := Judge(evidence)
	if len(judged.Invalid) > 0 || strings.Join(codes(judged.Notes), " ") != "not-proven" {
		t.Errorf("%+v", judged)
	}
}

// Nothing that is shown for a test whose figures are not the disk's looks like a result.
func TestWithheldFiguresAreGone(t *testing.T) {
	evidence := sound()
	evidence.Facts.Sparse = Fact{true, true, "holes"}
	got := Apply(evidence)
	if got.Valid || got.IOPS != nil || got.MBPerSecond != nil || got.MiBPerSecond != nil || got.LatencyNs != (contract.Latency{}) ||
		len(got.Rounds) > 0 || len(got.Histogram) > 0 || got.Interval != nil || got.CPUNsPerIO != nil {
		t.Errorf("%+v", got)
	}
	if got.ID != "RND4K-Q1T1-read" || got.Ops != 60_000 {
		t.Errorf("what was done is told all the same: %+v", got)
	}
	evidence = sound()
	evidence.Facts.InMemory = Fact{true, true, "zram0"}
	if got := Apply(evidence); got.Valid || got.IOPS == nil {
		t.Errorf("figures of the target itself are kept, marked: %+v", got)
	}
}
