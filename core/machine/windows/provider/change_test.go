package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

func changeErrorOf(t *testing.T, err error) *ChangeError {
	t.Helper()
	var failed *ChangeError
	if !errors.As(err, &failed) {
		t.Fatalf("%v is no *ChangeError", err)
	}
	return failed
}

// A method is called once, whatever it answers, and only S_OK is a success. Cases B48, B49, B50.
func TestChange(t *testing.T) {
	for name, test := range map[string]struct {
		reply  reply
		code   string
		fatal  bool
		unsure bool
		again  bool
	}{
		"accepted":                              {reply: ok()},
		"busy":                                  {reply: refuses(bitlocker.FVE_E_OVERLAPPED_UPDATE), code: "bitlocker-busy", again: true},
		"keys stored":                           {reply: refuses(bitlocker.FVE_E_AUTOUNLOCK_ENABLED), code: "auto-unlock-keys"},
		"locked":                                {reply: refuses(bitlocker.FVE_E_LOCKED_VOLUME), code: "volume-locked"},
		"the disk failed":                       {reply: refuses(bitlocker.FVE_E_CONV_WRITE), code: "disk-error", fatal: true},
		"the disk failed, as a system error":    {reply: reply{returns: int32(1117)}, code: "disk-error", fatal: true},
		"denied, as a system error":             {reply: reply{returns: int32(5)}, code: "needs-elevation"},
		"a system error that nobody knows":      {reply: reply{returns: int32(4711)}, code: "windows-error"},
		"neither success nor failure":           {reply: reply{returns: int32(1)}, code: "change-not-confirmed", unsure: true},
		"no return value":                       {reply: reply{}, code: "answer-malformed", unsure: true},
		"a text":                                {reply: reply{returns: "0"}, code: "answer-malformed", unsure: true},
		"a truth":                               {reply: reply{returns: true}, code: "answer-malformed", unsure: true},
		"the method says that it took too long": {reply: refuses(bitlocker.ERROR_TIMEOUT), code: "wmi-interrupted", unsure: true, again: true},
		"the service went away":                 {reply: fails(bitlocker.RPC_S_CALL_FAILED), code: "wmi-interrupted", unsure: true, again: true},
		"the provider failed":                   {reply: fails(bitlocker.WBEM_E_PROVIDER_FAILURE), code: "provider-unavailable", unsure: true},
		"an exception without a reason":         {reply: fails(bitlocker.DISP_E_EXCEPTION), code: "windows-failed", unsure: true},
		"no rights":                             {reply: fails(bitlocker.WBEM_E_ACCESS_DENIED), code: "needs-elevation"},
		"no such method":                        {reply: fails(bitlocker.DISP_E_UNKNOWNNAME), code: "method-missing"},
		"no such volume":                        {reply: fails(bitlocker.WBEM_E_NOT_FOUND), code: "volume-vanished"},
		"an error without a code":               {reply: reply{err: errors.New("no more memory")}, code: "call-failed", unsure: true},
		"a fault of this program":               {reply: reply{does: func() { panic("unknown type") }}, code: "call-failed", unsure: true},
	} {
		for _, method := range []string{Decrypt, PauseConversion, ResumeConversion, ClearAllAutoUnlockKeys} {
			f := &fake{volumes: map[string]script{deviceC: {method: test.reply}}}
			err := open(t, f).Change(t.Context(), deviceC, method)
			if f.count(method) != 1 || len(f.calls) != 2 {
				t.Errorf("%s, %s: calls %v, want one", method, name, f.calls)
			}
			if test.code == "" {
				if err != nil {
					t.Errorf("%s, %s: %v", method, name, err)
				}
				continue
			}
			failed := changeErrorOf(t, err)
			if !strings.Contains(err.Error(), method+" of "+deviceC) {
				t.Errorf("%s, %s: the error does not say what was being done: %v", method, name, err)
			}
			p := failed.Problem
			if p.Code != test.code || failed.Fatal != test.fatal || failed.Unsure != test.unsure || p.Retryable != test.again {
				t.Errorf("%s, %s: %s, fatal %v, unsure %v, retryable %v", method, name, p.Code, failed.Fatal, failed.Unsure, p.Retryable)
			}
			if p.Target != deviceC || p.Level != contract.LevelError || strings.Contains(p.Text, "made all the same") != test.unsure {
				t.Errorf("%s, %s: %+v", method, name, p)
			}
		}
	}
}

// Methods that delete protectors, hand out secrets or are none of ours are not even called.
func TestChangeRefusesOtherMethods(t *testing.T) {
	f := &fake{volumes: map[string]script{deviceC: protectedSystem}}
	s := open(t, f)
	for _, method := range []string{
		"DeleteKeyProtector", "DeleteKeyProtectors", "DisableKeyProtectors", "Encrypt", "Lock", "UnlockWithNumericalPassword",
		"GetKeyProtectorNumericalPassword", "GetKeyProtectorExternalKey", "GetKeyPackage", "GetLockStatus", "decrypt", "Decrypt ", "",
	} {
		failed := changeErrorOf(t, s.Change(t.Context(), deviceC, method))
		if failed.Problem.Code != "change-not-allowed" || failed.Unsure || failed.Problem.Retryable {
			t.Errorf("%q: %+v", method, failed)
		}
	}
	if !slices.Equal(f.calls, []string{"connect"}) {
		t.Errorf("calls %v", f.calls)
	}
}

// A change that brings no answer may have been made; one that was never asked for was not. Cases C38, C43.
func TestChangeThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		f := &fake{volumes: map[string]script{deviceC: protectedSystem.but(script{Decrypt: reply{does: func() { <-release }}})}}
		s := open(t, f)
		begun := time.Now()
		failed := changeErrorOf(t, s.Change(t.Context(), deviceC, Decrypt))
		if time.Since(begun) > callLimit || failed.Problem.Code != "timeout" || !failed.Unsure {
			t.Errorf("%+v after %s", failed, time.Since(begun))
		}
		mustSay(t, failed.Problem, Decrypt, deviceC, "made all the same")
		failed = changeErrorOf(t, s.Change(t.Context(), deviceC, Decrypt))
		if failed.Problem.Code != "not-asked" || failed.Unsure || f.count(Decrypt) != 1 {
			t.Errorf("behind one that hangs: %+v, calls %v", failed, f.calls)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := &fake{volumes: map[string]script{deviceC: {Decrypt: ok()}}}
		s := open(t, f)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(machine.ErrInterrupted)
		failed := changeErrorOf(t, s.Change(ctx, deviceC, Decrypt))
		if failed.Problem.Code != "interrupted" || failed.Unsure || f.count(Decrypt) != 0 {
			t.Errorf("interrupted before: %+v, calls %v", failed, f.calls)
		}
		if !errors.Is(failed, machine.ErrInterrupted) {
			t.Error("the reason is not wrapped")
		}
	})
}
