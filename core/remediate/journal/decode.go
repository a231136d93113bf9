package journal

import (
	"bytes"
	"encoding/json"
	"fmt"

	"diskaudit/core/contract"
)

// budget is the room that is left for journals.
type budget struct{ bytes, lines, parts int }

func fullBudget() *budget { return &budget{totalBytes, totalLines, totalParts} }

func (b *budget) spent() bool { return b.bytes <= 0 || b.lines <= 0 || b.parts <= 0 }

// decode reads the lines of a journal. The data may be one byte longer than limit, which tells that more
// follows that is not read. Lines after one that cannot be read are not believed.
func decode(path string, data []byte, limit int, room *budget) (Run, *contract.Problem) {
	run := Run{Path: path}
	long := len(data) > limit
	if long {
		data = data[:limit]
	}
	room.bytes -= len(data)
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break
		}
		if room.lines <= 0 {
			long = true
			break
		}
		number := len(run.Lines) + 1
		line, reason := decodeLine(data[:end], number)
		if reason != "" {
			run.Damaged = true
			return run, damaged(path, number, reason)
		}
		if line.Format > format {
			return Run{}, newer(path, line)
		}
		if line.Plan != nil {
			parts := len(line.Plan.Steps) + len(line.Plan.Guards)
			if parts > room.parts {
				long = true
				break
			}
			room.parts -= parts
		}
		room.lines--
		run.Lines = append(run.Lines, line)
		data = data[end+1:]
	}
	if long {
		run.Damaged = true
		return run, tooLarge(path, len(run.Lines))
	}
	// A line is written whole with its end and then flushed: what has no end was cut off.
	run.Torn = len(data) > 0
	return run, nil
}

// decodeLine reads one line, or says why it cannot be read.
func decodeLine(data []byte, number int) (Line, string) {
	var line Line
	if len(data) > lineBytes {
		return Line{}, fmt.Sprintf("it is longer than %d bytes", lineBytes)
	}
	if err := json.Unmarshal(data, &line); err != nil {
		return Line{}, explained(err)
	}
	switch {
	case number == 1 && line.Format > format:
		// Its other fields may mean something else.
	case line.Sequence != uint64(number):
		return Line{}, fmt.Sprintf("it says that it is line %d, so others are missing", line.Sequence)
	case !known(line.Event):
		return Line{}, fmt.Sprintf("its event %.40q is none of this program's", line.Event)
	case (line.Event == EventBegin) != (number == 1), number == 1 && line.Plan == nil:
		return Line{}, "a journal begins with its plan, and only once"
	case number > 1 && line.Plan != nil:
		return Line{}, "it carries a plan"
	case line.Time.IsZero():
		return Line{}, "it has no time"
	case (line.Event == EventStep || line.Event == EventStepEnd) && line.Step == "":
		return Line{}, "it names no step"
	}
	return line, ""
}

func known(event Event) bool {
	switch event {
	case EventBegin, EventStep, EventStepEnd, EventProgress, EventEnd:
		return true
	}
	return false
}

func damaged(path string, number int, reason string) *contract.Problem {
	return &contract.Problem{
		Code: "journal-damaged", Level: contract.LevelError, Stage: stage, Target: path,
		Text: fmt.Sprintf("Line %d of %s cannot be read: %s. What that run did from there on is not known; what stands before is used. Compare diskaudit status with the file, and move it to another folder when it is no longer needed.", number, path, reason),
	}
}

func tooLarge(path string, lines int) *contract.Problem {
	return &contract.Problem{
		Code: "journal-too-large", Level: contract.LevelError, Stage: stage, Target: path,
		Text: fmt.Sprintf("%s is longer than is read: only its first %d lines are used, and what that run did from there on is not known. Move old journals that are no longer needed to another folder.", path, lines),
	}
}

func newer(path string, line Line) *contract.Problem {
	version := "a newer version of this program"
	if line.Tool != nil {
		version = fmt.Sprintf("version %.40q of this program", line.Tool.Version)
	}
	return &contract.Problem{
		Code: "journal-newer", Level: contract.LevelError, Stage: stage, Target: path,
		Text: fmt.Sprintf("%s was written by %s, in form %d, and this one reads up to %d: what that run changed is not known. Use that version.", path, version, line.Format, format),
	}
}
