package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"diskaudit/core/bench/engine"
	"diskaudit/core/bench/profile"
	"diskaudit/core/bench/target"
	"diskaudit/core/contract"
)

// rig is a system that a test scripts: a clock that only moves when told to, and sessions whose
// rounds the test answers.
type rig struct {
	t       *testing.T
	clock   time.Time
	opened  target.Target
	refusal error
	asked   target.Request
	// answer gives the round of a test; number counts from 0, which is the warm-up.
	answer func(id string, number int, limit engine.Limit) (engine.Round, error)
	// unopened is the id of a test whose session cannot be opened.
	unopened string
	// wrote is what was written of the file by the time of the answer.
	wrote int64
	// twin is the device below /twin.
	twin string
	// endCode is the code of the problem that tells why a run ended early.
	endCode string
	order   []string
	open    int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	kind := contract.TargetFile
	r := &rig{t: t, endCode: "interrupted", clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	r.opened = target.Target{
		Path: "/proc/self/fd/7", Shown: "/data", Kind: kind, SizeBytes: 1 << 30, Written: 1 << 30, Alignment: 512,
		Proof: contract.TargetProof{SampledBlocks: 64},
	}
	r.answer = func(_ string, _ int, limit engine.Limit) (engine.Round, error) {
		return r.steady(limit, 50_000, 1000), nil
	}
	return r
}

// steady is a round of so many I/Os of one latency.
func (r *rig) steady(limit engine.Limit, ns int64, ops int) engine.Round {
	latencies := make([]int64, ops)
	for i := range latencies {
		latencies[i] = ns + int64(i%10)
	}
	round := engine.Round{Started: r.clock, ElapsedNs: int64(limit.Duration), Ops: int64(ops), Bytes: int64(ops) * 4096, LatenciesNs: latencies, InFlightNs: 64 * int64(limit.Duration), ThreadCPUNs: int64(ops) * 2000}
	r.clock = r.clock.Add(limit.Duration)
	return round
}

type scripted struct {
	rig    *rig
	id     string
	number int
}

func (s *scripted) Round(ctx context.Context, limit engine.Limit) (engine.Round, error) {
	s.rig.order = append(s.rig.order, fmt.Sprintf("%s/%d", s.id, s.number))
	round, err := s.rig.answer(s.id, s.number, limit)
	s.number++
	return round, err
}
func (s *scripted) Description() engine.Description {
	return engine.Description{API: "scripted", Processors: []int{3}}
}
func (s *scripted) DistinctBlocks() int64 { return 777 }
func (s *scripted) Close() error          { s.rig.open--; return nil }

func (r *rig) run(ctx context.Context, options Options) contract.Bench {
	r.t.Helper()
	specs := slices.Clone(options.Profile.Tests)
	d := devices{
		target: func(_ context.Context, asked target.Request) (*target.Target, error) {
			r.asked = asked
			asked.Progress(r.wrote, asked.SizeBytes)
			if r.refusal != nil {
				return nil, r.refusal
			}
			if asked.Path == "/twin" {
				o := &r.opened
				return &target.Target{
					Path: o.Path, Shown: "/twin", Device: r.twin, Kind: o.Kind, SizeBytes: o.SizeBytes, Written: o.Written,
					Alignment: o.Alignment, Proof: o.Proof,
				}, nil
			}
			return &r.opened, nil
		},
		open: func(spec engine.Spec) (session, error) {
			for _, test := range specs {
				if test.Operation == spec.Operation && test.BlockBytes == uint64(spec.BlockBytes) && test.Pattern == spec.Pattern &&
					test.QueueDepth == uint64(spec.QueueDepth) && test.Threads == uint64(spec.Threads) && durability(test) == spec.Durability {
					if test.ID == r.unopened {
						break
					}
					r.open++
					return &scripted{rig: r, id: test.ID}, nil
				}
			}
			return nil, errors.New("permission denied")
		},
		now:  func() time.Time { return r.clock },
		busy: func(context.Context) *float64 { return nil },
	}
	options.Target = "/data"
	options.Penalty.Off = options.Penalty.Upper == "" && options.Penalty.Twin == ""
	options.ThresholdPercent = 10
	options.Ended = func(stage string, cause error) contract.Problem {
		return contract.Problem{Code: r.endCode, Level: contract.LevelError, Stage: stage, Text: cause.Error()}
	}
	document := d.run(ctx, options)
	document.Kind, document.SchemaVersion = contract.KindBench, contract.SchemaVersion
	data, err := contract.Encode(document)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := contract.Validate(contract.KindBench, data); err != nil {
		r.t.Error(err)
	}
	if r.open != 0 {
		r.t.Errorf("%d sessions were not closed", r.open)
	}
	return document
}

func find(t *testing.T, name string) profile.Profile {
	t.Helper()
	found, ok := profile.Find(name)
	if !ok {
		t.Fatalf("no profile %s", name)
	}
	return found
}

// only keeps the tests with these ids.
func only(p profile.Profile, ids ...string) profile.Profile {
	var kept []contract.TestSpec
	for _, test := range p.Tests {
		if slices.Contains(ids, test.ID) {
			kept = append(kept, test)
		}
	}
	p.Tests = kept
	return p
}

func problemCodes(document contract.Bench) string {
	var codes []string
	for _, problem := range document.Problems {
		codes = append(codes, problem.Code)
	}
	return strings.Join(codes, " ")
}

func TestDirectionsTakeTurns(t *testing.T) {
	r := newRig(t)
	p := only(find(t, "quick"), "RND4K-Q1T1-read", "RND4K-Q1T1-write")
	p.Limit = 0
	document := r.run(t.Context(), Options{Profile: p})
	want := []string{"RND4K-Q1T1-read/0", "RND4K-Q1T1-write/0"}
	for round := 1; round <= 8; round++ {
		want = append(want, fmt.Sprintf("RND4K-Q1T1-read/%d", round), fmt.Sprintf("RND4K-Q1T1-write/%d", round))
	}
	if !slices.Equal(r.order, want) {
		t.Errorf("%v", r.order)
	}
	if len(document.Tests) != 2 || !document.Complete {
		t.Errorf("%d tests, problems %s", len(document.Tests), problemCodes(document))
	}
}

// The warm-up counts nowhere; percentiles are those of all rounds together, speeds the median of
// the rounds.
func TestFiguresOfRounds(t *testing.T) {
	r := newRig(t)
	p := only(find(t, "quick"), "RND4K-Q1T1-read")
	p.Limit = 0
	r.answer = func(_ string, number int, limit engine.Limit) (engine.Round, error) {
		if number == 0 {
			return r.steady(limit, 9_000_000, 5), nil
		}
		// Eight rounds of 300 ms with 1000, 2000 .. 8000 I/Os, each of the round's own latency.
		round := r.steady(limit, int64(number)*10_000, number*1000)
		round.SystemCPUNs = new(int64)
		*round.SystemCPUNs = int64(number) * 1000 * 5000
		return round, nil
	}
	test := r.run(t.Context(), Options{Profile: p}).Tests[0]
	if test.Ops != 36_000 || test.Bytes != 36_000*4096 || len(test.Rounds) != 8 {
		t.Fatalf("%d I/Os, %d bytes, %d rounds", test.Ops, test.Bytes, len(test.Rounds))
	}
	// The median of 1000/0.3 s .. 8000/0.3 s is 15000 a second.
	if *test.IOPS != 15_000 || *test.MBPerSecond != 15_000*4096/1e6 || *test.MiBPerSecond != 15_000*4096/float64(1<<20) {
		t.Errorf("%v IOPS, %v MB/s, %v MiB/s", *test.IOPS, *test.MBPerSecond, *test.MiBPerSecond)
	}
	// Of 36,000 sorted latencies the 18,000th is in round 6: rounds 1 to 5 have 15,000.
	if p50 := *test.LatencyNs.P50; p50 < 60_000 || p50 > 60_010 {
		t.Errorf("p50 is %v", p50)
	}
	if *test.LatencyNs.Min != 10_000 || *test.LatencyNs.Max != 80_009 || test.LatencyNs.P9999 == nil {
		t.Errorf("%+v", test.LatencyNs)
	}
	if *test.CPUNsPerIO != 2000 || *test.SystemCPUNsPerIO != 5000 || *test.DistinctBlocks != 777 {
		t.Errorf("CPU %v and %v ns, %d blocks", *test.CPUNsPerIO, *test.SystemCPUNsPerIO, *test.DistinctBlocks)
	}
	if test.Interval == nil || test.Interval.P50Ns.Low < 10_000 || test.Interval.P50Ns.High > 80_010 || test.Interval.P50Ns.Estimate < 45_000 || test.Interval.P50Ns.Estimate > 45_010 {
		t.Errorf("interval %+v", test.Interval)
	}
	if test.Drift == nil || !test.Drift.Significant || test.Drift.Percent < 100 {
		t.Errorf("drift %+v", test.Drift)
	}
	if test.Rounds[2].StartedMs != 900 || test.Rounds[2].ElapsedMs != 300 {
		t.Errorf("the third round began at %v ms and took %v ms", test.Rounds[2].StartedMs, test.Rounds[2].ElapsedMs)
	}
}

// Case P34: an error in the middle is told, what was measured is kept, the other tests go on.
func TestErrorInTheMiddle(t *testing.T) {
	r := newRig(t)
	p := only(find(t, "quick"), "RND4K-Q1T1-read", "RND4K-Q1T1-write")
	p.Limit = 0
	r.answer = func(id string, number int, limit engine.Limit) (engine.Round, error) {
		round := r.steady(limit, 50_000, 1000)
		if id == "RND4K-Q1T1-read" && number == 3 {
			round.Err = fmt.Errorf("reading 4096 bytes at offset 8192: %w", syscall.EIO)
		}
		return round, nil
	}
	document := r.run(t.Context(), Options{Profile: p})
	read, write := document.Tests[0], document.Tests[1]
	if len(read.Rounds) != 3 || read.Valid || read.InvalidReasons[0].Code != "io-error" || read.IOPS == nil {
		t.Errorf("%+v", read)
	}
	if len(write.Rounds) != 8 {
		t.Errorf("the other test has %d rounds", len(write.Rounds))
	}
	if problemCodes(document) != "io-error" || document.Complete || !strings.Contains(document.Problems[0].Text, "offset 8192") {
		t.Errorf("%+v", document.Problems)
	}
}

// A test that cannot be opened is a problem that names it; the others are measured.
func TestOpeningFails(t *testing.T) {
	r := newRig(t)
	p := only(find(t, "quick"), "RND4K-Q1T1-read", "RND4K-Q1T1-write")
	r.unopened = "RND4K-Q1T1-write"
	document := r.run(t.Context(), Options{Profile: p})
	if problemCodes(document) != "test-failed" || document.Complete || document.Problems[0].Target != "RND4K-Q1T1-write" {
		t.Errorf("%+v", document.Problems)
	}
	if len(document.Tests) != 2 || !document.Tests[0].Valid || document.Tests[1].Valid || document.Tests[1].InvalidReasons[0].Code != "nothing-measured" {
		t.Errorf("%+v", document.Tests)
	}
}

// A clock that goes backwards, and times of 0, are not figures.
func TestClockThatGoesBackwards(t *testing.T) {
	r := newRig(t)
	p := only(find(t, "quick"), "RND4K-Q1T1-read")
	r.answer = func(_ string, number int, limit engine.Limit) (engine.Round, error) {
		round := r.steady(limit, 50_000, 1000)
		if number == 4 {
			round.Backwards, round.Zero = 1, 2
		}
		return round, nil
	}
	test := r.run(t.Context(), Options{Profile: p}).Tests[0]
	if test.Valid || test.IOPS != nil || test.InvalidReasons[0].Code != "clock-backwards" || test.InvalidReasons[1].Code != "zero-latency" {
		t.Errorf("%+v", test)
	}
}

func TestInterruptedKeepsFinishedRounds(t *testing.T) {
	r := newRig(t)
	p := only(find(t, "quick"), "RND4K-Q1T1-read", "RND4K-Q1T1-write", "SEQ1M-Q8T1-read")
	p.Limit = 0
	ctx, cancel := context.WithCancelCause(t.Context())
	r.answer = func(id string, number int, limit engine.Limit) (engine.Round, error) {
		if id == "RND4K-Q1T1-write" && number == 2 {
			cancel(errors.New("Ctrl-C"))
			return engine.Round{}, context.Canceled
		}
		return r.steady(limit, 50_000, 1000), nil
	}
	document := r.run(ctx, Options{Profile: p})
	if problemCodes(document) != "interrupted" || document.Complete {
		t.Errorf("problems %s", problemCodes(document))
	}
	if len(document.Tests) != 2 || len(document.Tests[0].Rounds) != 2 || len(document.Tests[1].Rounds) != 1 {
		t.Fatalf("%d tests: %+v", len(document.Tests), document.Tests)
	}
	if r.order[len(r.order)-1] != "RND4K-Q1T1-write/2" {
		t.Errorf("went on after the end: %v", r.order)
	}
	if document.Tests[0].IOPS == nil {
		t.Error("the finished rounds have no figure")
	}
}

// On a disk where each round takes ten times as long as planned, the profile's limit holds, and
// every test has a round.
func TestLimitHoldsOnASlowDisk(t *testing.T) {
	r := newRig(t)
	p := find(t, "quick")
	begun := r.clock
	r.answer = func(_ string, _ int, limit engine.Limit) (engine.Round, error) {
		round := r.steady(limit, 50_000, 10)
		r.clock = r.clock.Add(2 * time.Second)
		return round, nil
	}
	document := r.run(t.Context(), Options{Profile: p})
	if took := r.clock.Sub(begun); took > p.Limit+16*time.Second {
		t.Errorf("took %v", took)
	}
	for _, test := range document.Tests {
		if len(test.Rounds) < 1 || test.Interval != nil {
			t.Errorf("%s has %d rounds, interval %v", test.ID, len(test.Rounds), test.Interval)
		}
		if !slices.ContainsFunc(test.Notes, func(note contract.InvalidReason) bool { return note.Code == "few-rounds" }) {
			t.Errorf("%s does not say that it has few rounds: %+v", test.ID, test.Notes)
		}
	}
}

// Case P13: a device is only read, and the document says what was left out.
func TestDevicesAreOnlyRead(t *testing.T) {
	r := newRig(t)
	r.opened.Kind, r.opened.Written = contract.TargetDevice, 0
	document := r.run(t.Context(), Options{Profile: find(t, "quick")})
	for _, step := range r.order {
		if strings.Contains(step, "write") {
			t.Errorf("wrote: %s", step)
		}
	}
	if r.asked.Writes || len(document.Tests) != 3 || problemCodes(document) != "only-read" || !document.Complete || document.Target.BytesWritten != 0 {
		t.Errorf("%d tests, problems %+v, %d bytes written", len(document.Tests), document.Problems, document.Target.BytesWritten)
	}
	r = newRig(t)
	r.opened.Kind = contract.TargetDevice
	document = r.run(t.Context(), Options{Profile: only(find(t, "quick"), "RND4K-Q1T1-write")})
	if document.Complete || len(document.Tests) != 0 || problemCodes(document) != "only-read" {
		t.Errorf("a lone write test on a device: %+v", document.Problems)
	}
}

// Case P36: blocks that the target's sectors do not allow are left out by name.
func TestBlocksBelowTheSector(t *testing.T) {
	r := newRig(t)
	r.opened.Alignment = 4096
	document := r.run(t.Context(), Options{Profile: only(find(t, "atto"), "SEQ512B-Q4T1-read", "SEQ4K-Q4T1-read")})
	if len(document.Tests) != 1 || document.Tests[0].ID != "SEQ4K-Q4T1-read" || problemCodes(document) != "block-not-aligned" ||
		!strings.Contains(document.Problems[0].Text, "4096") {
		t.Errorf("%d tests, %+v", len(document.Tests), document.Problems)
	}
}

func TestTooSmallForTheQueue(t *testing.T) {
	r := newRig(t)
	r.opened.SizeBytes = 4 << 20
	document := r.run(t.Context(), Options{Profile: only(find(t, "quick"), "SEQ1M-Q8T1-read", "RND4K-Q32T1-read")})
	if len(document.Tests) != 1 || problemCodes(document) != "target-too-small" {
		t.Errorf("%d tests, %s", len(document.Tests), problemCodes(document))
	}
}

func TestWrittenBytesHaveABudget(t *testing.T) {
	r := newRig(t)
	r.opened.Written, r.opened.SizeBytes = 128<<20, 128<<20
	p := find(t, "quick")
	p.Limit = 0
	var allowed int64
	r.answer = func(id string, _ int, limit engine.Limit) (engine.Round, error) {
		round := r.steady(limit, 50_000, 1000)
		if strings.HasSuffix(id, "write") {
			if limit.Bytes <= 0 {
				t.Errorf("%s may write without limit", id)
			}
			allowed += limit.Bytes
			round.Bytes = limit.Bytes
		}
		return round, nil
	}
	const most = 256 << 20
	document := r.run(t.Context(), Options{Profile: p, MaxWritten: most})
	if r.asked.SizeBytes > most/2 {
		t.Errorf("a file of %d bytes was asked for", r.asked.SizeBytes)
	}
	if written := document.Target.BytesWritten; written > most || written != uint64(128<<20+allowed) {
		t.Errorf("%d bytes written, %d allowed", written, allowed)
	}
}

// A budget that does not even fill the queue in each round leaves the test out, and says so.
func TestBudgetTooSmall(t *testing.T) {
	r := newRig(t)
	r.opened.Written, r.opened.SizeBytes = 50<<20, 50<<20
	document := r.run(t.Context(), Options{Profile: only(find(t, "quick"), "SEQ1M-Q8T1-read", "SEQ1M-Q8T1-write"), MaxWritten: 100 << 20})
	if len(document.Tests) != 1 || problemCodes(document) != "budget-too-small" || document.Target.BytesWritten != 50<<20 {
		t.Errorf("%d tests, %+v", len(document.Tests), document.Problems)
	}
}

// A file for reading alone costs what it takes to write it.
func TestBudgetOfAFileToRead(t *testing.T) {
	r := newRig(t)
	r.run(t.Context(), Options{Profile: only(find(t, "quick"), "RND4K-Q1T1-read"), MaxWritten: 64 << 20})
	if r.asked.SizeBytes > 63<<20 || r.asked.SizeBytes < 32<<20 || r.asked.BlockBytes != 4096 {
		t.Errorf("%+v", r.asked.SizeBytes)
	}
}

// Five I/Os, one every half second, are two a second: the round ends with the last of them, not
// with the wait after it.
func TestRateOfSpacedIO(t *testing.T) {
	r := newRig(t)
	r.answer = func(_ string, _ int, limit engine.Limit) (engine.Round, error) {
		round := r.steady(limit, 50_000, 5)
		round.ElapsedNs = int64(4*500*time.Millisecond) + 50_000
		return round, nil
	}
	test := r.run(t.Context(), Options{Profile: only(find(t, "spaced"), "RND4K-Q1T1-read-spaced")}).Tests[0]
	if *test.IOPS != 2 {
		t.Errorf("%v IOPS", *test.IOPS)
	}
}

// What was written counts also when the file was not finished.
func TestUnfinishedFileCounts(t *testing.T) {
	r := newRig(t)
	r.refusal = &target.Refusal{Code: "too-slow", Text: "too slow"}
	r.wrote = 77
	if document := r.run(t.Context(), Options{Profile: find(t, "quick")}); document.Target.BytesWritten != 77 || document.Target.Path != "/data" || document.Penalty.Reason.Code != "not-asked" {
		t.Errorf("%+v", document.Target)
	}
}

func TestMountedDeviceIsSaid(t *testing.T) {
	r := newRig(t)
	yes := true
	r.opened.Kind, r.opened.Facts = contract.TargetDevice, target.Facts{Mounted: &yes}
	document := r.run(t.Context(), Options{Profile: find(t, "quick")})
	if problemCodes(document) != "device-mounted only-read" || !document.Complete {
		t.Errorf("%+v", document.Problems)
	}
}

func TestRefusedTarget(t *testing.T) {
	r := newRig(t)
	r.refusal = &target.Refusal{Code: "no-space", Text: "there is no room", Retryable: true}
	document := r.run(t.Context(), Options{Profile: find(t, "quick")})
	if len(document.Tests) != 0 || document.Complete || problemCodes(document) != "no-space" || !document.Problems[0].Retryable || document.Problems[0].Text != "there is no room" {
		t.Errorf("%+v", document.Problems)
	}
}

// A panic in the middle still removes the file.
func TestPanicRemovesTheFile(t *testing.T) {
	r := newRig(t)
	r.answer = func(string, int, engine.Limit) (engine.Round, error) { panic("fault") }
	defer func() {
		if recover() == nil {
			t.Error("the fault was swallowed")
		}
		if r.open != 0 {
			t.Errorf("%d sessions are open", r.open)
		}
	}()
	r.run(t.Context(), Options{Profile: find(t, "quick")})
}

// Cases P17, P21, P42, P50: beside the figures stands what they were measured on: processor, driver,
// build, the processors that threads were bound to, the percentiles beside the mean.
func TestContextStandsBesideTheFigures(t *testing.T) {
	r := newRig(t)
	r.opened.Device = "/dev/nvme0n1p2"
	status := contract.Status{
		Machine: contract.Machine{OS: ptr("Linux"), Build: ptr("6.18"), CPU: contract.CPU{Name: ptr("EPYC")}, Power: contract.Power{Source: ptr(contract.PowerAC)}},
		Disks:   []contract.Disk{{ID: "/dev/nvme0n1", Driver: contract.Driver{Name: ptr("nvme")}, Health: contract.Health{TemperatureCelsius: ptr(41.0)}}},
		Volumes: []contract.Volume{{ID: "/dev/nvme0n1p2", FreeBytes: ptr(uint64(5)), Extents: []contract.Extent{{DiskID: "/dev/nvme0n1"}}}},
		Header: contract.Header{Problems: []contract.Problem{
			{Code: "about-another", Target: "/dev/sdz", Level: contract.LevelError},
			{Code: "about-ours", Target: "/dev/nvme0n1", Level: contract.LevelError},
		}},
	}
	p := only(find(t, "quick"), "RND4K-Q1T1-read")
	document := r.run(t.Context(), Options{Profile: p, Observe: func(context.Context) contract.Status { return status }})
	c := document.Context
	if *c.Machine.CPU.Name != "EPYC" || *c.Disk.Driver.Name != "nvme" || *document.Target.DiskID != "/dev/nvme0n1" || *document.Target.VolumeID != "/dev/nvme0n1p2" {
		t.Errorf("%+v", c)
	}
	if *c.Before.TemperatureCelsius != 41 || *c.After.TemperatureCelsius != 41 || *c.Before.FreeBytes != 5 || c.Before.TakenAt == nil || !c.After.TakenAt.After(*c.Before.TakenAt) {
		t.Errorf("%+v, %+v", c.Before, c.After)
	}
	if problemCodes(document) != "about-ours" || !document.Complete {
		t.Errorf("what explains unknown facts about the target, and no more: %s", problemCodes(document))
	}
	if test := document.Tests[0]; test.Processors[0] != 3 || test.LatencyNs.Mean == nil || test.LatencyNs.P99 == nil {
		t.Errorf("%+v", test)
	}
}

// A disk that does not answer cannot keep the document back.
func TestPatientlyLeavesAHangBehind(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	begun := time.Now()
	if patiently(ctx, func() { cancel(); <-release }) || time.Since(begun) > time.Minute {
		t.Error("a hang was waited for")
	}
	if !patiently(t.Context(), func() {}) {
		t.Error("what returns was left behind")
	}
	defer func() {
		if recover() != "fault" {
			t.Error("a fault was lost")
		}
	}()
	patiently(t.Context(), func() { panic("fault") })
}
