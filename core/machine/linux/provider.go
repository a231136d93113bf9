package linux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/patience"
)

// onDisk is the provider's name: BitLocker's state is read from its metadata on the volumes.
const onDisk = "on-disk"

// provider tells whether BitLocker's state can be read at all: as soon as one block device lets
// itself be opened, or one is mounted so that its state is known. Other refused devices say
// nothing about their encryption. Where it cannot be read the document is not complete, so a
// problem of level error comes with the answer, except where Volumes has one for each device that
// was refused.
func (m *Machine) provider(ctx context.Context) (contract.Provider, *contract.Problem) {
	inv, err := readInventory(m.tree)
	if err != nil {
		problem := listingProblem(machine.StageHost, err)
		return unavailable(problem.Text), &problem
	}
	devices := inv.volumes()
	if len(devices) == 0 {
		return unreadable("no-devices", "The kernel lists no block device that could hold a volume, so there is nothing to read BitLocker's state from. A container or a sandbox hides the devices of its host: run on the host itself.")
	}
	available := contract.Provider{Available: contract.Ptr(true), Provider: contract.Ptr(onDisk)}
	// Mounts that cannot be read prove nothing; Volumes reports that.
	mounts, _ := readMounts(m.tree)
	for _, own := range inv.mountsByDevice(mounts) {
		if plainMount(own) != nil {
			return available, nil
		}
	}
	limit := m.deviceLimit(ctx)
	opened := make(chan error, len(devices))
	slots := make(chan struct{}, patience.Concurrent)
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, d := range devices {
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, err := patience.Within(asking, limit, func(context.Context) (struct{}, error) {
				file, err := m.open(d)
				if err == nil {
					err = file.Close()
				}
				return struct{}{}, err
			})
			opened <- err
		}()
	}
	var denied, first error
	for range devices {
		err := <-opened
		if err == nil {
			return available, nil
		}
		if first == nil {
			first = err
		}
		if denied == nil && errors.Is(err, fs.ErrPermission) {
			denied = err
		}
	}
	switch {
	case context.Cause(ctx) != nil:
		// Collect tells that the run has ended.
		reason := fmt.Sprintf("It was not found out: %v.", context.Cause(ctx))
		return contract.Provider{Provider: contract.Ptr(onDisk), Reason: &reason}, nil
	case denied != nil && m.kernel.effectiveUser() != 0:
		return unavailable(fmt.Sprintf("Of %d block devices this user may read none: run as root (sudo diskaudit status).", len(devices))), nil
	case denied != nil:
		return unavailable(fmt.Sprintf("Of %d block devices none may be read, although this is root (%v): a container or a security module forbids it.", len(devices), denied)), nil
	}
	return unreadable("no-device-readable", fmt.Sprintf("Of %d block devices none can be opened, so whether anything is encrypted is unknown; the first error: %v. Each device's own problem says what to do.", len(devices), first))
}

func unavailable(reason string) contract.Provider {
	return contract.Provider{Available: contract.Ptr(false), Provider: contract.Ptr(onDisk), Reason: &reason}
}

// unreadable gives a reason as a problem, too.
func unreadable(code, reason string) (contract.Provider, *contract.Problem) {
	return unavailable(reason), &contract.Problem{Code: code, Level: contract.LevelError, Stage: machine.StageHost, Text: reason}
}
