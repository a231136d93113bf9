package remediate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

// change makes one change: it reads the present state, writes that to the journal, changes, and
// reads again. Without an answer, or with one that says "later", the state is read before the
// change is tried again: it may have been made all the same.
func (r *run) change(ctx context.Context, step contract.PlanStep) (contract.StepOutcome, *contract.Problem) {
	present, failure := r.read(ctx, step)
	// What this run turned off is turned on again whatever cannot be read or written.
	reverses := r.reverses(step)
	switch {
	case failure != nil && reverses:
		present = step.Before
	case ctx.Err() != nil:
		return contract.StepNotStarted, nil
	case failure != nil:
		return contract.StepFailed, &failure.Problem
	case present != step.Before && !reached(step, present):
		return contract.StepFailed, changedSince(step, present)
	}
	if problem := r.write(journal.Line{
		Event: journal.EventStep, Step: step.ID, Change: step.Change, Target: step.Target,
		Identity: r.options.Identities[step.Target], Old: present, New: step.After,
	}); problem != nil && !reverses {
		return contract.StepFailed, problem
	}
	if reached(step, present) {
		return contract.StepAlready, r.write(endOf(step, contract.StepAlready, nil, false))
	}
	if step.Change == contract.ChangeFlushing && step.After == Off {
		if r.flushingOff == nil {
			r.flushingOff = map[string]bool{}
		}
		r.flushingOff[step.Target] = true
	}
	// A change that was begun is not left in the middle: its answer is waited for. A person who does
	// not want to wait for a busy BitLocker gets its refusal.
	waiting := ctx
	if !reverses {
		ctx = context.WithoutCancel(ctx)
	}
	outcome, problem, unsure := r.carryOut(ctx, waiting, step)
	if unsure {
		r.unsure[step.ID] = true
	}
	if written := r.write(endOf(step, outcome, problem, unsure)); written != nil && problem == nil {
		// The change is made, which the step says; the run ends.
		r.failed = true
		return outcome, written
	}
	return outcome, problem
}

func endOf(step contract.PlanStep, outcome contract.StepOutcome, problem *contract.Problem, unsure bool) journal.Line {
	return journal.Line{
		Event: journal.EventStepEnd, Step: step.ID, Change: step.Change, Target: step.Target, Result: outcome, Problem: problem, Unsure: unsure,
	}
}

// carryOut asks for a change until it is made, is refused, or was tried often enough; waiting is for how
// long it is tried. Unsure tells that the change may have been made although it failed.
func (r *run) carryOut(ctx, waiting context.Context, step contract.PlanStep) (outcome contract.StepOutcome, problem *contract.Problem, unsure bool) {
	for attempt := 0; ; attempt++ {
		refused := asFailure(r.do(ctx, step))
		if refused != nil && refused.Fatal {
			return contract.StepFailed, &refused.Problem, true
		}
		present, failure := r.confirm(ctx, waiting, step, refused)
		switch {
		case failure != nil && refused == nil:
			return contract.StepFailed, unconfirmed(step, failure), true
		case failure != nil:
			return contract.StepFailed, effectUnknown(step, refused, failure), true
		case reached(step, present):
			return contract.StepDone, nil, false
		case refused == nil:
			return contract.StepFailed, ineffective(step, present), false
		case present != step.Before:
			return contract.StepFailed, changedMeanwhile(step, refused, present), true
		case !refused.Problem.Retryable && !refused.Unsure, attempt == len(r.options.Pauses):
			return contract.StepFailed, &refused.Problem, false
		}
		if waiting.Err() != nil || !sleep(waiting, r.options.Pauses[attempt]) {
			// It was refused, and is not made.
			return contract.StepNotStarted, nil, false
		}
	}
}

// confirm reads the state after a change was asked for. When the waiting has ended, there is one look,
// which does not take long.
func (r *run) confirm(ctx, waiting context.Context, step contract.PlanStep, refused *Failure) (string, *Failure) {
	lost := refused != nil && refused.Unsure && ofVolume(step)
	if waiting.Err() == nil {
		var failure *Failure
		if lost {
			failure = asFailure(r.computer.Reconnect(waiting))
		}
		present := ""
		if failure == nil {
			present, failure = r.settled(waiting, step, refused == nil)
		}
		if failure == nil || waiting.Err() == nil {
			return present, failure
		}
	}
	limited, cancel := context.WithTimeout(ctx, lastLook)
	defer cancel()
	if ofVolume(step) {
		// The question that was broken off may block the connection.
		if err := r.computer.Reconnect(limited); err != nil {
			return "", asFailure(err)
		}
	}
	present, err := r.look(limited, step)
	return present, asFailure(err)
}

// settled reads the state; a change that was accepted is given time to show.
func (r *run) settled(ctx context.Context, step contract.PlanStep, accepted bool) (present string, failure *Failure) {
	for attempt := 0; ; attempt++ {
		present, failure = r.read(ctx, step)
		if failure != nil || !accepted || present != step.Before || attempt == len(r.options.Pauses) || !sleep(ctx, r.options.Pauses[attempt]) {
			return present, failure
		}
	}
}

// ofVolume tells whether a step is about a volume, for which BitLocker has to be asked.
func ofVolume(step contract.PlanStep) bool {
	return step.Change != contract.ChangePrevent && step.Change != contract.ChangeFlushing
}

func (r *run) do(ctx context.Context, step contract.PlanStep) error {
	switch step.Change {
	case contract.ChangePrevent:
		return r.computer.SetPrevention(ctx, step.After)
	case contract.ChangeFlushing:
		return r.computer.SetFlushing(ctx, step.Target, step.After)
	}
	return r.computer.Change(ctx, step.Target, step.Change)
}

// read reads the state that a step changes, in the words of the plan.
func (r *run) read(ctx context.Context, step contract.PlanStep) (present string, failure *Failure) {
	failure = r.again(ctx, ofVolume(step), func() (err error) {
		present, err = r.look(ctx, step)
		return err
	})
	return present, failure
}

// again asks, and asks again after a pause what failed for a passing reason; over a new connection to
// BitLocker where it was asked and gave no answer.
func (r *run) again(ctx context.Context, bitLocker bool, ask func() error) *Failure {
	for attempt := 0; ; attempt++ {
		failure := asFailure(ask())
		if failure == nil || failure.Fatal || !failure.Problem.Retryable && !failure.Unsure || attempt == len(r.options.Pauses) || !sleep(ctx, r.options.Pauses[attempt]) {
			return failure
		}
		if failure.Unsure && bitLocker {
			// The failure of that shows at the next look.
			_ = r.computer.Reconnect(ctx)
		}
	}
}

func (r *run) look(ctx context.Context, step contract.PlanStep) (string, error) {
	switch step.Change {
	case contract.ChangePrevent:
		return r.computer.Prevention(ctx)
	case contract.ChangeFlushing:
		return r.computer.Flushing(ctx, step.Target)
	case contract.ChangeClearAutoUnlock:
		e, err := r.computer.Volume(ctx, step.Target)
		if err != nil {
			return "", err
		}
		if e.AutoUnlockKeysStored == nil {
			return "", unknownState(step.Target, "whether it holds keys for automatic unlocking")
		}
		if *e.AutoUnlockKeysStored {
			return Stored, nil
		}
		return NotStored, nil
	}
	e, err := r.computer.Conversion(ctx, step.Target)
	if err != nil {
		return "", err
	}
	return conversionOf(step.Target, e)
}

// conversionOf is the name of a conversion that is known.
func conversionOf(volume string, e contract.Encryption) (string, error) {
	switch {
	case e.Lock != nil && *e.Lock == contract.Locked:
		return "", lockedMeanwhile(volume)
	case e.Conversion == nil || !e.Conversion.Recognized():
		return "", unknownState(volume, "how far it is encrypted")
	}
	return e.Conversion.String(), nil
}

// reached tells whether a state is the one that a step leads to, or beyond it: a decryption that was
// begun can have ended already.
func reached(step contract.PlanStep, present string) bool {
	return present == step.After || step.Change == contract.ChangeDecrypt && present == contract.FullyDecrypted.String()
}

// asFailure is the failure in an error of a Computer; nil for none.
func asFailure(err error) *Failure {
	if err == nil {
		return nil
	}
	var failure *Failure
	if errors.As(err, &failure) {
		return failure
	}
	return &Failure{Problem: contract.Problem{
		Code: "windows-error", Level: contract.LevelError, Stage: stage,
		Text: fmt.Sprintf("This could not be done: %v. Look at the state with diskaudit status, and run this again.", err),
	}}
}

func changedSince(step contract.PlanStep, present string) *contract.Problem {
	return &contract.Problem{
		Code: "state-changed", Level: contract.LevelError, Stage: stage, Target: step.Target, Retryable: true,
		Text: fmt.Sprintf("%s is %s now, not %s as when the plan was made: something else has changed it in between. Nothing was done to it. Look at diskaudit status, and make a new plan.", step.Target, present, step.Before),
	}
}

// changedMeanwhile is about a change that was asked for and refused, after which the state is a third one.
func changedMeanwhile(step contract.PlanStep, refused *Failure, present string) *contract.Problem {
	problem := refused.Problem
	problem.Code, problem.Retryable = "state-changed", true
	problem.Text = fmt.Sprintf("The step %s on %s was asked for, without a usable answer, and the state is %s now: neither the one before, %s, nor the planned one, %s. Something else works on it at the same time. See diskaudit status, and make a new plan. (%s)",
		step.Change, step.Target, present, step.Before, step.After, strings.TrimSpace(refused.Problem.Text))
	return &problem
}

func ineffective(step contract.PlanStep, present string) *contract.Problem {
	return &contract.Problem{
		Code: "change-without-effect", Level: contract.LevelError, Stage: stage, Target: step.Target,
		Text: fmt.Sprintf("Windows accepted the step %s, but %s is %s afterwards, not %s. Another program or a policy works against it; find that out before you run this again.", step.Change, step.Target, present, step.After),
	}
}

// unconfirmed is about a change that was accepted, but could not be looked at afterwards.
func unconfirmed(step contract.PlanStep, failure *Failure) *contract.Problem {
	problem := failure.Problem
	problem.Text = fmt.Sprintf("Windows accepted the step %s on %s, but its state could not be read afterwards: %s", step.Change, step.Target, strings.TrimSpace(problem.Text))
	return &problem
}

// effectUnknown is about a change that brought no usable answer, and whose effect could not be looked at.
func effectUnknown(step contract.PlanStep, refused, failure *Failure) *contract.Problem {
	problem := refused.Problem
	problem.Text = fmt.Sprintf("%s Whether the step %s on %s took effect is not known, for its state could not be read afterwards (%s). Run this again: it reads the true state first.",
		strings.TrimSpace(problem.Text), step.Change, step.Target, strings.TrimSpace(failure.Problem.Text))
	return &problem
}

func unknownState(volume, what string) *Failure {
	return &Failure{Problem: contract.Problem{
		Code: "state-unknown", Level: contract.LevelError, Stage: stage, Target: volume,
		Text: fmt.Sprintf("Of %s it is not known %s, and what is not known is not changed. See diskaudit status for the reason.", volume, what),
	}}
}

func lockedMeanwhile(volume string) *Failure {
	return &Failure{Problem: contract.Problem{
		Code: "volume-locked", Level: contract.LevelError, Stage: stage, Target: volume,
		Text: fmt.Sprintf("%s is locked, so Windows tells and changes nothing of it. A conversion that was under way goes on when it is unlocked (Unlock-BitLocker, or manage-bde -unlock); then run this again.", volume),
	}}
}
