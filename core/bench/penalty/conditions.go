package penalty

import (
	"context"
	"time"

	"diskaudit/core/bench/engine"
)

// conditions are what a measurement runs under, and the clock of its budget. Latencies have a
// clock of their own, in the paths.
type conditions struct {
	// timed runs f as code whose timing counts.
	timed func(processor int, f func()) error
	// now is the time since some moment.
	now func() time.Duration
	// settle keeps the processor busy for a moment, in which what else the program does comes to
	// rest.
	settle func()
	// sleep waits, or until ctx ends.
	sleep func(ctx context.Context, d time.Duration)
}

// settleTime is longer than an idle thread of the runtime looks for work before it sleeps.
const settleTime = 2 * time.Millisecond

var epoch = time.Now()

var systemConditions = conditions{
	timed: engine.Timed,
	now:   func() time.Duration { return time.Since(epoch) },
	settle: func() {
		for start := time.Now(); time.Since(start) < settleTime; {
		}
	},
	sleep: func(ctx context.Context, d time.Duration) {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
	},
}
