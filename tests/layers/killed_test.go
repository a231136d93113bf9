//go:build linux

package layers_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diskaudit/tests/layers"
)

// child is set in the process that TestKilled starts and kills.
const child = "DISKAUDIT_LAYERS_CHILD"

// A test's process that is killed, or that exits in the middle, leaves nothing: no mount, no
// device, no process.
func TestKilled(t *testing.T) {
	if os.Getenv(child) != "" {
		holdEverything(t)
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^TestKilled$", "-test.v")
	command.Env = append(os.Environ(), child+"=1")
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	lines := bufio.NewScanner(output)
	for made["ready"] == "" && lines.Scan() {
		if strings.Contains(lines.Text(), "SKIP") || strings.Contains(lines.Text(), "FAIL") {
			command.Wait() //nolint:errcheck // Why it ended is in what it printed.
			t.Skipf("nothing could be made: %s", lines.Text())
		}
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			made[name] = value
		}
	}
	if made["ready"] == "" {
		t.Fatalf("the other process ended early: %v", command.Wait())
	}
	disk, err := os.Lstat("/sys/block/" + filepath.Base(made["disk"]))
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	command.Wait() //nolint:errcheck // It was killed.
	var left []string
	for range 300 {
		left = nil
		for _, mount := range []string{made["views"], made["root"]} {
			if lineOf(mounts(t), mount) != "" {
				left = append(left, mount)
			}
		}
		// Another test's disk may have the name by now.
		if now, err := os.Lstat("/sys/block/" + filepath.Base(made["disk"])); err == nil && os.SameFile(now, disk) {
			left = append(left, made["disk"])
		}
		if used, err := os.ReadFile("/sys/block/" + filepath.Base(made["loop"]) + "/loop/backing_file"); err == nil && strings.TrimSpace(string(used)) == made["disk"] {
			left = append(left, made["loop"])
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("still there: %s", strings.Join(left, ", "))
}

func holdEverything(t *testing.T) {
	t.Helper()
	disk := layers.RAMDisk(t, 64<<20)
	loop := layers.Loop(t, disk, 0)
	root := layers.FileSystem(t, loop, "ext4")
	views := layers.Mount(t, disk, layers.Options{})
	fmt.Printf("\ndisk=%s\nloop=%s\nroot=%s\nviews=%s\nready=1\n", disk, loop, root, views.Path)
	// Until it is killed; or, should the other process end, until then.
	io.Copy(io.Discard, os.Stdin) //nolint:errcheck // Either way it is over.
}
