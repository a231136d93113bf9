package remediate

import (
	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

// Request is what a plan is made of.
type Request struct {
	// Action is what it is to bring about.
	Action contract.Action
	// Status are the facts. They are not changed.
	Status contract.Status
	// Volumes are the ids of the volumes that were asked for by name; nil leaves the choice to the action.
	Volumes []string
	// Incomplete are the codes of the problems because of which the facts may lack volumes.
	Incomplete []string
	// Overrides are the ids of the guards that are overridden.
	Overrides []string
	// ClearAutoUnlock allows the keys to be removed by which data volumes unlock by themselves.
	ClearAutoUnlock bool
	// SpeedUp turns the flushing of a hard disk's write cache off while it converts.
	SpeedUp bool
	// Left are disks, by their present ids, whose flushing an earlier run could not turn on again: that is
	// done first, whatever stands against the rest of the plan. The facts are those from after it.
	Left []journal.Done
	// History is what earlier runs did, by their journals.
	History journal.History
}
