package linux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// One device that fails is one problem; the others come out (B14).
func TestDeviceFailures(t *testing.T) {
	tests := []struct {
		name      string
		err       error
		user      int
		code      string
		level     contract.Level
		retryable bool
		says      string
	}{
		{"refused", &fs.PathError{Op: "open", Path: "/dev/nvme0n1p1", Err: fs.ErrPermission}, 1000, "needs-elevation", contract.LevelError, false, "sudo diskaudit status"},
		{"refused to root", fs.ErrPermission, 0, "access-denied", contract.LevelError, false, "container"},
		{"node missing", &fs.PathError{Op: "open", Path: "/dev/nvme0n1p1", Err: fs.ErrNotExist}, 0, "device-vanished", contract.LevelError, true, "Run again"},
		{"gone", fmt.Errorf("%w (no such device)", errGone), 0, "device-vanished", contract.LevelError, true, "Run again"},
		{"no medium", errNoMedium, 0, "no-medium", contract.LevelInfo, true, "no medium"},
		{"an ordinary file", errNotBlock, 0, "not-a-block-device", contract.LevelError, false, "udev"},
		{"interrupted", fmt.Errorf("opening it: %w", machine.ErrInterrupted), 0, "interrupted", contract.LevelError, true, "Run again"},
		{"cancelled", context.Canceled, 0, "interrupted", contract.LevelError, true, "Run again"},
		{"broken", errors.New("input/output error"), 0, "read-failed", contract.LevelError, false, "input/output error"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			kernel := laptopKernel()
			kernel.user = test.user
			kernel.failing = map[string]error{"dev/nvme0n1p1": test.err}
			status := collect(t, recorded(t, "laptop"), kernel, Options{Probe: silentProbe})
			found := problem(t, status.Problems, test.code, "/dev/nvme0n1p1")
			if found.Level != test.level || found.Retryable != test.retryable || found.Stage != machine.StageVolumes {
				t.Errorf("problem %+v", found)
			}
			if !strings.Contains(found.Text, "/dev/nvme0n1p1") || !strings.Contains(found.Text, test.says) {
				t.Errorf("the text does not name the device and %q: %s", test.says, found.Text)
			}
			if status.Complete != (test.level != contract.LevelError) {
				t.Errorf("complete %t with a problem of level %s", status.Complete, test.level)
			}
			if len(status.Volumes) != 6 {
				t.Errorf("%d volumes instead of 6", len(status.Volumes))
			}
			bad := volumeByID(t, status, "/dev/nvme0n1p1")
			if bad.Encryption.Format != nil || bad.Encryption.Conversion != nil || bad.Encryption.Protectors != nil {
				t.Errorf("a volume that was not read claims an encryption: %+v", bad.Encryption)
			}
			if len(bad.Extents) != 1 || len(bad.MountPoints) != 1 {
				t.Errorf("what is known without reading is missing: %+v", bad)
			}
		})
	}
}

func silentProbe(context.Context, string, io.ReaderAt, int64) (contract.Encryption, ProbeFacts, []contract.Problem) {
	return contract.Encryption{}, ProbeFacts{}, nil
}

// A read that fails is reported even when the Probe says nothing; where the Probe found its
// answer all the same, no fact is missing.
func TestReadFailures(t *testing.T) {
	kernel := laptopKernel()
	kernel.unreadable = map[string]error{"dev/nvme0n1p1": errors.New("input/output error"), "dev/nvme0n1p2": errGone}
	status := collect(t, recorded(t, "laptop"), kernel, Options{})
	if found := problem(t, status.Problems, "read-failed", "/dev/nvme0n1p1"); found.Level != contract.LevelError || !strings.Contains(found.Text, "at byte 3") {
		t.Errorf("problem %+v", found)
	}
	problem(t, status.Problems, "device-vanished", "/dev/nvme0n1p2")

	known := func(_ context.Context, _ string, r io.ReaderAt, _ int64) (contract.Encryption, ProbeFacts, []contract.Problem) {
		_, _ = r.ReadAt(make([]byte, 512), 0)
		return contract.Encryption{Format: contract.Ptr("bitlocker")}, ProbeFacts{}, nil
	}
	status = collect(t, recorded(t, "laptop"), kernel, Options{Probe: known})
	if found := problem(t, status.Problems, "read-failed", "/dev/nvme0n1p1"); found.Level != contract.LevelWarning {
		t.Errorf("a failed read that cost no fact is of level %s", found.Level)
	}
}

// A Probe that reports a failed read itself is not repeated.
func TestReadFailureIsToldOnce(t *testing.T) {
	kernel := laptopKernel()
	kernel.unreadable = map[string]error{"dev/nvme0n1p1": errors.New("input/output error")}
	telling := func(_ context.Context, target string, r io.ReaderAt, _ int64) (contract.Encryption, ProbeFacts, []contract.Problem) {
		if _, err := r.ReadAt(make([]byte, 512), 0); err != nil {
			return contract.Encryption{}, ProbeFacts{}, []contract.Problem{{Code: "read-failed", Level: contract.LevelError, Target: target}}
		}
		return contract.Encryption{}, ProbeFacts{}, nil
	}
	status := collect(t, recorded(t, "laptop"), kernel, Options{Probe: telling})
	problem(t, status.Problems, "read-failed", "/dev/nvme0n1p1")
}

func TestWatchedReader(t *testing.T) {
	device := strings.NewReader("0123456789")
	reader := func(size int64) *watchedReader {
		return &watchedReader{ctx: context.Background(), device: device, size: size}
	}
	buffer := make([]byte, 4)
	if n, err := reader(10).ReadAt(buffer, 8); n != 2 || !errors.Is(err, io.EOF) || string(buffer[:n]) != "89" {
		t.Errorf("at the end: %d bytes %q, %v", n, buffer[:n], err)
	}
	if n, err := reader(10).ReadAt(buffer, 10); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("behind the end: %d bytes, %v", n, err)
	}
	if _, err := reader(10).ReadAt(buffer, -1); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("before the start: %v", err)
	}
	short := reader(20)
	if _, err := short.ReadAt(buffer, 8); !errors.Is(err, io.ErrUnexpectedEOF) || short.failure() == nil {
		t.Errorf("a device that is shorter than it was said: %v, kept %v", err, short.failure())
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(machine.ErrInterrupted)
	ended := &watchedReader{ctx: ctx, device: device, size: 10}
	if _, err := ended.ReadAt(buffer, 0); !errors.Is(err, machine.ErrInterrupted) {
		t.Errorf("after the end of the run: %v", err)
	}
}

// A device that hangs is left behind after its limit, and stops nothing else.
func TestHangingDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		kernel := laptopKernel()
		kernel.hanging = map[string]chan struct{}{"dev/nvme0n1p1": release}
		status := collect(t, recorded(t, "laptop"), kernel, Options{})
		found := problem(t, status.Problems, "device-timeout", "/dev/nvme0n1p1")
		if !found.Retryable || found.Level != contract.LevelError {
			t.Errorf("problem %+v", found)
		}
		if len(status.Volumes) != 6 {
			t.Errorf("%d volumes instead of 6", len(status.Volumes))
		}
		if format := show(volumeByID(t, status, "/dev/nvme0n1p2").Encryption.Format); format != "bitlocker" {
			t.Errorf("the volume beside the one that hangs: format %s", format)
		}
		hung := volumeByID(t, status, "/dev/nvme0n1p1")
		if len(hung.MountPoints) != 1 || hung.FreeBytes == nil || len(hung.Extents) != 1 {
			t.Errorf("what is known without reading is missing: %+v", hung)
		}
	})
}

// Disks that hang cost their limit once, together, and are in the document with the others.
func TestHangingDisks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		kernel := &fakeKernel{hanging: map[string]chan struct{}{"dev/sda": release, "dev/sdc": release, "dev/sdd": release}}
		began := time.Now()
		report := machine.NewReport(nil)
		newMachine(Options{Probe: markProbe}, recorded(t, "desktop"), kernel).Disks(t.Context(), report)
		status := report.Close()
		if took := time.Since(began); took != DefaultDeviceTimeout {
			t.Errorf("took %v, want %v", took, DefaultDeviceTimeout)
		}
		for _, id := range []string{"/dev/sda", "/dev/sdc", "/dev/sdd"} {
			problem(t, status.Problems, "device-timeout", id)
		}
		if len(status.Disks) != 5 || show(diskByID(t, status, "/dev/sda").Model) != "WDC WD10EZEX-08W" {
			t.Errorf("%d disks instead of 5", len(status.Disks))
		}
	})
}

// When the whole run has a deadline below the limit of a device, the others are in the document.
func TestHangingDeviceAndDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		kernel := laptopKernel()
		kernel.hanging = map[string]chan struct{}{"dev/nvme0n1p1": release}
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		status := machine.Collect(ctx, newMachine(Options{Probe: markProbe}, recorded(t, "laptop"), kernel), nil)
		if len(status.Volumes) != 6 || status.Complete {
			t.Errorf("%d volumes, complete %t, want 6 and false", len(status.Volumes), status.Complete)
		}
		problem(t, status.Problems, "device-timeout", "/dev/nvme0n1p1")
	})
}

// Interrupted while a device hangs: what the others said is in the document.
func TestHangingDeviceAndInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		kernel := laptopKernel()
		kernel.hanging = map[string]chan struct{}{"dev/nvme0n1p1": release}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(machine.ErrInterrupted) })
		status := machine.Collect(ctx, newMachine(Options{Probe: markProbe}, recorded(t, "laptop"), kernel), nil)
		if len(status.Volumes) != 5 || status.Complete {
			t.Errorf("%d volumes, complete %t, want 5 and false", len(status.Volumes), status.Complete)
		}
		problem(t, status.Problems, "interrupted", "")
	})
}

// A device that was being read when a person stopped the program is not a broken one.
func TestInterruptIsNoReadFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		kernel := laptopKernel()
		kernel.hanging = map[string]chan struct{}{}
		for _, name := range []string{"nvme0n1", "nvme0n1p1", "nvme0n1p2", "nvme0n1p3", "dm-0", "dm-1", "dm-2"} {
			kernel.hanging["dev/"+name] = release
		}
		tree := recorded(t, "laptop")
		delete(tree, "proc/self/mountinfo") // a mount would be an answer
		m := newMachine(Options{Probe: markProbe}, tree, kernel)
		inv, err := readInventory(m.tree)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(machine.ErrInterrupted) })
		e := examination{machine: m, inventory: &inv}
		volume := e.volume(ctx, time.Minute, inv.devices["nvme0n1p1"])
		problems := append(m.disk(ctx, time.Minute, inv.devices["nvme0n1"]).problems, volume.Problems...)
		problem(t, volume.Problems, "interrupted", "/dev/nvme0n1p1")
		for _, p := range problems {
			if p.Code == "read-failed" || strings.Contains(p.Text, "dmesg") {
				t.Errorf("an interrupt is called %s: %s", p.Code, p.Text)
			}
		}
		if answer, _ := m.provider(ctx); answer.Available != nil {
			t.Errorf("an interrupt is taken for an answer: %t, %s", *answer.Available, show(answer.Reason))
		}
	})
}

// Reading a suspended mapping would never return, so it is not tried.
func TestSuspendedMapping(t *testing.T) {
	kernel := &fakeKernel{}
	status := collect(t, recorded(t, "server"), kernel, Options{})
	if found := problem(t, status.Problems, "device-suspended", "/dev/mapper/frozen"); !found.Retryable {
		t.Errorf("problem %+v", found)
	}
	problem(t, status.Problems, "device-suspended", "/dev/mapper/upon-frozen")
	if slices.Contains(kernel.opened, "dev/dm-3") || slices.Contains(kernel.opened, "dev/dm-5") {
		t.Error("the suspended mapping, or what lies on it, was opened")
	}
}

// A fault in the Probe costs one volume.
func TestProbePanics(t *testing.T) {
	probe := func(_ context.Context, target string, _ io.ReaderAt, _ int64) (contract.Encryption, ProbeFacts, []contract.Problem) {
		if target == "/dev/nvme0n1p1" {
			panic("index out of range")
		}
		return contract.Encryption{}, ProbeFacts{}, nil
	}
	status := collect(t, recorded(t, "laptop"), laptopKernel(), Options{Probe: probe})
	if found := problem(t, status.Problems, "internal-error", "/dev/nvme0n1p1"); !strings.Contains(found.Text, "index out of range") {
		t.Errorf("problem %+v", found)
	}
	if len(status.Volumes) != 6 {
		t.Errorf("%d volumes instead of 6", len(status.Volumes))
	}
}

// faultyFS makes reading one file a fault of this program.
type faultyFS struct {
	fs.FS
	name string
}

func (f faultyFS) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, f.name) {
		panic("index out of range")
	}
	return f.FS.Open(name)
}

// A fault outside of the Probe costs one device, which is named; there is none without an id.
func TestFaultNamesItsDevice(t *testing.T) {
	for _, test := range []struct {
		file  string
		disks int // that come out
	}{
		{"/block/sdb/queue/write_cache", 4},
		// Read beside the other questions, which have their answers.
		{"/block/sdb/queue/logical_block_size", 4},
	} {
		status := collect(t, faultyFS{recorded(t, "desktop"), test.file}, &fakeKernel{}, Options{})
		found := problem(t, ofStage(status.Problems, machine.StageDisks), "internal-error", "/dev/sdb")
		if found.Level != contract.LevelError || !strings.Contains(found.Text, "index out of range") || status.Complete {
			t.Errorf("%s: complete %t, problem %+v", test.file, status.Complete, found)
		}
		if len(status.Disks) != test.disks {
			t.Errorf("%s: %d disks instead of %d", test.file, len(status.Disks), test.disks)
		}
		for _, disk := range status.Disks {
			if disk.ID == "" {
				t.Errorf("%s: a disk without an id", test.file)
			}
		}
	}
	// The volume sdb is looked at for a partition table, as nothing known is on it.
	status := collect(t, faultyFS{recorded(t, "desktop"), "/block/sdb/queue/logical_block_size"}, &fakeKernel{}, Options{})
	problem(t, ofStage(status.Problems, machine.StageVolumes), "internal-error", "/dev/sdb")
	if len(status.Volumes) != 6 {
		t.Errorf("%d volumes instead of the 6 others", len(status.Volumes))
	}
	for _, volume := range status.Volumes {
		if volume.ID == "" || volume.ID == "/dev/sdb" {
			t.Errorf("a volume %q", volume.ID)
		}
	}
}

// Without an answer about BitLocker the document is not complete.
func TestUnavailableIsNeverComplete(t *testing.T) {
	all := func(err error) map[string]error {
		out := map[string]error{}
		for _, name := range []string{"nvme0n1", "nvme0n1p1", "nvme0n1p2", "nvme0n1p3", "dm-0", "dm-1", "dm-2"} {
			out["dev/"+name] = err
		}
		return out
	}
	bare := fstest.MapFS{
		"sys/block/ram0":      {Data: []byte("../devices/virtual/block/ram0"), Mode: fs.ModeSymlink},
		"proc/self/mountinfo": {Data: []byte("1 0 0:1 / / rw - overlay overlay rw\n")},
	}
	laptop := func() fstest.MapFS {
		tree := recorded(t, "laptop")
		tree["proc/self/mountinfo"] = bare["proc/self/mountinfo"]
		return tree
	}
	for name, test := range map[string]struct {
		tree    fstest.MapFS
		user    int
		failing map[string]error
		// host is the code of the problem that asking for the provider gives; empty when only
		// the volumes have theirs.
		host string
	}{
		"nothing listed":      {tree: fstest.MapFS{}, host: "devices-not-listed"},
		"no devices":          {tree: bare, host: "no-devices"},
		"no medium anywhere":  {tree: laptop(), failing: all(errNoMedium), host: "no-device-readable"},
		"no nodes":            {tree: laptop(), failing: all(fs.ErrNotExist), host: "no-device-readable"},
		"not root":            {tree: laptop(), user: 1000, failing: all(fs.ErrPermission)},
		"root in a container": {tree: laptop(), failing: all(fs.ErrPermission)},
		"one refused, others gone": {tree: laptop(), user: 1000, failing: func() map[string]error {
			out := all(errNoMedium)
			out["dev/nvme0n1p2"] = fs.ErrPermission
			return out
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			kernel := laptopKernel()
			kernel.user, kernel.failing = test.user, test.failing
			kernel.pages, kernel.noPage = nil, errNotSupported
			status := collect(t, test.tree, kernel, Options{})
			if show(status.BitLocker.Available) != "false" || status.BitLocker.Reason == nil {
				t.Fatalf("provider %+v", status.BitLocker)
			}
			if status.Complete {
				t.Error("the document is complete although BitLocker's state could not be read")
			}
			host := ""
			for _, p := range ofStage(status.Problems, machine.StageHost) {
				if p.Level == contract.LevelError {
					host += p.Code
				}
			}
			if host != test.host {
				t.Errorf("problems of level error of the host: %q, want %q", host, test.host)
			}
		})
	}
}

func TestProvider(t *testing.T) {
	all := func(err error) map[string]error {
		out := map[string]error{}
		for _, name := range []string{"nvme0n1", "nvme0n1p1", "nvme0n1p2", "nvme0n1p3", "dm-0", "dm-1", "dm-2"} {
			out["dev/"+name] = err
		}
		return out
	}
	one := all(fs.ErrPermission)
	delete(one, "dev/nvme0n1p2")
	tests := []struct {
		name      string
		user      int
		failing   map[string]error
		available bool
		says      string
	}{
		{"root", 0, nil, true, ""},
		{"not root", 1000, all(fs.ErrPermission), false, "sudo diskaudit status"},
		{"a user who may read one device", 1000, one, true, ""},
		{"root in a container", 0, all(fs.ErrPermission), false, "container"},
		{"no nodes", 0, all(fs.ErrNotExist), false, "Of 6 block devices none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			kernel := laptopKernel()
			kernel.user, kernel.failing = test.user, test.failing
			tree := recorded(t, "laptop")
			delete(tree, "proc/self/mountinfo")
			got := collect(t, tree, kernel, Options{}).BitLocker
			if show(got.Available) != fmt.Sprint(test.available) || show(got.Provider) != "on-disk" {
				t.Errorf("available %s, provider %s", show(got.Available), show(got.Provider))
			}
			if (got.Reason == nil) != test.available || !strings.Contains(show(got.Reason), test.says) {
				t.Errorf("reason %s, want %q", show(got.Reason), test.says)
			}
		})
	}
}

// A mounted file system proves that its device is not encrypted, also to a user who may not read
// the device. A mounted FAT proves nothing: a BitLocker To Go volume has one in front (case B4).
func TestMountsProveWhatMayNotBeRead(t *testing.T) {
	for _, test := range []struct {
		user  int
		code  string
		level contract.Level
	}{
		{1000, "needs-elevation", contract.LevelError},
		{0, "access-denied", contract.LevelWarning},
	} {
		kernel := laptopKernel()
		kernel.user = test.user
		kernel.failing = map[string]error{}
		for _, name := range []string{"nvme0n1", "nvme0n1p1", "nvme0n1p2", "nvme0n1p3", "dm-0", "dm-1", "dm-2"} {
			kernel.failing["dev/"+name] = fs.ErrPermission
		}
		status := collect(t, recorded(t, "laptop"), kernel, Options{})
		if !*status.BitLocker.Available {
			t.Errorf("user %d: not available although a state is known", test.user)
		}
		for id, fileSystem := range map[string]string{
			"/dev/nvme0n1p2": "NTFS", "/dev/mapper/vg-root": "ext4",
			"/dev/nvme0n1p1": "", "/dev/nvme0n1p3": "", "/dev/mapper/vg-swap": "",
		} {
			volume := volumeByID(t, status, id)
			found := problem(t, status.Problems, test.code, id)
			if fileSystem == "" {
				if volume.Encryption.Conversion != nil || volume.FileSystem != nil || found.Level != contract.LevelError {
					t.Errorf("user %d: %s is said to be %v, problem %+v", test.user, id, volume.Encryption.Conversion, found)
				}
				continue
			}
			if volume.Encryption.Conversion == nil || *volume.Encryption.Conversion != contract.FullyDecrypted || show(volume.FileSystem) != fileSystem {
				t.Errorf("user %d: %s: conversion %v, file system %s", test.user, id, volume.Encryption.Conversion, show(volume.FileSystem))
			}
			if found.Level != test.level || !strings.Contains(found.Text, fileSystem) {
				t.Errorf("user %d: %s: %+v", test.user, id, found)
			}
		}
	}
}

// Not root: every volume says so by itself, and what needs no
// rights is there.
func TestNotRoot(t *testing.T) {
	kernel := laptopKernel()
	kernel.user = 1000
	kernel.pages, kernel.noPage = nil, fs.ErrPermission
	kernel.failing = map[string]error{}
	for _, name := range []string{"nvme0n1", "nvme0n1p1", "nvme0n1p2", "nvme0n1p3", "dm-0", "dm-1", "dm-2"} {
		kernel.failing["dev/"+name] = &fs.PathError{Op: "open", Path: "/dev/" + name, Err: fs.ErrPermission}
	}
	status := collect(t, recorded(t, "laptop"), kernel, Options{})
	if status.Complete || len(status.Volumes) != 6 || len(status.Disks) != 1 {
		t.Fatalf("complete %t, %d volumes, %d disks", status.Complete, len(status.Volumes), len(status.Disks))
	}
	for _, volume := range status.Volumes {
		problem(t, volume.Problems, "needs-elevation", volume.ID)
		if volume.SizeBytes == nil || len(volume.Layers) == 0 {
			t.Errorf("%s lacks its size or its layers", volume.ID)
		}
	}
	if root := volumeByID(t, status, "/dev/mapper/vg-root"); root.FreeBytes == nil {
		t.Error("the free space of the root, which everyone may ask, is missing")
	}
}

func TestNothingListed(t *testing.T) {
	status := collect(t, fstest.MapFS{}, &fakeKernel{}, Options{})
	if status.Complete || len(status.Volumes) != 0 {
		t.Errorf("complete %t with %d volumes", status.Complete, len(status.Volumes))
	}
	var levels []contract.Level
	for _, p := range status.Problems {
		if p.Code == "devices-not-listed" {
			levels = append(levels, p.Level)
		}
	}
	if !slices.Equal(levels, []contract.Level{contract.LevelError, contract.LevelError, contract.LevelError}) {
		t.Errorf("the provider, the disks and the volumes are missing with problems of levels %v", levels)
	}
	if show(status.BitLocker.Available) != "false" || status.BitLocker.Reason == nil {
		t.Errorf("provider %+v", status.BitLocker)
	}
}

// A device whose folder is gone when it is read is named, not dropped.
func TestDeviceVanishesWhileListing(t *testing.T) {
	tree := recorded(t, "laptop")
	tree["sys/block/sda"] = &fstest.MapFile{Data: []byte("../devices/pci0000:00/gone/block/sda"), Mode: fs.ModeSymlink}
	tree["sys/block/sdb"] = &fstest.MapFile{Data: []byte("../devices/emptied/block/sdb"), Mode: fs.ModeSymlink}
	tree["sys/devices/emptied/block/sdb/uevent"] = &fstest.MapFile{}
	status := collect(t, tree, laptopKernel(), Options{})
	problem(t, status.Problems, "device-vanished", "/dev/sda")
	problem(t, status.Problems, "device-vanished", "/dev/sdb")
	if len(status.Volumes) != 6 || status.Complete {
		t.Errorf("%d volumes, complete %t", len(status.Volumes), status.Complete)
	}
}

func TestProgress(t *testing.T) {
	last := map[string][2]int{}
	report := func(stage string, done, total int) { last[stage] = [2]int{done, total} }
	machine.Collect(t.Context(), newMachine(Options{Probe: markProbe}, recorded(t, "laptop"), laptopKernel()), report)
	if last[machine.StageVolumes] != [2]int{6, 6} || last[machine.StageDisks] != [2]int{1, 1} {
		t.Errorf("progress ends at %v", last)
	}
}
