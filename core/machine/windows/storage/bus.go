package storage

import (
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// hidingBuses are those that present something else than the disk itself, so that they do not tell
// whether an NVMe disk is behind them: controllers for arrays, bridges, images in files, pools.
var hidingBuses = []contract.Bus{
	contract.BusUnknown, contract.BusUSB, contract.BusRAID, contract.BusVirtual, contract.BusFileBacked, contract.BusSpaces,
}

// isNVMe tells whether a disk speaks NVMe; nil where what it is attached to may hide it. Translations
// to SCSI put the protocol in place of the vendor.
func isNVMe(bus contract.Bus, vendor string) *bool {
	switch {
	case bus == contract.BusNVMe:
		return contract.Ptr(true)
	case slices.Contains(hidingBuses, bus) || !bus.Recognized():
		return nil
	}
	return contract.Ptr(vendor == "NVMe")
}

// emulated are parts of the names that virtual machines and array controllers give their disks.
var emulated = []string{"virtual", "vmware", "qemu", "vbox", "virtio", "xen", "google", "amazon"}

func isEmulated(bus contract.Bus, d descriptor) bool {
	if bus == contract.BusVirtual || bus == contract.BusFileBacked {
		return true
	}
	name := strings.ToLower(d.vendor + " " + d.product)
	return slices.ContainsFunc(emulated, func(part string) bool { return strings.Contains(name, part) })
}

// rotatingBuses are those over which a disk itself tells that it rotates. Elsewhere "incurs a seek
// penalty" is also what Windows says of a disk that does not tell.
var rotatingBuses = []contract.Bus{contract.BusATA, contract.BusSATA, contract.BusSAS}

// findMedia tells what a disk stores its data on, or why that is unknown. The seek penalty is nil
// where Windows does not know it.
func findMedia(bus contract.Bus, d descriptor, seekPenalty *bool) (*contract.Media, string) {
	switch {
	case bus == contract.BusSCM:
		return contract.Ptr(contract.MediaSCM), ""
	case isEmulated(bus, d):
		return nil, "what is behind a virtual disk is hidden"
	case bus == contract.BusNVMe:
		return contract.Ptr(contract.MediaSSD), ""
	case seekPenalty == nil:
		return nil, "Windows does not know whether it rotates"
	case !*seekPenalty:
		return contract.Ptr(contract.MediaSSD), ""
	case slices.Contains(rotatingBuses, bus):
		return contract.Ptr(contract.MediaHDD), ""
	}
	return nil, "what it is attached to does not tell reliably that it rotates"
}

// discoveryBuses and discoveryDrivers are where level 0 discovery is sent: to a disk that is
// attached directly, through the drivers of Windows, which translate the command as documented.
// Others, those of arrays, bridges and VMD above all, have crashed systems on commands that they
// did not expect.
var (
	discoveryBuses   = []contract.Bus{contract.BusNVMe, contract.BusSATA, contract.BusATA}
	discoveryDrivers = []string{"stornvme", "storahci"}
)

// mayDiscover tells whether level 0 discovery may be sent to a disk, or why not.
func mayDiscover(bus *contract.Bus, driver *string) (bool, string) {
	switch {
	case bus == nil:
		return false, "it is not asked of a disk whose bus is unknown"
	case !slices.Contains(discoveryBuses, *bus):
		return false, "it is asked of disks on NVMe and SATA only, not of one on " + bus.String()
	case driver == nil:
		return false, "it is not asked of a disk whose driver is unknown"
	case !slices.ContainsFunc(discoveryDrivers, func(name string) bool { return strings.EqualFold(name, *driver) }):
		return false, "it is asked through the drivers of Windows only, not through " + *driver
	}
	return true, ""
}
