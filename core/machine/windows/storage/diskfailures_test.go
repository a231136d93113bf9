package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/registry"
)

// A disk that hangs costs itself only, and what it told before stays.
func TestHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		answers := osDisk()
		answers[property(49)] = hang{}
		f.disk("0", answers, stornvme...)
		f.disk("1", osDisk(), stornvme...)
		status := askDisks(f, settings("0", "1"), false)
		if len(status.Disks) != 2 {
			t.Fatalf("%d disks, want 2", len(status.Disks))
		}
		for _, disk := range status.Disks {
			problems := problemsOf(status.Problems, disk.ID)
			switch disk.ID {
			case "PhysicalDrive0":
				if problems != "error device-timeout" {
					t.Errorf("problems of the disk that hangs: %s", problems)
				}
				if show(disk.SizeBytes) != "2000398934016" || disk.Health.OK != nil {
					t.Errorf("size %s, health %s: want what it told before it hung", show(disk.SizeBytes), show(disk.Health.OK))
				}
			default:
				if problems != "" || show(disk.Health.OK) != "true" {
					t.Errorf("the other disk: health %s, problems %s", show(disk.Health.OK), problems)
				}
			}
		}
	})
}

// A disk whose interface hangs is still asked by its name.
func TestHangingInterface(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.disk("0", osDisk(), stornvme...)
		f.devices[`\\?\disk#0`].answers[0x2d1080] = hang{}
		status := askDisks(f, settings("0", "1"), false)
		if len(status.Disks) != 1 || show(status.Disks[0].Model) != "Samsung SSD 990 PRO 2TB" {
			t.Fatalf("disks %v", status.Disks)
		}
		if text := textOf(status.Problems, "PhysicalDrive0", "disk-facts-unknown"); !strings.Contains(text, "driver") {
			t.Errorf("no reason why the driver is unknown: %s", text)
		}
	})
}

func TestDiskFailures(t *testing.T) {
	for _, test := range []struct {
		name string
		open error
		want string
	}{
		{"removed between list and question", errFileNotFound, "error device-vanished"},
		{"unplugged", errNotConnected, "error device-vanished"},
		{"refused", errAccessDenied, "error access-denied"},
		{"broken", Errno(1117), "error read-failed"},
		{"no medium", errNoMedium, "info no-medium"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			f.disk("0", osDisk()).openErr = test.open
			f.disk("1", osDisk(), stornvme...)
			status := askDisks(f, settings("0", "1"), false)
			got := problemsOf(status.Problems, "PhysicalDrive0")
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("problems %s, want %s first", got, test.want)
			}
			for _, p := range status.Problems {
				if p.Level == contract.LevelError && p.HResult == nil {
					t.Errorf("%s has no code of Windows: %+v", p.Code, p)
				}
			}
			if problemsOf(status.Problems, "PhysicalDrive1") != "" || len(status.Disks) != 2 {
				t.Errorf("the other disk suffered: %v", status.Problems)
			}
		})
	}
}

func TestDisksAreListed(t *testing.T) {
	f := newFake(t)
	for _, number := range []string{"10", "2", "0"} {
		f.disk(number, osDisk(), stornvme...)
	}
	// One that has no name of its own is known by its interface.
	f.names = []string{"C:", "PhysicalDrive10", "NUL", "PhysicalDrive2", "PhysicalDriveX", "PhysicalDrive"}
	var ids []string
	for _, disk := range askDisks(f, registry.Memory{}, false).Disks {
		ids = append(ids, disk.ID)
	}
	if got := fmt.Sprint(ids); got != "[PhysicalDrive0 PhysicalDrive2 PhysicalDrive10]" {
		t.Errorf("disks %s", got)
	}
}

// No disk at all is never an empty list that looks like an answer.
func TestNoDisks(t *testing.T) {
	for name, err := range map[string]error{"none": nil, "refused": errAccessDenied} {
		f := newFake(t)
		f.namesErr = err
		status := askDisks(f, settings("0", "1"), false)
		if got := problemsOf(status.Problems, ""); got != "error disks-not-listed" {
			t.Errorf("%s: problems %s", name, got)
		}
	}
}

func TestDiskProgress(t *testing.T) {
	f := newFake(t)
	f.disk("0", osDisk(), stornvme...)
	f.disk("1", osDisk(), stornvme...)
	var steps []string
	report := machine.NewReport(func(stage string, done, total int) { steps = append(steps, fmt.Sprint(stage, done, total)) })
	New(f, registry.Memory{}).Disks(context.Background(), report, false)
	if got := fmt.Sprint(steps); got != "[disks0 2 disks1 2 disks2 2]" {
		t.Errorf("progress %s", got)
	}
}

// Whoever stops the program is not kept waiting by a disk.
func TestInterruptedDisks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		answers := osDisk()
		answers[property(0)] = hang{}
		f.disk("0", answers, stornvme...)
		ctx, cancel := context.WithCancelCause(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			New(f, registry.Memory{}).Disks(ctx, machine.NewReport(nil), false)
		}()
		cancel(machine.ErrInterrupted)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("still waiting for a disk that hangs")
		}
	})
}

func TestDriverWalk(t *testing.T) {
	for _, test := range []struct {
		name  string
		nodes map[string]Node
		want  string
		err   error
	}{
		{"the adapter's", map[string]Node{"a": {Service: "disk", Parent: "b"}, "b": {Service: "storahci", DriverVersion: "10.0.1"}}, "storahci 10.0.1", nil},
		{"above devices without a driver", map[string]Node{"a": {Service: "Disk", Parent: "b"}, "b": {Parent: "c"}, "c": {Service: "vhdmp"}}, "vhdmp null", nil},
		{"none", map[string]Node{"a": {Service: "disk"}}, "null null", errNoDriver},
		{"a tree that bites its tail", map[string]Node{"a": {Parent: "b"}, "b": {Parent: "a"}}, "null null", errNoDriver},
		{"gone", map[string]Node{"a": {Parent: "b"}}, "null null", errGone},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			f.nodes = test.nodes
			driver, err := New(f, registry.Memory{}).driverOf("a")
			if got := show(driver.Name) + " " + show(driver.Version); got != test.want || !errors.Is(err, test.err) {
				t.Errorf("got %s, %v; want %s, %v", got, err, test.want, test.err)
			}
		})
	}
}

// What a medium would tell is not called unknown one by one when there is none.
func TestDiskWithoutMedium(t *testing.T) {
	f := newFake(t)
	f.disk("0", map[int64]any{
		property(0): deviceDescriptor("Generic", "Card Reader", "1", "", 7, true), property(6): errNoMedium, 0x700a0: errNoMedium, 0x70050: errNoMedium, 0x740e0: errNoMedium,
	}, stornvme...)
	status := askDisks(f, settings("0"), false)
	text := textOf(status.Problems, "PhysicalDrive0", "disk-facts-unknown")
	for _, fact := range []string{"size", "sector", "partition table", "power loss"} {
		if strings.Contains(text, fact) {
			t.Errorf("%q is called unknown beside the missing medium: %s", fact, text)
		}
	}
}
