// Package fleet puts what many status and bench documents say together: how many computers are
// encrypted how, how many pay how much, and what is not known. It keeps counts, not documents.
package fleet

import (
	"context"
	"fmt"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/report/fleet/documents"
)

// The stages of progress.
const (
	StageRead  = "documents"
	StageCount = "newest"
)

// Options are how a survey is made.
type Options struct {
	// Progress is told how many files were read; nil when nobody asks.
	Progress func(stage string, done, total int)
	// Omit tells of files that are not to be read; nil when there are none.
	Omit func(path string) bool
	// Skipped is told what was passed over; nil when nobody asks.
	Skipped func(documents.Skipped)
	// Each is given every document that is not a copy of another, whether it counts or not. Its error
	// ends the reading. Nil when nobody asks.
	Each func(documents.Document) error
	// RowsOnly tells that the counts are not wanted: nothing is read twice.
	RowsOnly bool
}

// Survey is what was read.
type Survey struct {
	// Report has the counts. Its header holds the problems and whether all was read; the rest of the
	// header, format and output are left to the caller.
	Report contract.Report
	// Portrait is the one computer that all documents are of; nil when there are several, or none.
	Portrait *Portrait
}

// mostProblems bounds how many of the things that were passed over are named. What there are more is said
// in one problem.
const mostProblems = 100

// Read reads files and folders. Where computers are named, which takes --identify, the newest status
// document of each counts, and the newest bench document of each of its targets: the documents are
// read once to learn which these are, and those once more that count. The error is the context's;
// the survey then holds what was read until then.
func Read(ctx context.Context, paths []string, options Options) (*Survey, error) {
	s := &survey{options: options, tally: newTally(), register: newRegister(), sums: map[uint64]struct{}{}}
	files, err := documents.Read(ctx, paths, documents.Visitor{
		Document: s.first, Skipped: s.skipped, Omit: options.Omit,
		File: func(files int) { s.progress(StageRead, files, 0) },
	})
	s.inputs.Files = uint64(files)
	if err == nil && s.register.any() {
		err = s.again(ctx, paths, files)
	}
	result := &Survey{Report: s.report()}
	if err == nil {
		result.Portrait = s.portrait.finished()
	}
	return result, err
}

// survey is a survey that is being made.
type survey struct {
	options  Options
	inputs   contract.ReportInputs
	tally    *tally
	register *register
	portrait Portrait
	problems []contract.Problem
	// unnamed are how many things were passed over that the problems do not name, lostUnnamed how many of
	// them are lost.
	unnamed, lostUnnamed uint64
	// changed says that documents changed while they were being read; nil when none did.
	changed *contract.Problem
	lost    bool
	// sums are those of the documents that were read.
	sums map[uint64]struct{}
}

func (s *survey) progress(stage string, done, total int) {
	if s.options.Progress != nil {
		s.options.Progress(stage, done, total)
	}
}

// first takes a document of the first reading.
func (s *survey) first(document documents.Document) error {
	if _, known := s.sums[document.Sum]; known {
		s.inputs.Duplicates++
		return nil
	}
	s.sums[document.Sum] = struct{}{}
	if s.options.Each != nil {
		if err := s.options.Each(document); err != nil {
			return err
		}
	}
	s.portrait.offer(document)
	if nameOf(document) == nil || s.options.RowsOnly {
		s.count(document)
		return nil
	}
	if s.register.note(document) {
		s.inputs.Superseded++
	}
	return nil
}

// again reads those documents once more that are the newest of a named computer.
func (s *survey) again(ctx context.Context, paths []string, total int) error {
	newest := s.register.newest()
	_, err := documents.Read(ctx, paths, documents.Visitor{
		Again: func(sum uint64) (contract.Kind, bool) {
			kind, wanted := newest[sum]
			delete(newest, sum)
			return kind, wanted
		},
		Document: func(document documents.Document) error {
			s.count(document)
			return nil
		},
		Skipped: s.skipped,
		Omit:    s.options.Omit,
		File:    func(files int) { s.progress(StageCount, files, total) },
	})
	if err == nil && len(newest) > 0 {
		s.lost = true
		s.changed = &contract.Problem{
			Code: "changed-while-reading", Level: contract.LevelError, Stage: StageRead, Retryable: true,
			Text: fmt.Sprintf("%d documents were changed or removed while they were being read, and are not counted. Make the report again.", len(newest)),
		}
	}
	return err
}

// count takes a document that counts.
func (s *survey) count(document documents.Document) {
	var collected time.Time
	if document.Status != nil {
		collected = document.Status.CollectedAt
		s.inputs.Statuses++
		s.tally.status(document)
	} else {
		collected = document.Bench.CollectedAt
		s.inputs.Benches++
		s.tally.bench(document, s.register.standing(nameOf(document)))
	}
	if s.inputs.Oldest == nil || collected.Before(*s.inputs.Oldest) {
		s.inputs.Oldest = &collected
	}
	if s.inputs.Newest == nil || collected.After(*s.inputs.Newest) {
		s.inputs.Newest = &collected
	}
}

// skipped notes what was passed over.
func (s *survey) skipped(skipped documents.Skipped) error {
	s.inputs.Skipped++
	s.lost = s.lost || skipped.Lost
	if len(s.problems) < mostProblems {
		s.problems = append(s.problems, Problem(skipped))
	} else {
		s.unnamed++
		if skipped.Lost {
			s.lostUnnamed++
		}
	}
	if s.options.Skipped != nil {
		s.options.Skipped(skipped)
	}
	return nil
}

// Problem says what was passed over as documents do.
func Problem(skipped documents.Skipped) contract.Problem {
	problem := contract.Problem{Code: skipped.Code, Level: contract.LevelWarning, Stage: StageRead, Target: skipped.Path, Text: skipped.Text}
	if skipped.Line > 1 {
		problem.Text = fmt.Sprintf("Line %d: %s", skipped.Line, skipped.Text)
	}
	if skipped.Lost {
		problem.Level = contract.LevelError
	}
	return problem
}

func (s *survey) report() contract.Report {
	report := s.tally.report()
	report.Inputs = s.inputs
	report.Problems = s.allProblems()
	report.Complete = !s.lost
	return report
}

// allProblems are the problems that are named, and how many are not.
func (s *survey) allProblems() []contract.Problem {
	problems := s.problems
	if s.unnamed > 0 {
		more := contract.Problem{
			Code: "more-passed-over", Level: contract.LevelWarning, Stage: StageRead,
			Text: fmt.Sprintf("%d more files or documents were passed over that are not named here; facts are missing because of %d of them. --log-level warn names all of them on stderr, and --format csv and ndjson have a line for each.", s.unnamed, s.lostUnnamed),
		}
		if s.lostUnnamed > 0 {
			more.Level = contract.LevelError
		}
		problems = append(problems, more)
	}
	if s.changed != nil {
		problems = append(problems, *s.changed)
	}
	return problems
}
