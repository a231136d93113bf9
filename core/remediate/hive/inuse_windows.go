package hive

import (
	"errors"

	"golang.org/x/sys/windows"
)

// inUse tells whether a file could not be opened because another program has it open and does not
// share it, as Windows does with each hive that is loaded
// (https://learn.microsoft.com/windows/win32/debug/system-error-codes--0-499-).
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
