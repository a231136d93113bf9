package target

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// A drive is measured with a file in its root or, where that is not allowed, in the folder for
// temporary files.
func TestDrive(t *testing.T) {
	drive := filepath.VolumeName(os.TempDir())
	for _, path := range []string{drive, drive + `\`, strings.ToLower(drive)} {
		opened := mustOpen(t, asking(path))
		if opened.Kind != contract.TargetFile || !strings.HasPrefix(opened.Path, drive+`\`) || opened.FileSystem == nil {
			t.Errorf("%s: a %s at %s on %v", path, opened.Kind, opened.Path, opened.FileSystem)
		}
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(opened.Path); err == nil {
			t.Errorf("left behind: %s", opened.Path)
		}
	}
}

func TestMissingDrive(t *testing.T) {
	for letter := 'Y'; letter > 'C'; letter-- {
		drive := string(letter) + `:\`
		if _, err := os.Stat(drive); err != nil {
			_, err := Open(t.Context(), asking(drive))
			wantRefusal(t, err, "not-found", drive)
			return
		}
	}
	t.Skip("needs a drive letter that is free")
}

func TestRawDevice(t *testing.T) {
	device := os.Getenv(rawDevice)
	if device == "" {
		t.Skipf("needs a device to read, named by %s", rawDevice)
	}
	r := asking(device)
	opened := mustOpen(t, r)
	if opened.Kind != contract.TargetDevice || opened.Device != device || opened.Facts.WholeBytes == nil {
		t.Fatalf("a %s on %s", opened.Kind, opened.Device)
	}
	again, err := reopenToRead(opened.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	first, second := aligned(4096, 4096), make([]byte, 4096)
	if _, err := again.ReadAt(first, 8192); err != nil {
		t.Error(err)
	}
	if _, err := opened.file.ReadAt(aligned(4096, 4096), opened.SizeBytes-4096); err != nil {
		t.Error(err)
	}
	if bytes.Equal(first, second) {
		t.Error("only zeros were read")
	}
	r.Writes = true
	_, err = Open(t.Context(), r)
	wantRefusal(t, err, "is-written-to", device, "destroy")
}

func TestDevicesThatAreMissing(t *testing.T) {
	_, err := Open(t.Context(), asking(`\\.\PhysicalDrive999`))
	wantRefusal(t, err, "not-found", "PhysicalDrive999")
}
