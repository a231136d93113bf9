package report

import (
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/language"
)

var severityStyles = map[contract.Severity]style{
	contract.SeverityCritical: bad,
	contract.SeverityWarning:  caution,
	contract.SeverityNotice:   note,
}

// writeFinding writes one finding: its severity in words and its title, the rest below it.
func writeFinding(p *page, f contract.Finding, names map[string]string) {
	t, title, advice := p.tongue, f.Title, f.Advice
	if local := f.Localized; local != nil && local.Language == string(t) {
		title, advice = local.Title, local.Advice
	}
	p.labelled(t.severity(f.Severity)+":", severityStyles[f.Severity], span{text: title}, 0, indent)
	for _, part := range []struct{ name, text string }{
		{t.say("About"), t.about(f.Target, f.ID, names)},
		{t.say("Evidence"), f.Evidence},
		{t.say("Advice"), advice},
		{t.say("Reference"), f.Reference},
	} {
		if strings.TrimSpace(part.text) != "" {
			p.labelled(part.name+":", normal, span{text: part.text}, indent, 2*indent)
		}
	}
}

// severities are the words for the severities; one that does not exist is written as it is.
var severities = map[contract.Severity]language.Phrase{
	contract.SeverityCritical: say("CRITICAL"),
	contract.SeverityWarning:  say("WARNING"),
	contract.SeverityNotice:   say("NOTICE"),
	contract.SeverityInfo:     say("INFO"),
}

func (t tongue) severity(s contract.Severity) string {
	if word, ok := severities[s]; ok {
		return t.write(word)
	}
	return strings.ToUpper(orUnknown((*string)(&s), t.unknown(), ""))
}

// about names what a finding or a problem is about, with the id that scripts know it by.
func (t tongue) about(target, id string, names map[string]string) string {
	name, isVolume := names[target]
	switch {
	case isVolume:
	case target == "machine":
		name = t.say("this computer")
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
		p.heading(p.tongue.say("Problems"))
	}
	for _, problem := range problems {
		if problem.Level != contract.LevelInfo {
			writeProblem(p, problem, names)
		}
	}
	if notes > 0 {
		p.paragraph(span{text: p.tongue.counted(uint64(notes), "%s note: use --format json to see it.", "%s notes: use --format json to see them.")}, 0, 0)
	}
}

// levels are the words for the levels; one that does not exist is written as it is.
var levels = map[contract.Level]language.Phrase{
	contract.LevelError:   say("ERROR"),
	contract.LevelWarning: say("WARNING"),
}

func (t tongue) level(l contract.Level) string {
	if word, ok := levels[l]; ok {
		return t.write(word)
	}
	return strings.ToUpper(orUnknown((*string)(&l), t.unknown(), ""))
}

func writeProblem(p *page, problem contract.Problem, names map[string]string) {
	t := p.tongue
	p.labelled(t.level(problem.Level)+":", levelStyles[problem.Level], span{text: problem.Text}, 0, indent)
	target := problem.Target
	if target == "" {
		target = problem.Stage
	}
	words := t.about(target, problem.Code, names)
	if problem.HResult != nil && !strings.Contains(problem.Text, *problem.HResult) {
		words += ", " + *problem.HResult
		if problem.HResultName != nil {
			words += " " + *problem.HResultName
		}
	}
	if problem.Retryable {
		words = t.say("%s, can succeed when run again", words)
	}
	if words = strings.TrimPrefix(words, ", "); words != "" {
		p.labelled(t.say("About")+":", normal, span{text: words}, indent, 2*indent)
	}
}
