package linux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/patience"
)

// failureRule says what an error of a device means.
type failureRule struct {
	err       error
	code      string
	level     contract.Level
	retryable bool
	// text may hold {device} for the device's id and {error} for the error.
	text string
}

const vanishedText = "{device} is listed by the kernel but cannot be opened: it was removed just now, or its node is missing, as in a container ({error}). Run again."

const interruptedText = "Reading {device} was interrupted. Run again."

// failureRules are tried in order.
var failureRules = []failureRule{
	{errNoMedium, "no-medium", contract.LevelInfo, true, "There is no medium in {device}."},
	{patience.ErrNoAnswer, "device-timeout", contract.LevelError, true, "{device} did not answer in time and was left out; the other devices are reported. A failing disk, a suspended mapping or a lost network device does this: see the kernel log (dmesg)."},
	{errGone, "device-vanished", contract.LevelError, true, vanishedText},
	{fs.ErrNotExist, "device-vanished", contract.LevelError, true, vanishedText},
	{errSuspended, "device-suspended", contract.LevelError, true, "{device} was not read: {error}, so that reading it would wait forever. Resume it (dmsetup resume NAME), then run again."},
	{errNotBlock, "not-a-block-device", contract.LevelError, false, "{device} was not read: {error}, although the kernel lists a device of that name. Something replaced its node; remove it and let udev create it anew."},
	{machine.ErrInterrupted, "interrupted", contract.LevelError, true, interruptedText},
	{context.Canceled, "interrupted", contract.LevelError, true, interruptedText},
	{context.DeadlineExceeded, "timeout", contract.LevelError, true, "The time limit was reached while reading {device}. Raise --timeout."},
}

// readFailure holds for every other error.
var readFailure = failureRule{
	code: "read-failed", level: contract.LevelError,
	text: "Reading {device} failed: {error}. If the kernel log (dmesg) shows errors of the disk, copy its data first.",
}

// deviceProblem explains an error of a device.
func (m *Machine) deviceProblem(stage string, d *device, err error) contract.Problem {
	if errors.Is(err, fs.ErrPermission) {
		return m.deniedProblem(stage, d, err)
	}
	var fault patience.Panic
	if errors.As(err, &fault) {
		return contract.Problem{
			Code: "internal-error", Level: contract.LevelError, Stage: stage, Target: d.id,
			Text: fmt.Sprintf("Reading %s failed by %v. Please report it with a recording (--record FILE).", d.id, fault),
		}
	}
	rule := readFailure
	if i := slices.IndexFunc(failureRules, func(r failureRule) bool { return errors.Is(err, r.err) }); i >= 0 {
		rule = failureRules[i]
	}
	text := strings.NewReplacer("{device}", d.id, "{error}", err.Error()).Replace(rule.text)
	return contract.Problem{Code: rule.code, Level: rule.level, Stage: stage, Target: d.id, Retryable: rule.retryable, Text: text}
}

// deniedProblem explains a refusal. To root it means something else: a container or a security
// module, which running as root does not change.
func (m *Machine) deniedProblem(stage string, d *device, err error) contract.Problem {
	problem := contract.Problem{
		Code: "needs-elevation", Level: contract.LevelError, Stage: stage, Target: d.id,
		Text: fmt.Sprintf("%s may not be read by this user, so its encryption is unknown: run as root (sudo diskaudit status).", d.id),
	}
	if m.kernel.effectiveUser() == 0 {
		problem.Code = "access-denied"
		problem.Text = fmt.Sprintf("%s may not be read although this is root (%v), so its encryption is unknown: a container or a security module forbids it. Run on the host itself, or give the container the device.", d.id, err)
	}
	return problem
}

func listingProblem(stage string, err error) contract.Problem {
	return contract.Problem{
		Code: "devices-not-listed", Level: contract.LevelError, Stage: stage, Target: "/sys/block",
		Text: fmt.Sprintf("The block devices cannot be listed: %v. Mount sysfs at /sys (mount -t sysfs sysfs /sys).", err),
	}
}

// vanishedProblem is about a device that went while the devices were listed.
func vanishedProblem(id string) contract.Problem {
	return contract.Problem{
		Code: "device-vanished", Level: contract.LevelError, Stage: machine.StageVolumes, Target: id, Retryable: true,
		Text: fmt.Sprintf("%s went away while the devices were listed. Run again.", id),
	}
}
