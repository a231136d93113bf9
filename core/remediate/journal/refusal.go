package journal

import (
	"fmt"
	"strings"
	"time"

	"diskaudit/core/contract"
)

// stage is that of the problems of this package.
const stage = "journal"

// Refusal is why a folder or a file in it is not used: somebody else could have put it there, or could
// change it, and what a journal says decides what is put back.
type Refusal struct {
	// Path is what is refused.
	Path string
	// Reason and WayOut complete the text.
	Reason, WayOut string
}

// Error names the path, the reason and the way out.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%s is no safe place for a journal, for %s. %s", r.Path, r.Reason, r.WayOut)
}

// Problem is the refusal for a document.
func (r *Refusal) Problem() contract.Problem {
	return contract.Problem{Code: "journal-not-trusted", Level: contract.LevelError, Stage: stage, Target: r.Path, Text: r.Error() + "."}
}

// The ways out of a refusal.
const (
	removeFolder = "Look at what is in it, move it away, and run this again: a new one is made"
	removeFile   = "Look at what it is, move it out of the folder, and run this again"
)

// Owner is the run that holds the lock.
type Owner struct {
	// Process is its number, Started when it took the lock, UTC, and Action what it is to bring about.
	Process int             `json:"process"`
	Started time.Time       `json:"started"`
	Action  contract.Action `json:"action"`
}

// Busy is that another run is acting.
type Busy struct {
	// Folder is that of the journals.
	Folder string
	// Owner is the other run; nil when it cannot be told.
	Owner *Owner
}

// Error says who is acting since when, and what to do.
func (b *Busy) Error() string {
	who := "Another run of diskaudit remediate is acting on this computer"
	if b.Owner != nil {
		who = fmt.Sprintf("Another run of diskaudit remediate (process %d, --action %s) is acting on this computer since %s",
			b.Owner.Process, b.Owner.Action, b.Owner.Started.UTC().Format(time.RFC3339))
	}
	return who + ". Two at once would work against each other, so this one has changed nothing. Wait until it has ended, or end it: conversions go on by themselves, and diskaudit status shows how far they are. Then run this again."
}

// explained completes the system's own words for people.
func explained(err error) string { return strings.TrimSuffix(err.Error(), ".") }
