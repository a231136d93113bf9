package remediate

import (
	"context"
	"fmt"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

// Journal takes the lines of a run. A line is on the disk when Write returns without error.
type Journal interface {
	// Write numbers and dates a line and appends it.
	Write(line journal.Line) error
}

// Options say how a plan is carried out.
type Options struct {
	// Wait waits for conversions to end; without it the run ends when they are begun.
	Wait bool
	// Poll is how often a conversion is looked at.
	Poll time.Duration
	// Pauses are the waits before a change is tried again that was refused for a passing reason.
	Pauses []time.Duration
	// Recheck judges the computer anew before a change that follows on a wait, which can take hours: it
	// returns why the change must not be made any more, or nil.
	Recheck func(ctx context.Context) *contract.Problem
	// Identities tell disks, by their ids, from others; a disk without a serial number is not in it.
	Identities map[string]string
	// Watched is told how far a conversion is; nil for nobody.
	Watched func(contract.Running)
}

// Outcome is what became of a plan.
type Outcome struct {
	// Steps are the results, one for each step of the plan, in order.
	Steps contract.List[contract.StepResult]
	// Running are conversions that go on.
	Running contract.List[contract.Running]
	// Interrupted tells that ctx ended before the plan did.
	Interrupted bool
}

// Failed tells whether a step failed.
func (o Outcome) Failed() bool {
	for _, step := range o.Steps {
		if step.Result == contract.StepFailed {
			return true
		}
	}
	return false
}

// Apply carries out a plan whose guards let it. After a step that failed no other is begun, except
// those that turn a disk's flushing on again; ctx ends the run in the same way, between two steps or
// while it waits, never in the middle of a change. What was begun on a volume goes on by itself.
//
// It makes no step again that is done already: each begins with a look at the present state.
func Apply(ctx context.Context, plan contract.Plan, computer Computer, written Journal, options Options) Outcome {
	r := &run{ctx: ctx, plan: plan, computer: computer, journal: written, options: options, rates: map[string]*rate{}, unsure: map[string]bool{}}
	defer r.afterFault()
	for _, step := range plan.Steps {
		r.outcome.Steps = append(r.outcome.Steps, r.step(step))
	}
	r.outcome.Running = r.running()
	r.outcome.Interrupted = ctx.Err() != nil && r.held
	r.end()
	return r.outcome
}

// afterFault turns on again what this run turned off, when a fault of this program ends it in the midst.
// The fault goes on to the caller.
func (r *run) afterFault() {
	for _, step := range r.plan.Steps[len(r.outcome.Steps):] {
		// The step itself may be at fault.
		func() {
			defer func() { _ = recover() }()
			r.outcome.Steps = append(r.outcome.Steps, contract.StepResult{ID: step.ID, Result: contract.StepNotStarted})
			if r.reverses(step) {
				limited, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), reversalLimit)
				defer cancel()
				_, _ = r.change(limited, step)
			}
		}()
	}
}

// run is a plan that is being carried out.
type run struct {
	ctx      context.Context
	plan     contract.Plan
	computer Computer
	journal  Journal
	options  Options
	outcome  Outcome
	// failed tells that nothing more may be begun, held that nothing more may be changed, since
	// something goes on that what follows rests on.
	failed, held bool
	// waited tells that time has passed since the guards were asked.
	waited bool
	// flushingOff are disks whose flushing this run has turned off, or may have.
	flushingOff map[string]bool
	// unsure are the steps that failed and may have been made all the same.
	unsure map[string]bool
	rates  map[string]*rate
}

// reversalLimit is how long turning a disk's flushing on again may take when the run has ended.
const reversalLimit = 30 * time.Second

func (r *run) step(step contract.PlanStep) contract.StepResult {
	result := contract.StepResult{ID: step.ID, Result: contract.StepNotStarted}
	ctx := r.ctx
	if r.reverses(step) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), reversalLimit)
		defer cancel()
		ctx = limited
	} else if !r.mayBegin(step) {
		return result
	}
	result.StartedAt = now()
	if r.leaves(step) {
		result.Result, result.EndedAt = contract.StepAlready, now()
		return result
	}
	var problem *contract.Problem
	switch step.Change {
	case contract.ChangeWait:
		result.Result, problem = r.wait(ctx, step)
	case contract.ChangeVerify:
		result.Result, problem = r.verify(ctx)
	default:
		problem = r.recheck(ctx, step)
		switch {
		case ctx.Err() != nil && !r.reverses(step):
			problem = nil
		case problem != nil:
			result.Result = contract.StepFailed
		default:
			result.Result, problem = r.change(ctx, step)
		}
	}
	result.Problem = problem
	switch result.Result {
	case contract.StepFailed:
		r.failed = true
	case contract.StepRunning:
		r.held = true
		return result
	case contract.StepNotStarted:
		// Interrupted before anything was done.
		r.held = true
		result.StartedAt = nil
		return result
	}
	result.EndedAt = now()
	return result
}

// reverses tells whether a step turns on what this run turned off, which is done on every way out.
func (r *run) reverses(step contract.PlanStep) bool {
	return step.Change == contract.ChangeFlushing && step.After == On && r.flushingOff[step.Target]
}

// leaves tells whether a step would turn on what was off already when this run came to turn it off.
func (r *run) leaves(step contract.PlanStep) bool {
	if step.Change != contract.ChangeFlushing || step.After != On {
		return false
	}
	for i, earlier := range r.plan.Steps[:len(r.outcome.Steps)] {
		if earlier.Change == contract.ChangeFlushing && earlier.Target == step.Target && earlier.After == Off {
			return r.outcome.Steps[i].Result == contract.StepAlready
		}
	}
	return false
}

// recheck judges the computer anew where time has passed since the guards were asked, and before the
// keys go by which the volumes that were waited for would unlock.
func (r *run) recheck(ctx context.Context, step contract.PlanStep) *contract.Problem {
	if step.Change == contract.ChangeClearAutoUnlock || step.Change == contract.ChangeDecrypt {
		if problem := r.stillDecrypted(ctx); problem != nil {
			return problem
		}
	}
	if !r.waited || r.options.Recheck == nil || step.Change == contract.ChangeFlushing {
		return nil
	}
	r.waited = false
	return r.options.Recheck(ctx)
}

// stillDecrypted looks again at the volumes that were waited for.
func (r *run) stillDecrypted(ctx context.Context) *contract.Problem {
	for i, step := range r.plan.Steps[:len(r.outcome.Steps)] {
		if step.Change != contract.ChangeWait || !succeeded(r.outcome.Steps[i].Result) {
			continue
		}
		present, failure := r.read(ctx, step)
		switch {
		case failure != nil && ctx.Err() == nil:
			return &failure.Problem
		case failure == nil && present != step.After:
			return encryptedMeanwhile(step.Target, present)
		}
	}
	return nil
}

func (r *run) mayBegin(step contract.PlanStep) bool {
	if r.failed {
		return false
	}
	if r.ctx.Err() != nil {
		r.held = true
	}
	// Other conversions that were begun are looked at all the same.
	return !r.held || step.Change == contract.ChangeWait && r.begun(step.Target)
}

// begun tells whether a volume's decryption runs because of this plan, or may, or did so before it.
func (r *run) begun(volume string) bool {
	for i, step := range r.plan.Steps {
		if step.Change == contract.ChangeDecrypt && step.Target == volume {
			return i < len(r.outcome.Steps) && (succeeded(r.outcome.Steps[i].Result) || r.unsure[step.ID])
		}
	}
	return true
}

func succeeded(outcome contract.StepOutcome) bool {
	return outcome == contract.StepDone || outcome == contract.StepAlready
}

// write appends a line to the journal.
func (r *run) write(line journal.Line) *contract.Problem {
	err := r.journal.Write(line)
	if err == nil {
		return nil
	}
	return &contract.Problem{
		Code: "journal-failed", Level: contract.LevelError, Stage: stage, Target: line.Target,
		Text: fmt.Sprintf("The journal cannot be written: %v. Nothing is changed without it, so the run ends here. Make room on the disk, or see what keeps administrators from writing there, and run this again: it goes on from the true state.", err),
	}
}

const stage = string(contract.KindRemediate)

func (r *run) end() {
	line := journal.Line{Event: journal.EventEnd, Result: contract.StepDone}
	for _, step := range r.outcome.Steps {
		switch {
		case step.Result == contract.StepFailed:
			line.Result, line.Problem = contract.StepFailed, step.Problem
		case line.Result != contract.StepFailed && !succeeded(step.Result):
			line.Result = contract.StepRunning
		}
	}
	// Each change stands in the journal; that its end does not loses nothing.
	_ = r.journal.Write(line)
}

func now() *time.Time { return contract.Ptr(time.Now().UTC()) }

// sleep waits, and tells whether ctx lasted.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
