package simulator

import (
	"fmt"

	"diskaudit/core/bitlocker"
)

// Value is what scripting for WMI passes: nil (VT_NULL), Empty, bool, int32, string, []string and
// []byte; other numbers occur only as faults. A uint32 is an int32, as in
// learn.microsoft.com/windows/win32/wmisdk/numbers.
type Value any

// Empty is VT_EMPTY: no value at all.
type Empty struct{}

// Error is a failure with a code. Raised tells that WMI raised it: scripting then sees the
// exception DISP_E_EXCEPTION with Code as its SCODE. Otherwise the call itself fails with Code.
type Error struct {
	Code   bitlocker.HResult
	Raised bool
}

func (e *Error) Error() string {
	if name, known := e.Code.Name(); known {
		return fmt.Sprintf("%s (%s)", name, e.Code)
	}
	return e.Code.String()
}

// The codes of IDispatch that a caller of a script object sees
// (learn.microsoft.com/windows/win32/api/oaidl/nf-oaidl-idispatch-invoke).
const (
	DispatchMemberNotFound = bitlocker.HResult(0x80020003)
	DispatchTypeMismatch   = bitlocker.HResult(0x80020005)
	DispatchUnknownName    = bitlocker.HResult(0x80020006)
	DispatchException      = bitlocker.HResult(0x80020009)
	DispatchBadCount       = bitlocker.HResult(0x8002000E)
)

func raised(code bitlocker.HResult) *Error { return &Error{Code: code, Raised: true} }

func refused(code bitlocker.HResult) *Error { return &Error{Code: code} }

// number is a return value or a uint32 as scripting sees it.
func number(code bitlocker.HResult) Value { return int32(uint32(code)) }
