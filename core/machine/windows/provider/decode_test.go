package provider

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-ole/go-ole"

	"diskaudit/core/bitlocker"
)

// Cases B13, B15, C47: an empty VARIANT has the bits of 0 and is not 0; a uint32 comes signed.
func TestScalar(t *testing.T) {
	for _, test := range []struct {
		kind ole.VT
		bits int64
		want Value
	}{
		{ole.VT_EMPTY, 0, nil}, {ole.VT_NULL, 0, nil}, {ole.VT_EMPTY, 1, nil},
		{ole.VT_BOOL, 0, false}, {ole.VT_BOOL, 0xFFFF, true}, {ole.VT_BOOL, 0x10000, false},
		{ole.VT_I4, -2144272384, int32(-2144272384)}, {ole.VT_I4, 0x80310000, int32(-2144272384)},
		{ole.VT_UI4, 0xFFFFFFFF, int32(-1)}, {ole.VT_INT, 7, int32(7)}, {ole.VT_UINT, 7, int32(7)},
		{ole.VT_I2, 0xFFFF, int32(-1)}, {ole.VT_UI2, 0xFFFF, int32(65535)},
		{ole.VT_I1, 0xFF, int32(-1)}, {ole.VT_UI1, 0xFF, int32(255)},
	} {
		if got, ok := scalar(test.kind, test.bits); !ok || got != test.want {
			t.Errorf("%s %#x: %v %v, want %v", test.kind, test.bits, got, ok, test.want)
		}
	}
	for _, kind := range []ole.VT{ole.VT_BSTR, ole.VT_R8, ole.VT_I8, ole.VT_DISPATCH, ole.VT_ARRAY | ole.VT_I4, ole.VT_BYREF | ole.VT_I4, 0xFFFF} {
		if got, ok := scalar(kind, 1); ok {
			t.Errorf("%s became %v", kind, got)
		}
	}
}

func TestTexts(t *testing.T) {
	if got, err := texts([]any{"a", ""}); err != nil || !slices.Equal(got, []string{"a", ""}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := texts(nil); err != nil || got == nil || len(got) != 0 {
		t.Errorf("an array without elements: %#v, %v", got, err)
	}
	for _, odd := range []any{nil, int32(1), []string{"a"}} {
		if got, err := texts([]any{"a", odd}); !errors.Is(err, errMalformed) {
			t.Errorf("%v: %v, %v", odd, got, err)
		}
	}
}

// What the COM library does not know makes it panic, so nothing else is passed to it.
func TestPassable(t *testing.T) {
	type named int32
	for _, value := range []Value{nil, true, int32(1), "text"} {
		if got, err := passable(value); err != nil || got != value {
			t.Errorf("%v: %v, %v", value, got, err)
		}
	}
	for _, value := range []Value{named(1), uint32(1), []uint32{1}, []string{"a"}, struct{}{}} {
		if got, err := passable(value); err == nil {
			t.Errorf("%T: passed as %v", value, got)
		}
	}
}

type exception uint32

func (e exception) Error() string { return "an exception" }
func (e exception) SCODE() uint32 { return uint32(e) }

// The reason of an exception is in its SCODE, not in the code of the call. Case B48.
func TestFailure(t *testing.T) {
	const raised = uintptr(bitlocker.DISP_E_EXCEPTION)
	for name, test := range map[string]struct {
		err  error
		want bitlocker.HResult
	}{
		"a plain code":                {ole.NewError(uintptr(bitlocker.DISP_E_UNKNOWNNAME)), bitlocker.DISP_E_UNKNOWNNAME},
		"with dirt in the upper half": {ole.NewError(uintptr(0xFFFFFFFF_80020006 & uint64(^uintptr(0)))), bitlocker.DISP_E_UNKNOWNNAME},
		"an exception":                {ole.NewErrorWithSubError(raised, "", exception(0x80041003)), bitlocker.WBEM_E_ACCESS_DENIED},
		"an exception without reason": {ole.NewErrorWithSubError(raised, "", exception(0)), bitlocker.DISP_E_EXCEPTION},
		"an exception of the library": {ole.NewErrorWithSubError(raised, "", ole.EXCEPINFO{}), bitlocker.DISP_E_EXCEPTION},
		"no exception at all":         {ole.NewErrorWithSubError(uintptr(bitlocker.WBEM_E_NOT_FOUND), "", exception(0x80041003)), bitlocker.WBEM_E_NOT_FOUND},
		"wrapped":                     {fmt.Errorf("calling: %w", ole.NewError(uintptr(bitlocker.S_FALSE))), bitlocker.S_FALSE},
	} {
		var coded *Error
		if err := Failure("calling", test.err); !errors.As(err, &coded) || coded.Code != test.want {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
		if !isCode(test.err, bitlocker.E_ABORT, test.want) || isCode(test.err, bitlocker.E_ABORT) {
			t.Errorf("%s: is not recognised", name)
		}
	}
	if Failure("calling", nil) != nil || isCode(nil, bitlocker.S_OK) {
		t.Error("no error became one")
	}
	other := errors.New("not of COM")
	if err := Failure("calling", other); !errors.Is(err, other) || isCode(other, bitlocker.S_OK) {
		t.Errorf("%v", err)
	}
}
