package comparison

import (
	"math"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

func TestCompareRounds(t *testing.T) {
	read := spec(contract.OperationRead)
	for name, test := range map[string]struct {
		then, now []float64
		want      string
		regressed bool
	}{
		"a fifth slower":            {around(50_000), around(60_000), "RND4K-Q1T1-read p50Ns slower; RND4K-Q1T1-read iops slower", true},
		"a fifth faster":            {around(60_000), around(50_000), "RND4K-Q1T1-read p50Ns faster; RND4K-Q1T1-read iops faster", false},
		"within the threshold":      {around(50_000), around(50_500), "RND4K-Q1T1-read p50Ns same; RND4K-Q1T1-read iops same", false},
		"certain, but below 5 %":    {around(50_000), around(51_750), "RND4K-Q1T1-read p50Ns same; RND4K-Q1T1-read iops same", false},
		"too noisy to tell":         {[]float64{40e3, 60e3, 45e3, 55e3, 50e3, 70e3}, []float64{41e3, 72e3, 45e3, 58e3, 66e3, 50e3}, "RND4K-Q1T1-read p50Ns undecided; RND4K-Q1T1-read iops undecided", false},
		"slower, but three rounds":  {around(50_000)[:3], around(60_000), "RND4K-Q1T1-read p50Ns undecided; RND4K-Q1T1-read iops undecided", false},
		"doubled, with three":       {around(50_000)[:3], around(100_000), "RND4K-Q1T1-read p50Ns slower; RND4K-Q1T1-read iops slower", true},
		"identical rounds, no ties": {around(50_000), []float64{49_501, 49_702, 49_899, 50_101, 50_299, 50_499}, "RND4K-Q1T1-read p50Ns same; RND4K-Q1T1-read iops same", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := Compare(saved(t, document(result(read, test.then...))), document(result(read, test.now...)), 5)
			valid(t, c)
			if got := results(c); got != test.want || c.Regression != test.regressed || !c.Comparable {
				t.Errorf("got %s, regression %v, comparable %v, refusals %v", got, c.Regression, c.Comparable, c.Refusals)
			}
		})
	}
}

// The figures of a change are those of arithmetic on the two runs: 50 us to 60 us is 20 % more
// time and a sixth fewer I/Os.
func TestChangeInPercent(t *testing.T) {
	read := spec(contract.OperationRead)
	c := Compare(saved(t, document(result(read, around(50_000)...))), document(result(read, around(60_000)...)), 0)
	if c.ThresholdPercent != 5 {
		t.Errorf("threshold %g", c.ThresholdPercent)
	}
	want := map[string]float64{"p50Ns": 20, "iops": -100.0 / 6}
	for _, test := range c.Tests {
		near := func(got float64) bool { return math.Abs(got-want[test.Metric]) < 1e-9 }
		if !near(test.ChangePercent) || test.Interval == nil || !near(test.Interval.Estimate) {
			t.Errorf("%s: %+v %+v", test.Metric, test, test.Interval)
			continue
		}
		if test.Interval.Low >= test.Interval.Estimate || test.Interval.High <= test.Interval.Estimate {
			t.Errorf("%s: interval %+v", test.Metric, *test.Interval)
		}
		// Six rounds wholly above six: two of 924 orders.
		if test.PValue == nil || math.Abs(*test.PValue-2.0/924) > 1e-12 {
			t.Errorf("%s: p %v", test.Metric, test.PValue)
		}
	}
}

func TestThresholdOfTheCaller(t *testing.T) {
	read := spec(contract.OperationRead)
	then, now := saved(t, document(result(read, around(50_000)...))), document(result(read, around(60_000)...))
	if c := Compare(then, now, 30); c.Regression || results(c) != "RND4K-Q1T1-read p50Ns same; RND4K-Q1T1-read iops same" {
		t.Errorf("at 30 %%: %s", results(c))
	}
	if c := Compare(then, now, math.NaN()); c.ThresholdPercent != 5 || !c.Regression {
		t.Errorf("a threshold that is no number: %g", c.ThresholdPercent)
	}
}

// Whole runs that are unlike are not compared, whatever their figures (cases P50, P16, P42).
func TestUnlikeRuns(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*contract.Bench)
		refusals string
		notes    string
	}{
		"alike": {func(*contract.Bench) {}, "", ""},
		"P50 other driver": {func(b *contract.Bench) { b.Context.Disk.Driver.Name = contract.Ptr("nvmedisk") },
			"driver-differs", ""},
		"P50 other driver version": {func(b *contract.Bench) { b.Context.Disk.Driver.Version = contract.Ptr("10.0.26100.2") },
			"", "driver-version-differs"},
		"P50 other kernel build": {func(b *contract.Bench) { b.Context.Machine.Build = contract.Ptr("26100.9999") },
			"", "system-build-differs"},
		"P16 P42 other tool version": {func(b *contract.Bench) { b.Tool.Version = "1.3.0" },
			"", "tool-differs"},
		"other model": {func(b *contract.Bench) { b.Context.Disk.Model = contract.Ptr("Example 2TB") },
			"disk-differs", ""},
		"other size": {func(b *contract.Bench) { b.Context.Disk.SizeBytes = contract.Ptr(uint64(2e12)) },
			"disk-differs", ""},
		"other firmware": {func(b *contract.Bench) { b.Context.Disk.Firmware = contract.Ptr("2B") },
			"", "firmware-differs"},
		"other system": {func(b *contract.Bench) { b.Context.Machine.Source = contract.SourceLinux },
			"system-differs", ""},
		"other layer": {func(b *contract.Bench) { b.Target.Layer = contract.Ptr("crypt") },
			"layer-differs", ""},
		"guest": {func(b *contract.Bench) {
			b.Context.Machine.VirtualMachine = contract.VirtualMachine{Detected: contract.Ptr(true), Hypervisor: contract.Ptr("Hyper-V")}
		}, "virtual-machine-differs", ""},
		"other processor": {func(b *contract.Bench) { b.Context.Machine.CPU.Name = contract.Ptr("Core 9") },
			"", "processor-differs"},
		"on battery": {func(b *contract.Bench) { b.Context.Before.PowerSource = contract.Ptr(contract.PowerBattery) },
			"", "power-differs"},
		"other plan": {func(b *contract.Bench) { b.Context.Before.PowerPlan = contract.Ptr("Power saver") },
			"", "power-differs"},
		"other file system": {func(b *contract.Bench) { b.Target.FileSystem = contract.Ptr("ReFS") },
			"", "file-system-differs"},
		"encrypted": {func(b *contract.Bench) {
			e := &b.Context.Volume.Encryption
			e.Conversion, e.Method, e.Engine = contract.Ptr(contract.FullyEncrypted), contract.Ptr(contract.XtsAes256), contract.Ptr(contract.EngineSoftware)
		}, "", "encryption-differs encryption-differs encryption-differs"},
		"disk unknown": {func(b *contract.Bench) { b.Context.Disk = nil },
			"", "context-unknown"},
		"computer unknown": {func(b *contract.Bench) { b.Context.Machine = nil },
			"", "context-unknown"},
		"encryption unknown": {func(b *contract.Bench) { b.Context.Volume = nil },
			"", "context-unknown"},
		"incomplete": {func(b *contract.Bench) { b.Complete = false },
			"", "baseline-incomplete"},
		"newer": {func(b *contract.Bench) { b.CollectedAt = b.CollectedAt.AddDate(0, 0, 1) },
			"", "baseline-newer"},
	} {
		t.Run(name, func(t *testing.T) {
			read := spec(contract.OperationRead)
			then, now := document(result(read, around(50_000)...)), document(result(read, around(50_100)...))
			test.change(&then)
			c := Compare(saved(t, then), now, 5)
			valid(t, c)
			if codesOf(c.Refusals) != test.refusals || noteCodes(c.Notes) != test.notes {
				t.Errorf("refusals %v, notes %v", c.Refusals, c.Notes)
			}
			if compared := len(c.Tests) == 2; compared != (test.refusals == "") || c.Comparable != compared {
				t.Errorf("%d figures, comparable %v", len(c.Tests), c.Comparable)
			}
		})
	}
}

// A fact that one side does not tell is named, with the side; what neither has by its nature is not.
func TestUnknownIsNeverTheSame(t *testing.T) {
	read := spec(contract.OperationRead)
	then, now := document(result(read, around(50_000)...)), document(result(read, around(50_100)...))
	then.Context.Disk.Model, now.Context.Machine.Build = nil, nil
	then.Target.FileSystem, now.Target.FileSystem = nil, nil
	then.Target.Layer, now.Target.Layer = nil, nil
	c := Compare(saved(t, then), now, 5)
	if len(c.Notes) != 1 {
		t.Fatalf("notes %v", c.Notes)
	}
	want := "Not known to be the same: the disk's model (the baseline does not tell), the layer at which the I/O enters (neither run tells), the system's build (this run does not tell)."
	if c.Notes[0].Text != want {
		t.Errorf("got  %s\nwant %s", c.Notes[0].Text, want)
	}
}

// Two disks of one model are told apart where serial numbers are there.
func TestSerialNumbers(t *testing.T) {
	read := spec(contract.OperationRead)
	then, now := document(result(read, around(50_000)...)), document(result(read, around(50_100)...))
	then.Context.Disk.Serial = contract.Ptr("A")
	if c := Compare(saved(t, then), now, 5); len(c.Notes)+len(c.Refusals) != 0 {
		t.Errorf("one serial number: %v %v", c.Notes, c.Refusals)
	}
	now.Context.Disk.Serial = contract.Ptr("B")
	if c := Compare(saved(t, then), now, 5); codesOf(c.Refusals) != "disk-differs" {
		t.Errorf("two serial numbers: %v", c.Refusals)
	}
}

func TestSameRun(t *testing.T) {
	now := document(result(spec(contract.OperationRead), around(50_000)...))
	then := saved(t, now)
	// The time of a run may not be stamped yet when it is compared.
	now.Header = contract.Header{}
	if c := Compare(then, now, 5); codesOf(c.Refusals) != "same-run" || c.Comparable || len(c.Tests) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestUnlikeTests(t *testing.T) {
	write := spec(contract.OperationWrite)
	for name, test := range map[string]struct {
		change   func(*contract.TestSpec, *contract.BenchTest)
		refusals string
		notes    string
	}{
		"alike": {func(*contract.TestSpec, *contract.BenchTest) {}, "", ""},
		"other durability": {func(s *contract.TestSpec, b *contract.BenchTest) {
			b.Durability = contract.Ptr(contract.DurabilityWriteThrough)
		}, "durability-differs/RND4K-Q1T1-write", ""},
		"spaced": {func(s *contract.TestSpec, b *contract.BenchTest) { s.SpacingMs = 500 },
			"spacing-differs/RND4K-Q1T1-write", ""},
		"P35 other span": {func(s *contract.TestSpec, b *contract.BenchTest) { s.SpanBytes = 5 << 30 },
			"span-differs/RND4K-Q1T1-write", ""},
		"P35 nearly the same span": {func(s *contract.TestSpec, b *contract.BenchTest) { s.SpanBytes = 3 << 29 },
			"", "span-differs"},
		"P47 span unknown": {func(s *contract.TestSpec, b *contract.BenchTest) { s.SpanBytes = 0 },
			"", "span-unknown"},
		"P47 other footprint": {func(s *contract.TestSpec, b *contract.BenchTest) { b.DistinctBlocks = contract.Ptr(uint64(1000)) },
			"", "footprint-differs"},
		"other block of the same name": {func(s *contract.TestSpec, b *contract.BenchTest) { b.BlockBytes = 8192 },
			"options-differ/RND4K-Q1T1-write", ""},
		"other test": {func(s *contract.TestSpec, b *contract.BenchTest) { b.ID, b.QueueDepth = "RND4K-Q32T1-write", 32 },
			"test-missing/RND4K-Q1T1-write test-not-run/RND4K-Q32T1-write", ""},
		"invalid": {func(s *contract.TestSpec, b *contract.BenchTest) {
			b.Valid, b.InvalidReasons = false, contract.List[contract.InvalidReason]{{Code: "on-battery"}}
		}, "test-invalid/RND4K-Q1T1-write", ""},
		"other depth in flight": {func(s *contract.TestSpec, b *contract.BenchTest) { b.AchievedDepth = contract.Ptr(2.0) },
			"achieved-depth-differs/RND4K-Q1T1-write", ""},
		"no figures": {func(s *contract.TestSpec, b *contract.BenchTest) {
			b.LatencyNs, b.IOPS, b.MBPerSecond = contract.Latency{}, nil, nil
		},
			"no-figure/RND4K-Q1T1-write", ""},
		"figures of 0": {func(s *contract.TestSpec, b *contract.BenchTest) {
			b.LatencyNs, b.IOPS, b.MBPerSecond = contract.Latency{P50: contract.Ptr(0.0)}, contract.Ptr(0.0), contract.Ptr(0.0)
		}, "no-figure/RND4K-Q1T1-write", ""},
		"other calls": {func(s *contract.TestSpec, b *contract.BenchTest) { b.API = contract.Ptr("IOCP") },
			"", "api-differs"},
		"longer rounds": {func(s *contract.TestSpec, b *contract.BenchTest) { s.RoundMs = 60_000 },
			"", "length-differs"},
	} {
		t.Run(name, func(t *testing.T) {
			then, now := document(result(write, around(20_000)...)), document(result(write, around(20_050)...))
			now.Tests[0].DistinctBlocks = contract.Ptr(uint64(100_000))
			test.change(&then.Profile.Tests[0], &then.Tests[0])
			c := Compare(saved(t, then), now, 5)
			valid(t, c)
			if codesOf(c.Refusals) != test.refusals || noteCodes(c.Notes) != test.notes {
				t.Errorf("refusals %v, notes %v", c.Refusals, c.Notes)
			}
			if compared := len(c.Tests) == 2; compared != (test.refusals == "") {
				t.Errorf("figures %v", c.Tests)
			}
		})
	}
}

// An invalid test of this run is refused as one of the baseline is.
func TestInvalidNow(t *testing.T) {
	read := spec(contract.OperationRead)
	now := document(result(read, around(10_000)...))
	now.Tests[0].Valid = false
	c := Compare(saved(t, document(result(read, around(50_000)...))), now, 5)
	if codesOf(c.Refusals) != "test-invalid/RND4K-Q1T1-read" || c.Comparable || !strings.Contains(c.Refusals[0].Text, "in this run") {
		t.Errorf("%+v", c)
	}
}

// A test that is twice in the baseline is compared with the one of the same span, or with none.
func TestRepeatedTest(t *testing.T) {
	read := spec(contract.OperationRead)
	then := document(result(read, around(50_000)...), result(read, around(60_000)...))
	now := document(result(read, around(60_100)...))
	baseline := saved(t, then)
	if c := Compare(baseline, now, 5); codesOf(c.Refusals) != "test-repeated/RND4K-Q1T1-read" {
		t.Errorf("refusals %v", c.Refusals)
	}
	baseline.Tests[0].SpanBytes = contract.Ptr(uint64(8 << 30))
	if c := Compare(baseline, now, 5); results(c) != "RND4K-Q1T1-read p50Ns same; RND4K-Q1T1-read iops same" || len(c.Refusals) != 0 {
		t.Errorf("%s, refusals %v", results(c), c.Refusals)
	}
}

// The rate of a spaced test is that of its spacing, so only its time is compared.
func TestSpacedTestHasNoRate(t *testing.T) {
	read := spec(contract.OperationRead)
	then, now := document(result(read, around(50_000)...)), document(result(read, around(60_000)...))
	then.Profile.Tests[0].SpacingMs, now.Profile.Tests[0].SpacingMs = 500, 500
	if c := Compare(saved(t, then), now, 5); results(c) != "RND4K-Q1T1-read p50Ns slower" {
		t.Error(results(c))
	}
}

// Notes that hold for several tests name them in one note.
func TestNotesOfSeveralTestsAreOne(t *testing.T) {
	read, write := spec(contract.OperationRead), spec(contract.OperationWrite)
	then := document(result(read, around(50_000)...), result(write, around(20_000)...))
	now := document(result(read, around(50_100)...), result(write, around(20_100)...))
	for i := range then.Tests {
		then.Tests[i].API = contract.Ptr("IOCP")
	}
	c := Compare(saved(t, then), now, 5)
	if noteCodes(c.Notes) != "api-differs" || !strings.HasSuffix(c.Notes[0].Text, "(RND4K-Q1T1-read, RND4K-Q1T1-write)") {
		t.Errorf("notes %v", c.Notes)
	}
}

func TestNothingMeasured(t *testing.T) {
	c := Compare(saved(t, document(result(spec(contract.OperationRead), around(50_000)...))), document(), 5)
	valid(t, c)
	if c.Comparable || codesOf(c.Refusals) != "test-not-run/RND4K-Q1T1-read" {
		t.Errorf("%+v", c)
	}
}
