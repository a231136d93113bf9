package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"diskaudit/tests/require"
)

// joinEnvironment names the control group that a task is to join.
const joinEnvironment = "DISKAUDIT_TARGET_TEST_GROUP"

// prepareSlowly makes a file on a disk that writes 1 MiB per second, once with a minimum that it
// can reach and once with one that it cannot.
func prepareSlowly(path string) error {
	group := filepath.Join(os.Getenv(joinEnvironment), "cgroup.procs")
	if err := os.WriteFile(group, fmt.Appendln(nil, os.Getpid()), 0); err != nil {
		return err
	}
	r := asking(path)
	r.SizeBytes, r.MinBytes, r.PrepareFor = 48<<20, 1<<20, 2*time.Second
	opened, err := Open(context.Background(), r)
	if err != nil {
		return err
	}
	fmt.Printf("%d of %d bytes, %d of %d blocks wrong\n", opened.SizeBytes, r.SizeBytes, opened.Proof.WrongBlocks, opened.Proof.SampledBlocks)
	if opened.SizeBytes == r.SizeBytes || opened.SizeBytes < r.MinBytes || opened.SizeBytes%chunk != 0 || opened.Proof.WrongBlocks > 0 {
		return errors.New("that is not what was asked for")
	}
	if err := opened.Close(); err != nil {
		return err
	}
	r.MinBytes, r.PrepareFor = r.SizeBytes, 500*time.Millisecond
	opened, err = Open(context.Background(), r)
	if err == nil {
		return errors.Join(errors.New("too much was written in too little time"), opened.Close())
	}
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Code != "too-slow" {
		return err
	}
	fmt.Println(refusal.Text)
	return nil
}

// On a slow disk the file stays as long as it got.
func TestSlowDisk(t *testing.T) {
	device := loopDevice(t, image(t, testFolder(t), 128<<20))
	point := mounted(t, "ext4", device, "")
	cmd := child(t, "prepare slowly", point)
	cmd.Env = append(cmd.Env, joinEnvironment+"="+throttled(t, device))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s", out)
	if left := names(t, point); len(left) != 1 || left[0] != "lost+found" {
		t.Errorf("left behind: %v", left)
	}
}

// throttled makes a control group that writes 1 MiB per second to a device.
// Source: Documentation/admin-guide/cgroup-v1/blkio-controller.rst and cgroup-v2.rst of the kernel.
func throttled(t *testing.T, device string) string {
	t.Helper()
	var stat unix.Stat_t
	if err := unix.Stat(device, &stat); err != nil {
		t.Fatal(err)
	}
	number := numberOf(stat.Rdev).String()
	for _, c := range []struct{ root, file, rule string }{
		{"/sys/fs/cgroup/blkio", "blkio.throttle.write_bps_device", number + " 1048576"},
		{"/sys/fs/cgroup", "io.max", number + " wbps=1048576"},
	} {
		group := filepath.Join(c.root, fmt.Sprintf("diskaudit-test-%d", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			if err := os.Remove(group); err != nil {
				t.Errorf("removing the control group: %v", err)
			}
		})
		if os.WriteFile(filepath.Join(group, c.file), []byte(c.rule), 0) == nil {
			return group
		}
	}
	require.Missing(t, "io-throttling", "no control group limits writes to "+device)
	return ""
}
