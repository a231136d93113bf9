package target

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"diskaudit/tests/require"
)

// needRoot skips without the rights to make devices and to mount.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		require.Missing(t, "root", "it makes devices and mounts them")
	}
}

// command runs a program and returns what it prints.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(require.Tool(t, name), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// loopDevice makes a block device of a file.
func loopDevice(t *testing.T, file string) string {
	t.Helper()
	needRoot(t)
	out, err := exec.Command(require.Tool(t, "losetup"), "-f", "--show", file).CombinedOutput()
	if err != nil {
		require.Missing(t, "loop", "losetup says: "+string(out))
	}
	device := strings.TrimSpace(string(out))
	t.Cleanup(func() { command(t, "losetup", "-d", device) })
	return device
}

// image makes a file full of holes for a file system.
func image(t *testing.T, dir string, size int64) string {
	t.Helper()
	path := filepath.Join(dir, "image")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	return path
}

// mounted makes a file system on a device and mounts it.
func mounted(t *testing.T, kind, device, options string) string {
	t.Helper()
	force := map[string]string{"ext4": "-F"}[kind]
	if force == "" {
		force = "-f"
	}
	command(t, "mkfs."+kind, "-q", force, device)
	return mountAt(t, kind, device, options)
}

func mountAt(t *testing.T, kind, device, options string) string {
	t.Helper()
	point := filepath.Join(testFolder(t), "mount")
	if err := os.Mkdir(point, 0o755); err != nil {
		t.Fatal(err)
	}
	switch err := unix.Mount(device, point, kind, 0, options); err {
	case nil:
	case unix.ENODEV, unix.EPERM:
		require.Missing(t, kind, "mounting it says: "+err.Error())
	default:
		t.Fatalf("mounting %s as %s: %v", device, kind, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(point, 0); err != nil {
			t.Errorf("unmounting %s: %v", point, err)
		}
	})
	return point
}

// ramDisk makes a zram device of that size.
func ramDisk(t *testing.T, size string) string {
	t.Helper()
	needRoot(t)
	number, err := os.ReadFile("/sys/class/zram-control/hot_add")
	if err != nil {
		require.Missing(t, "zram", err.Error())
	}
	name := "zram" + strings.TrimSpace(string(number))
	t.Cleanup(func() {
		if err := os.WriteFile("/sys/class/zram-control/hot_remove", number, 0); err != nil {
			t.Errorf("removing %s: %v", name, err)
		}
	})
	if err := os.WriteFile("/sys/block/"+name+"/disksize", []byte(size), 0); err != nil {
		t.Fatal(err)
	}
	return "/dev/" + name
}
