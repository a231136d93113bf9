package hive

import (
	"fmt"

	"diskaudit/core/contract"
)

// Error is why a hive's state cannot be told.
type Error struct {
	// Code is one of the Code constants.
	Code string
	// Path is the file as it was named.
	Path string
	// Text names the file, the reason and the way out, for people.
	Text string
	// Err is the cause below, or nil.
	Err error
}

// The codes of errors.
const (
	// CodeNotFound: there is no such file.
	CodeNotFound = "hive-not-found"
	// CodeNotAFile: it is a folder or a device.
	CodeNotAFile = "hive-not-a-file"
	// CodeNeedsElevation: this user may not read it.
	CodeNeedsElevation = "needs-elevation"
	// CodeInUse: another program, or Windows itself, has it loaded.
	CodeInUse = "hive-in-use"
	// CodeUnreadable: the disk or the system did not let it be read.
	CodeUnreadable = "hive-unreadable"
	// CodeNotAHive: it is no registry hive.
	CodeNotAHive = "not-a-hive"
	// CodeNotSystem: it is a hive, but not a complete one of a system.
	CodeNotSystem = "not-a-system-hive"
	// CodeVersion: its format is one that this program does not know.
	CodeVersion = "hive-version-unknown"
	// CodeDirty: changes to it are still in its transaction logs.
	CodeDirty = "hive-dirty"
	// CodeDamaged: it contradicts itself.
	CodeDamaged = "hive-damaged"
	// CodeNotANumber: a value is no REG_DWORD.
	CodeNotANumber = "hive-value-not-a-number"
)

func (e *Error) Error() string { return e.Text }

// Unwrap is the cause below.
func (e *Error) Unwrap() error { return e.Err }

// Problem is the error for the document. Trying again can only succeed when something else has the
// file open for the moment.
func (e *Error) Problem() contract.Problem {
	return contract.Problem{
		Code: e.Code, Level: contract.LevelError, Stage: string(contract.KindRemediate), Target: e.Path,
		Text: e.Text, Retryable: e.Code == CodeInUse,
	}
}

// refuse makes an error whose text begins with the file.
func refuse(path, code, format string, arguments ...any) *Error {
	return &Error{Code: code, Path: path, Text: path + " " + fmt.Sprintf(format, arguments...) + "."}
}
