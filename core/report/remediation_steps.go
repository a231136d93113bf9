package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"diskaudit/core/contract"
)

// stepGrid lists the steps with what became of them, where the plan was carried out.
func stepGrid(document contract.Remediation, names map[string]string) grid {
	carriedOut := len(document.Steps) > 0
	g := grid{columns: []column{
		{name: "Step", whole: true}, {name: "On"}, {name: "What"}, {name: "Before -> after"}, {name: "Undo", whole: true}, {name: "How long"},
	}}
	if carriedOut {
		g.columns = append(g.columns, column{name: "Result"})
	}
	results := resultsByID(document.Steps)
	for i, step := range document.Plan.Steps {
		row := []span{
			{text: strconv.Itoa(i + 1)},
			{text: stepTarget(step, names)},
			{text: orUnknown(&step.Text, changeName(step.Change), "")},
			{text: transition(step)},
			undoable(step),
			{text: expected(step, document.Plan.Steps)},
		}
		if carriedOut {
			row = append(row, stepResult(results[step.ID]))
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// stepTarget is what people call what a step changes. A value of the registry is a matter of the
// whole computer.
func stepTarget(step contract.PlanStep, names map[string]string) string {
	if strings.HasPrefix(step.Target, `HKLM\`) {
		return thisComputer
	}
	return nameOf(step.Target, names)
}

const thisComputer = "this computer"

// nameOf is what people call the thing with this id.
func nameOf(target string, names map[string]string) string {
	if name, ok := names[target]; ok {
		return name
	}
	if target == "machine" {
		return thisComputer
	}
	return orUnknown(&target, unknown, "")
}

func changeName(change contract.Change) string {
	if change == "" {
		change = contract.ChangeVerify
	}
	return string(change)
}

// changesNothing tells of steps that only look.
func changesNothing(change contract.Change) bool {
	return change == "" || change == contract.ChangeWait || change == contract.ChangeVerify
}

func transition(step contract.PlanStep) string {
	before, after := orUnknown(&step.Before, "", ""), orUnknown(&step.After, "", "")
	switch {
	case before == "" && after == "":
		return notApplicable
	case before == after:
		return before
	case before == "":
		return "-> " + after
	case after == "":
		return before
	}
	return before + " -> " + after
}

func undoable(step contract.PlanStep) span {
	switch {
	case changesNothing(step.Change):
		return span{text: notApplicable}
	case step.Undoable:
		return span{text: "yes"}
	}
	return span{"no", caution}
}

// expected is how long a step may take. Of what changes at once nothing is told.
func expected(step contract.PlanStep, steps []contract.PlanStep) string {
	words := duration(step.EstimatedSeconds)
	switch {
	case words == unknown && !takesLong(step, steps):
		return notApplicable
	case words != unknown && step.Estimate != nil:
		return words + ", " + basis(step.Estimate.Basis)
	}
	return words
}

// takesLong tells of steps whose duration matters: those that wait, and those that begin what no
// step waits for.
func takesLong(step contract.PlanStep, steps []contract.PlanStep) bool {
	if step.Change != contract.ChangeDecrypt && step.Change != contract.ChangeResume {
		return step.Change == contract.ChangeWait
	}
	return !slices.ContainsFunc(steps, func(other contract.PlanStep) bool {
		return other.Change == contract.ChangeWait && other.Target == step.Target
	})
}

func basis(b contract.EstimateBasis) string {
	if b == "" {
		b = contract.BasisAssumed
	}
	return string(b)
}

var outcomeStyles = map[contract.StepOutcome]style{
	contract.StepDone:    good,
	contract.StepAlready: good,
	contract.StepRunning: caution,
	contract.StepFailed:  bad,
}

// stepResult tells how a step ended, and how long it took.
func stepResult(result contract.StepResult) span {
	ended := result.Result
	if ended == "" {
		ended = contract.StepNotStarted
	}
	words := strings.ReplaceAll(string(ended), "-", " ")
	if result.StartedAt != nil && result.EndedAt != nil {
		took := result.EndedAt.Sub(*result.StartedAt).Seconds()
		if took >= 1 {
			words += " in " + duration(&took)
		}
	}
	return span{words, outcomeStyles[ended]}
}

// writeStepNotes says how steps can be taken back or why they cannot, and what estimates rest on.
func writeStepNotes(p *page, steps []contract.PlanStep) {
	undo := undoNotes(steps)
	for i, step := range steps {
		if undo[i].text != "" {
			p.labelled(undo[i].label, normal, span{text: undo[i].text}, 0, indent)
		}
		if estimate := step.Estimate; estimate != nil && duration(step.EstimatedSeconds) != unknown && within(estimate.BytesPerSecond, fastestDisk) {
			from := "assumed from the kind of disk"
			if estimate.Basis == contract.BasisMeasured {
				from = "measured on this volume"
			}
			p.labelled(fmt.Sprintf("Step %d takes:", i+1), normal,
				span{text: fmt.Sprintf("%s at %.1f MB/s, a rate that is %s.", english.size(&estimate.Bytes), estimate.BytesPerSecond/1e6, from)}, 0, indent)
		}
	}
}

// fastestDisk is beyond any, in bytes per second.
const fastestDisk = 1e12

type undoNote struct{ label, text string }

// undoNotes are the notes on taking steps back, at the first of those steps of which each is true.
func undoNotes(steps []contract.PlanStep) []undoNote {
	type kind struct {
		undoable bool
		text     string
	}
	numbers := map[kind][]string{}
	notes := make([]undoNote, len(steps))
	said := func(step contract.PlanStep) (kind, bool) {
		return kind{step.Undoable, step.Undo}, !changesNothing(step.Change) && strings.TrimSpace(step.Undo) != ""
	}
	for i, step := range steps {
		if key, ok := said(step); ok {
			numbers[key] = append(numbers[key], strconv.Itoa(i+1))
		}
	}
	for i, step := range steps {
		key, ok := said(step)
		if !ok || numbers[key][0] != strconv.Itoa(i+1) {
			continue
		}
		label := "Step "
		if len(numbers[key]) > 1 {
			label = "Steps "
		}
		label += strings.Join(numbers[key], ", ")
		if step.Undoable {
			notes[i] = undoNote{label + " can be undone:", step.Undo}
		} else {
			notes[i] = undoNote{label + " cannot be undone:", step.Undo}
		}
	}
	return notes
}
