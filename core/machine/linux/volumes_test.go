package linux

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/machine/nvme/nvmetest"
)

const luksPayload = 16 << 20

// luks2 is the header of a LUKS2 volume whose only segment begins at offset.
func luks2(uuid, segments string) io.ReaderAt {
	header := make([]byte, 16384)
	copy(header, luksMagic)
	binary.BigEndian.PutUint16(header[6:], 2)
	binary.BigEndian.PutUint64(header[8:], uint64(len(header)))
	copy(header[168:], uuid)
	copy(header[4096:], `{"keyslots":{},"segments":`+segments+`}`)
	return bytes.NewReader(header)
}

func segmentAt(offset int) string {
	return fmt.Sprintf(`{"0":{"type":"crypt","offset":"%d","size":"dynamic","encryption":"aes-xts-plain64"}}`, offset)
}

// laptopKernel is the kernel of the tree "laptop": an EFI partition, a BitLocker volume, and
// LUKS2 with two logical volumes.
func laptopKernel() *fakeKernel {
	return &fakeKernel{
		arch: "x86_64",
		content: map[string]io.ReaderAt{
			"dev/nvme0n1p2": bitLocker(),
			"dev/nvme0n1p3": luks2("0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", segmentAt(luksPayload)),
		},
		spaces: map[string]space{
			"/": {4096, 1000}, "/boot/efi": {512, 2000}, "/mnt/win data": {65536, 3000},
		},
		pages: map[string][]byte{"dev/nvme0n1": nvmetest.SMARTPage()},
		tables: map[string][]linearTarget{
			"vg-root": {{start: 0, length: 209715200 * 512, device: "253:0", offset: 16779264 * 512}},
			"vg-swap": {{start: 0, length: 16777216 * 512, device: "253:0", offset: 2048 * 512}},
		},
	}
}

// layersText writes layers one per line: device kind below offset.
func layersText(layers []contract.Layer) string {
	var out []string
	for _, l := range layers {
		out = append(out, fmt.Sprintf("%s %s %s %s", l.Device, l.Kind, show(l.Below), show(l.OffsetBytes)))
	}
	return strings.Join(out, "\n")
}

func extentsText(extents []contract.Extent) string {
	var out []string
	for _, e := range extents {
		out = append(out, fmt.Sprintf("%s %d+%d", e.DiskID, e.OffsetBytes, e.LengthBytes))
	}
	return strings.Join(out, ", ")
}

func volumeText(v contract.Volume) string {
	return fmt.Sprintf("%s %q size %s free %s cluster %s type %s", v.ID, v.MountPoints, show(v.SizeBytes), show(v.FreeBytes), show(v.ClusterBytes), show(v.Type))
}

func TestVolumesOfLaptop(t *testing.T) {
	status := collect(t, recorded(t, "laptop"), laptopKernel(), Options{})
	var got []string
	for _, volume := range status.Volumes {
		got = append(got, volumeText(volume))
	}
	// The order is that of the devices, mapped devices last.
	want := []string{
		`/dev/nvme0n1p1 ["/boot/efi"] size 629145600 free 2000 cluster 512 type null`,
		`/dev/nvme0n1p2 ["/mnt/win data"] size 512000000000 free 3000 cluster 65536 type null`,
		`/dev/nvme0n1p3 [] size 487574691840 free null cluster null type null`,
		`/dev/mapper/luks-home [] size 487557914624 free null cluster null type null`,
		`/dev/mapper/vg-root ["/"] size 107374182400 free 1000 cluster 4096 type OperatingSystem`,
		`/dev/mapper/vg-swap [] size 8589934592 free null cluster null type null`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("volumes:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if format := show(volumeByID(t, status, "/dev/nvme0n1p2").Encryption.Format); format != "bitlocker" {
		t.Errorf("format of the BitLocker volume: %s", format)
	}
}

func TestLayersOfLaptop(t *testing.T) {
	kernel := laptopKernel()
	status := collect(t, recorded(t, "laptop"), kernel, Options{})
	root := volumeByID(t, status, "/dev/mapper/vg-root")
	want := `/dev/mapper/vg-root lvm /dev/mapper/luks-home 8590983168
/dev/mapper/luks-home crypt /dev/nvme0n1p3 16777216
/dev/nvme0n1p3 partition /dev/nvme0n1 512630194176
/dev/nvme0n1 disk null null`
	if got := layersText(root.Layers); got != want {
		t.Errorf("layers:\n%s\nwant:\n%s", got, want)
	}
	// 512630194176 + 16777216 + 8590983168.
	if got := extentsText(root.Extents); got != "/dev/nvme0n1 521237954560+107374182400" {
		t.Errorf("extents %s", got)
	}
	if got := extentsText(volumeByID(t, status, "/dev/nvme0n1p1").Extents); got != "/dev/nvme0n1 1048576+629145600" {
		t.Errorf("extents of a partition %s", got)
	}
	// The table of an encrypted mapping holds its key.
	if slices.Contains(kernel.asked, "luks-home") {
		t.Error("the table of the encrypted mapping was asked for")
	}
}

// A header that is not the mapping's own tells nothing about it.
func TestForeignLUKSHeader(t *testing.T) {
	for name, header := range map[string]io.ReaderAt{
		"other volume":         luks2("ffffffff-ffff-ffff-ffff-ffffffffffff", segmentAt(luksPayload)),
		"encrypted anew":       luks2("0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", `{"0":{"type":"crypt","offset":"16777216"},"1":{"type":"crypt","offset":"33554432"}}`),
		"no header (detached)": strings.NewReader(""),
	} {
		kernel := laptopKernel()
		kernel.content["dev/nvme0n1p3"] = header
		root := volumeByID(t, collect(t, recorded(t, "laptop"), kernel, Options{}), "/dev/mapper/vg-root")
		if len(root.Extents) != 0 || root.Layers[1].OffsetBytes != nil {
			t.Errorf("%s: extents %s, offset %s, want none", name, extentsText(root.Extents), show(root.Layers[1].OffsetBytes))
		}
	}
}

func TestVolumesOfDesktop(t *testing.T) {
	kernel := &fakeKernel{spaces: map[string]space{"/": {4096, 10}, "/home": {4096, 10}, "/data": {4096, 77}}}
	status := collect(t, recorded(t, "desktop"), kernel, Options{})
	var got []string
	for _, volume := range status.Volumes {
		got = append(got, volumeText(volume))
	}
	want := []string{
		// The SD card; its hardware partition and the extended partition sda2 are no volumes.
		`/dev/mmcblk0 [] size 63864569856 free null cluster null type null`,
		`/dev/sda1 [] size 107372805120 free null cluster null type null`,
		// /data is covered by a later mount, whose free space it is that statfs would tell.
		`/dev/sda5 ["/data"] size 892829696000 free null cluster null type null`,
		`/dev/sda10 [] size 524288 free null cluster null type null`,
		// btrfs: found by the source, and by the kernel's parameter for /dev/root.
		`/dev/sdb ["/" "/home"] size 250059350016 free 10 cluster 4096 type OperatingSystem`,
		`/dev/sdc [] size 256060514304 free null cluster null type null`,
		`/dev/sdd1 [] size 30751588352 free null cluster null type Removable`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("volumes:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if level := problem(t, status.Problems, "mounts-unknown", "/proc/self/mountinfo").Level; level != contract.LevelError || status.Complete {
		t.Errorf("a line of mountinfo that is not understood is of level %s", level)
	}
}

// An empty list of mount points would say that a volume is mounted nowhere.
func TestUnreadableMountsAreNotComplete(t *testing.T) {
	known := func(_ context.Context, _ string, _ io.ReaderAt, _ int64) (contract.Encryption, ProbeFacts, []contract.Problem) {
		return contract.Encryption{Format: contract.Ptr("none")}, ProbeFacts{}, nil
	}
	tree := recorded(t, "laptop")
	if status := collect(t, tree, laptopKernel(), Options{Probe: known}); !status.Complete {
		t.Fatalf("the laptop is not complete as it is: %v", codes(status.Problems))
	}
	delete(tree, "proc/self/mountinfo")
	status := collect(t, tree, laptopKernel(), Options{Probe: known})
	found := problem(t, status.Problems, "mounts-unknown", "/proc/self/mountinfo")
	if found.Level != contract.LevelError || status.Complete {
		t.Errorf("complete %t, problem %+v", status.Complete, found)
	}
}

func TestVolumesOfGuest(t *testing.T) {
	kernel := &fakeKernel{
		content: map[string]io.ReaderAt{"dev/sda": guestDisk(), "dev/loop0": bitLocker(), "dev/vda": bitLocker(), "dev/sda2": bitLocker()},
		spaces:  map[string]space{"/": {4096, 5}, "/mnt/image": {4096, 6}},
	}
	status := collect(t, recorded(t, "guest"), kernel, Options{})
	var ids []string
	for _, volume := range status.Volumes {
		ids = append(ids, volume.ID)
	}
	// Not a loop that is not in use, nor RAM, nor compressed memory for swapping.
	if want := []string{"/dev/loop0", "/dev/sda1", "/dev/sda2", "/dev/vda"}; !slices.Equal(ids, want) {
		t.Errorf("volumes %v, want %v", ids, want)
	}
	loop := volumeByID(t, status, "/dev/loop0")
	if got := layersText(loop.Layers); got != "/dev/loop0 loop /srv/images/windows.img 1048576" {
		t.Errorf("layers of the loop: %s", got)
	}
	if len(loop.Extents) != 0 {
		t.Errorf("extents of the loop: %s", extentsText(loop.Extents))
	}
	whole := volumeByID(t, status, "/dev/vda")
	if got := layersText(whole.Layers) + " " + extentsText(whole.Extents); got != "/dev/vda disk null null /dev/vda 0+274877906944" {
		t.Errorf("volume on a whole disk: %s", got)
	}
	// A blank partition that Windows reserves is no unknown volume.
	if level := problem(t, status.Problems, "no-file-system", "/dev/sda1").Level; level != contract.LevelInfo {
		t.Errorf("the reserved partition is a problem of level %s", level)
	}
	if !status.Complete {
		t.Errorf("the document is not complete: %v", codes(status.Problems))
	}
}

// A disk image behind a loop whose partitions the kernel was not asked to show.
func TestPartitionsNotShown(t *testing.T) {
	kernel := &fakeKernel{content: map[string]io.ReaderAt{"dev/loop0": guestDisk()}}
	status := collect(t, recorded(t, "guest"), kernel, Options{})
	found := problem(t, status.Problems, "partitions-not-shown", "/dev/loop0")
	if found.Level != contract.LevelError || !strings.Contains(found.Text, "losetup --partscan") {
		t.Errorf("problem %+v", found)
	}
}

func TestVolumesOfServer(t *testing.T) {
	kernel := &fakeKernel{tables: map[string][]linearTarget{
		// A volume in two pieces: 8192 sectors on sda at 2048, 4096 on sdd at 4096.
		"data-big": {{0, 8192 * 512, "8:0", 2048 * 512}, {8192 * 512, 4096 * 512, "8:48", 4096 * 512}},
	}}
	status := collect(t, recorded(t, "server"), kernel, Options{})
	tests := []struct{ volume, layers, extents string }{
		{"/dev/md127", `/dev/md127 raid /dev/sdb1 135266304
/dev/md127 raid /dev/sdc1 135266304
/dev/sdb1 partition /dev/sdb 1048576
/dev/sdc1 partition /dev/sdc 1048576
/dev/sdb disk null null
/dev/sdc disk null null`, ""},
		{"/dev/md0", `/dev/md0 raid /dev/sdb2 null
/dev/md0 raid /dev/sdc2 null
/dev/sdb2 partition /dev/sdb 512001048576
/dev/sdc2 partition /dev/sdc 512001048576
/dev/sdb disk null null
/dev/sdc disk null null`, ""},
		{"/dev/mapper/mpatha", `/dev/mapper/mpatha multipath /dev/sdf null
/dev/mapper/mpatha multipath /dev/sdg null
/dev/sdf disk null null
/dev/sdg disk null null`, ""},
		{"/dev/mapper/data-big", `/dev/mapper/data-big lvm /dev/sda null
/dev/mapper/data-big lvm /dev/sdd null
/dev/sda disk null null
/dev/sdd disk null null`, "/dev/sda 1048576+4194304, /dev/sdd 2097152+2097152"},
		// A BitLocker volume that cryptsetup has opened: its content is a plain file system. It is
		// made of several runs, and nothing says openly which.
		{"/dev/mapper/windows", `/dev/mapper/windows crypt /dev/nvme0n1 null
/dev/nvme0n1 disk null null`, ""},
	}
	for _, test := range tests {
		volume := volumeByID(t, status, test.volume)
		if got := layersText(volume.Layers); got != test.layers {
			t.Errorf("layers of %s:\n%s\nwant:\n%s", test.volume, got, test.layers)
		}
		if got := extentsText(volume.Extents); got != test.extents {
			t.Errorf("extents of %s: %s, want %s", test.volume, got, test.extents)
		}
	}
	for _, volume := range status.Volumes {
		if volume.ID == "/dev/mapper/data-pool_tmeta" || volume.ID == "/dev/nvme0c0n1" {
			t.Errorf("%s is no volume", volume.ID)
		}
	}
	if slices.Contains(kernel.asked, "windows") {
		t.Error("the table of the BitLocker mapping was asked for")
	}
	if got := show(volumeByID(t, status, "/dev/md127").Type); got != "OperatingSystem" {
		t.Errorf("type of the root's volume %s", got)
	}
}

// What the disk itself says wins over the device and the mount.
func TestProbeFactsWin(t *testing.T) {
	facts := ProbeFacts{FileSystem: contract.Ptr("NTFS"), Label: contract.Ptr("Data"), ClusterBytes: contract.Ptr[uint64](4096), SizeBytes: contract.Ptr[uint64](511999999488)}
	probe := func(_ context.Context, target string, _ io.ReaderAt, size int64) (contract.Encryption, ProbeFacts, []contract.Problem) {
		if target != "/dev/nvme0n1p2" {
			return contract.Encryption{}, ProbeFacts{}, nil
		}
		if size != 512000000000 {
			t.Errorf("the Probe was told %d bytes", size)
		}
		return contract.Encryption{}, facts, nil
	}
	volume := volumeByID(t, collect(t, recorded(t, "laptop"), laptopKernel(), Options{Probe: probe}), "/dev/nvme0n1p2")
	got := fmt.Sprintf("%s %s %s %s", show(volume.FileSystem), show(volume.Label), show(volume.ClusterBytes), show(volume.SizeBytes))
	if want := "NTFS Data 4096 511999999488"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
