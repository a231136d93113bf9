// Package linux asks the Linux computer that it runs on: sysfs and procfs for the computer, its
// disks and how its block devices lie on each other; the devices themselves for what a Probe
// finds on them. It opens devices for reading only, and it never asks the kernel for the table
// of an encrypted mapping, because that holds the key.
//
// All that interprets what the system says takes a file tree and a kernel, so that it is tested
// on recorded trees anywhere; the system calls are in kernel_linux.go.
package linux

import (
	"context"
	"io"
	"io/fs"
	"sync"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// DefaultDeviceTimeout is how long one device may take to answer before it is left behind.
const DefaultDeviceTimeout = 10 * time.Second

// Options say how the computer is asked.
type Options struct {
	// Identify adds the computer's name and the serial numbers of its disks.
	Identify bool
	// Probe reads what is on a device. It is required.
	Probe Probe
	// Root is the folder that holds sys, proc, dev and etc; empty means "/". Below another root
	// a device may be an ordinary file.
	Root string
	// DeviceTimeout bounds each single device; 0 means DefaultDeviceTimeout.
	DeviceTimeout time.Duration
}

// Probe reads the encryption metadata and the file system from a device of size bytes. Target
// is the id of the volume, for problems. It may be left behind, still running, when the device
// does not answer; reads fail after ctx has ended.
type Probe func(ctx context.Context, target string, r io.ReaderAt, size int64) (contract.Encryption, ProbeFacts, []contract.Problem)

// ProbeFacts is what a Probe read besides the encryption; nil is unknown.
type ProbeFacts struct {
	// FileSystem by its own name, such as NTFS or ext4.
	FileSystem *string
	// Label of the file system.
	Label *string
	// ClusterBytes is the size of the file system's clusters.
	ClusterBytes *uint64
	// SizeBytes is the size of the volume by its own account.
	SizeBytes *uint64
}

// Machine is this Linux computer. It implements machine.Machine.
type Machine struct {
	options Options
	tree    tree
	kernel  kernel
	virtual func() virtual
	tables  partitionTables
}

var _ machine.Machine = (*Machine)(nil)

func newMachine(options Options, fsys fs.FS, kernel kernel) *Machine {
	if options.DeviceTimeout <= 0 {
		options.DeviceTimeout = DefaultDeviceTimeout
	}
	t := tree{fsys}
	return &Machine{
		options: options,
		tree:    t,
		kernel:  kernel,
		virtual: sync.OnceValue(func() virtual { return findVirtualMachine(t, readCPUInfo(t)) }),
	}
}

// Policy reports that there is none: policies belong to Windows.
func (m *Machine) Policy(_ context.Context, report *machine.Report) {
	report.AddProblem(contract.Problem{
		Code: "policy-not-on-this-system", Level: contract.LevelInfo, Stage: machine.StagePolicy,
		Text: "Policies about BitLocker belong to Windows; this is Linux, so every policy is null and the list of their origins is empty. To read them, run diskaudit on the Windows system itself.",
	})
}

// deviceLimit is how long one device may take. It stays below what ctx leaves, so that a device
// that hangs is reported, and the others with it, before the whole run ends.
func (m *Machine) deviceLimit(ctx context.Context) time.Duration {
	limit := m.options.DeviceTimeout
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)*3/4)
	}
	return limit
}
