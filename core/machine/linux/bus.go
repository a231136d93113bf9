package linux

import (
	"path"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine/pattern"
)

// nameBuses tells the bus by the name that a driver gives its disks.
var nameBuses = []struct {
	prefix string
	bus    contract.Bus
}{
	{"nvme", contract.BusNVMe},
	{"vd", contract.BusVirtual},
	{"xvd", contract.BusVirtual},
	{"pmem", contract.BusSCM},
}

// pathBuses tells the bus of a SCSI disk by a part of where it hangs in the tree of devices. The
// order matters: a disk behind a USB bridge may have more below it.
var pathBuses = []struct {
	part *pattern.Pattern
	bus  contract.Bus
}{
	{pattern.New(`^usb[0-9]`), contract.BusUSB},
	{pattern.New(`^rport-`), contract.BusFibre},
	{pattern.New(`^session[0-9]`), contract.BusISCSI},
	{pattern.New(`^end_device-`), contract.BusSAS},
	{pattern.New(`^ata[0-9]`), contract.BusSATA},
	{pattern.New(`^virtio[0-9]`), contract.BusVirtual},
}

// driverBuses tells the bus of other SCSI disks by their adapter's driver. Controllers that
// present arrays are RAID: what is behind them they do not say.
var driverBuses = map[string]contract.Bus{
	"megaraid_sas": contract.BusRAID, "megaraid": contract.BusRAID, "mpt3sas": contract.BusRAID,
	"mpt2sas": contract.BusRAID, "mpi3mr": contract.BusRAID, "hpsa": contract.BusRAID,
	"smartpqi": contract.BusRAID, "aacraid": contract.BusRAID, "arcmsr": contract.BusRAID,
	"3w-9xxx": contract.BusRAID, "3w-sas": contract.BusRAID, "ips": contract.BusRAID,
	"ipr": contract.BusRAID, "pmcraid": contract.BusRAID, "cciss": contract.BusRAID,
	"hv_storvsc": contract.BusSCSI, "vmw_pvscsi": contract.BusSCSI, "mptspi": contract.BusSCSI,
	"sym53c8xx": contract.BusSCSI, "aic7xxx": contract.BusSCSI, "aic79xx": contract.BusSCSI,
	"ufshcd": contract.BusUFS, "ufshcd-qcom": contract.BusUFS, "ufs_qcom": contract.BusUFS,
	"ufshcd-hisi": contract.BusUFS, "ufshcd-mtk": contract.BusUFS, "exynos-ufshc": contract.BusUFS,
}

// cardBuses tells the bus of an mmcblk device by its attribute "type".
var cardBuses = map[string]contract.Bus{"MMC": contract.BusMMC, "SD": contract.BusSD}

// findBus tells what a disk is attached to; nil when nothing shows it.
func findBus(t tree, d *device, driver string) *contract.Bus {
	for _, rule := range nameBuses {
		if strings.HasPrefix(d.name, rule.prefix) {
			return contract.Ptr(rule.bus)
		}
	}
	if strings.HasPrefix(d.name, "mmcblk") {
		kind, _ := t.text(d.folder + "/device/type")
		return lookUp(cardBuses, kind)
	}
	if !strings.HasPrefix(d.name, "sd") {
		return lookUp(driverBuses, driver)
	}
	parts := strings.Split(d.folder, "/")
	for _, rule := range pathBuses {
		if !slices.ContainsFunc(parts, rule.part.Regexp().MatchString) {
			continue
		}
		if rule.bus == contract.BusSATA && strings.HasPrefix(driver, "pata_") {
			return contract.Ptr(contract.BusATA)
		}
		return contract.Ptr(rule.bus)
	}
	return lookUp(driverBuses, driver)
}

func lookUp(table map[string]contract.Bus, key string) *contract.Bus {
	if bus, ok := table[key]; ok {
		return &bus
	}
	return nil
}

// findDriver walks up from a disk to the driver of the adapter that it hangs on: the disk's own
// driver in the SCSI layer ("sd") is the same for all. It returns the folder of the driver.
func findDriver(t tree, d *device) (name, folder string) {
	start := d.folder
	if strings.Contains(start, "/nvme-subsystem/") {
		// A namespace with several paths belongs to no controller; its subsystem lists them.
		start = nvmeController(t, path.Dir(start))
	}
	for at := start; strings.HasPrefix(at, "sys/devices/"); at = path.Dir(at) {
		driver, ok := t.linkName(at + "/driver")
		if !ok {
			continue
		}
		name, folder = driver, at+"/driver"
		if driver != "sd" {
			break
		}
	}
	return name, folder
}

var controllerName = pattern.New(`^nvme[0-9]+$`)

// nvmeController is the folder of the first controller of an NVMe subsystem.
func nvmeController(t tree, subsystem string) string {
	names, _ := t.list(subsystem)
	for _, name := range names {
		if folder, err := t.resolve(subsystem + "/" + name); err == nil && controllerName.Regexp().MatchString(name) {
			return folder
		}
	}
	return subsystem
}

// isNVMe tells whether a disk speaks NVMe; nil where what it hangs on may hide it: a RAID
// controller, a bridge to USB, something unknown. A SAS controller that speaks NVMe to its disks
// says so in place of the vendor.
func isNVMe(d *device, bus *contract.Bus, vendor string) *bool {
	switch {
	case strings.HasPrefix(d.name, "nvme"), vendor == "NVMe":
		return contract.Ptr(true)
	case bus == nil, *bus == contract.BusRAID, *bus == contract.BusUSB:
		return nil
	}
	return contract.Ptr(false)
}

// honestBuses are those over which a disk itself tells whether it rotates.
var honestBuses = []contract.Bus{
	contract.BusATA, contract.BusSATA, contract.BusSAS, contract.BusNVMe, contract.BusMMC, contract.BusSD, contract.BusUFS,
}

// findMedia tells what a disk stores its data on, or why that is unknown.
func findMedia(t tree, d *device, bus *contract.Bus, emulated bool) (*contract.Media, string) {
	if bus != nil && *bus == contract.BusSCM {
		return contract.Ptr(contract.MediaSCM), ""
	}
	if emulated {
		return nil, "what is behind a virtual disk is hidden"
	}
	if bus == nil || !slices.Contains(honestBuses, *bus) {
		return nil, "what the disk is attached to does not tell it reliably"
	}
	rotates := t.flag(d.folder + "/queue/rotational")
	switch {
	case rotates == nil:
		return nil, "the kernel does not tell"
	case *rotates:
		return contract.Ptr(contract.MediaHDD), ""
	}
	return contract.Ptr(contract.MediaSSD), ""
}
