package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/com"
)

// Kind is why the provider does not answer at all.
type Kind string

// The kinds.
const (
	// NamespaceMissing: this Windows has no BitLocker, or its feature is not installed, or a restart is due.
	NamespaceMissing Kind = "namespace-missing"
	// ClassMissing: the namespace is there, but not the class.
	ClassMissing Kind = "class-missing"
	// AccessDenied: this program has not the rights.
	AccessDenied Kind = "access-denied"
	// ServiceStopped: the WMI service does not run.
	ServiceStopped Kind = "service-stopped"
	// Hung: no answer came in time.
	Hung Kind = "hung"
	// Failed: anything else.
	Failed Kind = "failed"
)

// Unavailable is the error of a provider that does not answer. It says nothing about the volumes:
// they are unknown, not decrypted.
type Unavailable struct {
	// Kind is why.
	Kind Kind
	// Problem says it to people.
	Problem contract.Problem
	// Err is what came from below.
	Err error
}

func (u *Unavailable) Error() string {
	return fmt.Sprintf("BitLocker's provider is not available (%s): %v", u.Kind, u.Err)
}

// Unwrap is what came from below.
func (u *Unavailable) Unwrap() error { return u.Err }

// Codes that are not in package bitlocker: what opening a service answers
// (learn.microsoft.com/windows/win32/debug/system-error-codes--1000-1299-).
const (
	serviceNotActive bitlocker.HResult = 0x80070426 // ERROR_SERVICE_NOT_ACTIVE
	serverExecFailed bitlocker.HResult = 0x80080005 // CO_E_SERVER_EXEC_FAILURE
)

// kinds tells a code's kind; other codes are Failed
// (learn.microsoft.com/windows/win32/wmisdk/wmi-error-constants).
var kinds = map[bitlocker.HResult]Kind{
	bitlocker.WBEM_E_INVALID_NAMESPACE:      NamespaceMissing,
	bitlocker.WBEM_E_INVALID_CLASS:          ClassMissing,
	bitlocker.WBEM_E_ACCESS_DENIED:          AccessDenied,
	bitlocker.E_ACCESSDENIED:                AccessDenied,
	bitlocker.WBEM_E_PRIVILEGE_NOT_HELD:     AccessDenied,
	bitlocker.ERROR_SERVICE_DISABLED:        ServiceStopped,
	bitlocker.RPC_S_SERVER_UNAVAILABLE:      ServiceStopped,
	bitlocker.WBEM_E_SHUTTING_DOWN:          ServiceStopped,
	serviceNotActive:                        ServiceStopped,
	serverExecFailed:                        ServiceStopped,
	bitlocker.WBEM_E_TIMED_OUT:              Hung,
	bitlocker.WBEM_E_PROVIDER_TIMED_OUT:     Hung,
	bitlocker.WBEM_E_PROVIDER_NOT_FOUND:     Failed,
	bitlocker.WBEM_E_CRITICAL_ERROR:         Failed,
	bitlocker.WBEM_E_PROVIDER_FAILURE:       Failed,
	bitlocker.WBEM_E_TRANSPORT_FAILURE:      Failed,
	bitlocker.WBEM_E_INITIALIZATION_FAILURE: Failed,
}

const everyStateUnknown = " BitLocker itself tells nothing of any volume."

// unavailable makes an error the reason why the provider does not answer.
func unavailable(err error) *Unavailable {
	u := &Unavailable{Kind: Failed, Err: err}
	var coded *Error
	var silent *silence
	switch {
	case errors.As(err, &coded):
		u.Kind = kindOf(coded.Code)
		u.Problem = coded.Code.Problem(contract.LevelError, machine.StageHost, Namespace)
		u.Problem.Text += everyStateUnknown
		if _, explained := kinds[listed(coded.Code)]; explained && u.Problem.Code == "windows-error" {
			u.Problem.Code = "provider-unavailable"
		}
	case errors.As(err, &silent):
		u.Kind = Hung
		u.Problem = silent.problem(machine.StageHost, Namespace)
		u.Problem.Text += everyStateUnknown
		if silent.interrupted() {
			u.Kind = Failed
		}
	default:
		u.Problem = contract.Problem{
			Code: "provider-unavailable", Level: contract.LevelError, Stage: machine.StageHost, Target: Namespace,
			Text: fmt.Sprintf("BitLocker's WMI provider could not be asked: %v.%s Please report it with a recording (status --record FILE).", err, everyStateUnknown),
		}
	}
	return u
}

func kindOf(code bitlocker.HResult) Kind {
	if kind, ok := kinds[listed(code)]; ok {
		return kind
	}
	return Failed
}

// listed is a code as the tables have it: a plain system error code, which methods return now and
// then, counts as HRESULT_FROM_WIN32 makes it
// (learn.microsoft.com/windows/win32/api/winerror/nf-winerror-hresult_from_win32).
func listed(code bitlocker.HResult) bitlocker.HResult {
	if code.Failed() && code <= 0xFFFF {
		return 0x80070000 | code
	}
	return code
}

// silence is a call that brought no answer: it hung, or it was not made because an earlier one did.
type silence struct {
	// doing is what brought no answer.
	doing string
	// after is how long was waited for it; asked is false when it was not begun.
	after time.Duration
	asked bool
	// because is the earlier silence for which this call was not begun; nil for the first.
	because *silence
	cause   error
}

func (s *silence) Error() string {
	if s.because != nil {
		return fmt.Sprintf("%s: not asked, since %v", s.doing, s.because)
	}
	if !s.asked {
		return fmt.Sprintf("%s: not asked: %v", s.doing, s.cause)
	}
	return fmt.Sprintf("%s: no answer within %s: %v", s.doing, s.after.Round(time.Millisecond), s.cause)
}

func (s *silence) Unwrap() error { return s.cause }

// interrupted tells whether a person ended the waiting, not a limit.
func (s *silence) interrupted() bool {
	return errors.Is(s.cause, machine.ErrInterrupted) || errors.Is(s.cause, context.Canceled)
}

func (s *silence) problem(stage, target string) contract.Problem {
	p := contract.Problem{Level: contract.LevelError, Stage: stage, Target: target, Retryable: true}
	switch {
	case s.because != nil:
		p.Code = "not-asked"
		p.Text = fmt.Sprintf("BitLocker was not asked about %s, because an earlier question, %s, brought no answer and blocks the others. Run this again; if that repeats, restart the computer.", target, s.because.doing)
	case s.interrupted():
		p.Code = "interrupted"
		p.Text = fmt.Sprintf("Interrupted while asking BitLocker about %s (%s). What was not read is unknown; run again.", target, s.doing)
	case errors.Is(s.cause, com.ErrClosed):
		p.Code = "not-asked"
		p.Text = fmt.Sprintf("BitLocker was not asked about %s (%s), because the connection to its WMI provider is closed. Run this again.", target, s.doing)
	case !s.asked:
		p.Code = "not-asked"
		p.Text = fmt.Sprintf("BitLocker was not asked about %s (%s), because the time limit was reached before. Raise --timeout.", target, s.doing)
	default:
		p.Code = "timeout"
		p.Text = fmt.Sprintf("BitLocker's WMI provider gave no answer about %s within %s (%s). Run this again, with a higher --timeout where it was the limit; if that repeats, restart the computer.", target, s.after.Round(time.Millisecond), s.doing)
	}
	return p
}
