// Package bench measures how fast a disk is and what its encryption layer adds. It runs a
// profile's tests with the engine on a target, judges the figures, and puts them with their
// evidence into a contract.Bench.
package bench

import (
	"context"
	"errors"
	"time"

	"diskaudit/core/bench/engine"
	"diskaudit/core/bench/profile"
	"diskaudit/core/bench/target"
	"diskaudit/core/contract"
)

// Stages as they appear in problems and in progress.
const (
	StagePrepare = "prepare"
	StageMeasure = "measure"
	StagePenalty = "penalty"
)

// Options say what to measure.
type Options struct {
	// Target is a folder, a file or a device; "" measures no tests, only the penalty.
	Target  string
	Profile profile.Profile
	Seed    uint64
	// MaxWritten limits the bytes written in all, the making of the file included; 0 is no limit but the profile's.
	MaxWritten int64
	// Penalty says how to measure what a layer adds.
	Penalty PenaltyOptions
	// ThresholdPercent is the penalty from which it is material.
	ThresholdPercent float64
	// Observe asks the computer for its facts.
	Observe func(context.Context) contract.Status
	// Progress is told how far a stage is; it may be nil.
	Progress func(stage string, done, total int)
	// Ended turns the end of the context into a problem.
	Ended func(stage string, cause error) contract.Problem
}

// PenaltyOptions say how to measure what a layer adds.
type PenaltyOptions struct {
	// Off leaves it out.
	Off bool
	// Upper and Lower are two paths given by hand; "" finds them.
	Upper, Lower string
	// LowerOffset is where the upper path's first byte lies in the lower one, in bytes.
	LowerOffset int64
	// For limits the time.
	For time.Duration
	// Twin is a folder on a plain volume of the same disk, for that kind of evidence.
	Twin string
	// Saved is an older document of the same disk in the other state; nil when there is none.
	Saved *contract.Bench
}

// devices is what the run needs of the system; tests replace it.
type devices struct {
	target func(context.Context, target.Request) (*target.Target, error)
	open   func(engine.Spec) (session, error)
	now    func() time.Time
	// busy is how busy the processors are with other work, in percent; nil when it cannot be told.
	busy func(context.Context) *float64
}

// session is what the run needs of an engine's session.
type session interface {
	Round(context.Context, engine.Limit) (engine.Round, error)
	Description() engine.Description
	DistinctBlocks() int64
	Close() error
}

// Run measures. It returns a document in every case: what failed is a problem in it, and what was
// measured until then is kept. Tool, time and kind are left to the caller.
func Run(ctx context.Context, options Options) contract.Bench {
	return devices{
		target: target.Open,
		open:   func(spec engine.Spec) (session, error) { return engine.Open(spec) },
		now:    time.Now,
		busy:   busyPercent,
	}.run(ctx, options)
}

func (d devices) run(ctx context.Context, options Options) contract.Bench {
	if options.Progress == nil {
		options.Progress = func(string, int, int) {}
	}
	r := &run{devices: d, options: options, started: d.now()}
	r.document.Profile = options.Profile.Document()
	r.document.Engine = contract.BenchEngine{Clock: engine.MeasureClock(), Seed: options.Seed}
	r.document.Verdict.ThresholdPercent = options.ThresholdPercent
	r.busyBefore = r.busy(ctx)
	r.observe(ctx)
	if options.Target != "" {
		r.measure(ctx)
	}
	r.price(ctx)
	r.conclude(ctx)
	return r.document
}

// run is one run in progress.
type run struct {
	devices
	options  Options
	started  time.Time
	document contract.Bench
	// status is the computer before the first test, statusAfter after the last; that one is empty until then.
	status, statusAfter contract.Status
	// measured are the tests with what they are judged by.
	measured []*measuredTest
	facts    target.Facts
	// busyBefore is the load that others made before the first test, in percent.
	busyBefore *float64
}

func (r *run) problem(problem contract.Problem) {
	r.document.Problems = append(r.document.Problems, problem)
}

// ended reports that the context ended in a stage, once.
func (r *run) ended(ctx context.Context, stage string) {
	if ctx.Err() == nil {
		return
	}
	problem := r.options.Ended(stage, context.Cause(ctx))
	for _, known := range r.document.Problems {
		// What was taken over from the status about the provider can have the same code.
		if known.Code == problem.Code && known.Target == problem.Target {
			return
		}
	}
	r.problem(problem)
}

// refused turns an error of opening the target into a problem.
func (r *run) refused(ctx context.Context, stage, path string, err error) {
	if ctx.Err() != nil {
		r.ended(ctx, stage)
		return
	}
	problem := contract.Problem{Code: "target-unusable", Level: contract.LevelError, Stage: stage, Target: path, Text: err.Error()}
	var refusal *target.Refusal
	if errors.As(err, &refusal) {
		problem.Code, problem.Text, problem.Retryable = refusal.Code, refusal.Text, refusal.Retryable
	}
	r.problem(problem)
}
