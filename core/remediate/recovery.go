package remediate

import (
	"fmt"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

// Recovery plans to turn the flushing of disks on again that earlier runs turned off and, because
// they were killed, could not turn on. It has no guards: it leads back to the safe state.
func Recovery(history journal.History) contract.Plan {
	p := &planning{request: Request{Action: contract.ActionUndo}}
	for _, done := range history.FlushingOff() {
		p.add(contract.PlanStep{
			Target: done.Target, Change: contract.ChangeFlushing, Before: Off, After: On,
			Text: fmt.Sprintf("Turn the flushing of the write cache of %s on again, which the run of %s turned off.", done.Target, done.Journal),
			Undo: "It is the state from before that run.",
		})
	}
	return contract.Plan{Action: contract.ActionUndo, Steps: p.steps, ID: p.identity()}
}
