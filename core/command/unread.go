package command

import (
	"context"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// unread stands for a machine that cannot be asked at all. It says why, and claims nothing.
type unread struct {
	machine  contract.Machine
	provider contract.Provider
	problem  contract.Problem
}

func (u unread) Host(_ context.Context, report *machine.Report) {
	report.SetMachine(u.machine)
	report.SetProvider(u.provider)
	report.AddProblem(u.problem)
}

func (unread) Policy(context.Context, *machine.Report)  {}
func (unread) Disks(context.Context, *machine.Report)   {}
func (unread) Volumes(context.Context, *machine.Report) {}
