package remediate

import (
	"context"
	"fmt"
	"strings"

	"diskaudit/core/contract"
)

// verify reads over a new connection whether the plan's volumes are decrypted, and whether Windows is
// kept from encrypting them again.
func (r *run) verify(ctx context.Context) (contract.StepOutcome, *contract.Problem) {
	if failure := r.again(ctx, false, func() error { return r.computer.Reconnect(ctx) }); failure != nil {
		return r.unverified(ctx, failure)
	}
	// Whether this plan set it or it was set before: somebody may have taken it back meanwhile.
	prevention := contract.PlanStep{Target: PreventionTarget, Change: contract.ChangePrevent, After: "1"}
	value, failure := r.read(ctx, prevention)
	if failure != nil {
		return r.unverified(ctx, failure)
	}
	if value != prevention.After {
		return contract.StepFailed, notAsPlanned(prevention.Target, value, prevention.After)
	}
	for _, step := range r.plan.Steps {
		if step.Change != contract.ChangeWait {
			continue
		}
		if outcome, problem := r.verifyVolume(ctx, step); problem != nil || outcome != contract.StepDone {
			return outcome, problem
		}
	}
	return contract.StepDone, nil
}

func (r *run) verifyVolume(ctx context.Context, step contract.PlanStep) (contract.StepOutcome, *contract.Problem) {
	var e contract.Encryption
	failure := r.again(ctx, true, func() (err error) {
		e, err = r.computer.Volume(ctx, step.Target)
		return err
	})
	if failure != nil {
		return r.unverified(ctx, failure)
	}
	conversion, err := conversionOf(step.Target, e)
	switch {
	case err != nil:
		return r.unverified(ctx, asFailure(err))
	case conversion != step.After:
		return contract.StepFailed, notAsPlanned(step.Target, conversion, step.After)
	case e.Protectors == nil:
		return r.unverified(ctx, unknownState(step.Target, "which key protectors it has"))
	case len(e.Protectors) > 0:
		return contract.StepFailed, notAsPlanned(step.Target, fmt.Sprintf("decrypted, but keeps %d key protectors", len(e.Protectors)), step.After)
	}
	return contract.StepDone, nil
}

// unverified is the outcome of a look that failed, or was interrupted.
func (r *run) unverified(ctx context.Context, failure *Failure) (contract.StepOutcome, *contract.Problem) {
	if ctx.Err() != nil {
		return contract.StepNotStarted, nil
	}
	problem := failure.Problem
	problem.Text = "The decryption has ended, but a fresh look could not confirm it. " + strings.TrimSpace(problem.Text)
	return contract.StepFailed, &problem
}

func notAsPlanned(target, present, planned string) *contract.Problem {
	return &contract.Problem{
		Code: "verification-failed", Level: contract.LevelError, Stage: stage, Target: target,
		Text: fmt.Sprintf("A fresh look shows that %s is %s, not %s as planned. Another program or a policy may have changed it; see diskaudit status.", target, present, planned),
	}
}
