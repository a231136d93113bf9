package linux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/disk"
	"diskaudit/core/machine"
	"diskaudit/core/machine/nvme"
	"diskaudit/core/machine/patience"
)

// Disks reports the disks: hardware, and what stands for it in a virtual machine. Loops, mapped
// devices, arrays and compressed memory are layers, which the volumes name.
func (m *Machine) Disks(ctx context.Context, report *machine.Report) {
	inv, err := readInventory(m.tree)
	if err != nil {
		report.AddProblem(listingProblem(machine.StageDisks, err))
		return
	}
	disks := inv.disks()
	limit := m.deviceLimit(ctx)
	patience.Gather(ctx, len(disks), min(patience.OrderKept, limit/2),
		func(index int) described { return m.disk(ctx, limit, disks[index]) },
		func(found described) {
			report.AddDisk(found.disk)
			for _, problem := range found.problems {
				report.AddProblem(problem)
			}
		},
		func(index int, fault patience.Panic) {
			report.AddProblem(m.deviceProblem(machine.StageDisks, disks[index], fault))
		},
		func(done int) { report.Progress(machine.StageDisks, done, len(disks)) })
	if len(disks) > 0 {
		report.AddProblem(contract.Problem{
			Code: "not-known-on-linux", Level: contract.LevelInfo, Stage: machine.StageDisks,
			Text: "Whether a disk can encrypt by itself is not asked of it on Linux (sedutil-cli --query DEVICE does); the stored cache settings, whether the cache counts as safe against power loss, and whether flushing was turned off to convert faster are settings of Windows. They are null.",
		})
	}
}

// described is a disk with what could not be told of it.
type described struct {
	disk     contract.Disk
	problems []contract.Problem
}

// disk describes one disk, and explains what is missing. The disk itself is asked for its table
// and its health, each for at most limit.
func (m *Machine) disk(ctx context.Context, limit time.Duration, d *device) described {
	reading := patience.Later(func() (*disk.Table, error) { return m.partitionTable(ctx, limit, d) })
	health, healthProblem, healthUnknown := m.health(ctx, limit, d)
	out, unknown := m.describe(d)
	out.Health = health
	unknown.add("health", healthUnknown)
	table, err := reading()
	problems := m.describeTable(d, table, err, &out, &unknown)
	if healthProblem != nil {
		problems = append(problems, *healthProblem)
	}
	if len(unknown) > 0 {
		problems = append(problems, contract.Problem{
			Code: "disk-facts-unknown", Level: contract.LevelInfo, Stage: machine.StageDisks, Target: d.id,
			Text: fmt.Sprintf("Not known of %s: %s.", d.id, unknown),
		})
	}
	return described{out, problems}
}

// describe tells of a disk what the kernel knows.
func (m *Machine) describe(d *device) (contract.Disk, reasons) {
	t := m.tree
	driver, driverFolder := findDriver(t, d)
	bus := findBus(t, d, driver)
	vendor, _ := t.text(d.folder + "/device/vendor")
	model := firstText(t, d.folder+"/device/model", d.folder+"/device/name")
	guest := m.virtual().Detected
	emulated := (guest != nil && *guest) || isVirtualModel(vendor, deref(model)) ||
		(bus != nil && *bus == contract.BusVirtual)
	var unknown reasons

	out := contract.Disk{
		ID:                  d.id,
		Model:               model,
		Firmware:            firstText(t, d.folder+"/device/firmware_rev", d.folder+"/device/rev", d.folder+"/device/fwrev"),
		Bus:                 bus,
		NVMe:                isNVMe(d, bus, vendor),
		Removable:           d.removable,
		SizeBytes:           &d.size,
		LogicalSectorBytes:  t.numberPtr(d.folder + "/queue/logical_block_size"),
		PhysicalSectorBytes: t.numberPtr(d.folder + "/queue/physical_block_size"),
		Driver:              m.driver(driver, driverFolder),
		WriteCache:          findWriteCache(t, d),
	}
	if bus != nil && *bus == contract.BusSD && (d.removable == nil || !*d.removable) {
		// The kernel does not set the flag for cards in a slot of the computer.
		out.Removable = nil
	}
	unknown.missing(out.Model == nil, "model", "the disk names none")
	unknown.missing(out.Firmware == nil, "firmware", "the disk names none")
	unknown.missing(bus == nil, "bus", "neither its name nor its place among the devices shows it")
	unknown.missing(out.NVMe == nil, "whether it speaks NVMe", "what it is attached to may hide it")
	unknown.missing(out.Removable == nil, "whether it is removable", "the kernel does not tell")
	unknown.missing(out.LogicalSectorBytes == nil || out.PhysicalSectorBytes == nil, "sector sizes", "the kernel does not tell")
	unknown.missing(out.Driver.Name == nil, "driver", "no driver is linked to it")
	unknown.missing(out.WriteCache.Type == nil, "write cache", "the kernel does not tell")
	unknown.missing(out.WriteCache.Type != nil && out.WriteCache.Enabled == nil, "whether the write cache is on", "the kernel sends no flushes, which can also mean that the cache is held for safe")
	if m.options.Identify {
		out.Serial = findSerial(t, d)
		unknown.missing(out.Serial == nil, "serial number", "the disk names none, or only root may read it")
	}
	var reason string
	out.Media, reason = findMedia(t, d, bus, emulated)
	unknown.add("media", reason)

	return out, unknown
}

// missing notes a reason when a fact is missing.
func (r *reasons) missing(absent bool, fact, reason string) {
	if absent {
		r.add(fact, reason)
	}
}

// driver is the driver of a disk's adapter, with the version of its module or of the kernel.
func (m *Machine) driver(name, folder string) contract.Driver {
	if name == "" {
		return contract.Driver{}
	}
	return contract.Driver{Name: &name, Version: firstText(m.tree, folder+"/module/version", "proc/sys/kernel/osrelease")}
}

// findWriteCache reads how the kernel treats the disk's cache: "write back" when it sends
// flushes, "write through" when it sends none, be it that there is no cache or that it is safe.
// Source: Documentation/ABI/stable/sysfs-block of the kernel, queue/write_cache.
func findWriteCache(t tree, d *device) contract.WriteCache {
	switch mode, _ := t.text(d.folder + "/queue/write_cache"); mode {
	case "write back":
		return contract.WriteCache{Type: contract.Ptr(contract.WriteBack), Enabled: contract.Ptr(true)}
	case "write through":
		return contract.WriteCache{Type: contract.Ptr(contract.WriteThrough)}
	}
	return contract.WriteCache{}
}

// findSerial reads the serial number. SCSI disks have it in the vital product data page 80h,
// after a header of four bytes (SCSI Primary Commands, "Unit Serial Number VPD page").
func findSerial(t tree, d *device) *string {
	if serial := firstText(t, d.folder+"/device/serial", d.folder+"/serial"); serial != nil {
		return serial
	}
	page, err := t.bytes(d.folder+"/device/vpd_pg80", attributeLimit)
	if err != nil || len(page) <= 4 {
		return nil
	}
	if serial := printable(string(page[4:])); serial != "" {
		return &serial
	}
	return nil
}

// health asks an NVMe disk for its SMART log. It returns a problem when the disk could have
// answered, and otherwise the reason why nothing is known.
func (m *Machine) health(ctx context.Context, limit time.Duration, d *device) (contract.Health, *contract.Problem, string) {
	if !strings.HasPrefix(d.name, "nvme") {
		return contract.Health{}, nil, "it is read from NVMe disks only; smartctl -H " + d.id + " may know"
	}
	page, err := patience.Within(ctx, limit, func(context.Context) ([]byte, error) {
		return m.kernel.smartLog(d.nodeName())
	})
	if err == nil {
		health, err := nvme.DecodeSMART(page)
		if err != nil {
			return contract.Health{}, nil, err.Error()
		}
		if health.OK == nil {
			return health, nil, fmt.Sprintf("its critical warning 0x%02x has bits whose meaning is not known", *health.CriticalWarning)
		}
		return health, nil, ""
	}
	if errors.Is(err, errNotSupported) {
		return contract.Health{}, nil, err.Error()
	}
	problem := m.deviceProblem(machine.StageDisks, d, err)
	if errors.Is(err, fs.ErrPermission) {
		problem.Text = fmt.Sprintf("The health of %s may be read by root only: run as root (sudo diskaudit status).", d.id)
	}
	return contract.Health{}, &problem, ""
}

func firstText(t tree, names ...string) *string {
	for _, name := range names {
		if value := t.textPtr(name); value != nil {
			return value
		}
	}
	return nil
}

func deref(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
