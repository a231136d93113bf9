package machine

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isGone tells whether a device has been taken away
// (learn.microsoft.com/windows/win32/debug/system-error-codes--1000-1299-).
func isGone(err error) bool {
	return errors.Is(err, windows.ERROR_DEVICE_NOT_CONNECTED) || errors.Is(err, windows.ERROR_DEVICE_REMOVED) ||
		errors.Is(err, windows.ERROR_NO_SUCH_DEVICE)
}
