package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

func ptr[T any](v T) *T { return &v }

func withEngine(engine contract.Engine, conversion contract.Conversion) contract.Encryption {
	return contract.Encryption{Engine: &engine, Conversion: &conversion}
}

// Why two paths of a volume are not compared: each reason has its own code and text, and the text
// says what to do.
func TestLayersOf(t *testing.T) {
	crypt := contract.Layer{Device: "/dev/mapper/data", Kind: "crypt", Below: ptr("/dev/nvme0n1p3"), OffsetBytes: ptr(uint64(16 << 20))}
	part := contract.Layer{Device: "/dev/nvme0n1p3", Kind: "partition", Below: ptr("/dev/nvme0n1"), OffsetBytes: ptr(uint64(1 << 30))}
	software := withEngine(contract.EngineSoftware, contract.FullyEncrypted)
	extent := contract.Extent{DiskID: "PhysicalDrive0", OffsetBytes: 290 << 20, LengthBytes: 100 << 30}
	id := `\\?\Volume{00000000-0000-4000-8000-000000000002}\`
	// windows is a volume of Windows that can be measured, but for what change does.
	windows := func(change func(*contract.Volume)) *contract.Volume {
		volume := &contract.Volume{ID: id, Extents: []contract.Extent{extent}, Encryption: software}
		if change != nil {
			change(volume)
		}
		return volume
	}
	linux, elevated := contract.Status{Machine: contract.Machine{Source: contract.SourceLinux}}, contract.Status{Machine: contract.Machine{Source: contract.SourceWindows, Elevated: ptr(true)}}
	standard := elevated
	standard.Machine.Elevated = ptr(false)
	onBus := func(bus contract.Bus) contract.Status {
		status := elevated
		status.Disks = []contract.Disk{{ID: "PhysicalDrive1"}, {ID: "PhysicalDrive0", Bus: &bus}}
		return status
	}
	encryption := func(e contract.Encryption) func(*contract.Volume) {
		return func(v *contract.Volume) { v.Encryption = e }
	}
	wiping := func(state contract.Wiping) func(*contract.Volume) {
		return func(v *contract.Volume) { v.Encryption.Wiping = &state }
	}
	whole := paths{id[:len(id)-1], `\\.\PhysicalDrive0`, 290 << 20}
	for _, test := range []struct {
		name   string
		status contract.Status
		volume *contract.Volume
		want   paths
		reason string
	}{
		{"LUKS on a partition", linux, &contract.Volume{Layers: []contract.Layer{crypt, part}},
			paths{"/dev/mapper/data", "/dev/nvme0n1p3", 16 << 20}, ""},
		{"LVM on LUKS: the layer that encrypts, not the topmost", linux, &contract.Volume{Layers: []contract.Layer{{Device: "/dev/mapper/vg-root", Kind: "lvm"}, crypt, part}},
			paths{"/dev/mapper/data", "/dev/nvme0n1p3", 16 << 20}, ""},
		{"BitLocker by cryptsetup: several runs", linux, &contract.Volume{Layers: []contract.Layer{{Device: "/dev/mapper/c", Kind: "crypt", Below: ptr("/dev/sda3")}}},
			paths{}, "layer-unknown"},
		{"known to be plain", linux, &contract.Volume{Layers: []contract.Layer{part}, Encryption: withEngine(contract.EngineNone, contract.FullyDecrypted)},
			paths{}, "not-encrypted"},
		{"nothing known of a volume without such a layer", linux, &contract.Volume{Layers: []contract.Layer{part}},
			paths{}, "layer-unknown"},
		{"no volume", linux, nil, paths{}, "volume-unknown"},
		{"Windows", elevated, windows(nil), whole, ""},
		{"Windows, on an NVMe disk", onBus(contract.BusNVMe), windows(nil), whole, ""},
		{"Windows, on a bus that is not told", elevated, windows(nil), whole, ""},
		{"Windows, the processor's own engine encrypts", elevated, windows(encryption(withEngine(contract.EngineSoC, contract.FullyEncrypted))), whole, ""},
		{"Windows, wiped", elevated, windows(wiping(contract.Wiped)), whole, ""},
		{"Windows, a wipe that was paused", elevated, windows(wiping(contract.WipePaused)), whole, ""},
		{"Windows, being wiped", elevated, windows(wiping(contract.WipeInProgress)), paths{}, "wiping-running"},
		{"Windows, two extents", elevated, windows(func(v *contract.Volume) { v.Extents = append(v.Extents, extent) }), paths{}, "several-extents"},
		{"Windows, extents unknown", elevated, windows(func(v *contract.Volume) { v.Extents = nil }), paths{}, "extents-unknown"},
		{"Windows, an extent that cannot be", elevated, windows(func(v *contract.Volume) {
			v.Extents = []contract.Extent{{DiskID: "PhysicalDrive0", OffsetBytes: 1 << 63}}
		}), paths{}, "extents-unknown"},
		{"Windows, Storage Spaces", onBus(contract.BusSpaces), windows(nil), paths{}, "storage-spaces"},
		{"Windows, a VHD", onBus(contract.BusFileBacked), windows(nil), paths{}, "virtual-disk"},
		{"Windows, decrypted", elevated, windows(encryption(withEngine(contract.EngineNone, contract.FullyDecrypted))), paths{}, "not-encrypted"},
		{"Windows, unknown", elevated, windows(encryption(contract.Encryption{})), paths{}, "engine-unknown"},
		{"Windows, unknown to a standard user (P2, B62)", standard, windows(encryption(contract.Encryption{})), paths{}, "needs-elevation"},
		{"Windows, a standard user", standard, windows(nil), paths{}, "needs-elevation"},
		{"Windows, a standard user's plain volume", standard, windows(encryption(withEngine(contract.EngineNone, contract.FullyDecrypted))), paths{}, "not-encrypted"},
		{"locked, and so nothing else is known (P69)", elevated, windows(encryption(contract.Encryption{Lock: ptr(contract.Locked)})), paths{}, "volume-locked"},
		{"the drive encrypts", elevated, windows(encryption(withEngine(contract.EngineDrive, contract.FullyEncrypted))), paths{}, "drive-encrypts"},
		{"being encrypted", elevated, windows(encryption(withEngine(contract.EngineSoftware, contract.EncryptionInProgress))), paths{}, "conversion-running"},
		{"being decrypted", elevated, windows(encryption(withEngine(contract.EngineSoftware, contract.DecryptionInProgress))), paths{}, "conversion-running"},
		{"encryption paused", elevated, windows(encryption(withEngine(contract.EngineSoftware, contract.EncryptionPaused))), paths{}, "conversion-paused"},
		{"decryption paused", elevated, windows(encryption(withEngine(contract.EngineSoftware, contract.DecryptionPaused))), paths{}, "conversion-paused"},
	} {
		got, reason := layersOf(test.status, test.volume)
		code := ""
		if reason != nil {
			code = reason.Code
			if len(reason.Text) < 60 || strings.Contains(reason.Text, "%!") {
				t.Errorf("%s: the text is %q", test.name, reason.Text)
			}
		}
		if got != test.want || code != test.reason {
			t.Errorf("%s: %+v, reason %q; want %+v, %q", test.name, got, code, test.want, test.reason)
		}
	}
}

// The control of an encrypted volume of Windows are plain volumes of the same disk, the largest
// first. On Linux no partition is one.
func TestPlainRegions(t *testing.T) {
	id := func(n int) string { return fmt.Sprintf(`\\?\Volume{00000000-0000-4000-8000-%012d}\`, n) }
	volume := func(n int, engine *contract.Engine, extents ...contract.Extent) contract.Volume {
		return contract.Volume{ID: id(n), Extents: extents, Encryption: contract.Encryption{Engine: engine}}
	}
	at := func(disk string, offset, length uint64) contract.Extent {
		return contract.Extent{DiskID: disk, OffsetBytes: offset << 20, LengthBytes: length << 20}
	}
	plain, software := ptr(contract.EngineNone), ptr(contract.EngineSoftware)
	status := contract.Status{
		Machine: contract.Machine{Source: contract.SourceWindows, Elevated: ptr(true)},
		Disks:   []contract.Disk{{ID: "PhysicalDrive0"}, {ID: "PhysicalDrive1"}},
		Volumes: []contract.Volume{
			volume(1, plain, at("PhysicalDrive0", 1, 100)),
			volume(2, software, at("PhysicalDrive0", 200, 100_000)),
			volume(3, plain, at("PhysicalDrive1", 1, 500_000)),
			volume(4, nil, at("PhysicalDrive0", 100_200, 900)),
			volume(5, plain, at("PhysicalDrive0", 101_100, 750)),
			volume(6, plain, at("PhysicalDrive0", 102_000, 1), at("PhysicalDrive0", 103_000, 1)),
			volume(7, software, at("PhysicalDrive0", 104_000, 50_000)),
		},
	}
	bare := func(n int) string { return strings.TrimSuffix(id(n), `\`) }
	want := []paths{
		{bare(5), `\\.\PhysicalDrive0`, 101_100 << 20},
		{bare(1), `\\.\PhysicalDrive0`, 1 << 20},
	}
	if got := plainRegions(status, &status.Volumes[1]); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := plainRegions(status, nil); got != nil {
		t.Errorf("of no volume: %+v", got)
	}
	status.Machine.Source = contract.SourceLinux
	if got := plainRegions(status, &status.Volumes[1]); got != nil {
		t.Errorf("on Linux: %+v", got)
	}
}

func TestUnrelated(t *testing.T) {
	volumes := []contract.Volume{
		{ID: "/dev/dm-0", Layers: []contract.Layer{{Device: "/dev/mapper/data", Below: ptr("/dev/sda3")}}, Extents: []contract.Extent{{DiskID: "/dev/sda"}}},
		{ID: "/dev/sdz1"},
	}
	// Links, as udev makes them.
	links := map[string]string{"/dev/disk/by-id/disk-part3": "/dev/sda3", "/dev/disk/by-id/other": "/dev/zram0", "/dev/disk/by-id/mapped": "/dev/dm-0"}
	names := func(path string) []string {
		if to, ok := links[path]; ok {
			return []string{path, to}
		}
		return []string{path}
	}
	for _, test := range []struct {
		upper, lower string
		related      bool
	}{
		{"/dev/mapper/data", "/dev/disk/by-id/disk-part3", true},
		{"/dev/disk/by-id/mapped", "/dev/sda3", true},
		{"/dev/disk/by-id/mapped", "/dev/disk/by-id/other", false},
		{"/dev/mapper/data", "/dev/sda3", true},
		{"/dev/dm-0", "/dev/sda", true},
		{"/dev/mapper/data", "/dev/mapper/data", true},
		{"/dev/mapper/data", "/dev/zram0", false},
		{"/dev/sdz1", "/dev/zram0", true},
		{"/mnt/view", "/image", true},
	} {
		if reason := unrelated(volumes, paths{upper: test.upper, lower: test.lower}, names); (reason == nil) != test.related {
			t.Errorf("%s over %s: %+v", test.upper, test.lower, reason)
		}
	}
}

// By hand, Windows' volumes and disks are named in several ways.
func TestUnrelatedOnWindows(t *testing.T) {
	volumes := []contract.Volume{{
		ID: `\\?\Volume{0A1B2C3D-0000-4000-8000-00000000000f}\`, MountPoints: []string{"C:", `D:\mnt`},
		Extents: []contract.Extent{{DiskID: "PhysicalDrive0"}},
	}}
	for _, test := range []struct {
		upper, lower string
		related      bool
	}{
		{`\\.\C:`, `\\.\PhysicalDrive0`, true},
		{`\\.\c:`, `\\.\PHYSICALDRIVE0`, true},
		{`\\?\Volume{0a1b2c3d-0000-4000-8000-00000000000f}`, `\\?\PhysicalDrive0`, true},
		{`\\.\C:`, `\\.\PhysicalDrive1`, false},
		{`\\?\Volume{0a1b2c3d-0000-4000-8000-00000000000f}`, `\\.\PhysicalDrive1`, false},
		{`\\.\C:`, `\\.\C:`, true},
		// Of another volume the system says nothing.
		{`\\.\E:`, `\\.\PhysicalDrive1`, true},
	} {
		if reason := unrelated(volumes, paths{upper: test.upper, lower: test.lower}, namesOf); (reason == nil) != test.related {
			t.Errorf("%s over %s: %+v", test.upper, test.lower, reason)
		}
	}
}

func TestFindVolume(t *testing.T) {
	volumes := []contract.Volume{
		{ID: "/dev/sda1", MountPoints: []string{"/"}},
		{ID: "/dev/sda2", MountPoints: []string{"/home"}},
		{ID: "/dev/dm-0", MountPoints: []string{"/home/anna/disk"}, Layers: []contract.Layer{{Device: "/dev/mapper/data"}}},
		{ID: `\\?\Volume{0a1b2c3d-0000-4000-8000-000000000001}\`, MountPoints: []string{"C:", `D:\mnt`}},
		{ID: `\\?\Volume{0a1b2c3d-0000-4000-8000-000000000002}\`, MountPoints: []string{"D:"}},
		{ID: `\\?\Volume{0a1b2c3d-0000-4000-8000-000000000003}\`},
	}
	const one, two, three = `\\?\Volume{0a1b2c3d-0000-4000-8000-000000000001}\`, `\\?\Volume{0a1b2c3d-0000-4000-8000-000000000002}\`, `\\?\Volume{0a1b2c3d-0000-4000-8000-000000000003}\`
	for _, test := range []struct{ device, path, want string }{
		{"/dev/sda2", "/anywhere", "/dev/sda2"},
		{"/dev/mapper/data", "", "/dev/dm-0"},
		{"", "/home/bob/x", "/dev/sda2"},
		{"", "/homework", "/dev/sda1"},
		{"", "/HOME/bob", "/dev/sda1"},
		{"", "/home/anna/disk", "/dev/dm-0"},
		{"", `c:\temp`, one},
		{"", `D:\`, two},
		{"", `d:\MNT\folder`, one},
		{"", `D:\mntx`, two},
		{"", `E:\`, ""},
		// Windows names the volume that a folder is on, without the separator that the id has; what
		// the path looks like does not matter then: a mount folder, a link, a drive made by subst.
		{`\\?\Volume{0a1b2c3d-0000-4000-8000-000000000003}`, `C:\links\there`, three},
		{`\\?\VOLUME{0A1B2C3D-0000-4000-8000-000000000003}`, "", three},
		{`\\.\C:`, "", one},
		{`\\.\d:`, "", two},
		{`\\.\E:`, "", ""},
		// A volume that the facts do not have is none that is mounted above its folder.
		{`\\?\Volume{0a1b2c3d-0000-4000-8000-000000000009}`, `C:\mnt\new`, ""},
		{`\\.\PhysicalDrive0`, "", ""},
	} {
		got := ""
		if volume := findVolume(volumes, test.device, test.path); volume != nil {
			got = volume.ID
		}
		if got != test.want {
			t.Errorf("%q, %q: %q, want %q", test.device, test.path, got, test.want)
		}
	}
}

// Case P41: the disk of a path is the one that was named.
func TestFindDisk(t *testing.T) {
	disks := []contract.Disk{{ID: "PhysicalDrive1"}, {ID: "PhysicalDrive10"}, {ID: "/dev/sda"}}
	for id, want := range map[string]string{
		"PhysicalDrive1": "PhysicalDrive1", `\\.\PHYSICALDRIVE10`: "PhysicalDrive10", "/dev/sda": "/dev/sda",
		`\\.\PhysicalDrive`: "", `\\.\PhysicalDrive2`: "", "": "", `\\.\C:`: "",
	} {
		got := ""
		if disk := findDisk(disks, id); disk != nil {
			got = disk.ID
		}
		if got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

// Case P39: a volume on several disks has no single one.
func TestDiskOf(t *testing.T) {
	if got := diskOf(contract.Volume{Extents: []contract.Extent{{DiskID: "a"}, {DiskID: "a"}}}); got != "a" {
		t.Errorf("%q", got)
	}
	if got := diskOf(contract.Volume{Extents: []contract.Extent{{DiskID: "a"}, {DiskID: "b"}}}); got != "" {
		t.Errorf("%q", got)
	}
}
