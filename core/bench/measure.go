package bench

import (
	"context"
	"fmt"
	"time"

	"diskaudit/core/bench/target"
	"diskaudit/core/contract"
)

// poolBytes is how much incompressible data writes are taken from: more than a drive's own
// deduplication or compression looks back on.
const poolBytes = 64 << 20

// leastBytes is the smallest file that is worth measuring.
const leastBytes = 64 << 20

// measure makes the target, runs the tests on it and removes it.
func (r *run) measure(ctx context.Context) {
	p := &r.options.Profile
	size := p.SizeBytes
	if r.options.MaxWritten > 0 && p.Writes() {
		size = min(size, r.options.MaxWritten/2&^(1<<20-1))
	}
	pool := target.NewPool(r.options.Seed, poolBytes)
	request := target.Request{
		Path: r.options.Target, SizeBytes: size, MinBytes: min(size, leastBytes), PrepareFor: p.PrepareFor,
		Seed: r.options.Seed, Pool: pool,
		Progress: func(done, total int64) { r.options.Progress(StagePrepare, int(done), int(total)) },
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
		r.unanswered(StagePrepare, r.options.Target)
		r.ended(ctx, StagePrepare)
		return
	}
	prepared := <-results
	opened, err := prepared.opened, prepared.err
	if err != nil {
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
	r.facts = opened.Facts
	r.locate(opened.Device, opened.Shown, opened.Kind)
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
	for i, test := range tests {
		if test.MaxWrittenBytes > 0 {
			tests[i].MaxWrittenBytes = max(test.BlockBytes*(test.Rounds+1), uint64(float64(left)*float64(test.MaxWrittenBytes)/float64(wanted)))
		}
	}
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
