package storage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/nvme/nvmetest"
	"diskaudit/core/machine/windows/registry"
)

const gib = 1 << 30

func askDisks(f *fakeSystem, reg registry.Reader, identify bool) contract.Status {
	report := machine.NewReport(nil)
	reader := New(f, reg)
	reader.timeout = time.Hour
	reader.Disks(context.Background(), report, identify)
	return report.Close()
}

// problemsOf are the codes with their levels of one target's problems.
func problemsOf(problems []contract.Problem, target string) string {
	var codes []string
	for _, p := range problems {
		if p.Target == target {
			codes = append(codes, string(p.Level)+" "+p.Code)
		}
	}
	return strings.Join(codes, ", ")
}

func textOf(problems []contract.Problem, target, code string) string {
	for _, p := range problems {
		if p.Target == target && p.Code == code {
			return p.Text
		}
	}
	return ""
}

// osDisk answers as an NVMe disk with Windows on it.
func osDisk() map[int64]any {
	return map[int64]any{
		property(0):  deviceDescriptor("NVMe", "Samsung SSD 990 ", "4B2QJXD7", "0025_3841_4150_1234.", 17, false),
		property(4):  writeCache(2, 2),
		property(6):  accessAlignment(512, 4096),
		property(49): protocolReply(nvmetest.IdentifyData("S7KHNJ0W123456", "Samsung SSD 990 PRO 2TB", "4B2QJXD7", 0x17)),
		property(50): protocolReply(nvmetest.SMARTPage()),
		0x700a0:      geometry(512, 2000398934016),
		0x70050:      driveLayout(1, partitionInformation(1, 1<<20, 100<<20, typeEFI), partitionInformation(2, 101<<20, 1900*gib, typeBasic)),
		0x740e0:      cacheSetting(0),
		security(0):  protocols(0, 1, 2),
		security(1):  discovery(tper, locking(0x09), subsystem(0x0203)),
	}
}

// stornvme are the nodes of such a disk: itself, its controller.
var stornvme = []Node{{Service: "disk", DriverVersion: "10.0.26100.1"}, {Service: "stornvme", DriverVersion: "10.0.26100.3915"}}

// settings are stored: the write cache on, not safe against power loss.
func settings(disks ...string) registry.Memory {
	reg := registry.Memory{}
	for _, disk := range disks {
		reg[storedKey(disk)] = map[string]any{"UserWriteCacheSetting": 1, "CacheIsPowerProtected": 0}
	}
	return reg
}

func storedKey(disk string) string {
	return `HKLM\SYSTEM\CurrentControlSet\Enum\DISK\` + disk + `\Device Parameters\Disk`
}

// diskLine writes what a disk is: model, firmware, bus, NVMe, media, removable, table, size, sectors,
// driver with version.
func diskLine(d contract.Disk) string {
	return strings.Join([]string{
		show(d.Model), show(d.Firmware), show(d.Bus), show(d.NVMe), show(d.Media), show(d.Removable), show(d.PartitionTable),
		show(d.SizeBytes), show(d.LogicalSectorBytes), show(d.PhysicalSectorBytes), show(d.Driver.Name), show(d.Driver.Version),
	}, " | ")
}

// cacheLine writes the write cache: type, on, power-protected, stored on, stored power-protected.
func cacheLine(c contract.WriteCache) string {
	return strings.Join([]string{show(c.Type), show(c.Enabled), show(c.PowerProtected), show(c.StoredEnabled), show(c.StoredPowerProtected)}, " ")
}

// selfLine writes whether a disk can encrypt by itself, by which standard, and whether locking is on.
func selfLine(s contract.SelfEncrypting) string {
	return show(s.Supported) + " " + show(s.Standard) + " " + show(s.LockingEnabled)
}

func TestDisks(t *testing.T) {
	sata := func(seeks byte) map[int64]any {
		return map[int64]any{
			property(0): deviceDescriptor("ATA", "WDC WD40EFRX-68N32N0", "82.00A82", "WD-WCC7K0", 11, false),
			property(4): writeCache(2, 1), property(6): accessAlignment(512, 4096), property(7): seekPenalty(seeks),
			0x700a0: geometry(512, 4000787030016), 0x70050: driveLayout(0, mbrPartition(1, 1<<20, gib, 7)), 0x740e0: cacheSetting(0),
			security(0): protocols(0, 0xef),
		}
	}
	with := func(answers map[int64]any, changes map[int64]any) map[int64]any {
		for key, value := range changes {
			answers[key] = value
		}
		return answers
	}
	storahci := []Node{{Service: "disk"}, {Service: "storahci", DriverVersion: "10.0.26100.1150"}}
	for _, test := range []struct {
		name     string
		answers  map[int64]any
		nodes    []Node
		line     string
		cache    string
		self     string
		ok       string
		problems string
	}{
		{"NVMe with Opal", osDisk(), stornvme,
			"Samsung SSD 990 PRO 2TB | 4B2QJXD7 | NVMe | true | SSD | false | gpt | 2000398934016 | 512 | 4096 | stornvme | 10.0.26100.3915",
			"WriteBack true false true false", "true Opal 2 false", "true", ""},
		{"NVMe without security commands is not asked", with(osDisk(), map[int64]any{
			property(49): protocolReply(nvmetest.IdentifyData("S", "KXG60ZNV512G", "AGHA4101", 0x16)),
			security(0):  errors.New("asked although it has no such commands"),
		}), stornvme,
			"KXG60ZNV512G | AGHA4101 | NVMe | true | SSD | false | gpt | 2000398934016 | 512 | 4096 | stornvme | 10.0.26100.3915",
			"WriteBack true false true false", "false null null", "true", ""},
		{"native NVMe driver", osDisk(), []Node{{Service: "nvmedisk", DriverVersion: "10.0.26100.5000"}, {Service: "stornvme", DriverVersion: "10.0.26100.3915"}},
			"Samsung SSD 990 PRO 2TB | 4B2QJXD7 | NVMe | true | SSD | false | gpt | 2000398934016 | 512 | 4096 | nvmedisk | 10.0.26100.5000",
			"WriteBack true false true false", "null null null", "true", "info disk-facts-unknown"},
		{"SATA hard disk", sata(1), storahci,
			"WDC WD40EFRX-68N32N0 | 82.00A82 | SATA | false | HDD | false | mbr | 4000787030016 | 512 | 4096 | storahci | 10.0.26100.1150",
			"WriteBack false false true false", "false null null", "null", "info disk-facts-unknown"},
		{"SATA SSD that refuses security commands", with(sata(0), map[int64]any{security(0): refused{5, 0x20}}), storahci,
			"WDC WD40EFRX-68N32N0 | 82.00A82 | SATA | false | SSD | false | mbr | 4000787030016 | 512 | 4096 | storahci | 10.0.26100.1150",
			"WriteBack false false true false", "null null null", "null", "info disk-facts-unknown"},
		// B64: NVMe behind VMD or RST is not seen as such, and nothing is sent to it. B66.
		{"NVMe hidden behind RAID", with(osDisk(), map[int64]any{
			property(0): deviceDescriptor("Intel", "Raid 0 Volume", "1.0.", "", 8, false), property(7): seekPenalty(0),
		}), []Node{{Service: "disk"}, {Service: "iaStorVD", DriverVersion: "20.2.6.1025"}},
			"Intel Raid 0 Volume | 1.0. | RAID | null | SSD | false | gpt | 2000398934016 | 512 | 4096 | iaStorVD | 20.2.6.1025",
			"WriteBack true false true false", "null null null", "null", "info disk-facts-unknown"},
		{"NVMe bus by a driver of another maker", osDisk(), []Node{{Service: "disk"}, {Service: "secnvme", DriverVersion: "3.3"}},
			"Samsung SSD 990 PRO 2TB | 4B2QJXD7 | NVMe | true | SSD | false | gpt | 2000398934016 | 512 | 4096 | secnvme | 3.3",
			"WriteBack true false true false", "null null null", "true", "info disk-facts-unknown"},
		{"card reader without a card", map[int64]any{
			property(0): deviceDescriptor("Generic", "SD/MMC CRW", "1.00", "", 7, true), property(6): accessAlignment(512, 512),
			0x700a0: errNotReady, 0x70050: errNotReady, 0x740e0: errNotReady,
		}, []Node{{Service: "disk"}, {Service: "USBSTOR", DriverVersion: "10.0.26100.1"}},
			"Generic SD/MMC CRW | 1.00 | USB | null | null | true | null | null | null | null | USBSTOR | 10.0.26100.1",
			"null null null true false", "null null null", "null", "info no-medium, info disk-facts-unknown"},
		// B19: a hard disk in a USB case is not removable by its own account; its bus tells.
		{"USB disk", map[int64]any{
			property(0): deviceDescriptor("WD", "Elements 25A2", "1021", "", 7, false), property(6): accessAlignment(512, 4096), property(7): seekPenalty(1),
			0x700a0: geometry(512, 2000365289472), 0x70050: driveLayout(2), 0x740e0: cacheSetting(1), property(4): writeCache(0, 0),
		}, []Node{{Service: "disk"}, {Service: "UASPStor"}},
			"WD Elements 25A2 | 1021 | USB | null | null | false | none | 2000365289472 | 512 | 4096 | UASPStor | null",
			"null null true true false", "null null null", "null", "info disk-facts-unknown"},
		{"mounted VHD", map[int64]any{
			property(0): deviceDescriptor("Msft", "Virtual Disk", "1.0", "", 15, false), property(6): accessAlignment(512, 4096), property(7): seekPenalty(0),
			property(4): writeCache(2, 2), 0x700a0: geometry(512, 64*gib), 0x70050: driveLayout(1), 0x740e0: cacheSetting(0),
		}, []Node{{Service: "disk"}, {Service: "vhdmp", DriverVersion: "10.0.1"}},
			"Msft Virtual Disk | 1.0 | FileBackedVirtual | null | null | false | gpt | 68719476736 | 512 | 4096 | vhdmp | 10.0.1",
			"WriteBack true false true false", "null null null", "null", "info disk-facts-unknown"},
		{"Storage Space", map[int64]any{
			property(0): deviceDescriptor("Msft", "Storage Space", "0.1", "", 16, false), property(6): accessAlignment(4096, 4096), property(7): seekPenalty(1),
			property(4): writeCache(2, 2), 0x700a0: geometry(4096, 8000*gib), 0x70050: driveLayout(1), 0x740e0: cacheSetting(0),
		}, []Node{{Service: "disk"}, {Service: "spaceport", DriverVersion: "10.0.1"}},
			"Msft Storage Space | 0.1 | StorageSpaces | null | null | false | gpt | 8589934592000 | 4096 | 4096 | spaceport | 10.0.1",
			"WriteBack true false true false", "null null null", "null", "info disk-facts-unknown"},
		{"a bus of the future", map[int64]any{
			property(0): deviceDescriptor("ACME", "Disk", "1", "", 42, false), 0x700a0: geometry(512, gib),
		}, nil,
			"ACME Disk | 1 | Unrecognized | null | null | false | null | 1073741824 | 512 | null | null | null",
			"null null null null null", "null null null", "null", "info disk-facts-unknown"},
		{"a disk that says nothing", map[int64]any{}, nil,
			"null | null | null | null | null | null | null | null | null | null | null | null",
			"null null null null null", "null null null", "null", "info disk-facts-unknown"},
		{"heat alone is no failure, low spare is one", with(osDisk(), map[int64]any{property(50): protocolReply(warned(0x03))}), stornvme,
			"Samsung SSD 990 PRO 2TB | 4B2QJXD7 | NVMe | true | SSD | false | gpt | 2000398934016 | 512 | 4096 | stornvme | 10.0.26100.3915",
			"WriteBack true false true false", "true Opal 2 false", "false", ""},
		{"health that cannot be read", with(osDisk(), map[int64]any{property(50): Errno(1117)}), stornvme,
			"Samsung SSD 990 PRO 2TB | 4B2QJXD7 | NVMe | true | SSD | false | gpt | 2000398934016 | 512 | 4096 | stornvme | 10.0.26100.3915",
			"WriteBack true false true false", "true Opal 2 false", "null", "warning health-unreadable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			d := f.disk("0", test.answers, test.nodes...)
			status := askDisks(f, settings("0"), false)
			if len(status.Disks) != 1 {
				t.Fatalf("%d disks, want one: %v", len(status.Disks), status.Problems)
			}
			disk := status.Disks[0]
			if disk.ID != "PhysicalDrive0" {
				t.Errorf("the disk's id is %q", disk.ID)
			}
			for _, pair := range [][3]string{
				{"disk", diskLine(disk), test.line}, {"write cache", cacheLine(disk.WriteCache), test.cache},
				{"self-encrypting", selfLine(disk.SelfEncrypting), test.self}, {"health", show(disk.Health.OK), test.ok},
				{"problems", problemsOf(status.Problems, "PhysicalDrive0"), test.problems},
			} {
				if pair[1] != pair[2] {
					t.Errorf("%s\n got %s\nwant %s", pair[0], pair[1], pair[2])
				}
			}
			if disk.Serial != nil {
				t.Errorf("the serial number %q without being asked for", *disk.Serial)
			}
			if test.self == "null null null" && slices.Contains(d.asked, security(1)) {
				t.Error("level 0 discovery was sent where it must not be")
			}
			if text := textOf(status.Problems, "PhysicalDrive0", "disk-facts-unknown"); disk.SelfEncrypting.Supported == nil && !strings.Contains(text, "encrypt by itself") {
				t.Errorf("no reason why self-encryption is unknown: %s", text)
			}
			if f.opened() != 0 {
				t.Errorf("%d handles are left open", f.opened())
			}
		})
	}
}

func warned(bits byte) []byte {
	page := nvmetest.SMARTPage()
	page[0] = bits
	return page
}

// B64, B66: nothing of NVMe and no SCSI command goes to a disk behind RAID, on USB or in a pool.
func TestNothingIsSentToHiddenDisks(t *testing.T) {
	for name, bus := range map[string]uint32{"unknown": 0, "USB": 7, "RAID": 8, "iSCSI": 9, "SAS": 10, "virtual": 14, "VHD": 15, "spaces": 16, "NVMe over Fabrics": 20} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			answers := osDisk()
			answers[property(0)] = deviceDescriptor("", "Disk", "", "", bus, false)
			d := f.disk("0", answers, stornvme...)
			askDisks(f, registry.Memory{}, false)
			for _, key := range d.asked {
				if key == property(49) || key == property(50) || key >= 1<<40 {
					t.Errorf("it was asked %d", key)
				}
			}
		})
	}
}

// Only documented control codes are sent, and none that needs to write (B66).
func TestOnlyDocumentedCodes(t *testing.T) {
	f := newFake(t)
	d := f.disk("0", osDisk(), stornvme...)
	askDisks(f, registry.Memory{}, true)
	known := []int64{
		property(0), property(4), property(6), property(7), property(49), property(50), 0x700a0, 0x70050, 0x740e0, security(0), security(1),
	}
	for _, key := range d.asked {
		if !slices.Contains(known, key) {
			t.Errorf("the disk was asked %#x", key)
		}
	}
}

func TestSerialWithIdentify(t *testing.T) {
	f := newFake(t)
	f.disk("0", osDisk(), stornvme...)
	f.disk("1", map[int64]any{property(0): deviceDescriptor("ATA", "ST4000", "1", "  ZDH1  ", 11, false)}, stornvme...)
	f.disk("2", map[int64]any{property(0): deviceDescriptor("ATA", "ST4000", "1", "", 11, false)}, stornvme...)
	status := askDisks(f, registry.Memory{}, true)
	for i, want := range []string{"S7KHNJ0W123456", "ZDH1", "null"} {
		if got := show(status.Disks[i].Serial); got != want {
			t.Errorf("disk %d: serial %s, want %s", i, got, want)
		}
	}
	if text := textOf(status.Problems, "PhysicalDrive2", "disk-facts-unknown"); !strings.Contains(text, "serial number (the disk names none)") {
		t.Errorf("no reason for the missing serial: %s", text)
	}
}

// A standard user learns all that takes no rights, and once per disk what does.
func TestStandardUser(t *testing.T) {
	f := newFake(t)
	f.elevated = false
	f.disk("0", osDisk(), stornvme...)
	f.disk("1", map[int64]any{
		property(0): deviceDescriptor("ATA", "CT500MX500SSD1", "M3CR", "", 11, false), property(4): writeCache(2, 2), property(6): accessAlignment(512, 4096),
		property(7): seekPenalty(0), 0x700a0: geometry(512, 500*gib), 0x70050: driveLayout(1), property(50): errAccessDenied,
	}, Node{Service: "disk"}, Node{Service: "storahci", DriverVersion: "1"})
	status := askDisks(f, settings("0", "1"), false)
	if want := "Samsung SSD 990 PRO 2TB | 4B2QJXD7 | NVMe | true | SSD | false | gpt | 2000398934016 | 512 | 4096 | stornvme | 10.0.26100.3915"; diskLine(status.Disks[0]) != want {
		t.Errorf("got %s", diskLine(status.Disks[0]))
	}
	if got := show(status.Disks[0].Health.OK); got != "true" {
		t.Errorf("health %s, want true", got)
	}
	if got := cacheLine(status.Disks[0].WriteCache); got != "WriteBack true null true false" {
		t.Errorf("write cache %s", got)
	}
	for i, disk := range status.Disks {
		if got := selfLine(disk.SelfEncrypting); got != "null null null" {
			t.Errorf("disk %d: self-encrypting %s, want unknown", i, got)
		}
	}
	for target, want := range map[string]string{"PhysicalDrive0": "info needs-elevation", "PhysicalDrive1": "info needs-elevation, info disk-facts-unknown"} {
		if got := problemsOf(status.Problems, target); got != want {
			t.Errorf("%s: problems %s, want %s", target, got, want)
		}
	}
	text := textOf(status.Problems, "PhysicalDrive0", "needs-elevation")
	for _, part := range []string{"PhysicalDrive0", "encrypt by itself", "power loss", "as administrator"} {
		if !strings.Contains(text, part) {
			t.Errorf("the problem does not speak of %q: %s", part, text)
		}
	}
}

// Where Windows answers only those who may read the disk, an administrator still learns all.
func TestNVMeForReaders(t *testing.T) {
	for elevated, want := range map[bool]string{true: "true | S7KHNJ0W123456 | ", false: "null | 0025_3841_4150_1234. | info needs-elevation"} {
		f := newFake(t)
		f.elevated = elevated
		answers := osDisk()
		for _, key := range []int64{property(49), property(50)} {
			data, ok := answers[key].([]byte)
			if !ok {
				t.Fatal("no answer to make one for readers of")
			}
			answers[key] = forReaders(data)
		}
		f.disk("0", answers, stornvme...)
		status := askDisks(f, settings("0"), true)
		disk := status.Disks[0]
		if got := show(disk.Health.OK) + " | " + show(disk.Serial) + " | " + problemsOf(status.Problems, disk.ID); got != want {
			t.Errorf("elevated %t: got %s, want %s", elevated, got, want)
		}
		if f.opened() != 0 {
			t.Errorf("%d handles are left open", f.opened())
		}
	}
}

func TestStoredCacheSettings(t *testing.T) {
	key := storedKey("0")
	for _, test := range []struct {
		name   string
		values map[string]any
		want   string
		reason string
	}{
		{"never set", nil, "WriteBack true false null null", "the driver's default holds"},
		{"flushing turned off from the next start on", map[string]any{"UserWriteCacheSetting": 1, "CacheIsPowerProtected": 1}, "WriteBack true false true true", ""},
		{"both off", map[string]any{"UserWriteCacheSetting": 0, "CacheIsPowerProtected": 0}, "WriteBack true false false false", ""},
		{"the driver's default", map[string]any{"UserWriteCacheSetting": 0xffffffff, "CacheIsPowerProtected": 0}, "WriteBack true false null false", "UserWriteCacheSetting (never set"},
		{"a number of no meaning", map[string]any{"UserWriteCacheSetting": 1, "CacheIsPowerProtected": 2}, "WriteBack true false true null", "is 2"},
		{"of a wrong type", map[string]any{"UserWriteCacheSetting": "1", "CacheIsPowerProtected": 1}, "WriteBack true false null true", "UserWriteCacheSetting"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			f.disk("0", osDisk(), stornvme...)
			reg := registry.Memory{}
			if test.values != nil {
				reg[key] = test.values
			}
			status := askDisks(f, reg, false)
			if got := cacheLine(status.Disks[0].WriteCache); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			text := textOf(status.Problems, "PhysicalDrive0", "disk-facts-unknown")
			if test.reason == "" && text != "" || !strings.Contains(text, test.reason) {
				t.Errorf("the reason is %q, want one with %q", text, test.reason)
			}
		})
	}
}
