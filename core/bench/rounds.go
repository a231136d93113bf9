package bench

import (
	"context"
	"fmt"
	"time"

	"diskaudit/core/bench/engine"
	"diskaudit/core/bench/target"
	"diskaudit/core/contract"
)

// measuredTest is a test with what its rounds gave.
type measuredTest struct {
	spec      contract.TestSpec
	session   session
	said      engine.Description
	rounds    []contract.BenchRound
	latencies []int64
	ops       int64
	bytes     int64
	flushes   int64
	distinct  int64
	elapsedNs int64
	inFlight  int64
	cpuNs     int64
	systemNs  *int64
	written   int64
	backwards int
	zero      int
	failed    error
}

// runGroup runs tests that take turns, round by round.
func (r *run) runGroup(ctx context.Context, opened *target.Target, pool []byte, specs []contract.TestSpec) {
	var tests []*measuredTest
	for _, spec := range specs {
		test := &measuredTest{spec: spec}
		r.measured = append(r.measured, test)
		test.session, test.failed = r.open(engine.Spec{
			Path: opened.Path, ReadOnly: spec.Operation == contract.OperationRead, Operation: spec.Operation, Pattern: spec.Pattern,
			BlockBytes: int(spec.BlockBytes), QueueDepth: int(spec.QueueDepth), Threads: int(spec.Threads),
			Durability: durability(spec), Length: wholeBlocks(spec), Spacing: milliseconds(spec.SpacingMs),
			Seed: r.options.Seed, Data: pool, Pin: true, Alignment: opened.Alignment,
		})
		if test.failed != nil {
			r.problem(contract.Problem{
				Code: "test-failed", Level: contract.LevelError, Stage: StageMeasure, Target: spec.ID,
				Text: fmt.Sprintf("%s could not be measured on %s: %v.", spec.ID, opened.Shown, test.failed),
			})
			continue
		}
		test.said = test.session.Description()
		tests = append(tests, test)
	}
	defer func() {
		for _, test := range tests {
			test.distinct = test.session.DistinctBlocks()
			if err := test.session.Close(); err != nil && test.failed == nil {
				test.failed = err
			}
		}
	}()
	end := r.groupEnd(specs)
	for _, test := range tests {
		r.round(ctx, test, milliseconds(test.spec.WarmupMs), false)
	}
	for n := range int(specs[0].Rounds) {
		for _, test := range tests {
			// A test has one round at least, however slow the disk is.
			if n > 0 && !end.IsZero() && r.now().After(end) {
				return
			}
			if ctx.Err() != nil {
				return
			}
			r.round(ctx, test, milliseconds(test.spec.RoundMs), true)
			r.options.Progress(StageMeasure, r.roundsDone(), r.roundsPlanned())
		}
	}
}

// round runs one round of a test unless the run ended or the test failed.
func (r *run) round(ctx context.Context, test *measuredTest, duration time.Duration, counts bool) {
	if test.failed != nil || ctx.Err() != nil || duration <= 0 {
		return
	}
	limit := engine.Limit{Duration: duration, Ops: int64(test.spec.RoundOps)}
	if limited := int64(test.spec.MaxWrittenBytes); limited > 0 {
		// The warm-up has its share as every round has.
		limit.Bytes = limited / int64(test.spec.Rounds+1) / int64(test.spec.BlockBytes) * int64(test.spec.BlockBytes)
		if limit.Bytes == 0 {
			return
		}
	}
	measured, err := test.session.Round(ctx, limit)
	if test.spec.Operation == contract.OperationWrite {
		test.written += measured.Bytes
		r.document.Target.BytesWritten += uint64(measured.Bytes)
	}
	test.backwards += measured.Backwards
	test.zero += measured.Zero
	if err == nil {
		err = measured.Err
	}
	if err != nil && ctx.Err() == nil {
		test.failed = err
		r.problem(contract.Problem{
			Code: "io-error", Level: contract.LevelError, Stage: StageMeasure, Target: test.spec.ID,
			Text: fmt.Sprintf("%s ended with an error: %v. What was measured until then is in the document. Check the disk's health before anything else: diskaudit status.", test.spec.ID, err),
		})
	}
	// A round that was broken off is no round like the others; it is kept when it is all there is.
	if counts && measured.Ops > 0 && (ctx.Err() == nil || len(test.rounds) == 0) {
		test.add(measured, r.started)
	}
}

// groupEnd is when a group has to be over so that the whole keeps the profile's limit; zero
// without a limit.
func (r *run) groupEnd(specs []contract.TestSpec) time.Time {
	p := r.options.Profile
	if p.Limit == 0 {
		return time.Time{}
	}
	begun := false
	var own, rest time.Duration
	for _, spec := range p.Tests {
		planned := milliseconds(spec.WarmupMs + spec.RoundMs*float64(spec.Rounds))
		begun = begun || spec.ID == specs[0].ID
		if !begun {
			continue
		}
		rest += planned
		for _, mine := range specs {
			if mine.ID == spec.ID {
				own += planned
			}
		}
	}
	now := r.now()
	left := r.started.Add(p.Limit).Sub(now)
	if left <= 0 {
		return now
	}
	return now.Add(time.Duration(float64(left) * float64(own) / float64(rest)))
}

func (r *run) roundsPlanned() int {
	var rounds uint64
	for _, test := range r.options.Profile.Tests {
		rounds += test.Rounds
	}
	return int(rounds)
}

func (r *run) roundsDone() int {
	done := 0
	for _, test := range r.measured {
		done += len(test.rounds)
	}
	return done
}

// wholeBlocks is the part of the span that the blocks fill.
func wholeBlocks(spec contract.TestSpec) int64 {
	return int64(spec.SpanBytes / spec.BlockBytes * spec.BlockBytes)
}

func durability(spec contract.TestSpec) contract.Durability {
	if spec.Durability == nil {
		return ""
	}
	return *spec.Durability
}

func milliseconds(ms float64) time.Duration {
	return time.Duration(ms * float64(time.Millisecond))
}
