package provider

import (
	"errors"
	"fmt"

	"github.com/go-ole/go-ole"

	"diskaudit/core/bitlocker"
)

// Failure gives an error of the COM library its code. When the object raised an exception, the
// code of the call says no more than that, and the exception's SCODE is the reason
// (learn.microsoft.com/windows/win32/api/oaidl/ns-oaidl-excepinfo).
func Failure(doing string, err error) error {
	if err == nil {
		return nil
	}
	var failed *ole.OleError
	if !errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	code := bitlocker.HResult(failed.Code())
	var exception interface{ SCODE() uint32 }
	if code == bitlocker.DISP_E_EXCEPTION && errors.As(failed.SubError(), &exception) && exception.SCODE() != 0 {
		code = bitlocker.HResult(exception.SCODE())
	}
	return &Error{Doing: doing, Code: code}
}

// isCode tells whether an error of the COM library, or of Failure, is of one of the codes.
func isCode(err error, codes ...bitlocker.HResult) bool {
	var coded *Error
	if !errors.As(Failure("", err), &coded) {
		return false
	}
	for _, code := range codes {
		if coded.Code == code {
			return true
		}
	}
	return false
}
