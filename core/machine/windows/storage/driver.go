package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"diskaudit/core/contract"
)

// classDriver is the driver of all disks in the SCSI sense; what runs them is their adapter's. A
// disk that has another driver of its own, such as nvmedisk, is run by that.
const classDriver = "disk"

// maxNodes bounds the walk up the tree of devices, which is some ten devices high.
const maxNodes = 32

// errNoDriver is the error of a disk above which no driver was found.
var errNoDriver = errors.New("no device above the disk names a driver")

// driverOf walks from a disk up the tree of devices to the driver that runs it: stornvme, storahci,
// iaStorVD, USBSTOR, spaceport, vhdmp.
func (r *Reader) driverOf(instance string) (contract.Driver, error) {
	for range maxNodes {
		node, err := r.system.Node(instance)
		if err != nil {
			return contract.Driver{}, fmt.Errorf("asking the device %s: %w", instance, err)
		}
		if node.Service != "" && !strings.EqualFold(node.Service, classDriver) {
			driver := contract.Driver{Name: contract.Ptr(node.Service)}
			if node.DriverVersion != "" {
				driver.Version = contract.Ptr(node.DriverVersion)
			}
			return driver, nil
		}
		if node.Parent == "" {
			break
		}
		instance = node.Parent
	}
	return contract.Driver{}, errNoDriver
}

// instances are the instance ids of disks by their number. The interfaces are asked side by side,
// since opening one can hang; one that does not answer is left out.
func (r *Reader) instances(ctx context.Context) (map[uint32]string, error) {
	limit := r.limit(ctx) / 2
	interfaces, err := answer(ctx, limit, r.system.DiskInterfaces)
	if err != nil {
		return nil, fmt.Errorf("listing the devices of disks: %w", err)
	}
	found := map[uint32]string{}
	gather(len(interfaces), 0,
		func(index int) *uint32 {
			number, err := answer(ctx, limit, func() (uint32, error) { return r.numberOf(interfaces[index].Path) })
			if err != nil {
				return nil
			}
			return &number
		},
		func(index int, number *uint32) {
			if number != nil {
				found[*number] = interfaces[index].Instance
			}
		},
		func(int) {})
	return found, nil
}

// errNoDisk is the error of a device that is no disk.
var errNoDisk = errors.New("it is no disk")

// numberOf is N of the \\.\PhysicalDriveN that a path opens.
func (r *Reader) numberOf(path string) (uint32, error) {
	device, err := r.system.Open(path, AccessAttributes)
	if err != nil {
		return 0, err
	}
	defer device.Close()
	data, err := device.Control(ioctlDeviceNumber, nil, 12)
	if err != nil {
		return 0, err
	}
	number, isDisk, err := decodeDeviceNumber(data)
	if err == nil && !isDisk {
		err = errNoDisk
	}
	return number, err
}
