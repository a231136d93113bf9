package remediate

import (
	"fmt"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

// undo plans to take back what earlier runs did, newest first, as far as that is still in force.
// What another has changed since is left alone, unless that is asked for.
func (p *planning) undo() {
	for _, done := range p.request.History.InForce() {
		switch done.Change {
		case contract.ChangePrevent:
			p.undoPrevention(done)
		case contract.ChangePause:
			p.undoTurn(done, contract.ChangeResume, resuming)
		case contract.ChangeResume:
			p.undoTurn(done, contract.ChangePause, pausing)
		case contract.ChangeDecrypt, contract.ChangeClearAutoUnlock:
			p.problems = append(p.problems, contract.Problem{
				Code: "cannot-undo", Level: contract.LevelWarning, Stage: string(contract.KindRemediate), Target: done.Target,
				Text: fmt.Sprintf("The step %s on %s of %s is not taken back. %s (%s)", done.Change, p.named(done.Target), done.At.Format("2006-01-02 15:04"), p.lasting(done), done.Journal),
			})
		}
		// The flushing of a disk is turned on again before any plan is made.
	}
}

func (p *planning) lasting(done journal.Done) string {
	if done.Change == contract.ChangeDecrypt {
		return notUndone
	}
	return "Enable-BitLockerAutoUnlock makes new keys for a volume that is still encrypted."
}

func (p *planning) undoPrevention(done journal.Done) {
	if done.Target != PreventionTarget || !isPrevention(done.Old) || !isPrevention(done.New) {
		p.problems = append(p.problems, contract.Problem{
			Code: "journal-implausible", Level: contract.LevelError, Stage: stage, Target: done.Journal,
			Text: fmt.Sprintf("The journal tells of a change of %s from %q to %q, which this program does not make. It is left alone. See how it came there, and set PreventDeviceEncryption by hand if it is not as it should be.", done.Target, done.Old, done.New),
		})
		return
	}
	policy := p.request.Status.Policy
	present := prevention(policy)
	known := policy.PreventDeviceEncryption != nil
	if known && present == done.Old {
		return
	}
	if known && present != done.New && !p.overridden(guardSince) {
		p.conflict(PreventionTarget, fmt.Sprintf("PreventDeviceEncryption is %s now. This program had set it to %s, and before that it was %s: somebody else has changed it since, and may rely on it.", present, done.New, done.Old), contract.GuardRefuse)
	} else if known && present != done.New {
		p.conflict(PreventionTarget, fmt.Sprintf("PreventDeviceEncryption is %s now, which somebody else has set since.", present), contract.GuardOverridden)
	}
	p.add(contract.PlanStep{
		Target: PreventionTarget, Change: contract.ChangePrevent, Before: present, After: done.Old,
		Text: fmt.Sprintf("Put PreventDeviceEncryption back to what it was before: %s. Windows may then encrypt by itself again.", done.Old),
		Undo: "diskaudit remediate --action prevent --apply sets it again.",
	})
}

// isPrevention tells whether a value is one that PreventDeviceEncryption is left with or found with.
func isPrevention(value string) bool { return value == Absent || value == "0" || value == "1" }

func (p *planning) conflict(target, text string, result contract.GuardResult) {
	override := "--override " + guardSince
	if result == contract.GuardRefuse {
		text += " Leave it, or put it back all the same with " + override + "."
	} else {
		text += " It is put back all the same, as asked."
	}
	p.conflicts = append(p.conflicts, contract.Guard{ID: guardSince, Target: target, Result: result, Text: text, Override: &override})
}

// undoTurn takes back a pause or a resumption, if the conversion still stands where that led.
func (p *planning) undoTurn(done journal.Done, change contract.Change, turns map[contract.Conversion]contract.Conversion) {
	for _, volume := range p.request.Status.Volumes {
		present := volume.Encryption.Conversion
		if volume.ID != done.Target || present == nil || present.String() != done.New {
			continue
		}
		if after, turns := turns[*present]; turns {
			p.add(turning(volume, change, *present, after))
		}
	}
}

func (p *planning) named(target string) string {
	for _, volume := range p.request.Status.Volumes {
		if volume.ID == target {
			return named(volume)
		}
	}
	return target
}
