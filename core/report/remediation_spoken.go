package report

import (
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// spoken is a remediation whose sentences name volumes as people do: where one stands by its GUID
// path, that becomes the place where it is mounted.
func spoken(document contract.Remediation) contract.Remediation {
	if document.Projected == nil {
		return document
	}
	var inText, inCommand []string
	for _, volume := range document.Projected.Volumes {
		// Other ids are short words, such as C:, which a text can have for another reason.
		if !strings.HasPrefix(volume.ID, `\\?\Volume{`) {
			continue
		}
		name := volume.ID
		if len(volume.MountPoints) > 0 && strings.TrimSpace(volume.MountPoints[0]) != "" {
			name = volume.MountPoints[0]
			inText = append(inText, volume.ID, name)
		}
		if !plain(name) && quotable(name) {
			name = quoted(name)
		}
		inCommand = append(inCommand, volume.ID, name)
	}
	text, command := strings.NewReplacer(inText...), strings.NewReplacer(inCommand...)

	document.Plan.Steps = slices.Clone(document.Plan.Steps)
	for i := range document.Plan.Steps {
		step := &document.Plan.Steps[i]
		step.Text, step.Undo = text.Replace(step.Text), text.Replace(step.Undo)
	}
	document.Plan.Guards = slices.Clone(document.Plan.Guards)
	for i := range document.Plan.Guards {
		document.Plan.Guards[i].Text = text.Replace(document.Plan.Guards[i].Text)
	}
	document.Problems = slices.Clone(document.Problems)
	for i := range document.Problems {
		document.Problems[i].Text = text.Replace(document.Problems[i].Text)
	}
	document.Steps = slices.Clone(document.Steps)
	for i, step := range document.Steps {
		if step.Problem != nil {
			problem := *step.Problem
			problem.Text = text.Replace(problem.Text)
			document.Steps[i].Problem = &problem
		}
	}
	document.Running = slices.Clone(document.Running)
	for i := range document.Running {
		document.Running[i].Watch = command.Replace(document.Running[i].Watch)
	}
	return document
}
