package linux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/tests/require"
)

// The computer that runs the test: what it is, nobody knows beforehand, but some answers have a
// second source.
func TestThisComputer(t *testing.T) {
	status := machine.Collect(t.Context(), New(Options{Probe: markProbe}), nil)
	if document, err := contract.Encode(status); err != nil {
		t.Error(err)
	} else {
		t.Logf("%s", document)
	}
	if status.Machine.Source != contract.SourceLinux || status.Machine.ComputerName != nil {
		t.Errorf("source %s, computer name %s", status.Machine.Source, show(status.Machine.ComputerName))
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		t.Fatal(err)
	}
	if release := unix.ByteSliceToString(name.Release[:]); show(status.Machine.Build) != release {
		t.Errorf("build %s, uname says %s", show(status.Machine.Build), release)
	}
	if elevated := os.Geteuid() == 0; show(status.Machine.Elevated) != fmt.Sprint(elevated) {
		t.Errorf("elevated %s, want %t", show(status.Machine.Elevated), elevated)
	}
	for _, volume := range status.Volumes {
		// Loops come and go while other tests run.
		if len(volume.Problems) > 0 || volume.Layers[len(volume.Layers)-1].Kind != kindDisk {
			continue
		}
		file, err := os.Open(volume.ID)
		if err != nil {
			t.Errorf("%s was read without a problem, and then: %v", volume.ID, err)
			continue
		}
		if size, err := file.Seek(0, io.SeekEnd); err != nil || show(volume.SizeBytes) != fmt.Sprint(size) {
			t.Errorf("size of %s: %s, seeking to its end gives %d, %v", volume.ID, show(volume.SizeBytes), size, err)
		}
		file.Close()
	}
}

// A loop over a part of a file is a volume with the file below it, and the Probe reads its bytes.
func TestLoop(t *testing.T) {
	losetup := require.Tool(t, "losetup")
	if os.Geteuid() != 0 {
		require.Missing(t, "root", "only root may set up a loop")
	}
	const offset, size = 1 << 20, 4 << 20
	file := filepath.Join(t.TempDir(), "volume.img")
	image := make([]byte, offset+size)
	copy(image[offset+3:], bitLockerMark)
	if err := os.WriteFile(file, image, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(losetup, "--find", "--show", "--read-only", "--offset", fmt.Sprint(offset), file).CombinedOutput()
	if err != nil {
		require.Missing(t, "loop devices", fmt.Sprintf("losetup failed: %v: %s", err, out))
	}
	loop := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command(losetup, "--detach", loop).CombinedOutput(); err != nil {
			t.Errorf("detaching %s: %v: %s", loop, err, out)
		}
	})
	status := machine.Collect(t.Context(), New(Options{Probe: markProbe}), nil)
	volume := volumeByID(t, status, loop)
	if format := show(volume.Encryption.Format); format != "bitlocker" {
		t.Errorf("format %s, want bitlocker; problems %v", format, volume.Problems)
	}
	if got, want := layersText(volume.Layers), fmt.Sprintf("%s loop %s %d", loop, file, offset); got != want {
		t.Errorf("layers %s, want %s", got, want)
	}
	if show(volume.SizeBytes) != fmt.Sprint(size) {
		t.Errorf("size %s, want %d", show(volume.SizeBytes), size)
	}
}

// Another root with ordinary files for devices: what the Root option is for.
func TestRoot(t *testing.T) {
	root := t.TempDir()
	for name, file := range recorded(t, "guest") {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case file.Mode.IsDir():
			err = os.MkdirAll(path, 0o755)
		case file.Mode.IsRegular():
			err = os.WriteFile(path, file.Data, 0o600)
		default:
			err = os.Symlink(string(file.Data), path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "dev"), 0o755); err != nil {
		t.Fatal(err)
	}
	first := bytes.Repeat([]byte{0}, 4096)
	copy(first[3:], bitLockerMark)
	if err := os.WriteFile(filepath.Join(root, "dev", "vda"), first, 0o600); err != nil {
		t.Fatal(err)
	}
	status := machine.Collect(context.Background(), New(Options{Probe: markProbe, Root: root}), nil)
	if format := show(volumeByID(t, status, "/dev/vda").Encryption.Format); format != "bitlocker" {
		t.Errorf("format %s, want bitlocker", format)
	}
	problem(t, ofStage(status.Problems, machine.StageVolumes), "device-vanished", "/dev/sda2")
}

// A stray "dd" leaves an ordinary file where a node was missing; it is not the device.
func TestOrdinaryFileIsNoDevice(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "sda"), make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (systemCalls{root: root}).open("sda", "8:0"); !errors.Is(err, errNotBlock) {
		t.Errorf("opening an ordinary file: %v", err)
	}
	if _, err := (systemCalls{root: root}).open("sdb", "8:16"); !os.IsNotExist(err) {
		t.Errorf("opening nothing: %v", err)
	}
}
