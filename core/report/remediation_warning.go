package report

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// never is what destroys the data of a volume that is half rewritten.
const never = "do not reinstall or reset Windows, do not repartition or format the disk: the data would be lost."

// rewriting warns of what would destroy data while it is being rewritten; empty when nothing is to
// be rewritten, or all that was to be has been.
func rewriting(document contract.Remediation, names map[string]string) string {
	results := resultsByID(document.Steps)
	var ahead, underWay, unsure []string
	add := func(list *[]string, id string) {
		if name := nameOf(id, names); !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, running := range document.Running {
		add(&underWay, running.VolumeID)
	}
	for _, step := range document.Plan.Steps {
		result := results[step.ID]
		switch {
		case step.Change != contract.ChangeDecrypt && step.Change != contract.ChangeResume, isWaitedFor(document, step.Target, results):
		case !begun(result):
			add(&ahead, step.Target)
		case result.Result == contract.StepDone, result.Result == contract.StepAlready, result.Result == contract.StepRunning:
			add(&underWay, step.Target)
		default:
			add(&unsure, step.Target)
		}
	}
	switch {
	case len(underWay) > 0:
		return fmt.Sprintf("the data of %s is being rewritten. Until that has ended %s", strings.Join(append(underWay, unsure...), ", "), never)
	case len(unsure) > 0:
		return fmt.Sprintf("the data of %s may be half rewritten. Until diskaudit status says that its conversion has ended %s", strings.Join(unsure, ", "), never)
	case len(ahead) > 0:
		return fmt.Sprintf("this rewrites the data of %s in place. Once it has begun, and until it has ended, %s", strings.Join(ahead, ", "), never)
	}
	return ""
}

// isWaitedFor tells whether a volume's conversion was seen to end.
func isWaitedFor(document contract.Remediation, volume string, results map[string]contract.StepResult) bool {
	return slices.ContainsFunc(document.Plan.Steps, func(step contract.PlanStep) bool {
		result := results[step.ID].Result
		return step.Change == contract.ChangeWait && step.Target == volume && (result == contract.StepDone || result == contract.StepAlready)
	})
}
