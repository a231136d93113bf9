package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"diskaudit/core/bitlocker/ondisk/ondisktest"
	"diskaudit/core/contract"
	"diskaudit/core/disk/disktest"
	"diskaudit/tests/require"
)

// withoutRights runs the program as a user who owns nothing, and returns its status document.
func withoutRights(t *testing.T, wantExit int, args ...string) contract.Status {
	t.Helper()
	stdout, exit := asNobody(t, args...)
	if exit != wantExit && wantExit >= 0 {
		t.Fatalf("%q: exit %d, want %d: %s", args, exit, wantExit, stdout)
	}
	if err := contract.Validate(contract.KindStatus, stdout); err != nil {
		t.Fatal(err)
	}
	var document contract.Status
	if err := json.Unmarshal(stdout, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// asNobody runs the program as a user who owns nothing, and returns what it wrote and its exit code.
func asNobody(t *testing.T, args ...string) ([]byte, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test's own folders are closed to others.
	dir, err := os.MkdirTemp("", "diskaudit")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "diskaudit")
	if err := os.WriteFile(program, data, 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, args...)
	command.Dir = dir
	if os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	var stdout bytes.Buffer
	command.Stdout = &stdout
	err = command.Run()
	exit := 0
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		exit = failed.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return stdout.Bytes(), exit
}

func TestImageWithoutRights(t *testing.T) {
	dir, err := os.MkdirTemp("", "images")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	closed, open := filepath.Join(dir, "closed.img"), filepath.Join(dir, "open.img")
	for path, mode := range map[string]os.FileMode{closed: 0, open: 0o644} {
		spec := ondisktest.Default()
		if err := disktest.From(ondisktest.Build(spec), spec.SizeBytes).WriteFile(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	document := withoutRights(t, 1, "status", "--image", closed)
	if !hasCode(document.Problems, "access-denied") || !strings.Contains(document.Problems[1].Text, closed) {
		t.Errorf("problems %+v", document.Problems)
	}
	document = withoutRights(t, 3, "status", "--image", closed, "--image", open)
	if len(document.Volumes) != 1 || !hasCode(document.Problems, "access-denied") {
		t.Errorf("the other image is missing: %+v", document)
	}
}

// Every block device that may not be read is named, and none is called decrypted unless a
// mounted file system proves it.
func TestComputerWithoutRights(t *testing.T) {
	document := withoutRights(t, -1, "status")
	if len(document.Disks) == 0 && len(document.Volumes) == 0 {
		require.Missing(t, "block-device", "this computer shows none in /sys/block")
	}
	for _, volume := range document.Volumes {
		if !hasCode(volume.Problems, "needs-elevation") && !hasCode(volume.Problems, "no-medium") && !hasCode(volume.Problems, "device-vanished") {
			t.Errorf("%s: no word on rights: %+v", volume.ID, volume.Problems)
		}
		if volume.Encryption.Conversion != nil && len(volume.MountPoints) == 0 {
			t.Errorf("%s: a state without having read it: %v", volume.ID, volume.Encryption.Conversion)
		}
	}
	if document.Complete {
		t.Error("complete although nothing could be read")
	}
}
