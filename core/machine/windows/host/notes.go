package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// CallError is a failure for which Windows gave an HRESULT.
type CallError struct {
	// Call is the function that failed.
	Call string
	// Code is what it returned.
	Code bitlocker.HResult
}

func (e *CallError) Error() string {
	if name, ok := e.Code.Name(); ok {
		return fmt.Sprintf("%s: %s (%s)", e.Call, name, e.Code)
	}
	return fmt.Sprintf("%s: %s", e.Call, e.Code)
}

// notes gathers why facts of the computer are missing, and what else to say about it.
type notes struct {
	absent []string
	others []contract.Problem
}

// unknown notes a fact that is missing because nothing tells it: that lies in the nature of things.
func (n *notes) unknown(fact, reason string) {
	n.absent = append(n.absent, fact+" ("+reason+")")
}

// failed notes a fact that is missing because reading it failed. It is a warning: what BitLocker does
// with the volumes, and which disks they lie on, is told all the same.
func (n *notes) failed(fact string, err error) {
	if errors.Is(err, ErrNotOffered) {
		n.unknown(fact, reason(err))
		return
	}
	problem := contract.Problem{
		Code: "host-fact-unreadable", Level: contract.LevelWarning, Stage: machine.StageHost, Target: fact, Retryable: true,
		Text: fmt.Sprintf("Not known of this computer: %s. Asking for it failed: %s. Run again; if it stays so, restart the computer.", fact, reason(err)),
	}
	var call *CallError
	var code syscall.Errno
	switch {
	case errors.As(err, &call):
		setCode(&problem, call.Code)
	case errors.Is(err, fs.ErrPermission):
		problem.Retryable = false
		problem.Text = fmt.Sprintf("Not known of this computer: %s. Access was denied: %s. Run as administrator or as SYSTEM.", fact, reason(err))
	case errors.As(err, &code) && code > 0 && code <= 0xFFFF:
		setCode(&problem, bitlocker.HResult(0x80070000|uint32(code)))
	}
	n.others = append(n.others, problem)
}

// reason is what an error says, as a part of a sentence: Windows' own messages end like one.
func reason(err error) string { return strings.TrimRight(err.Error(), ".") }

func setCode(problem *contract.Problem, code bitlocker.HResult) {
	problem.HResult = contract.Ptr(code.String())
	if name, ok := code.Name(); ok {
		problem.HResultName = &name
	}
}

func (n *notes) warn(code, target, format string, arguments ...any) {
	n.others = append(n.others, contract.Problem{
		Code: code, Level: contract.LevelWarning, Stage: machine.StageHost, Target: target, Text: fmt.Sprintf(format, arguments...),
	})
}

// problems returns all of it; what lies in the nature of things makes one problem.
func (n *notes) problems() []contract.Problem {
	if len(n.absent) == 0 {
		return n.others
	}
	return append(n.others, contract.Problem{
		Code: "host-facts-unknown", Level: contract.LevelInfo, Stage: machine.StageHost,
		Text: "Not known of this computer: " + strings.Join(n.absent, "; ") + ".",
	})
}

// printable makes text of the registry fit for a document: control characters become spaces,
// spaces at the ends and doubled ones go, and no more than limit characters stay.
func printable(text string, limit int) string {
	clean := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7F {
			return ' '
		}
		return c
	}, text)
	characters := []rune(strings.Join(strings.Fields(clean), " "))
	if len(characters) > limit {
		return string(characters[:limit]) + "..."
	}
	return string(characters)
}

// errHang is the error of a call that did not return.
var errHang = errors.New("the call did not return in time")
