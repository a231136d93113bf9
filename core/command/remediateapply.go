package command

import (
	"context"
	"fmt"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/journal"
)

// options are how a plan is carried out.
func (r *remediation) options() remediate.Options {
	options := remediate.Options{
		Wait: r.flags.Bool("wait"), Poll: r.session.poll, Pauses: r.session.pauses, Watched: r.settings.progress.watched,
	}
	return options
}

// apply carries a plan out, with a journal of its own.
func (r *remediation) apply(folder *journal.Folder, computer remediate.Computer, plan contract.Plan, options remediate.Options) remediate.Outcome {
	written, err := folder.Create(tool(), plan)
	if err != nil {
		r.problem(contract.Problem{
			Code: "journal-failed", Level: contract.LevelError, Stage: string(contract.KindRemediate), Target: folder.Path(),
			Text: fmt.Sprintf("The journal cannot be begun: %v. Nothing was changed, for nothing is changed without it. Make room on the disk, or see what keeps administrators from writing there, and run this again.", err),
		})
		return remediate.Outcome{}
	}
	defer written.Close()
	r.document.Journal = contract.Ptr(written.Path())
	return remediate.Apply(r.ctx, plan, computer, written, options)
}

// recover turns on again what an earlier run was kept from turning on: the flushing of disks. That
// leads back to the safe state and is done before anything is planned, whatever is asked for now.
func (r *remediation) recover(folder *journal.Folder, history journal.History, computer remediate.Computer) bool {
	plan := remediate.Recovery(history)
	if len(plan.Steps) == 0 {
		return true
	}
	// The earlier run is over; a person who interrupts this one waits for it.
	recovering := *r
	limited, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), recoveryLimit)
	defer cancel()
	recovering.ctx = limited
	outcome := recovering.apply(folder, computer, plan, r.options())
	r.document.Problems, r.document.Journal = recovering.document.Problems, recovering.document.Journal
	for i, step := range outcome.Steps {
		if step.Problem != nil {
			r.problem(*step.Problem)
			continue
		}
		r.problem(contract.Problem{
			Code: "flushing-restored", Level: contract.LevelWarning, Stage: string(contract.KindRemediate), Target: plan.Steps[i].Target,
			Text: fmt.Sprintf("An earlier run was ended before it had turned the flushing of the write cache of %s on again. It is on now.", plan.Steps[i].Target),
		})
	}
	return len(outcome.Steps) > 0 && !outcome.Failed()
}

const recoveryLimit = time.Minute
