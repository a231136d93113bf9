package report

import (
	"fmt"
	"io"
	"strings"

	"diskaudit/core/contract"
)

// Remediation writes a remediation for people: first the verdict, with what goes on and the command
// that comes next; then, before anything else, what must not be done while data is being rewritten;
// the steps; the guards that have something to say; what the computer is to be like afterwards; the
// problems and the journal. Volumes are named by where they are mounted. A fact that is not known
// reads "unknown"; "-" means that there is no such fact. The page is as Table's. The error is the
// writer's.
func Remediation(w io.Writer, document contract.Remediation, options Options) error {
	p := newPage(options)
	document = spoken(document)
	names, short := map[string]string{}, map[string]string{}
	if document.Projected != nil {
		names, short = english.volumeNames(*document.Projected), shortNames(*document.Projected)
	}

	writeOutcome(p, document, short)
	if next := nextCommand(document, options.Arguments); next.lead != "" {
		p.command(next)
	}
	if warning := rewriting(document, short); warning != "" {
		p.blank()
		p.labelled("WARNING:", bad, span{text: warning}, 0, indent)
	}

	if len(document.Plan.Steps) > 0 {
		p.heading("Steps")
		p.grid(stepGrid(document, short))
		writeStepNotes(p, document.Plan.Steps)
	}
	writeCommands(p, document.Plan.Commands)
	writeGuards(p, document.Plan.Guards, names)
	writeProjected(p, document, names)
	writeProblems(p, remediationProblems(document), names)
	if document.Journal != nil {
		p.blank()
		p.field("Journal", orUnknown(document.Journal, unknown, ""))
	}

	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// shortNames maps the ids of volumes to the first place where each is mounted, for sentences.
func shortNames(status contract.Status) map[string]string {
	names := english.volumeNames(status)
	for _, volume := range status.Volumes {
		if len(volume.MountPoints) > 0 && strings.TrimSpace(volume.MountPoints[0]) != "" {
			names[volume.ID] = volume.MountPoints[0]
		}
	}
	return names
}

// remediationProblems are the document's problems, and those of its steps that are not among them.
func remediationProblems(document contract.Remediation) []contract.Problem {
	type about struct{ code, target, text string }
	listed := map[about]bool{}
	all := make([]contract.Problem, 0, len(document.Problems))
	add := func(problem contract.Problem) {
		key := about{problem.Code, problem.Target, problem.Text}
		if !listed[key] {
			listed[key] = true
			all = append(all, problem)
		}
	}
	for _, problem := range document.Problems {
		add(problem)
	}
	for _, step := range document.Steps {
		if step.Problem != nil {
			add(*step.Problem)
		}
	}
	return all
}
