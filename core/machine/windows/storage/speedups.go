package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// journalLimit is how long the looking up of journals may take.
const journalLimit = 5 * time.Second

// Journals looks up the journals of remediations that turned the flushing of a disk's write cache off,
// to convert faster, and have not turned it on again: a journal's path by the disk's id. The problems
// say what could not be looked up.
type Journals func() (byDisk map[string]string, problems []contract.Problem)

// WithJournals makes Disks look up journals, too; nil for nobody who keeps them. It returns the reader.
func (r *Reader) WithJournals(journals Journals) *Reader {
	r.journals = journals
	return r
}

// speedUps are the journals by disk, as far as they can be looked up. That they cannot is no reason to
// leave the disks out. numbers are those of the disks that there are.
func (r *Reader) speedUps(ctx context.Context, report *machine.Report, numbers []uint32) map[string]string {
	if r.journals == nil {
		return nil
	}
	type found struct {
		byDisk   map[string]string
		problems []contract.Problem
	}
	journals, err := answer(ctx, min(r.limit(ctx), journalLimit), func() (found, error) {
		byDisk, problems := r.journals()
		return found{byDisk, problems}, nil
	})
	if ctx.Err() != nil {
		// Collecting tells that the run has ended.
		return nil
	}
	if err != nil {
		report.AddProblem(journalsProblem(err))
		return nil
	}
	for _, problem := range journals.problems {
		problem.Stage = machine.StageDisks
		report.AddProblem(problem)
	}
	for _, id := range slices.Sorted(maps.Keys(journals.byDisk)) {
		if !slices.ContainsFunc(numbers, func(number uint32) bool { return diskID(number) == id }) {
			report.AddProblem(speedUpElsewhere(id, journals.byDisk[id]))
		}
	}
	return journals.byDisk
}

// journalsProblem says that nothing is known of journals; what each of them lacks they tell themselves.
func journalsProblem(err error) contract.Problem {
	reason := err.Error()
	if errors.Is(err, errTimeout) {
		reason = "their folder did not answer in time"
	}
	return contract.Problem{
		Code: "journals-unknown", Level: contract.LevelError, Stage: machine.StageDisks, Retryable: true,
		Text: fmt.Sprintf("Whether a remediation has turned the flushing of a disk's write cache off is not known: its journals could not be looked up (%s). What Windows itself says of the caches is in the document. Run again.", reason),
	}
}

// speedUpElsewhere is about a journal whose disk is not there, or has got another number since.
func speedUpElsewhere(id, journal string) contract.Problem {
	return contract.Problem{
		Code: "speed-up-disk-missing", Level: contract.LevelWarning, Stage: machine.StageDisks, Target: id,
		Text: fmt.Sprintf("A remediation turned the flushing of the write cache of %s off and has not turned it on again (%s), but Windows lists no such disk now: it was removed, or has got another number. Attach it, and see in Device Manager, properties of the disk, Policies, that write-cache buffer flushing is not turned off.", id, journal),
	}
}
