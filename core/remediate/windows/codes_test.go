package windows_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// grave are all codes of bitlocker after which trying again can help, or must not be tried.
func grave(t *testing.T) []bitlocker.HResult {
	t.Helper()
	var codes []bitlocker.HResult
	for _, facility := range []bitlocker.HResult{0x80000000, 0x80010000, 0x80020000, 0x80040000, 0x80070000, 0x80280000, 0x80290000, 0x80310000} {
		for number := range bitlocker.HResult(0x10000) {
			if code := facility | number; code.Retryable() || code.Fatal() {
				codes = append(codes, code)
			}
		}
	}
	if len(codes) < 20 || !slices.Contains(codes, bitlocker.FVE_E_CONV_WRITE) || !slices.Contains(codes, bitlocker.RPC_E_DISCONNECTED) {
		t.Fatalf("these cannot be all: %v", codes)
	}
	return codes
}

// lost are those that speak of an answer which was lost on the way.
var lost = []bitlocker.HResult{
	bitlocker.WBEM_E_CALL_CANCELLED, bitlocker.WBEM_E_SHUTTING_DOWN, bitlocker.WBEM_E_TIMED_OUT, bitlocker.WBEM_E_PROVIDER_TIMED_OUT,
	bitlocker.WBEM_E_TRANSPORT_FAILURE, bitlocker.WBEM_E_QUOTA_VIOLATION, bitlocker.RPC_S_SERVER_UNAVAILABLE, bitlocker.RPC_S_CALL_FAILED,
	bitlocker.RPC_E_DISCONNECTED, bitlocker.RPC_E_CALL_CANCELED, bitlocker.ERROR_TIMEOUT,
}

// faultWith is how a code can come from a method: returned, raised, or as the failure of the call.
var faultWith = map[string]func(bitlocker.HResult) *simulator.Fault{
	"returned": func(code bitlocker.HResult) *simulator.Fault { return &simulator.Fault{Instead: int32(uint32(code))} },
	"raised":   func(code bitlocker.HResult) *simulator.Fault { return &simulator.Fault{Raise: code} },
	"failed":   func(code bitlocker.HResult) *simulator.Fault { return &simulator.Fault{Fail: code} },
}

// After each such code the change is not called again, and whether the state has to be read first,
// whether trying again can help and whether all has to stop are told. Cases B48, B49, B50.
func TestCodesOfChanges(t *testing.T) {
	for _, code := range grave(t) {
		for way, fault := range faultWith {
			for change, method := range map[contract.Change]string{
				contract.ChangeDecrypt: "Decrypt", contract.ChangePause: "PauseConversion",
				contract.ChangeResume: "ResumeConversion", contract.ChangeClearAutoUnlock: "ClearAllAutoUnlockKeys",
			} {
				name := fmt.Sprintf("%s %s by %s", code, way, method)
				m := simulated(volume('C'))
				injected := fault(code)
				injected.Point, injected.Name = simulator.AtMethod, method
				m.Faults = []*simulator.Fault{injected}
				failure := failureOf(t, on(t, m).Change(t.Context(), volumeC, change))
				if p := failure.Problem; p.HResult == nil || *p.HResult != code.String() || p.Retryable != code.Retryable() || failure.Fatal != code.Fatal() {
					t.Errorf("%s: %+v", name, failure)
				}
				if want := way != "returned" || slices.Contains(lost, code); failure.Unsure != want {
					t.Errorf("%s: unsure %v, want %v", name, failure.Unsure, want)
				}
				if names := called(m); !slices.Equal(names, []string{method}) {
					t.Errorf("%s: called %v", name, names)
				}
				keepsSecrets(t, failure)
			}
		}
	}
}

// A question that is refused for a passing reason is asked again; one that stays refused, or tells
// that the disk failed, is a failure that says so, whichever of a volume's facts it costs.
func TestCodesOfQuestions(t *testing.T) {
	questions := []string{"GetLockStatus", "GetConversionStatus", "GetEncryptionMethod", "GetProtectionStatus", "GetKeyProtectors", "IsAutoUnlockKeyStored"}
	for _, code := range grave(t) {
		for way, fault := range faultWith {
			for _, method := range questions {
				synctest.Test(t, func(t *testing.T) {
					name := fmt.Sprintf("%s %s by %s", code, way, method)
					m := simulated(volume('C'))
					injected := fault(code)
					injected.Point, injected.Name = simulator.AtMethod, method
					m.Faults = []*simulator.Fault{injected}
					computer := on(t, m)
					_, err := computer.Volume(t.Context(), volumeC)
					failure := failureOf(t, err)
					if p := failure.Problem; p.HResult == nil || *p.HResult != code.String() || p.Retryable != code.Retryable() || failure.Fatal != code.Fatal() || failure.Unsure {
						t.Errorf("%s: %+v", name, failure)
					}
					keepsSecrets(t, failure)
					if len(called(m)) != 0 {
						t.Errorf("%s: called %v", name, called(m))
					}
					if method == "GetConversionStatus" || method == "GetLockStatus" {
						_, err := computer.Conversion(t.Context(), volumeC)
						if again := failureOf(t, err); *again.Problem.HResult != code.String() || again.Fatal != code.Fatal() {
							t.Errorf("%s: Conversion says %+v", name, again)
						}
					}
					m.Update(func(*simulator.Machine) { injected.Times, injected.Skip = 1, 1<<20 })
					if e, err := computer.Volume(t.Context(), volumeC); err != nil || e.Conversion == nil || *e.Conversion != contract.FullyEncrypted {
						t.Errorf("%s: afterwards %v %v", name, e.Conversion, err)
					}
				})
			}
		}
	}
}
