package command

import (
	"errors"

	"golang.org/x/sys/windows"
)

func ignoreBrokenPipe() {}

// isBrokenPipe knows the two errors of a pipe whose reader has gone
// (learn.microsoft.com/windows/win32/debug/system-error-codes--0-499-).
func isBrokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
