package windows_test

import (
	"errors"
	"testing"

	"diskaudit/core/machine/windows/storage"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/windows"
)

// disks are the flushing of disks by their ids.
type disks struct {
	on map[string]bool
	// err is the error of each call.
	err error
}

func (d *disks) Flushing(disk string) (bool, error) { return d.on[disk], d.err }

func (d *disks) SetFlushing(disk string, on bool) error {
	if d.err == nil {
		d.on[disk] = on
	}
	return d.err
}

func TestFlushing(t *testing.T) {
	cache := &disks{on: map[string]bool{"PhysicalDrive0": true, "PhysicalDrive1": false}}
	computer := windows.New(windows.Sources{Cache: cache})
	for disk, want := range map[string]string{"PhysicalDrive0": remediate.On, "PhysicalDrive1": remediate.Off} {
		if got, err := computer.Flushing(t.Context(), disk); err != nil || got != want {
			t.Errorf("%s: %q %v", disk, got, err)
		}
		for _, value := range []string{remediate.Off, remediate.On} {
			if err := computer.SetFlushing(t.Context(), disk, value); err != nil {
				t.Errorf("%s to %s: %v", disk, value, err)
			}
			if got, err := computer.Flushing(t.Context(), disk); err != nil || got != value {
				t.Errorf("%s after %s: %q %v", disk, value, got, err)
			}
		}
	}
	for _, wrong := range []string{"", "ON", "0", "absent"} {
		cache.on["PhysicalDrive0"] = true
		failure := failureOf(t, computer.SetFlushing(t.Context(), "PhysicalDrive0", wrong))
		if failure.Problem.Code != "value-unusable" || failure.Unsure || !cache.on["PhysicalDrive0"] {
			t.Errorf("%q: %+v, then %v", wrong, failure, cache.on)
		}
	}
}

func TestFlushingFails(t *testing.T) {
	for name, test := range map[string]struct {
		err           error
		code          string
		fatal, unsure bool
	}{
		"cannot be changed":        {&storage.CacheError{Err: storage.Errno(50)}, "cache-not-changeable", false, false},
		"the setting was sent":     {&storage.CacheError{Err: storage.Errno(50), Begun: true}, "cache-not-changeable", false, true},
		"denied":                   {&storage.CacheError{Err: storage.Errno(5)}, "access-denied", false, false},
		"the disk fails":           {&storage.CacheError{Err: storage.Errno(1117), Begun: true}, "read-failed", true, true},
		"the disk fails its check": {&storage.CacheError{Err: storage.Errno(23)}, "read-failed", true, false},
		"the disk is gone":         {&storage.CacheError{Err: storage.Errno(1167)}, "device-vanished", false, false},
		"nobody knows":             {errors.New("something"), "read-failed", false, true},
	} {
		computer := windows.New(windows.Sources{Cache: &disks{err: test.err}})
		got, err := computer.Flushing(t.Context(), "PhysicalDrive0")
		if failure := failureOf(t, err); failure.Problem.Code != test.code || failure.Fatal != test.fatal || got != "" || failure.Problem.Target != "PhysicalDrive0" {
			t.Errorf("%s: reading: %q %+v", name, got, failure)
		}
		failure := failureOf(t, computer.SetFlushing(t.Context(), "PhysicalDrive0", remediate.Off))
		if failure.Problem.Code != test.code || failure.Fatal != test.fatal || failure.Unsure != test.unsure {
			t.Errorf("%s: setting: %+v", name, failure)
		}
	}
}
