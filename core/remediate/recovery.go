package remediate

import (
	"fmt"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

// Recovery plans to turn the flushing of disks on again that earlier runs turned off and, because
// they were killed, could not turn on. It has no guards: it leads back to the safe state.
func Recovery(left []journal.Done) contract.Plan {
	p := &planning{request: Request{Action: contract.ActionUndo, Left: left}}
	p.reverse()
	return contract.Plan{Action: contract.ActionUndo, Steps: p.steps, ID: p.identity(nil)}
}

// reverse puts the steps that turn flushing on again before all others.
func (p *planning) reverse() {
	steps := p.steps
	p.steps = nil
	for _, done := range p.request.Left {
		p.add(contract.PlanStep{
			Target: done.Target, Change: contract.ChangeFlushing, Before: Off, After: On,
			Text: fmt.Sprintf("Turn the flushing of the write cache of %s on again, which the run of %s turned off.", done.Target, done.Journal),
			Undo: "It is the state from before that run.",
		})
	}
	for _, step := range steps {
		p.add(step)
	}
}
