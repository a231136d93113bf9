package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// Policy tells the policies that decide about encryption, by the registry. A value that is not
// there is not set; one that may not be read, or makes no sense, leaves its field nil, and a problem
// says so, as an error where decisions rest on the field. Settings that hold a company's own texts, such as the message on the recovery screen, are
// not read.
func (r *Reader) Policy(ctx context.Context) (contract.Policy, []contract.Problem) {
	p := policyReading{reader: r, policy: contract.Policy{}, doubts: map[int]setting{}}
	for _, s := range settings {
		p.read(ctx, s)
	}
	p.fields.fill(&p.policy)
	p.guard()
	p.origins()
	p.leftBehind()
	return p.policy, append(p.unreadable(), p.problems...)
}

// policyReading is the policy while it is read.
type policyReading struct {
	reader   *Reader
	policy   contract.Policy
	fields   fields
	problems []contract.Problem
	// doubts are the unusable settings by the index of their problem.
	doubts map[int]setting
	// set are the settings that were found set.
	set []setting
	// refused are the names of values that could not be read, by key and reason.
	refused []refusal
}

// refusal is a key of which values could not be read.
type refusal struct {
	key   string
	err   error
	names []string
}

func (p *policyReading) read(ctx context.Context, s setting) {
	value, err := p.reader.registry.Value(s.key, s.name)
	if ended := ctx.Err(); ended != nil {
		err = ended
	}
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		s.obscure(&p.fields)
		p.refuse(s, err)
		return
	}
	found, err := s.read(value)
	if err != nil {
		s.obscure(&p.fields)
		p.unusable(s, found, err)
	} else {
		s.decide(&p.fields, found)
	}
	p.set = append(p.set, s)
	p.policy.Settings = append(p.policy.Settings, contract.PolicySetting{
		Name: s.name, Key: s.key, Data: found.data, Meaning: s.says(found, err == nil),
	})
}

func (p *policyReading) refuse(s setting, err error) {
	at := slices.IndexFunc(p.refused, func(r refusal) bool { return r.key == s.key && r.err.Error() == err.Error() })
	if at < 0 {
		p.refused = append(p.refused, refusal{key: s.key, err: err})
		at = len(p.refused) - 1
	}
	p.refused[at].names = append(p.refused[at].names, s.name)
}

func (p *policyReading) unusable(s setting, found reading, err error) {
	p.doubts[len(p.problems)] = s
	p.warn("policy-value-unusable", s.key+`\`+s.name,
		`%s\%s is %q: %v (learn.microsoft.com/%s). What Windows makes of it is not known, and so it counts as unknown. Correct it where it is set: a group policy, a device management or a script.`,
		s.key, s.name, found.data, err, s.page)
}

// guard makes an error of an unusable setting that leaves a field unknown on which people rest before
// they encrypt, decrypt or write: the document lacks that fact. Where another setting decides all the
// same, nothing is missing.
func (p *policyReading) guard() {
	for index, s := range p.doubts {
		if s.field == nil {
			continue
		}
		if field := s.field(&p.fields); p.fields.guards(field) && field.demanded() == nil {
			p.problems[index].Level = contract.LevelError
		}
	}
}

func (p *policyReading) warn(code, target, format string, arguments ...any) {
	p.problem(contract.LevelWarning, code, target, format, arguments...)
}

func (p *policyReading) problem(level contract.Level, code, target, format string, arguments ...any) {
	p.problems = append(p.problems, contract.Problem{
		Code: code, Level: level, Stage: machine.StagePolicy, Target: target, Text: fmt.Sprintf(format, arguments...),
	})
}

// unreadable makes one problem of each key that could not be read.
func (p *policyReading) unreadable() []contract.Problem {
	var problems []contract.Problem
	for _, r := range p.refused {
		problem := contract.Problem{Code: "policy-unreadable", Level: contract.LevelError, Stage: machine.StagePolicy, Target: r.key, Retryable: true}
		way := "Run again."
		if errors.Is(r.err, fs.ErrPermission) {
			problem.Retryable = false
			way = "Everyone may read such keys by default; run as administrator or as SYSTEM, or see who changed the key's permissions."
		}
		problem.Text = fmt.Sprintf("Policies in %s are unknown, not unset: %s. That is about %s. %s", r.key, reason(r.err), strings.Join(r.names, ", "), way)
		problems = append(problems, problem)
	}
	return problems
}
