package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"diskaudit/core/contract"
)

// Read reads the journals in a folder, newest first, and changes nothing. A folder that is not there is an empty
// history. What cannot be read is a problem, and what can is in the history all the same.
func Read(folder string) (History, []contract.Problem) { return readWithin(folder, *fullBudget()) }

func readWithin(folder string, room budget) (History, []contract.Problem) {
	path, err := filepath.Abs(folder)
	if err != nil {
		return History{}, []contract.Problem{unreadable(folder, err)}
	}
	inside, err := enter(path)
	if errors.Is(err, fs.ErrNotExist) {
		return History{}, nil
	}
	if err != nil {
		return History{}, []contract.Problem{unreadable(path, err)}
	}
	defer inside.Close()
	found, err := inside.journals()
	var problems []contract.Problem
	if err != nil {
		problems = append(problems, unreadable(path, err))
	}
	var history History
	for i, name := range found.names {
		if room.spent() {
			found.older += len(found.names) - i
			break
		}
		file := filepath.Join(path, name)
		run, problem := inside.run(name, file, &room)
		if problem != nil {
			problems = append(problems, *problem)
		}
		if len(run.Lines) > 0 {
			history.Runs = append(history.Runs, run)
		}
	}
	if found.older > 0 {
		problems = append(problems, contract.Problem{
			Code: "journals-left-out", Level: contract.LevelError, Stage: stage, Target: path,
			Text: fmt.Sprintf("%s holds more journals than are read: the oldest %d are left out, so what they changed and is still in force is not known. Move old journals that are no longer needed to another folder.", path, found.older),
		})
	}
	return history, problems
}

// run reads one journal.
func (e *entered) run(name, path string, room *budget) (Run, *contract.Problem) {
	file, err := e.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		// It was moved away meanwhile.
		return Run{}, nil
	}
	if err != nil {
		problem := unreadable(path, err)
		return Run{}, &problem
	}
	defer file.Close()
	limit := min(fileBytes, room.bytes)
	data, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err != nil {
		problem := unreadable(path, err)
		return Run{}, &problem
	}
	return decode(path, data, limit, room)
}

// unreadable is about a folder or a file of which nothing can be told.
func unreadable(path string, err error) contract.Problem {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal.Problem()
	}
	problem := contract.Problem{Code: "journal-unreadable", Level: contract.LevelError, Stage: stage, Target: path}
	switch {
	case errors.Is(err, fs.ErrPermission) && !privileged():
		// Nobody but those who may change the computer needs it.
		problem.Code, problem.Level = CodeAccessDenied, contract.LevelInfo
		problem.Text = fmt.Sprintf("%s is for administrators only, so it is not known what earlier remediations changed. Run this elevated to see it.", path)
	default:
		problem.Text = fmt.Sprintf("%s cannot be read, so it is not known what an earlier remediation changed: %s. See what keeps administrators from reading it, and run this again.", path, explained(err))
	}
	return problem
}

// CodeAccessDenied is the problem of a folder that this program may not read, as without an
// administrator's rights: what earlier runs did is unknown.
const CodeAccessDenied = "journal-access-denied"
