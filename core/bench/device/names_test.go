package device

import "testing"

func TestNames(t *testing.T) {
	const guid = `{0a1b2c3d-0000-4000-8000-00000000000f}`
	for _, c := range []struct {
		path, root string
		disk       bool
	}{
		{`\\.\C:`, `C:\`, false},
		{`\\?\c:`, `c:\`, false},
		{`\\?\Volume` + guid, `\\?\Volume` + guid + `\`, false},
		{`\\.\volume` + guid, `\\?\volume` + guid + `\`, false},
		// With the separator it is the root folder, which is no device.
		{`\\?\Volume` + guid + `\`, "", false},
		{`\\.\C:\`, "", false},
		{`\\.\PhysicalDrive0`, "", true},
		{`\\?\physicaldrive12`, "", true},
		{`\\.\HarddiskVolume3`, "", true},
		{`\\.\Harddisk0Partition2`, "", true},
		{`C:`, "", false},
		{`C:\file`, "", false},
		{`\\server\share\disk.img`, "", false},
		{`\\.\PhysicalDrive`, "", false},
		{`/dev/sda`, "", false},
	} {
		if root, disk := rootOf(c.path), isDisk(c.path); root != c.root || disk != c.disk {
			t.Errorf("%s: root %q, a disk %v", c.path, root, disk)
		}
	}
}

// The end of a volume, which is not read, is more than what a file system leaves of it: less than
// a cluster, of 2 MiB at most.
func TestReadable(t *testing.T) {
	for size, want := range map[int64]int64{100 << 30: 100<<30 - 4<<20, 100 << 20: 96 << 20, 16 << 20: 15 << 20, 0: 0} {
		if got := readableOf(size); got != want {
			t.Errorf("of %d bytes %d are readable, want %d", size, got, want)
		}
	}
}
