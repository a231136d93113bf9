// Package windows asks the Windows computer that it runs on: its registry and a few system calls
// for the computer and its policies (host), the volume manager and the disks' drivers (storage),
// and BitLocker's WMI provider (provider) or, for a caller without administrator rights, the
// property that Explorer shows (shell). What the provider does not tell, such as a volume's
// description, is read from BitLocker's metadata on the disk below the volume.
//
// This package puts the answers together. All that it asks stands behind interfaces, so that it
// is tested anywhere; the system calls are in the packages below it.
package windows

import (
	"context"
	"sync/atomic"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/machine/windows/shell"
	"diskaudit/core/machine/windows/storage"
)

// Limits of the single questions. They stay below what the whole run has, so that one that hangs
// is reported, and the others with it, before the run ends.
const (
	providerLimit = 20 * time.Second
	shellLimit    = 10 * time.Second
	rawLimit      = 10 * time.Second
)

// Host tells what Windows says of the computer and its policies.
type Host interface {
	// Machine describes the computer; its name only with identify.
	Machine(ctx context.Context, identify bool) (contract.Machine, []contract.Problem)
	// Policy reads the policies.
	Policy(ctx context.Context) (contract.Policy, []contract.Problem)
}

// Storage tells what disks and volumes there are.
type Storage interface {
	// Disks reports the disks; serial numbers only with identify.
	Disks(ctx context.Context, report *machine.Report, identify bool)
	// Volumes lists the volumes, with all but their encryption. Problems that are about no single
	// volume come beside them.
	Volumes(ctx context.Context) ([]contract.Volume, []contract.Problem)
	// OpenDisk opens a disk, such as "PhysicalDrive0", to read its bytes, and tells how many it has.
	OpenDisk(id string) (disk storage.RawDisk, size int64, err error)
}

// Options say how the computer is asked.
type Options struct {
	// Identify adds the computer's name and the serial numbers of its disks.
	Identify bool
	// Host, Storage, Provider and Shell answer; none may be nil.
	Host     Host
	Storage  Storage
	Provider provider.Caller
	// Shell opens the property that Explorer shows. It is called once, when the provider refuses.
	Shell func() shell.Property
}

// Machine is this Windows computer. It implements machine.Machine.
type Machine struct {
	options Options
	// answer goes from Host, which asks whether BitLocker answers, to Volumes, which asks the rest.
	answer atomic.Pointer[bitLocker]
}

var _ machine.Machine = (*Machine)(nil)

// New returns the computer that the options' sources speak of.
func New(options Options) *Machine {
	return &Machine{options: options}
}

// Host reports the computer, and whether BitLocker can be asked.
func (m *Machine) Host(ctx context.Context, report *machine.Report) {
	computer, problems := m.options.Host.Machine(ctx, m.options.Identify)
	computer.Source = contract.SourceWindows
	report.SetMachine(computer)
	addAll(report, problems)
	asked := m.ask(ctx, computer.Elevated, computer.RebootPending)
	if before := m.answer.Swap(asked); before != nil {
		before.close()
	}
	report.SetProvider(asked.provider)
	addAll(report, asked.problems)
}

// Policy reports the policies.
func (m *Machine) Policy(ctx context.Context, report *machine.Report) {
	policy, problems := m.options.Host.Policy(ctx)
	report.SetPolicy(policy)
	addAll(report, problems)
}

// Disks reports the disks.
func (m *Machine) Disks(ctx context.Context, report *machine.Report) {
	m.options.Storage.Disks(ctx, report, m.options.Identify)
}

func addAll(report *machine.Report, problems []contract.Problem) {
	for _, problem := range problems {
		report.AddProblem(problem)
	}
}

// part is how long one question may take: limit, or three quarters of what the run has left.
func part(ctx context.Context, limit time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(limit, time.Until(deadline)*3/4)
	}
	return limit
}
