// Package journal records what a remediation changes, in a file per run that is flushed before each
// change, and tells later runs what earlier ones did. It also keeps two runs from acting at once.
package journal

import (
	"time"

	"diskaudit/core/contract"
)

// Event is the kind of a line.
type Event string

// The kinds of lines.
const (
	// EventBegin opens a journal, with the plan.
	EventBegin Event = "begin"
	// EventStep announces a step that changes something, with what is there now.
	EventStep Event = "step"
	// EventStepEnd tells what became of it.
	EventStepEnd Event = "step-end"
	// EventProgress tells how far a conversion is.
	EventProgress Event = "progress"
	// EventEnd closes a journal.
	EventEnd Event = "end"
)

// Line is one line of a journal.
type Line struct {
	// Sequence counts the lines of a file from 1.
	Sequence uint64 `json:"sequence"`
	// Time is when it was written, UTC.
	Time time.Time `json:"time"`
	// Event is its kind.
	Event Event `json:"event"`

	// Format is the version of this form, and Tool, Process and Plan are those of the run; in the
	// first line only.
	Format  int            `json:"format,omitempty"`
	Tool    *contract.Tool `json:"tool,omitempty"`
	Process int            `json:"process,omitempty"`
	Plan    *contract.Plan `json:"plan,omitempty"`

	// Step is the id of the step in the plan, with its change and target.
	Step   string          `json:"step,omitempty"`
	Change contract.Change `json:"change,omitempty"`
	Target string          `json:"target,omitempty"`
	// Identity tells a disk from others wherever Windows numbers it; empty where it has no serial number.
	Identity string `json:"identity,omitempty"`
	// Old is the state that was read before the change; New the one that it leads to.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`

	// Result and Problem are what became of a step; at the end, of the run.
	Result  contract.StepOutcome `json:"result,omitempty"`
	Problem *contract.Problem    `json:"problem,omitempty"`
	// Unsure says that a step which failed may have changed something all the same, for its effect
	// could not be read.
	Unsure bool `json:"unsure,omitempty"`

	// Percent is how much of the volume Target is encrypted.
	Percent *float64 `json:"percent,omitempty"`
}
