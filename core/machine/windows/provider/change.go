package provider

import (
	"context"
	"errors"
	"fmt"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// The methods that Change calls. They take no argument, and none of them deletes a key protector by
// itself: those of a volume go when its decryption has ended.
const (
	// Decrypt starts to decrypt a volume, goes on with a paused decryption, and turns round an
	// encryption that is under way
	// (learn.microsoft.com/windows/win32/secprov/decrypt-win32-encryptablevolume).
	Decrypt = "Decrypt"
	// PauseConversion pauses an encryption or decryption, and the wiping of free space
	// (learn.microsoft.com/windows/win32/secprov/pauseconversion-win32-encryptablevolume).
	PauseConversion = "PauseConversion"
	// ResumeConversion goes on with what was paused
	// (learn.microsoft.com/windows/win32/secprov/resumeconversion-win32-encryptablevolume).
	ResumeConversion = "ResumeConversion"
	// ClearAllAutoUnlockKeys removes the keys for automatic unlocking from the operating system's volume
	// (learn.microsoft.com/windows/win32/secprov/clearallautounlockkeys-win32-encryptablevolume).
	ClearAllAutoUnlockKeys = "ClearAllAutoUnlockKeys"
)

// changing are the methods that Change calls; it calls no other.
var changing = map[string]bool{Decrypt: true, PauseConversion: true, ResumeConversion: true, ClearAllAutoUnlockKeys: true}

// Change calls one of the methods above of the volume with this DeviceID, exactly once: an answer
// that was lost may have been that of a success, so that whoever wants to try again has to read the
// volume's state first. Only the return value S_OK is a success, and says no more than that the
// change was accepted. An error is a *ChangeError.
func (s *Session) Change(ctx context.Context, deviceID, method string) error {
	if !changing[method] {
		return &ChangeError{Err: fmt.Errorf("%q is no method that this program changes volumes with", method), Problem: contract.Problem{
			Code: "change-not-allowed", Level: contract.LevelError, Stage: machine.StageVolumes, Target: deviceID,
			Text: fmt.Sprintf("This program does not call the method %q of %s: it changes volumes by a few methods only, and this is none of them. Please report it.", method, deviceID),
		}}
	}
	doing := "calling " + method + " of " + deviceID
	err := s.once(ctx, doing, func() error {
		returned, err := s.caller.Call(deviceID, method)
		if err != nil {
			return err
		}
		code, ok := returned.(int32)
		if !ok {
			return fmt.Errorf("%w: it returned %s", errMalformed, typeOf(returned))
		}
		if result := bitlocker.FromInt32(code); result != bitlocker.S_OK {
			return &refusal{&Error{Doing: doing, Code: result}}
		}
		return nil
	})
	if err != nil {
		return changeError(err, deviceID, method)
	}
	return nil
}

// ChangeError is why a change was not confirmed.
type ChangeError struct {
	// Problem says it to people. Its target is the volume.
	Problem contract.Problem
	// Fatal tells that the disk itself failed.
	Fatal bool
	// Unsure tells that the change may have been made all the same.
	Unsure bool
	// Err is what came from below.
	Err error
}

func (e *ChangeError) Error() string { return e.Err.Error() }

// Unwrap is what came from below.
func (e *ChangeError) Unwrap() error { return e.Err }

// changeError says what an error of a change means.
func changeError(err error, deviceID, method string) *ChangeError {
	failed := &ChangeError{Unsure: true, Err: err, Problem: contract.Problem{Level: contract.LevelError, Stage: machine.StageVolumes, Target: deviceID}}
	var coded *Error
	var returned *refusal
	var silent *silence
	switch problem := &failed.Problem; {
	case errors.As(err, &silent):
		*problem = silent.problem(machine.StageVolumes, deviceID)
		failed.Unsure = silent.asked
	case errors.As(err, &returned) && returned.returned.Code == bitlocker.S_FALSE:
		problem.Code = "change-not-confirmed"
		problem.HResult, problem.HResultName = contract.Ptr(bitlocker.S_FALSE.String()), contract.Ptr("S_FALSE")
		problem.Text = fmt.Sprintf("BitLocker answered %s of %s with S_FALSE, which is neither a success nor a failure; Microsoft's page on that method does not name it.", method, deviceID)
	case errors.As(err, &coded):
		*problem = coded.Code.Problem(contract.LevelError, machine.StageVolumes, deviceID)
		failed.Fatal = coded.Code.Fatal()
		if returned != nil {
			// The method has run and refused, unless its code speaks of an answer that was lost on the way.
			failed.Unsure = problem.Code == "wmi-interrupted"
		} else {
			failed.Unsure = !unbegun[listed(coded.Code)]
		}
	case errors.Is(err, errMalformed):
		problem.Code = "answer-malformed"
		problem.Text = fmt.Sprintf("What BitLocker's WMI provider answered %s of %s is no answer by Microsoft's documentation (%v). Install the pending updates.", method, deviceID, err)
	default:
		problem.Code = "call-failed"
		problem.Text = fmt.Sprintf("Calling %s of %s failed: %v. Please report it.", method, deviceID, err)
	}
	if failed.Unsure {
		failed.Problem.Text += " The change may have been made all the same: look at the volume's state before anything else (diskaudit status)."
	}
	return failed
}

// unbegun are the codes with which WMI refuses to call a method at all. After any other code of
// WMI or COM the method may have run
// (learn.microsoft.com/windows/win32/wmisdk/wmi-error-constants,
// learn.microsoft.com/windows/win32/api/oaidl/nf-oaidl-idispatch-invoke).
var unbegun = map[bitlocker.HResult]bool{
	bitlocker.WBEM_E_ACCESS_DENIED:             true,
	bitlocker.E_ACCESSDENIED:                   true,
	bitlocker.WBEM_E_PRIVILEGE_NOT_HELD:        true,
	bitlocker.WBEM_E_NOT_FOUND:                 true,
	bitlocker.WBEM_E_INVALID_NAMESPACE:         true,
	bitlocker.WBEM_E_INVALID_CLASS:             true,
	bitlocker.WBEM_E_INVALID_METHOD:            true,
	bitlocker.WBEM_E_METHOD_NOT_IMPLEMENTED:    true,
	bitlocker.WBEM_E_INVALID_METHOD_PARAMETERS: true,
	bitlocker.WBEM_E_PROVIDER_NOT_FOUND:        true,
	bitlocker.WBEM_E_PROVIDER_LOAD_FAILURE:     true,
	bitlocker.DISP_E_UNKNOWNNAME:               true,
	bitlocker.DISP_E_MEMBERNOTFOUND:            true,
}
