package report

import (
	"strings"

	"diskaudit/core/contract"
)

// guardWords are how guards that have something to say are written, those first that refuse.
var guardWords = []struct {
	label string
	style style
	is    func(contract.GuardResult) bool
}{
	{"REFUSES:", bad, func(r contract.GuardResult) bool { return r == contract.GuardRefuse }},
	// A result of a later version refuses too.
	{"CANNOT TELL:", bad, func(r contract.GuardResult) bool { return r.Refuses() && r != contract.GuardRefuse }},
	{"OVERRIDDEN:", caution, func(r contract.GuardResult) bool { return r == contract.GuardOverridden }},
}

// writeGuards writes the guards that refuse, that cannot tell and that were overridden; those that
// allow are counted.
func writeGuards(p *page, guards []contract.Guard, names map[string]string) {
	if len(guards) == 0 {
		return
	}
	p.heading("Guards")
	for _, words := range guardWords {
		for _, guard := range guards {
			if words.is(guard.Result) {
				p.labelled(words.label, words.style, span{text: orUnknown(&guard.Text, "the reason is "+unknown+".", "")}, 0, indent)
				p.labelled("About:", normal, span{text: nameOf(guard.Target, names) + " (" + guard.ID + ")"}, indent, 2*indent)
				if guard.Result.Refuses() {
					p.labelled("Override:", normal, span{text: override(guard)}, indent, 2*indent)
				}
			}
		}
	}
	allowed := 0
	for _, guard := range guards {
		if guard.Result == contract.GuardAllow {
			allowed++
		}
	}
	switch {
	case allowed == 1:
		p.paragraph(span{text: "1 guard allows it."}, 0, 0)
	case allowed > 1:
		p.paragraph(span{text: plural(uint64(allowed), "guard") + " allow it."}, 0, 0)
	}
}

func override(guard contract.Guard) string {
	if guard.Override == nil || strings.TrimSpace(*guard.Override) == "" {
		return "there is none"
	}
	return *guard.Override
}
