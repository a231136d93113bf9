package bench

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"diskaudit/core/bench/target"
	"diskaudit/core/contract"
)

// poolBytes is how much incompressible data writes are taken from: more than a drive's own
// deduplication or compression looks back on.
const poolBytes = 64 << 20

// leastBytes is the smallest file that is worth measuring.
const leastBytes = 16 << 20

// measure makes the target, runs the tests on it and removes it.
func (r *run) measure(ctx context.Context) {
	p := &r.options.Profile
	size := p.SizeBytes
	if most := r.options.MaxWritten; most > 0 {
		// A file has a block more than its size, for its mark.
		most -= 1 << 20
		if p.Writes() {
			most /= 2
		}
		size = min(size, max(1<<20, most&^(1<<20-1)))
	}
	pool := target.NewPool(r.options.Seed, poolBytes)
	var prepared atomic.Int64
	request := target.Request{
		Path: r.options.Target, SizeBytes: size, MinBytes: min(size, leastBytes), PrepareFor: p.PrepareFor,
		Seed: r.options.Seed, Pool: pool,
		Progress: func(done, total int64) {
			prepared.Store(done)
			r.options.Progress(StagePrepare, int(done), int(total))
		},
	}
	for i, test := range p.Tests {
		if request.BlockBytes = int64(test.BlockBytes); i > 0 && test.BlockBytes != p.Tests[0].BlockBytes {
			request.BlockBytes = 0
			break
		}
	}
	type result struct {
		opened *target.Target
		err    error
	}
	results := make(chan result, 1)
	if !patiently(ctx, func() {
		opened, err := r.target(ctx, request)
		results <- result{opened, err}
	}) {
		r.document.Target.Path, r.document.Target.BytesWritten = r.options.Target, uint64(prepared.Load())
		r.unanswered(StagePrepare, r.options.Target)
		r.ended(ctx, StagePrepare)
		return
	}
	got := <-results
	opened, err := got.opened, got.err
	if err != nil {
		r.document.Target.Path, r.document.Target.BytesWritten = r.options.Target, uint64(prepared.Load())
		r.refused(ctx, StagePrepare, r.options.Target, err)
		return
	}
	defer r.remove(ctx, opened)
	r.describe(opened)
	p.Resize(opened.SizeBytes)
	r.leaveOutImpossible(opened)
	r.limitWritten(opened.Written)
	r.document.Profile = p.Document()
	for _, group := range groups(p.Tests) {
		if ctx.Err() != nil {
			break
		}
		r.runGroup(ctx, opened, pool, group)
	}
	r.ended(ctx, StageMeasure)
}

// removeFor is how long the removal of the file may take while nobody is in a hurry.
const removeFor = time.Minute

// remove removes the file that was made.
func (r *run) remove(ctx context.Context, opened *target.Target) {
	limited, cancel := context.WithTimeout(ctx, removeFor)
	defer cancel()
	failed := make(chan error, 1)
	if !patiently(limited, func() { failed <- opened.Close() }) {
		r.problem(contract.Problem{
			Code: "file-left", Level: contract.LevelError, Stage: StagePrepare, Target: opened.Shown,
			Text: fmt.Sprintf("The disk does not answer, so the file made for measuring could not be removed from %s yet: that happens when it answers, or at the next run there.", opened.Shown),
		})
		return
	}
	if err := <-failed; err != nil {
		r.problem(contract.Problem{
			Code: "file-left", Level: contract.LevelError, Stage: StagePrepare, Target: opened.Shown,
			Text: fmt.Sprintf("The file made for measuring could not be removed: %v. Remove it by hand, or measure there again: the next run removes it.", err),
		})
	}
}

// unanswered tells that I/O did not return although the run was to end.
func (r *run) unanswered(stage, path string) {
	r.problem(contract.Problem{
		Code: "no-answer", Level: contract.LevelError, Stage: stage, Target: path, Retryable: true,
		Text: fmt.Sprintf("%s did not answer an I/O that was under way when the run was to end. Check the disk's health and its connection.", path),
	})
}

func (r *run) describe(opened *target.Target) {
	t := &r.document.Target
	t.Path, t.Kind = opened.Shown, &opened.Kind
	size, alignment := uint64(opened.SizeBytes), uint64(opened.Alignment)
	t.SizeBytes, t.AlignmentBytes = &size, &alignment
	t.FileSystem, t.BytesWritten = opened.FileSystem, uint64(opened.Written)
	proof := opened.Proof
	t.Proof = &proof
	r.tellFact(opened, target.FactShortened, opened.Facts.Shortened, "target-shortened", "")
	r.tellFact(opened, target.FactMounted, opened.Facts.Mounted, "device-mounted", " It is only read.")
	r.facts = opened.Facts
	r.locate(opened.Device, opened.Shown, opened.Kind)
}

// tellFact makes a fact about the target that holds a warning.
func (r *run) tellFact(opened *target.Target, fact target.Fact, value *bool, code, more string) {
	if value == nil || !*value {
		return
	}
	r.problem(contract.Problem{
		Code: code, Level: contract.LevelWarning, Stage: StagePrepare, Target: opened.Shown,
		Text: capital(opened.Facts.Evidence(fact)) + "." + more,
	})
}

// capital makes a clause a sentence, unless it begins with a path.
func capital(clause string) string {
	if clause == "" || clause[0] == '/' || clause[0] == '\\' {
		return clause
	}
	return strings.ToUpper(clause[:1]) + clause[1:]
}

// leaveOutImpossible drops the tests that the target does not allow, and says so.
func (r *run) leaveOutImpossible(opened *target.Target) {
	p := &r.options.Profile
	var possible []contract.TestSpec
	written := 0
	for _, test := range p.Tests {
		inFlight := test.QueueDepth * test.Threads
		switch {
		case test.Operation == contract.OperationWrite && opened.Kind != contract.TargetFile:
			written++
		case test.BlockBytes%uint64(max(1, opened.Alignment)) != 0:
			r.problem(contract.Problem{
				Code: "block-not-aligned", Level: r.levelOfLoss(), Stage: StageMeasure, Target: test.ID,
				Text: fmt.Sprintf("%s was left out: unbuffered I/O on %s has to be a multiple of %d bytes, and a block of %d is not.", test.ID, opened.Shown, opened.Alignment, test.BlockBytes),
			})
		case test.SpanBytes/test.BlockBytes < inFlight:
			r.problem(contract.Problem{
				Code: "target-too-small", Level: r.levelOfLoss(), Stage: StageMeasure, Target: test.ID,
				Text: fmt.Sprintf("%s was left out: it keeps %d blocks of %d bytes in flight, which is more than the %d bytes of %s. Use a larger --size.", test.ID, inFlight, test.BlockBytes, opened.SizeBytes, opened.Shown),
			})
		default:
			possible = append(possible, test)
		}
	}
	if written > 0 {
		level := contract.LevelInfo
		if len(possible) == 0 {
			level = contract.LevelError
		}
		r.problem(contract.Problem{
			Code: "only-read", Level: level, Stage: StageMeasure, Target: opened.Shown,
			Text: fmt.Sprintf("%s holds data of its own, so it was only read and %d tests that write were left out. To measure writing, name a folder: a file is made there and removed again.", opened.Shown, written),
		})
	}
	p.Tests = possible
}

// levelOfLoss is error when the one test of a custom profile cannot be done, else a warning.
func (r *run) levelOfLoss() contract.Level {
	if len(r.options.Profile.Tests) == 1 {
		return contract.LevelError
	}
	return contract.LevelWarning
}

// limitWritten divides what may still be written among the tests.
func (r *run) limitWritten(prepared int64) {
	if r.options.MaxWritten <= 0 {
		return
	}
	left := uint64(max(0, r.options.MaxWritten-prepared))
	var wanted uint64
	tests := r.options.Profile.Tests
	for _, test := range tests {
		wanted += test.MaxWrittenBytes
	}
	if wanted <= left {
		return
	}
	var possible []contract.TestSpec
	for _, test := range tests {
		if test.MaxWrittenBytes > 0 {
			test.MaxWrittenBytes = uint64(float64(left) * float64(test.MaxWrittenBytes) / float64(wanted))
			// Less than a full queue in each round would measure another depth.
			if need := test.BlockBytes * test.QueueDepth * test.Threads * (test.Rounds + 1); test.MaxWrittenBytes < need {
				r.problem(contract.Problem{
					Code: "budget-too-small", Level: r.levelOfLoss(), Stage: StageMeasure, Target: test.ID,
					Text: fmt.Sprintf("%s was left out: of the %d bytes that may be written in all, it could have %d, and its rounds need at least %d. Raise --max-written.", test.ID, r.options.MaxWritten, test.MaxWrittenBytes, need),
				})
				continue
			}
		}
		possible = append(possible, test)
	}
	r.options.Profile.Tests = possible
}

// groups puts tests together that take turns: neighbours that differ in direction or durability only.
func groups(tests []contract.TestSpec) [][]contract.TestSpec {
	var groups [][]contract.TestSpec
	for _, test := range tests {
		if last := len(groups) - 1; last >= 0 && together(groups[last][0], test) {
			groups[last] = append(groups[last], test)
			continue
		}
		groups = append(groups, []contract.TestSpec{test})
	}
	return groups
}

func together(a, b contract.TestSpec) bool {
	return a.BlockBytes == b.BlockBytes && a.Pattern == b.Pattern && a.QueueDepth == b.QueueDepth && a.Threads == b.Threads &&
		a.SpanBytes == b.SpanBytes && a.SpacingMs == b.SpacingMs && a.Rounds == b.Rounds
}
