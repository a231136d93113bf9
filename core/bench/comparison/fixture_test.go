package comparison

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/bench/profile"
	"diskaudit/core/contract"
)

// computer is a run's context with every fact that is compared.
func computer() contract.BenchContext {
	state := contract.BenchState{PowerSource: contract.Ptr(contract.PowerAC), PowerPlan: contract.Ptr("Balanced")}
	return contract.BenchContext{
		Machine: &contract.Machine{
			Source: contract.SourceWindows, Build: contract.Ptr("26100.1742"),
			VirtualMachine: contract.VirtualMachine{Detected: contract.Ptr(false)},
			CPU:            contract.CPU{Name: contract.Ptr("Core 7")},
		},
		Disk: &contract.Disk{
			ID: "PhysicalDrive0", Model: contract.Ptr("Example 1TB"), Firmware: contract.Ptr("1B"), SizeBytes: contract.Ptr(uint64(1e12)),
			Driver:     contract.Driver{Name: contract.Ptr("stornvme"), Version: contract.Ptr("10.0.26100.1")},
			WriteCache: contract.WriteCache{Enabled: contract.Ptr(true)},
		},
		Volume: &contract.Volume{ID: "C:", Encryption: contract.Encryption{
			Format: contract.Ptr("none"), Conversion: contract.Ptr(contract.FullyDecrypted), Method: contract.Ptr(contract.MethodNone), Engine: contract.Ptr(contract.EngineNone),
		}},
		Before: state, After: state,
	}
}

// spec is a random 4 KiB test at queue depth 1 on 1 GiB.
func spec(operation contract.Operation) contract.TestSpec {
	s := contract.TestSpec{
		Operation: operation, BlockBytes: 4096, Pattern: contract.PatternRandom, QueueDepth: 1, Threads: 1,
		SpanBytes: 1 << 30, Rounds: 6, RoundMs: 1000, WarmupMs: 500,
	}
	if operation == contract.OperationWrite {
		s.Durability = contract.Ptr(contract.DurabilityDeviceCache)
	}
	return s
}

// result is a test of the given rounds' median latencies in ns.
func result(s contract.TestSpec, p50 ...float64) contract.BenchTest {
	t := contract.BenchTest{
		ID: profile.ID(s), Operation: s.Operation, BlockBytes: s.BlockBytes, Pattern: s.Pattern, QueueDepth: s.QueueDepth,
		Threads: s.Threads, Durability: s.Durability, API: contract.Ptr("ReadFile/WriteFile"), Valid: true,
		AchievedDepth: contract.Ptr(float64(s.QueueDepth * s.Threads)),
	}
	var rates []float64
	for i, ns := range p50 {
		round := contract.BenchRound{StartedMs: float64(i) * s.RoundMs, ElapsedMs: s.RoundMs}
		round.P50Ns, round.MeanNs = contract.Ptr(ns), contract.Ptr(ns*1.1)
		round.IOPS = 1e9 / (ns * 1.1)
		round.MBPerSecond = round.IOPS * float64(s.BlockBytes) / 1e6
		rates = append(rates, round.IOPS)
		t.Rounds = append(t.Rounds, round)
	}
	if len(p50) > 0 {
		m, r := middle(p50), middle(rates)
		t.LatencyNs.P50, t.LatencyNs.Mean = &m, contract.Ptr(m*1.1)
		t.IOPS, t.MBPerSecond = &r, contract.Ptr(r*float64(s.BlockBytes)/1e6)
	}
	return t
}

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// document is a bench document of tests, with a profile that says the same.
func document(tests ...contract.BenchTest) contract.Bench {
	b := contract.Bench{Context: computer(), Tests: tests}
	b.Header = contract.Header{
		SchemaVersion: contract.SchemaVersion, Kind: contract.KindBench, Complete: true,
		Tool: contract.Tool{Name: "diskaudit", Version: "1.2.3"}, CollectedAt: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC),
	}
	b.Target = contract.BenchTarget{Path: `C:\`, Kind: contract.Ptr(contract.TargetFile), Layer: contract.Ptr("file system"), FileSystem: contract.Ptr("NTFS")}
	for _, t := range tests {
		b.Profile.Tests = append(b.Profile.Tests, contract.TestSpec{
			ID: t.ID, Operation: t.Operation, BlockBytes: t.BlockBytes, Pattern: t.Pattern, QueueDepth: t.QueueDepth, Threads: t.Threads,
			Durability: t.Durability, SpanBytes: 1 << 30, Rounds: 6, RoundMs: 1000, WarmupMs: 500,
		})
	}
	return b
}

// around makes rounds that vary by a part of their median, steadily and without chance.
func around(ns float64) []float64 {
	values := make([]float64, 6)
	for i := range values {
		values[i] = ns * (1 + 0.004*float64(i) - 0.01)
	}
	return values
}

// noisy makes rounds that vary by chance.
func noisy(r *rand.Rand, ns, deviation float64) []float64 {
	values := make([]float64, 6)
	for i := range values {
		values[i] = ns * math.Exp(r.NormFloat64()*deviation)
	}
	return values
}

// saved encodes a document and reads it back as a baseline.
func saved(t testing.TB, b contract.Bench) *Result {
	t.Helper()
	data, err := contract.Encode(b)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read("old.json", data)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func codesOf(refusals []contract.Refusal) string {
	var codes []string
	for _, r := range refusals {
		codes = append(codes, strings.TrimSuffix(r.Code+"/"+r.TestID, "/"))
	}
	return strings.Join(codes, " ")
}

func noteCodes(notes []contract.InvalidReason) string {
	var codes []string
	for _, n := range notes {
		codes = append(codes, n.Code)
	}
	return strings.Join(codes, " ")
}

// results lists a comparison's figures as "id metric result".
func results(c contract.Comparison) string {
	var lines []string
	for _, t := range c.Tests {
		lines = append(lines, t.TestID+" "+t.Metric+" "+string(t.Result))
	}
	return strings.Join(lines, "; ")
}

// valid fails the test when a comparison cannot be written in a document.
func valid(t testing.TB, c contract.Comparison) {
	t.Helper()
	b := document()
	b.Comparison = &c
	data, err := contract.Encode(b)
	if err != nil {
		t.Fatalf("the comparison cannot be encoded: %v", err)
	}
	if err := contract.Validate(contract.KindBench, data); err != nil {
		t.Fatalf("the comparison is not valid: %v", err)
	}
}
