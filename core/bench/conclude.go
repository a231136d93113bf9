package bench

import (
	"context"

	"diskaudit/core/bench/penalty"
	"diskaudit/core/bench/validity"
	"diskaudit/core/contract"
)

// conclude looks at the computer again, judges the figures and says what the penalty means.
func (r *run) conclude(ctx context.Context) {
	if r.options.Observe != nil && ctx.Err() == nil {
		r.statusAfter = r.options.Observe(ctx)
		r.document.Context.After = r.state(r.statusAfter)
	}
	r.document.Tests = r.results()
	r.document.Verdict = penalty.Judge(r.document.Penalty, r.options.ThresholdPercent)
	r.document.Headroom = penalty.Predict(r.document.Penalty, r.document.Tests)
	r.document.Complete = true
	for _, problem := range r.document.Problems {
		if problem.Level.OrError() == contract.LevelError {
			r.document.Complete = false
		}
	}
}

// results are the tests with their judgement, in order.
func (r *run) results() []contract.BenchTest {
	var tests []contract.BenchTest
	activities := append(r.activities(r.status), r.activities(r.statusAfter)...)
	for _, test := range r.measured {
		tests = append(tests, validity.Apply(validity.Evidence{
			Test: test.result(), Backwards: test.backwards, Zero: test.zero, Failed: test.failed,
			Target: r.document.Target, Facts: judged(r.facts), Context: r.document.Context,
			Activities: activities,
		}))
	}
	return tests
}
