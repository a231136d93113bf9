package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// outcome is a remediation in one line.
type outcome struct {
	label string
	style style
	text  string
}

// writeOutcome writes the verdict and, below it, each conversion that goes on.
func writeOutcome(p *page, document contract.Remediation, names map[string]string) {
	verdict := outcomeOf(document, names)
	p.labelled(verdict.label+":", verdict.style, span{text: verdict.text}, 0, indent)
	for _, running := range document.Running {
		p.labelled(strings.TrimSuffix(nameOf(running.VolumeID, names), ":")+":", strong, span{text: runningLine(running)}, indent, 2*indent)
	}
}

// outcomeOf judges by what is worst: nothing that failed or goes on reads as done.
func outcomeOf(document contract.Remediation, names map[string]string) outcome {
	plan := document.Plan
	refusing := 0
	for _, guard := range plan.Guards {
		if guard.Result.Refuses() {
			refusing++
		}
	}
	results := resultsByID(document.Steps)
	at := firstWith(plan.Steps, results, contract.StepFailed)
	switch {
	case at >= 0:
		return outcome{"FAILED", bad, failedText(document, at, names)}
	case document.Applied && (len(document.Running) > 0 || firstWith(plan.Steps, results, contract.StepRunning) >= 0):
		return outcome{"STILL IN PROGRESS", caution, goingOn(document)}
	case document.Applied && len(plan.Steps) > 0:
		return carriedOut(document, results, names)
	case refusing > 0:
		return outcome{"REFUSED", bad, fmt.Sprintf("by %s; see below.%s", plural(uint64(refusing), "guard"), unchanged(document))}
	case len(plan.Steps) > 0:
		return planned(document)
	}
	if problem := firstError(document.Problems); problem != nil {
		return outcome{"NO PLAN", bad, problem.Text + unchanged(document)}
	}
	if !document.Complete {
		return outcome{"NO PLAN", bad, "the reason is " + unknown + "." + unchanged(document)}
	}
	return outcome{"NOTHING TO DO", good, fmt.Sprintf("all that %s would bring about is so already.%s", actionName(plan.Action), unchanged(document))}
}

// unchanged says so, unless something was put right before a plan was made: what an earlier run could
// not take back any more.
func unchanged(document contract.Remediation) string {
	restored, left := false, false
	for _, problem := range document.Problems {
		restored = restored || problem.Code == "flushing-restored"
		left = left || problem.Code == "flushing-left-off" && problem.Level.OrError() == contract.LevelError
	}
	switch {
	case left:
		return " What an earlier run had left could not all be put right; see the problems below."
	case restored:
		return " What an earlier run had left was put right; see the problems below."
	case document.Journal != nil:
		return " The journal tells what was changed."
	}
	return " Nothing was changed."
}

// goingOn says what is still in progress, and why when somebody else is the reason.
func goingOn(document contract.Remediation) string {
	for _, step := range document.Steps {
		if step.Result == contract.StepRunning && step.Problem != nil {
			return step.Problem.Text
		}
	}
	return "what was begun goes on without this program. To run it again is safe, and waits for the end."
}

// planned is the verdict on a plan that no guard stands against and that was not carried out.
func planned(document contract.Remediation) outcome {
	steps := plural(uint64(len(document.Plan.Steps)), "step")
	if !document.Complete {
		return outcome{"PLAN", caution, fmt.Sprintf("%s to %s.%s See the problems below before anything is.", steps, purpose(document.Plan.Action), unchanged(document))}
	}
	return outcome{"PLAN", good, fmt.Sprintf("%s to %s, and nothing stands against it.%s", steps, purpose(document.Plan.Action), unchanged(document))}
}

// carriedOut is the verdict on a plan of which no step failed and none goes on.
func carriedOut(document contract.Remediation, results map[string]contract.StepResult, names map[string]string) outcome {
	steps := document.Plan.Steps
	already := 0
	for i, step := range steps {
		switch results[step.ID].Result {
		case contract.StepDone:
		case contract.StepAlready:
			already++
		default:
			text := fmt.Sprintf("before %s.", stepName(steps, i, names))
			problem := results[step.ID].Problem
			if problem == nil {
				problem = firstError(document.Problems)
			}
			if problem != nil {
				text += " " + problem.Text
			}
			return outcome{"STOPPED", bad, text + " To run it again is safe."}
		}
	}
	switch {
	case already == len(steps):
		return outcome{"DONE", good, "every step had been done before."}
	case already > 0:
		return outcome{"DONE", good, fmt.Sprintf("%s, and %d had been done before.", plural(uint64(len(steps)-already), "step"), already)}
	}
	return outcome{"DONE", good, plural(uint64(len(steps)), "step") + "."}
}

// failedText tells which step failed, why, and whether it ended there.
func failedText(document contract.Remediation, at int, names map[string]string) string {
	steps, results := document.Plan.Steps, resultsByID(document.Steps)
	text := "at " + stepName(steps, at, names) + ": "
	if problem := results[steps[at].ID].Problem; problem != nil {
		text += problem.Text
	} else {
		text += "the reason is " + unknown + "."
	}
	later := steps[at+1:]
	if len(later) > 0 && !slices.ContainsFunc(later, func(step contract.PlanStep) bool { return begun(results[step.ID]) }) {
		text += " No step after it was begun."
	}
	return text
}

func begun(result contract.StepResult) bool {
	return result.Result != "" && result.Result != contract.StepNotStarted
}

// stepName is "step 2 of 5 (decrypt, C:)".
func stepName(steps []contract.PlanStep, i int, names map[string]string) string {
	return fmt.Sprintf("step %d of %d (%s, %s)", i+1, len(steps), changeName(steps[i].Change), stepTarget(steps[i], names))
}

func resultsByID(steps []contract.StepResult) map[string]contract.StepResult {
	results := make(map[string]contract.StepResult, len(steps))
	for _, step := range steps {
		results[step.ID] = step
	}
	return results
}

// firstWith is the place of the first step of the plan with this result, or -1.
func firstWith(steps []contract.PlanStep, results map[string]contract.StepResult, wanted contract.StepOutcome) int {
	for i, step := range steps {
		if results[step.ID].Result == wanted {
			return i
		}
	}
	return -1
}

func firstError(problems []contract.Problem) *contract.Problem {
	for i := range problems {
		if problems[i].Level.OrError() == contract.LevelError {
			return &problems[i]
		}
	}
	return nil
}

// purposes say what a plan is for.
var purposes = map[contract.Action]string{
	contract.ActionDecrypt: "undo software encryption",
	contract.ActionPrevent: "keep Windows from encrypting by itself",
	contract.ActionPause:   "pause conversions",
	contract.ActionResume:  "resume conversions",
	contract.ActionUndo:    "take earlier changes back",
}

func purpose(action contract.Action) string {
	if words, ok := purposes[actionOrDefault(action)]; ok {
		return words
	}
	return string(action)
}

func actionName(action contract.Action) string {
	return "--action " + string(actionOrDefault(action))
}

func actionOrDefault(action contract.Action) contract.Action {
	if action == "" {
		return contract.ActionDecrypt
	}
	return action
}

// runningLine tells how far a conversion is, how fast it goes, how long it will take and how to watch it.
func runningLine(running contract.Running) string {
	words := []string{english.conversion(contract.Encryption{Conversion: running.Conversion, Percent: running.Percent}).text}
	// A whole volume in a second is no rate of a disk.
	const fastest = 100 * 60 * 60
	if rate := running.PercentPerHour; rate != nil && within(math.Abs(*rate), fastest) {
		words = append(words, fmt.Sprintf("%.1f%% an hour", math.Abs(*rate)))
	} else {
		words = append(words, "rate "+unknown)
	}
	if left := duration(running.ETASeconds); left != unknown {
		words = append(words, "about "+left+" left")
	} else {
		words = append(words, "time left "+unknown)
	}
	line := strings.Join(words, ", ")
	if strings.TrimSpace(running.Watch) != "" {
		line += ". Watch it with: " + running.Watch
	}
	return line
}

// within tells whether a figure can be one: not negative, not beyond what is possible, and a number.
func within(f, most float64) bool { return f >= 0 && f <= most }

// duration writes a time in words, rounded up to whole minutes beyond the first, and hours beyond two days.
func duration(seconds *float64) string {
	const minute, hour, day = 60, 60 * 60, 24 * 60 * 60
	// What would take longer than disks last is a rate that was misjudged.
	const longest = 10_000 * day
	if seconds == nil || !within(*seconds, longest) {
		return unknown
	}
	switch s := *seconds; {
	case s < 1:
		return "less than 1 s"
	case s <= minute:
		return fmt.Sprintf("%.0f s", math.Ceil(s))
	case s <= hour:
		return fmt.Sprintf("%.0f min", math.Ceil(s/minute))
	case s <= 2*day:
		minutes := int64(math.Ceil(s / minute))
		return fmt.Sprintf("%d h %02d min", minutes/60, minutes%60)
	default:
		hours := int64(math.Ceil(s / hour))
		return fmt.Sprintf("%d d %d h", hours/24, hours%24)
	}
}
