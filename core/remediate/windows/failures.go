package windows

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/remediate"
)

// codeVanished is the code of a volume that is not there any more.
const codeVanished = "volume-vanished"

// spoils are the problems that make a reading useless, the gravest first: the disk failed, no answer
// came, the volume is gone, the answers contradict each other, or something was not told that may be
// told in a moment.
var spoils = []func(contract.Problem) bool{
	isFatal, isSilence,
	func(p contract.Problem) bool { return p.Code == codeVanished },
	func(p contract.Problem) bool { return p.Code == "states-contradict" },
	func(p contract.Problem) bool { return p.Retryable && p.Level.OrError() != contract.LevelInfo },
}

// explains are the problems that say why lock or conversion is unknown, those first that say it of
// nothing else.
var explains = []func(contract.Problem) bool{
	func(p contract.Problem) bool {
		return p.Code == "lock-unrecognized" || p.Code == "conversion-unrecognized"
	},
	isMissing,
}

// judged is what was read of a volume, or why it does not suffice: nothing may be done to a volume
// whose lock or conversion is not known for certain.
func judged(reading provider.Reading, id string) (contract.Encryption, error) {
	if p := first(reading.Problems, spoils); p != nil {
		return contract.Encryption{}, failure(*p, id)
	}
	e := reading.Encryption
	if e.Lock != nil && *e.Lock == contract.Locked {
		return e, nil
	}
	if e.Lock != nil && *e.Lock == contract.Unlocked && e.Conversion != nil && e.Conversion.Recognized() {
		return e, nil
	}
	if p := first(reading.Problems, explains); p != nil {
		return contract.Encryption{}, failure(*p, id)
	}
	return contract.Encryption{}, failure(contract.Problem{
		Code: "state-unknown", Level: contract.LevelError, Stage: machine.StageVolumes, Retryable: true,
		Text: fmt.Sprintf("BitLocker does not tell the state of %s, as while it is being locked or unlocked. Nothing is done to it; run this again.", id),
	}, id)
}

// first is the first problem of the first kind that there is.
func first(problems []contract.Problem, kinds []func(contract.Problem) bool) *contract.Problem {
	for _, is := range kinds {
		if i := slices.IndexFunc(problems, is); i >= 0 {
			return &problems[i]
		}
	}
	return nil
}

func isFatal(p contract.Problem) bool { return result(p).Fatal() }

// isSilence tells whether the problem is that no answer came, or that nothing was asked.
func isSilence(p contract.Problem) bool {
	return slices.Contains([]string{"timeout", "not-asked", "interrupted"}, p.Code)
}

// isMissing tells whether a fact is missing that was asked for.
func isMissing(p contract.Problem) bool { return p.Level.OrError() == contract.LevelError }

// failure is a problem about a volume, for which nothing can be done to it now: an error, whatever it
// was while others could be read. After a silence the connection is of no more use.
func failure(p contract.Problem, id string) *remediate.Failure {
	p.Target, p.Level = id, contract.LevelError
	return &remediate.Failure{Problem: p, Fatal: isFatal(p), Unsure: isSilence(p)}
}

// result is the code of Windows in a problem; S_OK where it has none.
func result(p contract.Problem) bitlocker.HResult {
	if p.HResult == nil {
		return bitlocker.S_OK
	}
	code, err := strconv.ParseUint(*p.HResult, 0, 32)
	if err != nil {
		return bitlocker.S_OK
	}
	return bitlocker.HResult(code)
}

// unreachable is a provider that does not answer.
func unreachable(err error) *remediate.Failure {
	var unavailable *provider.Unavailable
	if errors.As(err, &unavailable) {
		return &remediate.Failure{Problem: unavailable.Problem, Unsure: isSilence(unavailable.Problem)}
	}
	return &remediate.Failure{Problem: contract.Problem{
		Code: "provider-unavailable", Level: contract.LevelError, Stage: machine.StageHost, Target: provider.Namespace,
		Text: fmt.Sprintf("BitLocker's provider cannot be asked: %v. Every volume's state is unknown; run this again, and restart the computer if that repeats.", err),
	}}
}

// unchanged is a change that was not confirmed.
func unchanged(err error, id string) *remediate.Failure {
	var refused *provider.ChangeError
	if errors.As(err, &refused) {
		problem := refused.Problem
		problem.Target = id
		return &remediate.Failure{Problem: problem, Fatal: refused.Fatal, Unsure: refused.Unsure}
	}
	return &remediate.Failure{Unsure: true, Problem: contract.Problem{
		Code: "call-failed", Level: contract.LevelError, Stage: machine.StageVolumes, Target: id,
		Text: fmt.Sprintf("Changing %s failed: %v. The change may have been made all the same: look at the volume's state (diskaudit status).", id, err),
	}}
}
