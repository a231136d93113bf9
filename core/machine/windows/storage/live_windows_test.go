package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/registry"
)

// These run on any Windows; those about Wine's own answers only where the test that starts Wine
// says so.
func underWine(t *testing.T) {
	t.Helper()
	if os.Getenv(wineVariable) == "" {
		t.Skip("expects what Wine answers")
	}
}

func TestLiveVolumes(t *testing.T) {
	volumes, problems := New(Live(), registry.Live()).Volumes(context.Background())
	for _, problem := range problems {
		t.Logf("problem %+v", problem)
	}
	found := false
	for _, v := range volumes {
		t.Logf("volume %s %v label %s fs %s cluster %s size %s free %s extents %v problems %v", v.ID, v.MountPoints,
			show(v.Label), show(v.FileSystem), show(v.ClusterBytes), show(v.SizeBytes), show(v.FreeBytes), v.Extents, v.Problems)
		if !slices.Contains(v.MountPoints, "C:") {
			continue
		}
		found = true
		if v.FileSystem == nil || v.FreeBytes == nil || v.ClusterBytes == nil || *v.ClusterBytes == 0 {
			t.Errorf("C: file system %s, clusters %s, free %s: want all known", show(v.FileSystem), show(v.ClusterBytes), show(v.FreeBytes))
		}
		if v.SizeBytes == nil || *v.SizeBytes < *v.FreeBytes {
			t.Errorf("C: has %s bytes, of which %s are free", show(v.SizeBytes), show(v.FreeBytes))
		}
		if v.FileSystemDirty == nil && !hasCode(v.Problems, "file-system-state-unknown") && !hasCode(v.Problems, CodeNeedsElevation) {
			t.Errorf("whether the file system of C: is sound is not known, and nothing says why: %v", v.Problems)
		}
		if len(v.Extents) == 0 && os.Getenv(wineVariable) == "" {
			t.Errorf("C: lies nowhere: %v", v.Problems)
		}
	}
	if !found {
		t.Error("no volume is mounted at C:")
	}
}

func TestLiveVolumesUnderWine(t *testing.T) {
	underWine(t)
	volumes, _ := New(Live(), registry.Live()).Volumes(context.Background())
	for letter, id := range map[string]string{
		"C:": `\\?\Volume{00000000-0000-0000-0000-000000000043}\`,
		"Z:": `\\?\Volume{00000000-0000-0000-0000-00000000005a}\`,
	} {
		index := slices.IndexFunc(volumes, func(v contract.Volume) bool { return v.ID == id })
		if index < 0 {
			t.Errorf("no volume %s for %s", id, letter)
			continue
		}
		if points := volumes[index].MountPoints; !slices.Contains(points, letter) {
			t.Errorf("%s is mounted at %v, want %s", id, points, letter)
		}
	}
}

func TestLiveDisks(t *testing.T) {
	report := machine.NewReport(nil)
	New(Live(), registry.Live()).Disks(context.Background(), report, true)
	status := report.Close()
	for _, d := range status.Disks {
		t.Logf("disk %+v bus %s nvme %s model %s media %s size %s", d.ID, show(d.Bus), show(d.NVMe), show(d.Model), show(d.Media), show(d.SizeBytes))
	}
	for _, p := range status.Problems {
		t.Logf("problem %s %s %s: %s", p.Level, p.Code, p.Target, p.Text)
		if p.Code == "internal-error" {
			t.Errorf("a fault: %s", p.Text)
		}
	}
}

// The test that starts Wine makes PhysicalDrive0 a file in which each 8 bytes hold their place.
func TestLiveOpenDisk(t *testing.T) {
	underWine(t)
	disk, size, err := New(Live(), registry.Live()).OpenDisk("PhysicalDrive0")
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	if size != wineDiskBytes {
		t.Errorf("%d bytes, want %d", size, wineDiskBytes)
	}
	for _, offset := range []int64{0, 1, 511, 512, 4095, 1<<20 - 3, wineDiskBytes - 700} {
		got := make([]byte, 700)
		if n, err := disk.ReadAt(got, offset); n != len(got) || err != nil && !errors.Is(err, io.EOF) {
			t.Fatalf("reading at %d: %d bytes, %v", offset, n, err)
		}
		if want := wineDisk()[offset : offset+700]; !bytes.Equal(got, want) {
			t.Errorf("at %d other bytes than are there", offset)
		}
	}
}

func TestLiveOpenMissing(t *testing.T) {
	_, _, err := New(Live(), registry.Live()).OpenDisk("PhysicalDrive77")
	if err == nil || !strings.Contains(err.Error(), "PhysicalDrive77") {
		t.Errorf("a disk that is not there: %v", err)
	}
}

// The root of the tree of devices has no parent and no driver on any Windows.
func TestLiveNode(t *testing.T) {
	node, err := Live().Node(`HTREE\ROOT\0`)
	t.Logf("%+v %v", node, err)
	if node.Parent != "" {
		t.Errorf("the root of all devices has the parent %q", node.Parent)
	}
}
