package bitlocker

import (
	"fmt"

	"diskaudit/core/contract"
)

//go:generate go run ./hresultgen

// HResult is a result code of Windows: of a method of Win32_EncryptableVolume, of WMI or of COM.
type HResult uint32

// FromInt32 returns the code for a result that scripting hands over signed: WMI's uint32 return
// values arrive there as VT_I4, so that 0x80310000 looks like -2144272384.
func FromInt32(result int32) HResult {
	return HResult(uint32(result))
}

// String returns the code as 0x and eight hexadecimal digits.
func (h HResult) String() string {
	return fmt.Sprintf("0x%08X", uint32(h))
}

// Failed reports whether the code says that the call did not succeed. Only S_OK and S_FALSE are
// successes: methods of WMI classes also return plain system error codes, which are positive
// ("WMI Error Constants": 64, for example), so the severity bit alone does not decide.
func (h HResult) Failed() bool {
	return h != S_OK && h != S_FALSE
}

// Name returns the symbolic name, such as FVE_E_LOCKED_VOLUME; false when the code is not listed.
func (h HResult) Name() (string, bool) {
	name, ok := hresultNames[h.listed()]
	return name, ok
}

// Meaning says in one sentence what the code means here; empty when there are no own words for it.
func (h HResult) Meaning() string {
	return h.note().meaning
}

// Advice says in one sentence what to do about it; empty when there are no own words for it.
func (h HResult) Advice() string {
	return h.note().advice
}

// Retryable reports whether the same call can succeed later without any change. After a call
// that changes something, read the state first: it may have worked before its answer was lost.
func (h HResult) Retryable() bool {
	return h.note().retryable
}

// Fatal reports whether the disk itself failed to read or write: nothing more must be done to it.
func (h HResult) Fatal() bool {
	return h.note().fatal
}

// Problem describes the code for a document. Its code names the kind of trouble, such as
// "volume-locked" or "disk-error", and "windows-error" for a code without words of its own; the
// text carries meaning, advice, target and code. Target may be empty.
func (h HResult) Problem(level contract.Level, stage, target string) contract.Problem {
	problem := contract.Problem{
		Code: "windows-error", Level: level, Stage: stage, Target: target,
		HResult: contract.Ptr(h.String()), Retryable: h.Retryable(),
	}
	name, named := h.Name()
	reference := h.String()
	if named {
		problem.HResultName = &name
		reference += " " + name
	}
	note := h.note()
	switch {
	case note.kind != "":
		problem.Code = note.kind
		problem.Text = note.meaning + " " + note.advice
	case named:
		problem.Text = fmt.Sprintf("Windows answered %s, which this program has no explanation for. Look the name up in Microsoft's documentation.", name)
	default:
		problem.Text = fmt.Sprintf("Windows answered %s, a code that this program does not know. Please report it, with a recording if possible (status --record FILE).", h)
	}
	if target != "" {
		reference = target + ", " + reference
	}
	problem.Text += " (" + reference + ")"
	return problem
}

// note returns the project's own words for the code, the zero note when there are none.
func (h HResult) note() hresultNote {
	return hresultNotes[h.listed()]
}

// listed returns the code as the lists have it. A plain system error code, as WMI methods return
// it now and then, is listed as HRESULT_FROM_WIN32 makes it: below FACILITY_WIN32, 0x8007xxxx.
func (h HResult) listed() HResult {
	const facilityWin32 = 0x80070000
	if h.Failed() && h <= 0xFFFF {
		return facilityWin32 | h
	}
	return h
}
