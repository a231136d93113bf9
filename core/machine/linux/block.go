package linux

import (
	"math"
	"path"
	"slices"
	"strings"

	"diskaudit/core/machine/pattern"
)

// The kinds of block devices, as contract.Layer names them.
const (
	kindDisk      = "disk"
	kindPartition = "partition"
	kindCrypt     = "crypt"
	kindLVM       = "lvm"
	kindRAID      = "raid"
	kindMultipath = "multipath"
	kindLoop      = "loop"
	kindMapped    = "mapped"
)

// sectorBytes is the unit of sizes and offsets in sysfs, whatever the disk's own sector is.
// Source: Documentation/ABI/stable/sysfs-block of the kernel.
const sectorBytes = 512

// entryBytes is the most that the kernel shows of an extended partition: the entry is no
// volume, only the place of the partitions in it.
const entryBytes = 4096

// device is one block device as sysfs describes it.
type device struct {
	// name in the kernel, such as "sda1" or "dm-0"; id in the document.
	name, id string
	// folder of the device in sysfs, without links.
	folder string
	// number is "major:minor".
	number string
	size   uint64
	kind   string
	// parent and start (in bytes) are those of a partition.
	parent string
	start  uint64
	// partitions and below are names of devices: those in it, and those that it lies on.
	partitions, below []string
	// mapping and mappingID are the name and the "uuid" that its owner gave a device-mapper device.
	mapping, mappingID string
	// suspended is true when the device, or one below it, is a mapping that does not answer until
	// its owner resumes it.
	suspended bool
	// removable is the kernel's flag: the medium can be taken out.
	removable *bool
}

// inventory holds the block devices of the computer.
type inventory struct {
	tree    tree
	names   []string // in the order of the document
	devices map[string]*device
	// vanished are devices that were listed and then gone.
	vanished []string
}

// notStorage are names of devices that hold no volume: RAM disks, optical and floppy drives,
// and the small hardware partitions beside an eMMC's user area.
var notStorage = pattern.New(`^(ram|sr|scd|fd|mtdblock)[0-9]+$|^mmcblk[0-9]+(boot|gp)[0-9]+$|^mmcblk[0-9]+rpmb$`)

// readInventory lists the block devices. Devices without a size are skipped: loops and network
// devices that are not in use, drives without a medium.
func readInventory(t tree) (inventory, error) {
	inv := inventory{tree: t, devices: map[string]*device{}}
	names, err := t.list("sys/block")
	if err != nil {
		return inv, err
	}
	for _, name := range names {
		if notStorage.Regexp().MatchString(name) {
			continue
		}
		folder, err := t.resolve("sys/block/" + name)
		if err != nil {
			inv.vanished = append(inv.vanished, devicePath(name))
			continue
		}
		// The single paths of a multipath NVMe namespace are hidden.
		if hidden := t.flag(folder + "/hidden"); hidden != nil && *hidden {
			continue
		}
		inv.add(name, folder)
	}
	slices.SortFunc(inv.names, compareNames)
	inv.spreadSuspended()
	return inv, nil
}

// add records a whole device and its partitions.
func (inv *inventory) add(name, folder string) {
	whole, ok := inv.read(name, folder)
	if !ok {
		return
	}
	whole.kind = wholeKind(name, folder)
	if strings.HasPrefix(name, "dm-") {
		whole.mappingID, _ = inv.tree.text(folder + "/dm/uuid")
		whole.kind = mappingKind(whole.mappingID)
		suspended := inv.tree.flag(folder + "/dm/suspended")
		whole.suspended = suspended != nil && *suspended
		if whole.mapping, _ = inv.tree.text(folder + "/dm/name"); whole.mapping != "" {
			whole.id = "/dev/mapper/" + whole.mapping
		}
	}
	whole.removable = inv.tree.flag(folder + "/removable")
	whole.below, _ = inv.tree.list(folder + "/slaves")
	children, _ := inv.tree.list(folder)
	for _, child := range children {
		if !strings.HasPrefix(child, name) || !inv.tree.exists(folder+"/"+child+"/partition") {
			continue
		}
		part, ok := inv.read(child, folder+"/"+child)
		if !ok || part.size <= entryBytes {
			continue
		}
		start, ok := inv.tree.number(part.folder + "/start")
		if !ok || start > math.MaxUint64/sectorBytes {
			inv.vanished = append(inv.vanished, part.id)
			continue
		}
		part.kind, part.parent, part.start = kindPartition, name, start*sectorBytes
		whole.partitions = append(whole.partitions, child)
		inv.keep(part)
	}
	inv.keep(whole)
}

// spreadSuspended marks what lies on a suspended mapping, level by level.
func (inv *inventory) spreadSuspended() {
	for range layerLimit {
		changed := false
		for _, d := range inv.devices {
			if d.suspended {
				continue
			}
			d.suspended = slices.ContainsFunc(append([]string{d.parent}, d.below...), func(name string) bool {
				below, ok := inv.devices[name]
				return ok && below.suspended
			})
			changed = changed || d.suspended
		}
		if !changed {
			return
		}
	}
}

func (inv *inventory) keep(d *device) {
	inv.names = append(inv.names, d.name)
	inv.devices[d.name] = d
}

// read reads what every block device has; it returns false for one without a size.
func (inv *inventory) read(name, folder string) (*device, bool) {
	d := &device{name: name, id: devicePath(name), folder: folder}
	size, haveSize := inv.tree.number(folder + "/size")
	number, haveNumber := inv.tree.text(folder + "/dev")
	if !haveSize || !haveNumber || size > math.MaxUint64/sectorBytes {
		inv.vanished = append(inv.vanished, d.id)
		return nil, false
	}
	d.size, d.number = size*sectorBytes, number
	return d, size > 0
}

// devicePath is where a device's node is; "!" stands for the slash of names such as "cciss/c0d0".
func devicePath(name string) string {
	return "/dev/" + strings.ReplaceAll(name, "!", "/")
}

// virtualBlock is where the kernel keeps devices without hardware.
const virtualBlock = "sys/devices/virtual/block/"

// wholeKind tells what a whole device is. Without hardware below them are layers (loop, md and
// others) and memory (zram); a network block device has its disk elsewhere.
func wholeKind(name, folder string) string {
	switch {
	case strings.HasPrefix(name, "md"):
		return kindRAID
	case strings.HasPrefix(name, "loop"):
		return kindLoop
	case strings.HasPrefix(name, "nbd"), !strings.HasPrefix(folder, virtualBlock):
		return kindDisk
	}
	return kindMapped
}

// mappingKinds tells the owner of a device-mapper device by how its uuid begins, as libdevmapper
// and its users form it.
var mappingKinds = []struct {
	prefix *pattern.Pattern
	kind   string
}{
	{pattern.New(`^CRYPT-`), kindCrypt},
	{pattern.New(`^LVM-`), kindLVM},
	{pattern.New(`^mpath-`), kindMultipath},
	{pattern.New(`^(?i:DMRAID)-`), kindRAID},
	{pattern.New(`^part[0-9]+-`), kindPartition},
}

func mappingKind(mappingID string) string {
	for _, rule := range mappingKinds {
		if rule.prefix.Regexp().MatchString(mappingID) {
			return rule.kind
		}
	}
	return kindMapped
}

// lvmPrivate are the inner devices of a logical volume (snapshots' stores, pools, mirrors'
// halves): their uuid goes on after the 64 characters of group and volume.
var lvmPrivate = pattern.New(`^LVM-.{64}-`)

// volumes are the devices that can hold a volume, in the order of the document: all but disks
// that are divided into partitions, inner devices of logical volumes, and compressed memory
// that is used for swapping.
func (inv *inventory) volumes() []*device {
	swaps, _ := inv.tree.text("proc/swaps")
	var out []*device
	for _, name := range inv.names {
		d := inv.devices[name]
		swapping := strings.HasPrefix(name, "zram") && slices.Contains(strings.Fields(swaps), d.id)
		if len(d.partitions) > 0 || lvmPrivate.Regexp().MatchString(d.mappingID) || swapping {
			continue
		}
		out = append(out, d)
	}
	return out
}

// disks are the devices that are hardware, or stand for it in a virtual machine.
func (inv *inventory) disks() []*device {
	var out []*device
	for _, name := range inv.names {
		if d := inv.devices[name]; d.kind == kindDisk {
			out = append(out, d)
		}
	}
	return out
}

// lowest follows a device down to the only device below all of it; that is the device itself
// when it lies on none or on several.
func (inv *inventory) lowest(d *device) *device {
	for range layerLimit {
		next := ""
		switch {
		case d.parent != "":
			next = d.parent
		case len(d.below) == 1:
			next = d.below[0]
		}
		below, ok := inv.devices[next]
		if !ok {
			break
		}
		d = below
	}
	return d
}

// find returns the device with a "major:minor" number.
func (inv *inventory) find(number string) (*device, bool) {
	for _, d := range inv.devices {
		if d.number == number {
			return d, true
		}
	}
	return nil, false
}

// idOf is the id of a device that may be missing in the inventory.
func (inv *inventory) idOf(name string) string {
	if d, ok := inv.devices[name]; ok {
		return d.id
	}
	return devicePath(name)
}

// number splits names into text and numbers, so that sda2 comes before sda10.
var nameParts = pattern.New(`[0-9]+|[^0-9]+`)

// compareNames orders devices: hardware before mapped devices, numbers by value.
func compareNames(a, b string) int {
	if mappedA, mappedB := strings.HasPrefix(a, "dm-"), strings.HasPrefix(b, "dm-"); mappedA != mappedB {
		if mappedA {
			return 1
		}
		return -1
	}
	partsA, partsB := nameParts.Regexp().FindAllString(a, -1), nameParts.Regexp().FindAllString(b, -1)
	return slices.CompareFunc(partsA, partsB, func(x, y string) int {
		if isDigit(x) && isDigit(y) {
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
		}
		return strings.Compare(x, y)
	})
}

func isDigit(part string) bool {
	return part[0] >= '0' && part[0] <= '9'
}

// nodeName is the name of a device's node relative to the root of the tree.
func (d *device) nodeName() string {
	return path.Join("dev", strings.ReplaceAll(d.name, "!", "/"))
}
