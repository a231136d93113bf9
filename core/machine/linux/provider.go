package linux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"diskaudit/core/contract"
)

// onDisk is the provider's name: BitLocker's state is read from its metadata on the volumes.
const onDisk = "on-disk"

// provider tells whether BitLocker's state can be read at all: as soon as one block device lets
// itself be opened, or one is mounted so that its state is known. Other refused devices say
// nothing about their encryption.
func (m *Machine) provider(ctx context.Context) contract.Provider {
	unavailable := func(reason string) contract.Provider {
		return contract.Provider{Available: contract.Ptr(false), Provider: contract.Ptr(onDisk), Reason: &reason}
	}
	inv, err := readInventory(m.tree)
	if err != nil {
		return unavailable(fmt.Sprintf("The block devices cannot be listed: %v.", err))
	}
	devices := inv.volumes()
	if len(devices) == 0 {
		return unavailable("The kernel lists no block device that could hold a volume.")
	}
	available := contract.Provider{Available: contract.Ptr(true), Provider: contract.Ptr(onDisk)}
	// Mounts that cannot be read prove nothing; Volumes reports that.
	mounts, _ := readMounts(m.tree)
	for _, own := range inv.mountsByDevice(mounts) {
		if plainMount(own) != nil {
			return available
		}
	}
	limit := m.deviceLimit(ctx)
	opened := make(chan error, len(devices))
	slots := make(chan struct{}, concurrentDevices)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, d := range devices {
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, err := within(ctx, limit, func(context.Context) (struct{}, error) {
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
			return available
		}
		if first == nil {
			first = err
		}
		if denied == nil && errors.Is(err, fs.ErrPermission) {
			denied = err
		}
	}
	switch {
	case denied != nil && m.kernel.effectiveUser() != 0:
		return unavailable(fmt.Sprintf("Of %d block devices this user may read none: run as root (sudo diskaudit status).", len(devices)))
	case denied != nil:
		return unavailable(fmt.Sprintf("Of %d block devices none may be read, although this is root (%v): a container or a security module forbids it.", len(devices), denied))
	}
	return unavailable(fmt.Sprintf("Of %d block devices none can be opened; the first error: %v.", len(devices), first))
}
