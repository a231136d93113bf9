package journal

import (
	"slices"

	"diskaudit/core/contract"
)

// change is a change that a run made or may have made.
type change struct {
	Done
	// order counts from the oldest.
	order int
	// undo tells that its run was to take back what others did.
	undo bool
	// found tells that nothing was changed, for New was there already; nothing, that nothing was for
	// another reason.
	found, nothing bool
}

// changes are the changes that the runs made or may have made, oldest first.
func (h History) changes() []change {
	var all []change
	for _, run := range slices.Backward(h.Runs) {
		all = append(all, run.changes()...)
	}
	for i := range all {
		all[i].order = i
	}
	return all
}

// changes are those of one run. A step that was announced, and whose end is not written, may have been made.
func (r Run) changes() []change {
	var all []change
	undo := len(r.Lines) > 0 && r.Lines[0].Plan != nil && r.Lines[0].Plan.Action == contract.ActionUndo
	// open are the steps that have not ended, by their id.
	open := map[string]int{}
	for _, line := range r.Lines {
		switch line.Event {
		case EventEnd:
			if line.Result == contract.StepDone {
				all = append(all, r.foundOn(line)...)
			}
		case EventStep:
			open[line.Step] = len(all)
			all = append(all, change{
				Done: Done{
					Journal: r.Path, Step: line.Step, At: line.Time, Change: line.Change, Target: line.Target, Identity: line.Identity, Old: line.Old, New: line.New,
				},
				undo: undo,
			})
		case EventStepEnd:
			at, begun := open[line.Step]
			if !begun {
				continue
			}
			delete(open, line.Step)
			all[at].end(line)
		}
	}
	return slices.DeleteFunc(all, func(one change) bool { return one.nothing })
}

// foundOn are the disks whose flushing a run was to turn on and found turned on, so that it announced no change. That it
// ended well says so.
func (r Run) foundOn(end Line) []change {
	var all []change
	if r.Lines[0].Plan == nil {
		return nil
	}
	for _, planned := range r.Lines[0].Plan.Steps {
		if planned.Change == contract.ChangeFlushing && planned.After == on {
			all = append(all, change{found: true, Done: Done{
				Journal: r.Path, Step: planned.ID, At: end.Time, Change: planned.Change, Target: planned.Target, Old: on, New: on, Ended: true,
			}})
		}
	}
	return all
}

// end is what the end of a step tells about its change.
func (c *change) end(line Line) {
	switch line.Result {
	case contract.StepDone, contract.StepRunning:
		c.Ended = true
	case contract.StepAlready:
		c.Ended, c.found = true, true
	case contract.StepFailed:
		if !line.Unsure {
			c.nothing = true
		}
	case contract.StepNotStarted, "":
		c.nothing = true
	}
}
