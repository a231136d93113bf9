package linux

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/disk/disktest"
	"diskaudit/core/machine"
	"diskaudit/core/machine/nvme/nvmetest"
)

// summary writes what a disk is: model, firmware, bus, NVMe, media, removable, driver, version,
// type of the write cache, whether it is on.
func summary(d contract.Disk) string {
	return strings.Join([]string{
		show(d.Model), show(d.Firmware), show(d.Bus), show(d.NVMe), show(d.Media), show(d.Removable),
		show(d.Driver.Name), show(d.Driver.Version), show(d.WriteCache.Type), show(d.WriteCache.Enabled),
	}, "|")
}

func TestDisks(t *testing.T) {
	tests := []struct {
		tree string
		want map[string]string
	}{
		{"laptop", map[string]string{
			"/dev/nvme0n1": "Samsung SSD 990 PRO 1TB|4B2QJXD7|NVMe|true|SSD|false|nvme|1.0|WriteBack|true",
		}},
		{"desktop", map[string]string{
			"/dev/sda": "WDC WD10EZEX-08W|1A01|SATA|false|HDD|false|ahci|3.0|WriteBack|true",
			"/dev/sdb": "Crucial_CT250MX2|MU05|SATA|false|SSD|false|ahci|3.0|WriteThrough|null",
			// B64: an NVMe stick in a USB bridge; what is behind the bridge is not known.
			"/dev/sdc":     "RTL9210B-CG|1.00|USB|null|null|false|uas|6.1.0-26-amd64|WriteBack|true",
			"/dev/sdd":     "Ultra|1.00|USB|null|null|true|usb-storage|6.1.0-26-amd64|null|null",
			"/dev/mmcblk0": "SC64G|0x0|SD|false|SSD|null|mmcblk|6.1.0-26-amd64|null|null",
		}},
		{"guest", map[string]string{
			"/dev/vda": "null|null|Virtual|false|null|false|virtio_blk|6.6.58-0-virt|WriteBack|true",
			"/dev/sda": "QEMU HARDDISK|2.5+|SATA|false|null|false|null|null|WriteBack|true",
		}},
		{"server", map[string]string{
			// B64: behind a RAID controller nobody knows what speaks NVMe.
			"/dev/sda":     "MR9560-16i|5.22|RAID|null|null|false|megaraid_sas|07.727.03.00|WriteThrough|null",
			"/dev/sdb":     "INTEL SSDSC2KB96|null|SATA|false|SSD|false|ahci|5.14.0-503.el9.aarch64|WriteBack|true",
			"/dev/sdc":     "INTEL SSDSC2KB96|null|SATA|false|SSD|false|ahci|5.14.0-503.el9.aarch64|WriteBack|true",
			"/dev/sdd":     "ST2000NM0045|null|SAS|false|HDD|false|mpt3sas|5.14.0-503.el9.aarch64|null|null",
			"/dev/sde":     "INTEL SSDPE2KX01|null|SAS|true|SSD|false|mpt3sas|5.14.0-503.el9.aarch64|null|null",
			"/dev/sdf":     "FlashArray|null|FibreChannel|false|null|false|qla2xxx|5.14.0-503.el9.aarch64|null|null",
			"/dev/sdg":     "FlashArray|null|FibreChannel|false|null|false|qla2xxx|5.14.0-503.el9.aarch64|null|null",
			"/dev/sdh":     "lun0|null|iSCSI|false|null|false|sd|5.14.0-503.el9.aarch64|null|null",
			"/dev/nvme0n1": "KIOXIA KCM61RUL3T84|0105|NVMe|true|SSD|false|nvme|5.14.0-503.el9.aarch64|WriteThrough|null",
		}},
	}
	for _, test := range tests {
		t.Run(test.tree, func(t *testing.T) {
			status := collect(t, recorded(t, test.tree), &fakeKernel{noPage: errNotSupported}, Options{})
			for _, disk := range status.Disks {
				want, ok := test.want[disk.ID]
				if !ok {
					t.Errorf("%s is no disk", disk.ID)
					continue
				}
				if got := summary(disk); got != want {
					t.Errorf("%s:\n got %s\nwant %s", disk.ID, got, want)
				}
				if disk.Serial != nil {
					t.Errorf("%s: the serial number appears without Identify", disk.ID)
				}
				delete(test.want, disk.ID)
			}
			for id := range test.want {
				t.Errorf("%s is missing", id)
			}
		})
	}
}

func TestDiskSizes(t *testing.T) {
	status := collect(t, recorded(t, "laptop"), &fakeKernel{}, Options{})
	disk := diskByID(t, status, "/dev/nvme0n1")
	got := fmt.Sprintf("%s %s %s", show(disk.SizeBytes), show(disk.LogicalSectorBytes), show(disk.PhysicalSectorBytes))
	if want := "1000204886016 512 4096"; got != want {
		t.Errorf("size and sectors %s, want %s", got, want)
	}
}

func TestSerialNumbersOnlyWithIdentify(t *testing.T) {
	tests := []struct{ tree, disk, serial string }{
		{"laptop", "/dev/nvme0n1", "S6Z1NX0EXAMPLE"},
		{"desktop", "/dev/sda", "WD-EXAMPLE1"},
		{"desktop", "/dev/sdb", "null"},
		{"desktop", "/dev/mmcblk0", "0x01020304"},
		{"guest", "/dev/vda", "vol-example"},
	}
	for _, test := range tests {
		status := collect(t, recorded(t, test.tree), &fakeKernel{}, Options{Identify: true})
		if got := show(diskByID(t, status, test.disk).Serial); got != test.serial {
			t.Errorf("%s of %s: serial number %s, want %s", test.disk, test.tree, got, test.serial)
		}
	}
}

// A null that a user asks about is explained, once for each disk.
func TestMissingDiskFactsAreExplained(t *testing.T) {
	status := collect(t, recorded(t, "guest"), &fakeKernel{}, Options{})
	text := problem(t, status.Problems, "disk-facts-unknown", "/dev/vda").Text
	for _, fact := range []string{"model (", "firmware (", "media (", "health ("} {
		if !strings.Contains(text, fact) {
			t.Errorf("the problem does not explain %q: %s", fact, text)
		}
	}
}

func TestHealth(t *testing.T) {
	node := "dev/nvme0n1"
	worn := nvmetest.SMARTPage()
	worn[0] = 0x04
	reserved := nvmetest.SMARTPage()
	reserved[0] = 0x80
	tests := []struct {
		name   string
		kernel *fakeKernel
		ok     string
		code   string // of the problem that explains a null
		level  contract.Level
	}{
		{"well", &fakeKernel{pages: map[string][]byte{node: nvmetest.SMARTPage()}}, "true", "", ""},
		{"failing", &fakeKernel{pages: map[string][]byte{node: worn}}, "false", "", ""},
		{"a warning that nobody knows", &fakeKernel{pages: map[string][]byte{node: reserved}}, "null", "disk-facts-unknown", contract.LevelInfo},
		{"emulated: page of zeros", &fakeKernel{pages: map[string][]byte{node: make([]byte, 512)}}, "null", "disk-facts-unknown", contract.LevelInfo},
		{"not supported", &fakeKernel{noPage: errNotSupported}, "null", "disk-facts-unknown", contract.LevelInfo},
		{"not root", &fakeKernel{user: 1000, noPage: fs.ErrPermission}, "null", "needs-elevation", contract.LevelError},
		{"gone", &fakeKernel{noPage: errGone}, "null", "device-vanished", contract.LevelError},
		{"broken", &fakeKernel{noPage: fmt.Errorf("input/output error")}, "null", "read-failed", contract.LevelError},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status := collect(t, recorded(t, "laptop"), test.kernel, Options{})
			if got := show(diskByID(t, status, "/dev/nvme0n1").Health.OK); got != test.ok {
				t.Errorf("health %s, want %s", got, test.ok)
			}
			if test.code == "" {
				return
			}
			var found []contract.Problem
			for _, p := range ofStage(status.Problems, machine.StageDisks) {
				if p.Target == "/dev/nvme0n1" && p.Code == test.code {
					found = append(found, p)
				}
			}
			if len(found) != 1 || found[0].Level != test.level || !strings.Contains(found[0].Text, "/dev/nvme0n1") {
				t.Errorf("problems %+v, want one %s of level %s that names the disk", found, test.code, test.level)
			}
		})
	}
}

// guestDisk is the content of the disk sda of the tree "guest": 10 GiB with a Microsoft reserved
// partition, which is blank, and a basic data partition.
func guestDisk() *disktest.Image {
	return disktest.GPT([]disktest.Part{
		{Type: disktest.TypeReserved, Content: disktest.New(16 << 20)},
		{Content: disktest.New(10222 << 20)},
	}, 512)
}

func TestPartitionTable(t *testing.T) {
	status := collect(t, recorded(t, "guest"), &fakeKernel{content: map[string]io.ReaderAt{"dev/sda": guestDisk()}}, Options{})
	if got := show(diskByID(t, status, "/dev/sda").PartitionTable); got != "gpt" {
		t.Errorf("partition table %s, want gpt", got)
	}
	if got := show(diskByID(t, status, "/dev/vda").PartitionTable); got != "none" {
		t.Errorf("partition table %s, want none", got)
	}
	status = collect(t, recorded(t, "guest"), &fakeKernel{user: 1000, failing: map[string]error{"dev/sda": fs.ErrPermission}}, Options{})
	if got := show(diskByID(t, status, "/dev/sda").PartitionTable); got != "null" {
		t.Errorf("partition table %s of a disk that was not read, want null", got)
	}
}
