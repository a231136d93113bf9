package command

import "fmt"

// ExitCode is what the process returns.
type ExitCode int

// The exit codes. They are part of the contract: scripts rely on them.
const (
	ExitDone        ExitCode = 0
	ExitFailed      ExitCode = 1
	ExitUsage       ExitCode = 2
	ExitPartial     ExitCode = 3
	ExitElevation   ExitCode = 4
	ExitRefused     ExitCode = 5
	ExitNoProvider  ExitCode = 6
	ExitInProgress  ExitCode = 7
	ExitFailOn      ExitCode = 8
	ExitInterrupted ExitCode = 130
)

// exitMeanings describes the exit codes for the help text, in order.
var exitMeanings = []struct {
	code    ExitCode
	meaning string
}{
	{ExitDone, "done, the document is complete"},
	{ExitFailed, "failed; the document says why"},
	{ExitUsage, "usage error: stdout empty, one message on stderr"},
	{ExitPartial, "partial: some facts could not be read; see problems in the document"},
	{ExitElevation, "needs elevation"},
	{ExitRefused, "refused by a guard; nothing was changed"},
	{ExitNoProvider, "BitLocker provider unavailable, and the verb needs it"},
	{ExitInProgress, "still in progress; running again is safe"},
	{ExitFailOn, "--fail-on matched"},
	{ExitInterrupted, "interrupted; what was done so far is in the document"},
}

// usageError is a mistake in how the program was called. Its text is the one message on stderr.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...)}
}
