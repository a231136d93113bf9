package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/journal"
)

// apply carries a plan out, with a journal of its own.
func (r *remediation) apply(folder *journal.Folder, computer remediate.Computer, plan contract.Plan) remediate.Outcome {
	written, err := folder.Create(tool(), plan)
	if err != nil {
		r.problem(contract.Problem{
			Code: "journal-failed", Level: contract.LevelError, Stage: string(contract.KindRemediate), Target: folder.Path(),
			Text: fmt.Sprintf("The journal cannot be begun: %s. The plan was not begun, for nothing of it is changed without a journal. Make room on the disk, or see what keeps administrators from writing there, and run this again.", strings.TrimSuffix(err.Error(), ".")),
		})
		return remediate.Outcome{}
	}
	defer written.Close()
	r.document.Journal = contract.Ptr(written.Path())
	return remediate.Apply(r.ctx, plan, computer, written, remediate.Options{
		Wait: r.flags.Bool("wait"), Poll: r.session.poll, Pauses: r.session.pauses, Watched: r.settings.progress.watched,
		Identities: r.identities, Recheck: r.recheck,
	})
}

// recheck holds the rest of the plan against the guards again, hours after they were asked: the
// computer may run on its battery now, a disk may have begun to fail, a policy may have come.
func (r *remediation) recheck(ctx context.Context) *contract.Problem {
	status, _, cause := r.collect(ctx)
	if cause != nil || len(status.Volumes) == 0 {
		return &contract.Problem{
			Code: "facts-unknown", Level: contract.LevelError, Stage: string(contract.KindRemediate), Retryable: true,
			Text: "Before the next change the facts were to be looked at again, and they were not told in time: the plan ends here. What was begun goes on; run this again.",
		}
	}
	volumes, _ := r.volumes()
	request := r.request(status, volumes, nil)
	// That was judged before it began, and the disk is not as it was then.
	request.SpeedUp = false
	made := remediate.Make(request)
	var refusing []string
	for _, guard := range made.Plan.Guards {
		if guard.Result.Refuses() {
			refusing = append(refusing, guard.ID+": "+guard.Text)
		}
	}
	if refusing == nil {
		return nil
	}
	return &contract.Problem{
		Code: "refused-meanwhile", Level: contract.LevelError, Stage: string(contract.KindRemediate), Retryable: true,
		Text: "While the plan was carried out, something changed that now stands against the rest of it, which is not done. " + strings.Join(refusing, " "),
	}
}

// leftovers are the disks of this computer whose flushing an earlier run turned off and could not turn
// on again. From here on the facts are those from after it is turned on.
func (r *remediation) leftovers() []journal.Done {
	var left []journal.Done
	for _, done := range r.past.FlushingOff() {
		at := slices.IndexFunc(r.status.Disks, func(disk contract.Disk) bool {
			if done.Identity != "" {
				return r.identities[disk.ID] == done.Identity
			}
			return disk.ID == done.Target
		})
		if at < 0 {
			level := contract.LevelWarning
			if r.flags.Bool("speed-up-conversion") {
				level = contract.LevelError
			}
			r.problem(contract.Problem{
				Code: "flushing-left-off", Level: level, Stage: machine.StageDisks, Target: done.Target,
				Text: fmt.Sprintf("An earlier run turned the flushing of the write cache of %s off and was ended before it had turned it on again (%s). That disk is not connected now, or does not answer. Connect it and run this again; or, if it is gone for good, remove that journal.", done.Target, done.Journal),
			})
			continue
		}
		disk := &r.status.Disks[at]
		disk.WriteCache.PowerProtected, disk.WriteCache.SpeedUpJournal = contract.Ptr(false), nil
		done.Target = disk.ID
		left = append(left, done)
	}
	return left
}

// unrecorded takes the lines of a recovery whose journal cannot be written.
type unrecorded struct{}

func (unrecorded) Write(journal.Line) error { return nil }

// recover turns on again what an earlier run was kept from turning on: the flushing of disks. That
// leads back to the safe state and is done before anything is planned, whatever is asked for now and
// even where no journal can be written.
func (r *remediation) recover(folder *journal.Folder, left []journal.Done, computer remediate.Computer) bool {
	restored := true
	for _, done := range left {
		restored = r.restore(folder, done, computer) && restored
	}
	if len(left) > 0 {
		r.past = r.history(folder.Path())
	}
	return restored
}

// recoveryLimit is how long turning the flushing of one disk on may take.
const recoveryLimit = time.Minute

func (r *remediation) restore(folder *journal.Folder, done journal.Done, computer remediate.Computer) bool {
	plan := remediate.Recovery([]journal.Done{done})
	var lines remediate.Journal = unrecorded{}
	if written, err := folder.Create(tool(), plan); err == nil {
		defer written.Close()
		lines = written
		r.document.Journal = contract.Ptr(written.Path())
	}
	ctx, cancel := context.WithTimeout(r.ctx, recoveryLimit)
	defer cancel()
	outcome := remediate.Apply(ctx, plan, computer, lines, remediate.Options{Pauses: r.session.pauses, Identities: r.identities})
	switch step := outcome.Steps[0]; step.Result {
	case contract.StepDone, contract.StepAlready:
		r.problem(contract.Problem{
			Code: "flushing-restored", Level: contract.LevelWarning, Stage: string(contract.KindRemediate), Target: done.Target,
			Text: fmt.Sprintf("An earlier run was ended before it had turned the flushing of the write cache of %s on again. It is on now.", done.Target),
		})
		return true
	default:
		problem := contract.Problem{Code: "flushing-left-off", Level: contract.LevelError, Stage: string(contract.KindRemediate), Target: done.Target, Retryable: true}
		why := "It was interrupted, or took too long."
		if step.Problem != nil {
			why = step.Problem.Text
			problem.HResult, problem.HResultName = step.Problem.HResult, step.Problem.HResultName
		}
		problem.Text = fmt.Sprintf("An earlier run turned the flushing of the write cache of %s off and was ended before it had turned it on again. It could not be turned on now, so nothing else is done, and a loss of power can cost data: %s Turn it on by hand (Device Manager, the disk's Policies: clear \"Turn off Windows write-cache buffer flushing on the device\"), or run this again.", done.Target, why)
		r.problem(problem)
		return false
	}
}

// writable tells whether the document can be written where --output says: a decryption takes hours, and
// a file that cannot be written is better known before it.
func (r *remediation) writable() bool {
	path := r.settings.output
	if path == "" {
		return true
	}
	if err := probeFolder(filepath.Dir(path)); err != nil {
		r.problem(contract.Problem{
			Code: "output-failed", Level: contract.LevelError, Stage: "output", Target: path,
			Text: fmt.Sprintf("The document could not be written to %s: %v. Nothing was changed; choose a folder that exists, can be written to and has room.", path, err),
		})
		return false
	}
	return true
}
