package bench

import (
	"testing"

	"diskaudit/core/contract"
)

func ptr[T any](v T) *T { return &v }

func withEngine(engine contract.Engine, conversion contract.Conversion) contract.Encryption {
	return contract.Encryption{Engine: &engine, Conversion: &conversion}
}

func TestLayersOf(t *testing.T) {
	crypt := contract.Layer{Device: "/dev/mapper/data", Kind: "crypt", Below: ptr("/dev/nvme0n1p3"), OffsetBytes: ptr(uint64(16 << 20))}
	part := contract.Layer{Device: "/dev/nvme0n1p3", Kind: "partition", Below: ptr("/dev/nvme0n1"), OffsetBytes: ptr(uint64(1 << 30))}
	software := withEngine(contract.EngineSoftware, contract.FullyEncrypted)
	extent := contract.Extent{DiskID: "PhysicalDrive0", OffsetBytes: 290 << 20, LengthBytes: 100 << 30}
	id := `\\?\Volume{00000000-0000-4000-8000-000000000002}\`
	for _, test := range []struct {
		name   string
		source contract.Source
		volume *contract.Volume
		want   paths
		reason string
	}{
		{"LUKS on a partition", contract.SourceLinux, &contract.Volume{Layers: []contract.Layer{crypt, part}},
			paths{"/dev/mapper/data", "/dev/nvme0n1p3", 16 << 20}, ""},
		{"LVM on LUKS: the layer that encrypts, not the topmost", contract.SourceLinux, &contract.Volume{Layers: []contract.Layer{{Device: "/dev/mapper/vg-root", Kind: "lvm"}, crypt, part}},
			paths{"/dev/mapper/data", "/dev/nvme0n1p3", 16 << 20}, ""},
		{"BitLocker by cryptsetup: several runs", contract.SourceLinux, &contract.Volume{Layers: []contract.Layer{{Device: "/dev/mapper/c", Kind: "crypt", Below: ptr("/dev/sda3")}}},
			paths{}, "layer-unknown"},
		{"known to be plain", contract.SourceLinux, &contract.Volume{Layers: []contract.Layer{part}, Encryption: withEngine(contract.EngineNone, contract.FullyDecrypted)},
			paths{}, "not-encrypted"},
		{"nothing known of a volume without such a layer", contract.SourceLinux, &contract.Volume{Layers: []contract.Layer{part}},
			paths{}, "layer-unknown"},
		{"no volume", contract.SourceLinux, nil, paths{}, "volume-unknown"},
		{"Windows", contract.SourceWindows, &contract.Volume{ID: id, Extents: []contract.Extent{extent}, Encryption: software},
			paths{id[:len(id)-1], `\\.\PhysicalDrive0`, 290 << 20}, ""},
		{"Windows, two extents", contract.SourceWindows, &contract.Volume{ID: id, Extents: []contract.Extent{extent, extent}, Encryption: software},
			paths{}, "several-extents"},
		{"Windows, extents unknown", contract.SourceWindows, &contract.Volume{ID: id, Encryption: software}, paths{}, "several-extents"},
		{"Windows, decrypted", contract.SourceWindows, &contract.Volume{ID: id, Extents: []contract.Extent{extent}, Encryption: withEngine(contract.EngineNone, contract.FullyDecrypted)},
			paths{}, "not-encrypted"},
		{"Windows, unknown", contract.SourceWindows, &contract.Volume{ID: id, Extents: []contract.Extent{extent}}, paths{}, "layer-unknown"},
		{"the drive encrypts", contract.SourceWindows, &contract.Volume{ID: id, Extents: []contract.Extent{extent}, Encryption: withEngine(contract.EngineDrive, contract.FullyEncrypted)},
			paths{}, "drive-encrypts"},
		{"being encrypted", contract.SourceWindows, &contract.Volume{ID: id, Extents: []contract.Extent{extent}, Encryption: withEngine(contract.EngineSoftware, contract.EncryptionInProgress)},
			paths{}, "conversion-running"},
		{"decryption paused", contract.SourceWindows, &contract.Volume{ID: id, Extents: []contract.Extent{extent}, Encryption: withEngine(contract.EngineSoftware, contract.DecryptionPaused)},
			paths{}, "conversion-running"},
	} {
		got, reason := layersOf(test.source, test.volume)
		code := ""
		if reason != nil {
			code = reason.Code
		}
		if got != test.want || code != test.reason {
			t.Errorf("%s: %+v, reason %q; want %+v, %q", test.name, got, code, test.want, test.reason)
		}
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

func TestFindVolume(t *testing.T) {
	volumes := []contract.Volume{
		{ID: "/dev/sda1", MountPoints: []string{"/"}},
		{ID: "/dev/sda2", MountPoints: []string{"/home"}},
		{ID: "/dev/dm-0", MountPoints: []string{"/home/anna/disk"}, Layers: []contract.Layer{{Device: "/dev/mapper/data"}}},
		{ID: `\\?\Volume{1}\`, MountPoints: []string{"C:", `C:\data`}},
		{ID: `\\?\Volume{2}\`, MountPoints: []string{"D:"}},
	}
	for _, test := range []struct{ device, path, want string }{
		{"/dev/sda2", "/anywhere", "/dev/sda2"},
		{"/dev/mapper/data", "", "/dev/dm-0"},
		{"", "/home/bob/x", "/dev/sda2"},
		{"", "/homework", "/dev/sda1"},
		{"", "/home/anna/disk", "/dev/dm-0"},
		{"", `c:\temp`, `\\?\Volume{1}\`},
		{"", `D:\`, `\\?\Volume{2}\`},
		{"", `E:\`, ""},
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

// Case P39: a volume on several disks has no single one.
func TestDiskOf(t *testing.T) {
	if got := diskOf(contract.Volume{Extents: []contract.Extent{{DiskID: "a"}, {DiskID: "a"}}}); got != "a" {
		t.Errorf("%q", got)
	}
	if got := diskOf(contract.Volume{Extents: []contract.Extent{{DiskID: "a"}, {DiskID: "b"}}}); got != "" {
		t.Errorf("%q", got)
	}
}
