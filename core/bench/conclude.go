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
	r.withdraw()
	r.document.Verdict = penalty.Judge(r.document.Penalty, r.options.ThresholdPercent)
	r.document.Headroom = penalty.Predict(r.document.Penalty, r.document.Tests)
	r.document.Complete = true
	for _, problem := range r.document.Problems {
		if problem.Level.OrError() == contract.LevelError {
			r.document.Complete = false
		}
	}
}

// withdraw takes back a penalty that was measured while the computer or the disk was not in its usual
// state: how it was after the tests is known only now. What rests on a test falls with it.
func (r *run) withdraw() {
	p := &r.document.Penalty
	if !p.Valid {
		return
	}
	evidence := validity.Evidence{Context: r.document.Context, Activities: append(r.activities(r.status), r.activities(r.statusAfter)...)}
	if r.options.Penalty.Upper == "" {
		// Paths that were given by hand can lie elsewhere than the target.
		evidence.Target, evidence.Facts = r.document.Target, judged(r.facts)
	}
	reason := validity.Disturbed(evidence)
	if reason == nil && p.Evidence != contract.EvidencePaired {
		reason = r.invalidSingle(*p)
	}
	if reason != nil {
		p.Valid, p.Reason = false, reason
	}
}

// invalidSingle says why a test that does what the penalty is of is not valid; nil when all are.
func (r *run) invalidSingle(p contract.Penalty) *contract.InvalidReason {
	for _, test := range r.document.Tests {
		if !test.Valid && test.QueueDepth == 1 && test.Threads == 1 && is(p.Operation, test.Operation) && is(p.BlockBytes, test.BlockBytes) {
			return because("test-not-valid", "The figures of %s do not tell the disk's speed, so they say nothing about encryption either. %s", test.ID, test.InvalidReasons[0].Text)
		}
	}
	return nil
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
