package journal

import (
	"time"

	"diskaudit/core/contract"
)

// History is what earlier runs did. A run that did not get as far as a whole first line has changed
// nothing, and is left out.
type History struct {
	// Runs are the runs, newest first.
	Runs []Run
}

// Run is one journal.
type Run struct {
	// Path is its file.
	Path string
	// Lines are its lines in order, without a last one that was torn.
	Lines []Line
	// Torn tells that the last line was cut off, as by a loss of power.
	Torn bool
	// Damaged tells that more follows which cannot be read: what the run did after Lines is not known.
	Damaged bool
}

// Done is one change that a run made, or may have made.
type Done struct {
	// Journal is the run's file, Step the step's id there, At when it began.
	Journal string
	Step    string
	At      time.Time
	Change  contract.Change
	Target  string
	// Identity is that of the disk, empty when it is not known: Windows may number disks anew at a restart.
	Identity string
	// Old is the state before, New the one that it leads to.
	Old, New string
	// Ended tells that the run recorded the end of it; if not, it may have been made or not.
	Ended bool
}
