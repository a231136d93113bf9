//go:build !linux

package command

import (
	"context"
	"runtime"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

func thisComputer(bool) machine.Machine {
	return unread{}
}

// unread stands for a computer whose system this build cannot ask. It says so, and claims nothing.
type unread struct{}

func (unread) Host(_ context.Context, report *machine.Report) {
	const reason = "This build reads image files and recordings on this system, but not the running computer. Use --image FILE or --recording FILE."
	report.SetMachine(contract.Machine{Architecture: contract.Ptr(runtime.GOARCH)})
	report.SetProvider(contract.Provider{Available: contract.Ptr(false), Reason: contract.Ptr(reason)})
	report.AddProblem(contract.Problem{
		Code: "system-not-supported", Level: contract.LevelError, Stage: machine.StageHost, Target: runtime.GOOS, Text: reason,
	})
}

func (unread) Policy(context.Context, *machine.Report)  {}
func (unread) Disks(context.Context, *machine.Report)   {}
func (unread) Volumes(context.Context, *machine.Report) {}
