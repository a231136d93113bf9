package target

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// layerLimit bounds how deep devices may lie on each other; the kernel allows far fewer.
const layerLimit = 16

// folder is the device's folder in sysfs, "" when there is none.
func (d deviceNumber) folder() string {
	folder, err := filepath.EvalSymlinks("/sys/dev/block/" + d.String())
	if err != nil {
		return ""
	}
	return folder
}

// path is the device's node in /dev, "" when there is none that is this device.
func (d deviceNumber) path() string {
	text, _ := line(filepath.Join("/sys/dev/block", d.String(), "uevent"))
	for entry := range strings.Lines(text) {
		name, ok := strings.CutPrefix(strings.TrimSpace(entry), "DEVNAME=")
		var stat unix.Stat_t
		if ok && unix.Stat("/dev/"+name, &stat) == nil && numberOf(uint64(stat.Rdev)) == d {
			return "/dev/" + name
		}
	}
	return ""
}

// examine walks from a device down to what it lies on, and keeps what that says.
func (s *site) examine(d deviceNumber) {
	folder := d.folder()
	if folder == "" {
		s.facts.note(FactInMemory, nil, "/sys does not know the device "+d.String())
		return
	}
	s.examineFolder(folder)
}

func (s *site) examineFolder(folder string) {
	queue := queueFolder(folder)
	s.logical = numberIn(filepath.Join(queue, "logical_block_size"))
	s.physical = numberIn(filepath.Join(queue, "physical_block_size"))
	if text, _ := line(filepath.Join(folder, "ro")); text == "1" {
		s.facts.yes(FactReadOnly, filepath.Base(folder)+" is set read-only")
	}
	l := layers{facts: &s.facts}
	l.descend(folder, filepath.Base(folder), 0)
	if l.unseen != "" && s.facts.InMemory != nil && !*s.facts.InMemory {
		// What was seen are disks, but not all was seen.
		s.facts.InMemory = nil
		s.facts.note(FactInMemory, nil, l.unseen)
	}
}

// layers keeps what the devices below each other say.
type layers struct {
	facts *Facts
	// unseen is why something below is not known.
	unseen string
}

// queueFolder is where the sector sizes are: a partition has those of its disk.
func queueFolder(folder string) string {
	if exists(filepath.Join(folder, "partition")) {
		folder = filepath.Dir(folder)
	}
	return filepath.Join(folder, "queue")
}

// memoryDevices and remoteDevices are the names of the kernel's block devices that are not disks.
var (
	memoryDevices = map[string]string{"zram": "a compressed RAM disk", "ram": "a RAM disk", "nullb": "a null device, which holds nothing or memory"}
	remoteDevices = map[string]string{"nbd": "a network block device", "rbd": "a Ceph block device", "drbd": "a disk that is mirrored over the network"}
)

// kindOf looks a device's name up without the number at its end.
func kindOf(names map[string]string, device string) (string, bool) {
	kind, ok := names[strings.TrimRight(device, "0123456789")]
	return kind, ok
}

// descend visits a device by its folder in sysfs. way is how it was reached, for the evidence.
func (l *layers) descend(folder, way string, depth int) {
	if depth > layerLimit {
		l.hide(way + " has too many layers")
		return
	}
	if exists(filepath.Join(folder, "partition")) {
		folder = filepath.Dir(folder)
		way += " on " + filepath.Base(folder)
	}
	name := filepath.Base(folder)
	if kind, ok := kindOf(memoryDevices, name); ok {
		l.facts.yes(FactInMemory, fmt.Sprintf("%s: %s is %s", way, name, kind))
		if strings.HasPrefix(name, "zram") {
			l.facts.yes(FactCompressed, fmt.Sprintf("%s: %s compresses what it holds", way, name))
		}
		return
	}
	if kind, ok := kindOf(remoteDevices, name); ok {
		l.facts.yes(FactRemote, fmt.Sprintf("%s: %s is %s", way, name, kind))
		return
	}
	if backing, ok := line(filepath.Join(folder, "loop/backing_file")); ok {
		if direct, _ := line(filepath.Join(folder, "loop/dio")); direct == "0" {
			l.facts.yes(FactCached, fmt.Sprintf("%s: %s reads and writes its file through the cache (losetup --direct-io=on changes that)", way, name))
		}
		l.descendIntoFile(backing, way, depth)
		return
	}
	if id, _ := line(filepath.Join(folder, "dm/uuid")); strings.HasPrefix(id, "VDO-") {
		l.facts.yes(FactCompressed, fmt.Sprintf("%s: %s compresses and deduplicates (dm-vdo)", way, name))
	}
	below, err := os.ReadDir(filepath.Join(folder, "slaves"))
	if err != nil || len(below) == 0 {
		l.facts.no(FactInMemory, way+" is not a RAM disk")
		if over, ok := network(folder); ok {
			l.facts.yes(FactRemote, fmt.Sprintf("%s: %s is attached over %s", way, name, over))
		} else {
			l.facts.no(FactRemote, way+" is not a disk of the network")
		}
		return
	}
	for _, entry := range below {
		target, err := filepath.EvalSymlinks(filepath.Join(folder, "slaves", entry.Name()))
		if err != nil {
			l.hide(fmt.Sprintf("%s: %v", way, err))
			continue
		}
		l.descend(target, way+" on "+entry.Name(), depth+1)
	}
}

// networkTransports are the values of an NVMe controller's file "transport" that are networks.
var networkTransports = map[string]string{"tcp": "NVMe over TCP", "rdma": "NVMe over RDMA", "fc": "NVMe over Fibre Channel"}

// network tells over which network a disk is attached, by its folder in sysfs: those of iSCSI lie
// below a session.
func network(folder string) (string, bool) {
	if strings.Contains(folder, "/session") {
		return "iSCSI", true
	}
	transport, _ := line(filepath.Join(folder, "device", "transport"))
	over, ok := networkTransports[transport]
	return over, ok
}

// hide keeps that something below cannot be seen.
func (l *layers) hide(why string) {
	l.unseen = why
	l.facts.note(FactInMemory, nil, why)
}

// descendIntoFile visits the file behind a loop device, if this process sees it.
func (l *layers) descendIntoFile(path, way string, depth int) {
	way += " on the file " + path
	var stat unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_NO_AUTOMOUNT, unix.STATX_BASIC_STATS|unix.STATX_MNT_ID, &stat); err != nil {
		l.hide(fmt.Sprintf("%s, which this process does not see: %v", way, err))
		return
	}
	number := deviceNumber{stat.Dev_major, stat.Dev_minor}
	if m, ok := mountOf(stat, path); ok {
		way += " on " + m.kind
		if memoryKinds[m.kind] {
			l.facts.yes(FactInMemory, way+", which is memory")
			return
		}
		if remoteKinds[m.kind] {
			l.facts.yes(FactRemote, way+", which is on another computer")
			return
		}
		number = m.below(number)
	}
	folder := number.folder()
	if folder == "" {
		l.hide(way + ", whose device is not known")
		return
	}
	l.descend(folder, way+" on "+filepath.Base(folder), depth+1)
}

// examineMounts looks whether a device, a partition of it or what lies on it is mounted.
func (s *site) examineMounts(d deviceNumber) {
	all := mounts()
	if len(all) == 0 {
		s.facts.note(FactMounted, nil, "/proc/self/mountinfo cannot be read")
		return
	}
	above := map[string]string{}
	if folder := d.folder(); folder != "" {
		collectAbove(folder, above, 0)
	}
	for _, m := range all {
		number := m.number
		if strings.HasPrefix(number, "0:") {
			number = m.below(deviceNumber{}).String()
		}
		if name, ok := above[number]; ok {
			s.facts.yes(FactMounted, fmt.Sprintf("%s is mounted at %s as %s; others may read and write meanwhile", name, m.point, m.kind))
			return
		}
	}
	s.facts.no(FactMounted, "no file system on it is mounted here")
}

// collectAbove lists the device numbers of a device, its partitions and what lies on them.
func collectAbove(folder string, out map[string]string, depth int) {
	number, ok := line(filepath.Join(folder, "dev"))
	if !ok || depth > layerLimit || out[number] != "" {
		return
	}
	out[number] = filepath.Base(folder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if inner := filepath.Join(folder, entry.Name()); entry.IsDir() && exists(filepath.Join(inner, "partition")) {
			collectAbove(inner, out, depth+1)
		}
	}
	holders, err := os.ReadDir(filepath.Join(folder, "holders"))
	if err != nil {
		return
	}
	for _, entry := range holders {
		if inner, err := filepath.EvalSymlinks(filepath.Join(folder, "holders", entry.Name())); err == nil {
			collectAbove(inner, out, depth+1)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// numberIn reads a file of sysfs that holds a number, 0 when it does not.
func numberIn(path string) int {
	text, _ := line(path)
	number, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return number
}
