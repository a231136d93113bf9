package report

import (
	"fmt"
	"strings"

	"diskaudit/core/contract"
)

var severityStyles = map[contract.Severity]style{
	contract.SeverityCritical: bad,
	contract.SeverityWarning:  caution,
	contract.SeverityNotice:   note,
}

// writeFinding writes one finding: its severity in words and its title, the rest below it.
func writeFinding(p *page, f contract.Finding, names map[string]string) {
	p.labelled(strings.ToUpper(orUnknown((*string)(&f.Severity), unknown, ""))+":", severityStyles[f.Severity],
		span{text: f.Title}, 0, indent)
	for _, part := range []struct{ name, text string }{
		{"About", about(f.Target, f.ID, names)},
		{"Evidence", f.Evidence},
		{"Advice", f.Advice},
		{"Reference", f.Reference},
	} {
		if strings.TrimSpace(part.text) != "" {
			p.labelled(part.name+":", normal, span{text: part.text}, indent, 2*indent)
		}
	}
}

// about names what a finding or a problem is about, with the id that scripts know it by.
func about(target, id string, names map[string]string) string {
	name, isVolume := names[target]
	switch {
	case isVolume:
	case target == "machine":
		name = "this computer"
	default:
		name = target
	}
	if id != "" {
		name += " (" + id + ")"
	}
	return strings.TrimSpace(name)
}

var levelStyles = map[contract.Level]style{
	contract.LevelError:   bad,
	contract.LevelWarning: caution,
}

// writeProblems writes what went wrong. Notes, which only explain what is unknown, are counted.
func writeProblems(p *page, problems []contract.Problem, names map[string]string) {
	notes := 0
	for _, problem := range problems {
		if problem.Level == contract.LevelInfo {
			notes++
		}
	}
	if len(problems) > 0 {
		p.heading("Problems")
	}
	for _, problem := range problems {
		if problem.Level != contract.LevelInfo {
			writeProblem(p, problem, names)
		}
	}
	if notes > 0 {
		pronoun := "them"
		if notes == 1 {
			pronoun = "it"
		}
		p.paragraph(span{text: fmt.Sprintf("%s: use --format json to see %s.", plural(uint64(notes), "note"), pronoun)}, 0, 0)
	}
}

func writeProblem(p *page, problem contract.Problem, names map[string]string) {
	p.labelled(strings.ToUpper(orUnknown((*string)(&problem.Level), unknown, ""))+":", levelStyles[problem.Level],
		span{text: problem.Text}, 0, indent)
	target := problem.Target
	if target == "" {
		target = problem.Stage
	}
	words := about(target, problem.Code, names)
	if problem.HResult != nil && !strings.Contains(problem.Text, *problem.HResult) {
		words += ", " + *problem.HResult
		if problem.HResultName != nil {
			words += " " + *problem.HResultName
		}
	}
	if problem.Retryable {
		words += ", can succeed when run again"
	}
	if words = strings.TrimPrefix(words, ", "); words != "" {
		p.labelled("About:", normal, span{text: words}, indent, 2*indent)
	}
}
