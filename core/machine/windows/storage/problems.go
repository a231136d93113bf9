package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// Codes of problems of a volume that tell what kind of volume it is. BitLocker knows none of those
// with CodeOptical and CodeNoVolumeGUID, and tells of one with CodeLocked that it is locked.
const (
	// CodeNoMedium: there is no medium in the drive.
	CodeNoMedium = "no-medium"
	// CodeOptical: it is an optical drive.
	CodeOptical = "optical-drive"
	// CodeNoVolumeGUID: it is a drive letter for which Windows has no volume, such as a RAM disk.
	CodeNoVolumeGUID = "no-volume-guid"
	// CodeLocked: BitLocker has locked it.
	CodeLocked = "volume-locked"
	// CodeVanished: it went away while it was asked.
	CodeVanished = "device-vanished"
	// CodeNeedsElevation: Windows tells it to administrators only.
	CodeNeedsElevation = "needs-elevation"
)

// failureRule says what an error of a volume or disk means.
type failureRule struct {
	err       error
	code      string
	level     contract.Level
	retryable bool
	// text may hold {device} for the thing's id and {error} for the error.
	text string
}

const interruptedText = "Asking {device} was interrupted. Run again."

// failureRules are tried in order.
var failureRules = []failureRule{
	{errTimeout, "device-timeout", contract.LevelError, true, "{device} did not answer in time and was left behind; what it told by then is in the document, and the others are reported. A failing disk, a loose cable or a lost network disk does this: see the System event log."},
	{errNoMedia, CodeNoMedium, contract.LevelInfo, true, "There is no medium in {device}: what a medium would tell is null."},
	{errLocked, CodeLocked, contract.LevelInfo, false, "{device} is locked by BitLocker: its file system, label and free space cannot be seen until it is unlocked."},
	{errGone, CodeVanished, contract.LevelError, true, "{device} is no longer there: it was removed or taken offline while it was asked ({error}). Run again."},
	{machine.ErrInterrupted, "interrupted", contract.LevelError, true, interruptedText},
	{context.Canceled, "interrupted", contract.LevelError, true, interruptedText},
	{context.DeadlineExceeded, "timeout", contract.LevelError, true, "The time limit was reached while asking {device}. Raise --timeout."},
	{fs.ErrPermission, "access-denied", contract.LevelError, false, "Windows denies access to {device} ({error}): what is null of it could not be read. Run diskaudit as administrator; if that does not help, the rights on its root folder or a security product forbid it."},
}

// readFailure holds for every other error.
var readFailure = failureRule{
	code: "read-failed", level: contract.LevelError,
	text: "Asking {device} failed: {error}. Check the disk and its connection; if the System event log shows errors of it, copy its data first.",
}

// problemOf explains an error of a volume or disk.
func problemOf(stage, device string, err error) contract.Problem {
	var fault faultError
	if errors.As(err, &fault) {
		return contract.Problem{
			Code: "internal-error", Level: contract.LevelError, Stage: stage, Target: device,
			Text: fmt.Sprintf("Asking %s failed by %v. Please report it with a recording (--record FILE).", device, fault),
		}
	}
	rule := readFailure
	if i := slices.IndexFunc(failureRules, func(r failureRule) bool { return errors.Is(err, r.err) }); i >= 0 {
		rule = failureRules[i]
	}
	text := strings.NewReplacer("{device}", device, "{error}", err.Error()).Replace(rule.text)
	return withResult(contract.Problem{Code: rule.code, Level: rule.level, Stage: stage, Target: device, Retryable: rule.retryable, Text: text}, err)
}

// withResult adds the code that Windows gave, if it gave one.
func withResult(problem contract.Problem, err error) contract.Problem {
	var code Errno
	if !errors.As(err, &code) {
		return problem
	}
	result := code.result()
	problem.HResult = contract.Ptr(result.String())
	if name, ok := result.Name(); ok {
		problem.HResultName = &name
	}
	return problem
}
