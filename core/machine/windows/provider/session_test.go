package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

func refused(code bitlocker.HResult) error {
	return fmt.Errorf("asking: %w", &Error{Doing: "connecting", Code: code})
}

func unavailableOf(t *testing.T, err error) *Unavailable {
	t.Helper()
	var u *Unavailable
	if !errors.As(err, &u) {
		t.Fatalf("%v is no *Unavailable", err)
	}
	return u
}

// Each reason why the provider does not answer is an answer of its own, and none is an empty list.
// Cases B4, B10, B30, C34.
func TestUnavailable(t *testing.T) {
	for code, want := range map[bitlocker.HResult]Kind{
		bitlocker.WBEM_E_INVALID_NAMESPACE: NamespaceMissing,
		bitlocker.WBEM_E_INVALID_CLASS:     ClassMissing,
		bitlocker.WBEM_E_ACCESS_DENIED:     AccessDenied,
		bitlocker.E_ACCESSDENIED:           AccessDenied,
		bitlocker.ERROR_SERVICE_DISABLED:   ServiceStopped,
		0x422:                              ServiceStopped,
		bitlocker.RPC_S_SERVER_UNAVAILABLE: ServiceStopped,
		serviceNotActive:                   ServiceStopped,
		bitlocker.WBEM_E_TIMED_OUT:         Hung,
		bitlocker.WBEM_E_PROVIDER_FAILURE:  Failed,
		bitlocker.REGDB_E_CLASSNOTREG:      Failed,
		0x81234567:                         Failed,
	} {
		synctest.Test(t, func(t *testing.T) {
			for where, ask := range map[string]func() error{
				"connecting": func() error {
					f := &fake{connects: slices.Repeat([]error{refused(code)}, 9)}
					_, err := Open(t.Context(), f)
					if f.closed != 1 {
						t.Errorf("%s: closed %d times", code, f.closed)
					}
					return err
				},
				"listing": func() error {
					s, err := Open(t.Context(), &fake{rowsErr: refused(code)})
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close()
					rows, problems, err := s.Volumes(t.Context())
					if len(rows)+len(problems) > 0 {
						t.Errorf("rows %v, problems %v beside an error", rows, problems)
					}
					return err
				},
			} {
				u := unavailableOf(t, ask())
				if u.Kind != want {
					t.Errorf("%s, %s: %s, want %s", where, code, u.Kind, want)
				}
				if u.Problem.Level != contract.LevelError || u.Problem.HResult == nil || u.Problem.Code == "" {
					t.Errorf("%s, %s: %+v", where, code, u.Problem)
				}
				mustSay(t, u.Problem, code.String()[6:], "nothing of any volume")
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		_, err := Open(t.Context(), &fake{connects: []error{errors.New("no library")}})
		if u := unavailableOf(t, err); u.Kind != Failed || u.Problem.Code != "provider-unavailable" {
			t.Errorf("%+v", u)
		}
	})
}

// Case B28: what fails only at first is asked again.
func TestTransientFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{
			connects: []error{refused(bitlocker.RPC_S_SERVER_UNAVAILABLE), refused(bitlocker.RPC_E_DISCONNECTED)},
			volumes:  map[string]script{deviceC: protectedSystem},
			replies:  map[string][]reply{"GetConversionStatus": {refuses(bitlocker.FVE_E_OVERLAPPED_UPDATE), fails(bitlocker.RPC_S_CALL_FAILED)}},
		}
		got := open(t, f).Read(t.Context(), row(deviceC, system), "C:")
		if got.Encryption.Conversion == nil || len(got.Problems) != 1 {
			t.Errorf("%v, %v", got.Encryption.Conversion, problemsOf(got.Problems))
		}
		if f.count("connect") != 3 || f.count("GetConversionStatus") != 3 {
			t.Errorf("calls %v", f.calls)
		}
	})
	// What does not pass by itself is not.
	synctest.Test(t, func(t *testing.T) {
		f := &fake{connects: []error{refused(bitlocker.WBEM_E_ACCESS_DENIED)}}
		if _, err := Open(t.Context(), f); err == nil || f.count("connect") != 1 {
			t.Errorf("%v after %v", err, f.calls)
		}
	})
	// What does not pass at all comes to an end, and the end of the run ends the waiting.
	synctest.Test(t, func(t *testing.T) {
		f := &fake{connects: slices.Repeat([]error{refused(bitlocker.RPC_S_SERVER_UNAVAILABLE)}, 99)}
		if _, err := Open(t.Context(), f); err == nil || f.count("connect") != 1+len(pauses) {
			t.Errorf("%v after %v", err, f.calls)
		}
		f = &fake{connects: slices.Repeat([]error{refused(bitlocker.RPC_S_SERVER_UNAVAILABLE)}, 99)}
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		defer cancel()
		begun := time.Now()
		_, err := Open(ctx, f)
		if time.Since(begun) > 150*time.Millisecond || unavailableOf(t, err).Kind != ServiceStopped {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
	})
}

// Cases C38, C43: a provider that hangs ends within the limit; what had been read by then is kept,
// the volumes behind it say that they were not asked, and Close does not hang.
func TestHungProvider(t *testing.T) {
	for name, test := range map[string]struct {
		timeout time.Duration
		cause   error
		within  time.Duration
		code    string
	}{
		"the limit for one question":      {timeout: time.Hour, within: callLimit, code: "timeout"},
		"half of what the run has left":   {timeout: 10 * time.Second, within: 5 * time.Second, code: "timeout"},
		"somebody interrupts the program": {timeout: time.Second, cause: machine.ErrInterrupted, within: time.Second, code: "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				hang := protectedSystem.but(script{"GetEncryptionMethod": reply{does: func() { <-release }}})
				f := &fake{volumes: map[string]script{deviceC: hang, device(2): protectedData}}
				s, err := Open(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if test.cause != nil {
					time.AfterFunc(test.timeout, func() { cancel(test.cause) })
				} else {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, test.timeout)
					defer stop()
				}
				begun := time.Now()
				first := s.Read(ctx, row(deviceC, system), "C:")
				second := s.Read(context.WithoutCancel(ctx), row(device(2), data), "D:")
				s.Close()
				if took := time.Since(begun); took > test.within {
					t.Errorf("took %s, want no more than %s", took, test.within)
				}
				if first.Encryption.Conversion == nil || *first.Encryption.Conversion != contract.FullyEncrypted || first.Encryption.Method != nil {
					t.Errorf("what was read before: %v, after: %v", first.Encryption.Conversion, first.Encryption.Method)
				}
				p := find(t, first.Problems, test.code)
				mustSay(t, p, "C:", "GetEncryptionMethod")
				if !p.Retryable || p.Level != contract.LevelError {
					t.Errorf("%+v", p)
				}
				p = find(t, second.Problems, "not-asked")
				mustSay(t, p, "D:", "GetEncryptionMethod of "+deviceC)
				if second.Encryption.Lock != nil || second.Encryption.Conversion != nil {
					t.Errorf("%+v", second.Encryption)
				}
				if _, _, err := s.Volumes(t.Context()); unavailableOf(t, err).Kind != Hung {
					t.Errorf("listing afterwards: %v", err)
				}
			})
		})
	}
}

func TestHungConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := Open(ctx, hangs{&fake{}, release})
		u := unavailableOf(t, err)
		if u.Kind != Hung || u.Problem.Code != "timeout" || ctx.Err() != nil {
			t.Errorf("%s %s, the run's end: %v", u.Kind, u.Problem.Code, ctx.Err())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(machine.ErrInterrupted)
		_, err := Open(ctx, &fake{})
		if u := unavailableOf(t, err); u.Kind != Failed || u.Problem.Code != "interrupted" {
			t.Errorf("interrupted: %s %s", u.Kind, u.Problem.Code)
		}
	})
}

// hangs is a Caller that hangs while it connects.
type hangs struct {
	*fake
	release chan struct{}
}

func (h hangs) Connect() error { <-h.release; return nil }

// Case C47: a fault of this program in one question costs that answer.
func TestPanicInAQuestion(t *testing.T) {
	s, err := Open(t.Context(), &fake{connects: nil, volumes: map[string]script{deviceC: protectedSystem.but(script{
		"GetVersion": reply{does: func() { panic("unknown type") }}})}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := s.Read(t.Context(), row(deviceC, system), "C:")
	if got.Encryption.MetadataVersion != nil || got.Encryption.HardwareEncryption == nil {
		t.Errorf("%+v", got.Encryption)
	}
	mustSay(t, find(t, got.Problems, "call-failed"), "unknown type", "metadataVersion")
}

func TestCloseOnceAndAgain(t *testing.T) {
	f := &fake{volumes: map[string]script{deviceC: protectedSystem}}
	s, err := Open(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	s.Close()
	if f.closed != 1 {
		t.Errorf("closed %d times", f.closed)
	}
	got := s.Read(t.Context(), row(deviceC, system), "C:")
	if got.Encryption.Conversion != nil || got.Encryption.Lock != nil {
		t.Errorf("read after Close: %+v", got)
	}
	mustSay(t, find(t, got.Problems, "not-asked"), "closed")
	var none *Session
	none.Close()
}

// Cases B9, B21, B25, B26, B27: 26 volumes, one of which is out of order, are 26 answers.
func TestManyVolumes(t *testing.T) {
	f := &fake{volumes: map[string]script{}}
	for i := range 26 {
		f.rows = append(f.rows, row(device(i), data))
		f.volumes[device(i)] = protectedData
	}
	f.volumes[device(7)] = script{}
	s := open(t, f)
	rows, problems, err := s.Volumes(t.Context())
	if err != nil || len(rows) != 26 || len(problems) != 0 {
		t.Fatalf("%d rows, %v, %v", len(rows), problems, err)
	}
	for i, r := range rows {
		got := s.Read(t.Context(), r, *r.DeviceID)
		if known := got.Encryption.Conversion != nil; known == (i == 7) {
			t.Errorf("volume %d: conversion known is %v", i, known)
		}
		if i != 7 && len(got.Problems) != 0 {
			t.Errorf("volume %d: %v", i, problemsOf(got.Problems))
		}
	}
}

func TestErrorsAreReadable(t *testing.T) {
	f := &fake{connects: []error{refused(bitlocker.WBEM_E_INVALID_NAMESPACE)}}
	_, err := Open(t.Context(), f)
	for _, word := range []string{"namespace-missing", Namespace, "WBEM_E_INVALID_NAMESPACE", "0x8004100E"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in %q", word, err)
		}
	}
	if !errors.Is(err, unavailableOf(t, err).Err) {
		t.Error("the reason is not wrapped")
	}
}
