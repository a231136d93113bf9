package report

import (
	"strings"

	"diskaudit/core/contract"
)

// next is the command that a plan is carried out with, or what takes its place.
type next struct {
	lead string
	// line is the command itself; empty when it cannot be written here so that it means the same.
	line string
}

// nextCommand is what carries a plan out that nothing stands against.
func nextCommand(document contract.Remediation, arguments []string) next {
	plan := document.Plan
	if document.Applied || len(plan.Steps) == 0 {
		return next{}
	}
	if len(plan.Commands) > 0 {
		return next{lead: "To carry it out, run the commands below by hand."}
	}
	for _, guard := range plan.Guards {
		if guard.Result.Refuses() {
			return next{}
		}
	}
	if document.Projected != nil && document.Projected.Machine.Source == contract.SourceRecording {
		return next{lead: "It is the plan for the computer of the recording; it can be carried out there only, after a plan that is made there."}
	}
	const options = "--apply --expect-plan "
	repeated, ok := repeat(arguments)
	if !ok || !plain(plan.ID) {
		return next{lead: "To carry it out, run the same command again with " + options + orUnknown(&plan.ID, unknown, "") + " added."}
	}
	return next{"To carry it out:", "diskaudit " + strings.Join(append(repeated, options+plan.ID), " ")}
}

// command writes a command on a line of its own where the width holds it.
func (p *page) command(n next) {
	p.paragraph(span{text: n.lead}, 0, indent)
	switch {
	case n.line == "":
	case indent+width(n.line) <= p.width:
		p.line(strings.Repeat(" ", indent) + p.paint(n.line, strong))
	default:
		p.paragraph(span{n.line, strong}, indent, 2*indent)
	}
}

// writeCommands writes what is to be run by hand, each on one line however long: a command that is
// broken in two is another one.
func writeCommands(p *page, commands []string) {
	if len(commands) == 0 {
		return
	}
	p.heading("Commands, for an elevated Command Prompt on Windows, in this order")
	for _, command := range commands {
		p.line(strings.Repeat(" ", indent) + p.legible(command))
	}
}

// repeat writes the arguments of a call so that every shell reads them the same, without those
// that say whether a plan is carried out; false when that cannot be done.
func repeat(arguments []string) ([]string, bool) {
	var kept []string
	for i := 0; i < len(arguments); i++ {
		name, _, valued := strings.Cut(strings.TrimLeft(arguments[i], "-"), "=")
		flag := strings.HasPrefix(arguments[i], "-")
		switch {
		case flag && name == "apply":
		case flag && name == "expect-plan":
			if !valued {
				i++
			}
		case plain(arguments[i]):
			kept = append(kept, arguments[i])
		case quotable(arguments[i]):
			kept = append(kept, quoted(arguments[i]))
		default:
			return nil, false
		}
	}
	return kept, len(kept) > 0
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// plain tells whether no shell reads anything into a word.
func plain(word string) bool {
	return word != "" && strings.Trim(word, letters+`-=:._/\`) == "" && !strings.HasPrefix(word, "=")
}

// quotable tells whether cmd, PowerShell and sh take a word as it is between double quotes.
func quotable(word string) bool {
	return word != "" && strings.Trim(word, letters+`-=:._/\ {}()?,;@+#~[]`) == "" && !strings.Contains(word, "  ")
}

// quoted puts a word in double quotes; a backslash before the last one would take its meaning.
// Source: https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
func quoted(word string) string {
	trimmed := strings.TrimRight(word, `\`)
	return `"` + word + word[len(trimmed):] + `"`
}
