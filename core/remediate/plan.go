package remediate

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// Made is a plan with what it leads to.
type Made struct {
	// Plan is what is to be changed.
	Plan contract.Plan
	// Projected are the facts as they are to be afterwards; findings are left to the caller.
	Projected contract.Status
	// Problems say what the plan leaves as it is.
	Problems []contract.Problem
}

// Make plans what the request asks for. It looks at nothing but the request, and changes nothing.
func Make(request Request) Made {
	p := &planning{request: request}
	p.choose()
	p.plan()
	p.lacking()
	guards := p.guards()
	if len(p.steps) == 0 && decrypts(request.Action) {
		guards = append(guards, p.pendingTest()...)
	}
	plan := contract.Plan{Action: request.Action, Guards: append(guards, p.conflicts...)}
	if plan.Action == "" {
		plan.Action = contract.ActionDecrypt
	}
	plan.ID = p.identity(plan.Guards)
	projected := project(request.Status, p.steps)
	p.reverse()
	plan.Steps = p.steps
	return Made{Plan: plan, Projected: projected, Problems: p.problems}
}

// Expect adds a guard to the plan that refuses when it is not the one that was expected.
func (m *Made) Expect(id string) {
	if id == m.Plan.ID {
		return
	}
	m.Plan.Guards = append(m.Plan.Guards, contract.Guard{
		ID: guardChanged, Target: machineTarget, Result: contract.GuardRefuse,
		Text: fmt.Sprintf("The plan is now %s, not the expected %s: a fact that it rests on has changed since, or something else was asked for. Look at the new plan, and expect that one if it is right.", m.Plan.ID, id),
	})
}

const machineTarget = "machine"

func (p *planning) plan() {
	switch p.request.Action {
	case contract.ActionPrevent:
		p.prevent()
	case contract.ActionPause:
		p.turn(contract.ChangePause, pausing)
	case contract.ActionResume:
		p.turn(contract.ChangeResume, resuming)
	case contract.ActionUndo:
		p.undo()
	default:
		p.decrypt()
	}
}

// choose finds the volumes that the action is for.
func (p *planning) choose() {
	action := p.request.Action
	if action == contract.ActionPrevent || action == contract.ActionUndo {
		return
	}
	decrypting := decrypts(action)
	for _, volume := range p.request.Status.Volumes {
		named := slices.Contains(p.request.Volumes, volume.ID)
		if p.request.Volumes != nil && !named {
			continue
		}
		// A stick that somebody carries about encrypted is decrypted only when it is asked for by name.
		if decrypting && !named && isRemovable(volume) {
			continue
		}
		barred, concerned := bar(volume, action)
		if !concerned {
			continue
		}
		if decrypting && barred == "" {
			if volume.Type == nil || !volume.Type.Recognized() {
				barred = guardState
			} else if !named && !bySoftware(volume) {
				continue
			}
		}
		p.candidates = append(p.candidates, candidate{volume: volume, bar: barred})
	}
}

// lacking refuses to take a list of volumes for complete that is not: one that it lacks may be the
// one that was meant, or unlock by a key that the plan removes.
func (p *planning) lacking() {
	if len(p.request.Incomplete) == 0 || p.request.Action == contract.ActionPrevent || p.request.Action == contract.ActionUndo {
		return
	}
	if p.request.Volumes != nil && !p.has(contract.ChangeClearAutoUnlock) {
		return
	}
	guard := contract.Guard{ID: guardState, Target: machineTarget, Result: contract.GuardUnknown}
	lacks := fmt.Sprintf("The list of volumes may lack some (%s), and what is not known is not decrypted.", strings.Join(p.request.Incomplete, ", "))
	if p.has(contract.ChangeClearAutoUnlock) {
		// Nothing overrides that: whoever wants to go on does so without --clear-auto-unlock.
		guard.Text = lacks + " A volume that is not listed may unlock by the keys that the plan removes, and be lost without them. Run this again when all volumes are listed."
		p.conflicts = append(p.conflicts, guard)
		return
	}
	override := "--override " + guardState
	guard.Override = &override
	guard.Text = lacks + " Run this again; name the volumes that are meant (--volume), or go on with those that are listed with " + override + "."
	if p.overridden(guardState) {
		guard.Result = contract.GuardOverridden
	}
	p.conflicts = append(p.conflicts, guard)
}

func isRemovable(volume contract.Volume) bool {
	return volume.Type != nil && *volume.Type == contract.Removable
}

func bySoftware(volume contract.Volume) bool {
	engine := volume.Encryption.Engine
	return engine != nil && *engine == contract.EngineSoftware
}

// free are the candidates that nothing bars.
func (p *planning) free() []contract.Volume {
	var free []contract.Volume
	for _, c := range p.candidates {
		if c.bar == "" {
			free = append(free, c.volume)
		}
	}
	return free
}

// add appends a step and numbers it.
func (p *planning) add(step contract.PlanStep) {
	step.ID = fmt.Sprintf("%d-%s", len(p.steps)+1, step.Change)
	p.steps = append(p.steps, step)
}
