//go:build linux

package layers

import (
	"os"
	"os/exec"
	"testing"

	"diskaudit/tests/layers/held"
	"diskaudit/tests/require"
)

// RAMDisk makes a block device of size bytes in memory, full of random bytes that are the same in
// every run, and returns its path. It needs root and the kernel's zram.
func RAMDisk(t testing.TB, size int64) string {
	t.Helper()
	requireRoot(t)
	if _, err := os.Stat(held.RAMDiskControl); err != nil {
		require.Missing(t, "zram", err.Error())
	}
	disk, err := held.RAMDisk(size, 1)
	return keep(t, disk, err)
}

// Loop makes a loop device over a file or device, from offset on, with direct I/O, and returns its
// path. It needs root.
func Loop(t testing.TB, path string, offset int64) string {
	t.Helper()
	requireRoot(t)
	requireTool(t, "losetup")
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		require.Missing(t, "loop", err.Error())
	}
	loop, err := held.Loop(path, offset)
	return keep(t, loop, err)
}

// FileSystem makes a file system ("ext4", "btrfs", "xfs" or "tmpfs") on a device, mounts it with
// the given mount options and returns the folder. The content of the device is lost; "tmpfs" uses
// none. It needs root.
func FileSystem(t testing.TB, device, kind string, options ...string) string {
	t.Helper()
	formatter, err := held.Formatter(kind)
	if err != nil {
		t.Fatal(err)
	}
	requireRoot(t)
	if formatter != "" {
		requireTool(t, formatter)
	}
	folder, err := held.FileSystem(device, kind, options...)
	return keep(t, folder, err)
}

// Dislocker opens a BitLocker volume (an image or a device) by its password and returns the path
// of the decrypted volume, which can only be read.
func Dislocker(t testing.TB, image, password string) string {
	t.Helper()
	requireRoot(t)
	requireFUSE(t)
	requireTool(t, "dislocker-fuse")
	plain, err := held.Dislocker(image, password, false)
	return keep(t, plain, err)
}

// keep returns a thing's path and takes the thing away at the end of the test.
func keep(t testing.TB, thing *held.Thing, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := thing.Release(); err != nil {
			t.Error(err)
		}
	})
	return thing.Path
}

func requireRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		require.Missing(t, "root", "the test makes devices and mounts, and runs as another user")
	}
}

// requireTool looks for an executable also where administrators' tools live, as held does.
func requireTool(t testing.TB, name string) {
	t.Helper()
	for _, folder := range []string{"/usr/sbin/", "/sbin/"} {
		if _, err := exec.LookPath(folder + name); err == nil {
			return
		}
	}
	require.Tool(t, name)
}
