package remediate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

// recordEvery is how often the journal is told how far a conversion is.
const recordEvery = time.Minute

// wait watches a decryption until it has ended. It never asks for it again: another program that
// encrypts while this one decrypts would keep both busy for ever.
func (r *run) wait(ctx context.Context, step contract.PlanStep) (contract.StepOutcome, *contract.Problem) {
	seen := false
	var recorded time.Time
	for {
		var e contract.Encryption
		failure := r.again(ctx, true, func() (err error) {
			e, err = r.watch(ctx, step.Target)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return contract.StepRunning, nil
		case failure != nil:
			return contract.StepFailed, &failure.Problem
		}
		switch *e.Conversion {
		case contract.FullyDecrypted:
			if !seen {
				return contract.StepAlready, nil
			}
			return contract.StepDone, nil
		case contract.DecryptionInProgress:
		case contract.DecryptionPaused:
			return contract.StepRunning, pausedMeanwhile(step.Target)
		default:
			return contract.StepFailed, encryptedMeanwhile(step.Target, e.Conversion.String())
		}
		seen, r.waited = true, true
		going := r.measure(step.Target, e)
		if r.options.Watched != nil {
			r.options.Watched(going)
		}
		if time.Since(recorded) >= recordEvery && e.Percent != nil {
			recorded = time.Now()
			// What is lost with this line is a measured rate; the next change needs the journal again.
			_ = r.journal.Write(journal.Line{Event: journal.EventProgress, Step: step.ID, Target: step.Target, Percent: e.Percent})
		}
		if !r.options.Wait || !sleep(ctx, r.options.Poll) {
			return contract.StepRunning, nil
		}
	}
}

// watch reads how far a conversion is, which is known when there is no error.
func (r *run) watch(ctx context.Context, volume string) (contract.Encryption, error) {
	e, err := r.computer.Conversion(ctx, volume)
	if err == nil {
		_, err = conversionOf(volume, e)
	}
	return e, err
}

func pausedMeanwhile(volume string) *contract.Problem {
	return &contract.Problem{
		Code: "conversion-paused", Level: contract.LevelWarning, Stage: stage, Target: volume, Retryable: true,
		Text: fmt.Sprintf("The decryption of %s was paused by somebody else while it was waited for, and what the plan has after it is not done. To go on with all of it, run the same command again; it resumes the decryption.", volume),
	}
}

func encryptedMeanwhile(volume, conversion string) *contract.Problem {
	return &contract.Problem{
		Code: "encrypted-again", Level: contract.LevelError, Stage: stage, Target: volume,
		Text: fmt.Sprintf("%s was decrypted here and is %s now: another program, or a policy, encrypts it again. It is left so, for each would undo the other without end. Find out who does it (see policy and join in diskaudit status), and have that changed first.", volume, conversion),
	}
}

// rate is how fast a conversion was seen to go.
type rate struct {
	since   time.Time
	percent float64
}

// measuredAfter is how long a conversion is watched before its rate is told.
const measuredAfter = 5 * time.Second

// measure describes a conversion that is under way, with its rate since it was first seen.
func (r *run) measure(volume string, e contract.Encryption) contract.Running {
	going := contract.Running{VolumeID: volume, Conversion: e.Conversion, Percent: e.Percent, Watch: WatchCommand(volume)}
	if e.Percent == nil {
		return going
	}
	first := r.rates[volume]
	if first == nil {
		r.rates[volume] = &rate{since: time.Now(), percent: *e.Percent}
		return going
	}
	elapsed, gone := time.Since(first.since), first.percent-*e.Percent
	if elapsed < measuredAfter || gone <= 0 {
		return going
	}
	perHour := gone / elapsed.Hours()
	going.PercentPerHour = &perHour
	going.ETASeconds = contract.Ptr(*e.Percent / perHour * 3600)
	return going
}

// WatchCommand is the command that shows how far a volume is. The name is quoted, for a shell may take
// the braces of a volume's path for its own; a backslash before the quote would be taken for a part of it.
func WatchCommand(volume string) string {
	return `diskaudit status --volume "` + strings.TrimRight(volume, `\`) + `"`
}

// lastLook is how long each look at a conversion may take at the end of a run.
const lastLook = 10 * time.Second

// running are the decryptions of the plan that go on.
func (r *run) running() contract.List[contract.Running] {
	var running contract.List[contract.Running]
	asked := false
	for i, step := range r.plan.Steps {
		if step.Change != contract.ChangeWait || succeeded(r.outcome.Steps[i].Result) || !r.begun(step.Target) {
			continue
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), lastLook)
		if r.ctx.Err() != nil && !asked {
			// The question that was broken off may block the connection; the failure of that shows at once.
			asked = true
			_ = r.computer.Reconnect(ctx)
		}
		e, err := r.watch(ctx, step.Target)
		cancel()
		if err != nil {
			// It was begun, and how far it is can be asked for later.
			running = append(running, contract.Running{VolumeID: step.Target, Watch: WatchCommand(step.Target)})
			continue
		}
		if *e.Conversion == contract.DecryptionInProgress || *e.Conversion == contract.DecryptionPaused {
			running = append(running, r.measure(step.Target, e))
		}
	}
	return running
}
