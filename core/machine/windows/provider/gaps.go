package provider

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// gap is what a method did not tell.
type gap struct {
	facts  []string
	method string
	// problem says why; the same reason makes one problem, however many facts it costs.
	problem contract.Problem
}

// gap records that a question brought no usable answer for some facts.
func (r *reader) gap(q question, facts []string, err error) {
	level := contract.LevelError
	if q.beside {
		level = contract.LevelWarning
	}
	problem := contract.Problem{Level: level, Stage: machine.StageVolumes, Target: r.target}
	var coded *Error
	var returned *refusal
	switch {
	case errors.As(err, &coded):
		if missing[listed(coded.Code)] {
			level = q.absent
		}
		problem = coded.Code.Problem(level, machine.StageVolumes, r.target)
		if q.uncertain && errors.As(err, &returned) {
			problem.Level = contract.LevelInfo
			problem.Code = "hardware-encryption-unknown"
			problem.Text = fmt.Sprintf("BitLocker's answer for %s (%s) can mean that it cannot use the drive's own encryption for this volume, or a failure; Microsoft does not say which.", r.target, coded.Code)
		}
	case errors.Is(err, errMalformed):
		problem.Code = "answer-malformed"
		problem.Text = fmt.Sprintf("BitLocker's WMI provider gave an answer about %s that does not have the form which Microsoft documents (%v). Install the pending updates; if that changes nothing, please report it with a recording (status --record FILE).", r.target, err)
	default:
		problem.Code = "call-failed"
		problem.Text = fmt.Sprintf("Asking BitLocker about %s failed: %v. Please report it with a recording (status --record FILE).", r.target, err)
	}
	r.gaps = append(r.gaps, gap{facts: facts, method: q.method, problem: problem})
}

// problems are the gaps, those for one reason in one problem, and the silence after which no more
// was asked.
func (r *reader) problems() []contract.Problem {
	type reason struct {
		code, hresult string
		// explains tells that nothing went wrong.
		explains bool
	}
	var order []reason
	together := map[reason][]gap{}
	for _, g := range r.gaps {
		key := reason{code: g.problem.Code, explains: g.problem.Level == contract.LevelInfo}
		if g.problem.HResult != nil {
			key.hresult = *g.problem.HResult
		}
		if together[key] == nil {
			order = append(order, key)
		}
		together[key] = append(together[key], g)
	}
	var problems []contract.Problem
	for _, key := range order {
		var facts, methods []string
		for _, g := range together[key] {
			for _, fact := range g.facts {
				facts = with(facts, fact)
			}
			methods = with(methods, g.method)
		}
		problem := together[key][0].problem
		if slices.ContainsFunc(together[key], func(g gap) bool { return g.problem.Level == contract.LevelError }) {
			problem.Level = contract.LevelError
		}
		problem.Text = fmt.Sprintf("These facts about %s are unknown: %s. %s Asked by %s.", r.target, strings.Join(facts, ", "), problem.Text, strings.Join(methods, ", "))
		problems = append(problems, problem)
	}
	if r.silent != nil {
		problems = append(problems, r.silent.problem(machine.StageVolumes, r.target))
	}
	return problems
}

func with(list []string, text string) []string {
	for _, known := range list {
		if known == text {
			return list
		}
	}
	return append(list, text)
}
