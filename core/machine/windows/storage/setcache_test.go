package storage

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"diskaudit/core/bitlocker"
)

// cacheSystem is a Windows with one disk.
type cacheSystem struct {
	System
	disk    *cacheDisk
	openErr error
	opened  []Access
}

func (s *cacheSystem) Open(path string, access Access) (Device, error) {
	s.opened = append(s.opened, access)
	switch {
	case path != `\\.\PhysicalDrive3`:
		return nil, errFileNotFound
	case s.openErr != nil:
		return nil, s.openErr
	}
	return s.disk, nil
}

// cacheDisk is a disk whose driver keeps a cache setting as Microsoft's sample does.
type cacheDisk struct {
	Device
	mu      sync.Mutex
	setting []byte
	getErr  error
	// lastGetErr is the error of reading after the setting was written.
	lastGetErr error
	setErr     error
	ignores    bool
	hangs      chan struct{}
	written    [][]byte
	closed     int
}

func (d *cacheDisk) Control(code uint32, in []byte, outMax int) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch code {
	case 0x740e0:
		if len(d.written) > 0 && d.lastGetErr != nil {
			return nil, d.lastGetErr
		}
		return bytes.Clone(d.setting[:min(len(d.setting), outMax)]), d.getErr
	case 0x7c0e4:
		d.written = append(d.written, bytes.Clone(in))
		if d.hangs != nil {
			<-d.hangs
		}
		switch {
		case d.setErr != nil:
			return nil, d.setErr
		case len(in) < 12:
			return nil, Errno(24)
		case in[0] != 12 || in[1]|in[2]|in[3] != 0:
			return nil, errInvalidParameter
		case !d.ignores:
			d.setting[8] = in[8]
		}
		return nil, nil
	}
	return nil, errInvalidFunction
}

func (d *cacheDisk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed++
	return nil
}

// setting is a DISK_CACHE_SETTING in which all bytes differ that have no meaning here.
func setting(powerProtected byte) []byte {
	return []byte{12, 0, 0, 0, 1, 0, 0, 0, powerProtected, 0xA1, 0xA2, 0xA3}
}

func TestFlushing(t *testing.T) {
	for name, test := range map[string]struct {
		disk *cacheDisk
		want bool
		err  error
		code string
	}{
		"flushed":                      {disk: &cacheDisk{setting: setting(0)}, want: true},
		"not flushed":                  {disk: &cacheDisk{setting: setting(1)}},
		"any byte but zero is true":    {disk: &cacheDisk{setting: setting(0x80)}},
		"no answer by its length":      {disk: &cacheDisk{setting: setting(0)[:11]}, code: "answer-malformed"},
		"nothing":                      {disk: &cacheDisk{}, code: "answer-malformed"},
		"a driver that does not know":  {disk: &cacheDisk{getErr: errInvalidFunction}, code: "cache-not-changeable"},
		"a driver that does not do it": {disk: &cacheDisk{getErr: errNotSupported}, code: "cache-not-changeable"},
		"a disk that fails":            {disk: &cacheDisk{getErr: Errno(1117)}, code: "read-failed"},
		"a disk that went away":        {disk: &cacheDisk{getErr: errNotConnected}, code: CodeVanished},
	} {
		s := &cacheSystem{disk: test.disk}
		on, err := NewCache(s).Flushing("PhysicalDrive3")
		if test.code == "" && (err != nil || on != test.want) {
			t.Errorf("%s: %v %v", name, on, err)
		}
		if test.code != "" {
			var failed *CacheError
			if !errors.As(err, &failed) || failed.Begun || failed.Disk != "PhysicalDrive3" || on {
				t.Errorf("%s: %v %v", name, on, err)
			}
			if p := CacheProblem("PhysicalDrive3", err); p.Code != test.code || p.Target != "PhysicalDrive3" || p.Text == "" {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if test.disk.closed != 1 || len(test.disk.written) != 0 || len(s.opened) != 1 || s.opened[0] != AccessRead {
			t.Errorf("%s: opened %v, closed %d times, written %v", name, s.opened, test.disk.closed, test.disk.written)
		}
	}
}

// Only IsPowerProtected changes; what else the driver gave goes back as it came.
func TestSetFlushing(t *testing.T) {
	for _, before := range []byte{0, 1, 0x80} {
		for _, on := range []bool{true, false} {
			disk := &cacheDisk{setting: setting(before)}
			s := &cacheSystem{disk: disk}
			if err := NewCache(s).SetFlushing("physicaldrive3", on); err != nil {
				t.Fatal(err)
			}
			want := setting(1)
			if on {
				want = setting(0)
			}
			if len(disk.written) != 1 || !bytes.Equal(disk.written[0], want) {
				t.Errorf("from %d to %v: written %x, want %x", before, on, disk.written, want)
			}
			if got, err := NewCache(s).Flushing("PhysicalDrive3"); err != nil || got != on {
				t.Errorf("afterwards %v %v, want %v", got, err, on)
			}
			if s.opened[0] != AccessCommand || disk.closed != 2 {
				t.Errorf("opened %v, closed %d times", s.opened, disk.closed)
			}
		}
	}
}

func TestSetFlushingFails(t *testing.T) {
	gone := errNotConnected
	for name, test := range map[string]struct {
		system *cacheSystem
		disk   string
		begun  bool
		code   string
	}{
		"no such disk":                     {system: &cacheSystem{}, disk: "PhysicalDrive4", code: CodeVanished},
		"no name of a disk":                {system: &cacheSystem{}, disk: `C:`, code: "read-failed"},
		"not an administrator":             {system: &cacheSystem{openErr: errAccessDenied}, code: "access-denied"},
		"it cannot be read":                {system: &cacheSystem{disk: &cacheDisk{getErr: errNotSupported}}, code: "cache-not-changeable"},
		"it cannot be set":                 {system: &cacheSystem{disk: &cacheDisk{setting: setting(0), setErr: errInvalidFunction}}, begun: true, code: "cache-not-changeable"},
		"the disk fails":                   {system: &cacheSystem{disk: &cacheDisk{setting: setting(0), setErr: Errno(1117)}}, begun: true, code: "read-failed"},
		"the driver wants another version": {system: &cacheSystem{disk: &cacheDisk{setting: append([]byte{16}, setting(0)[1:]...)}}, begun: true, code: "read-failed"},
		"it is set, but not kept":          {system: &cacheSystem{disk: &cacheDisk{setting: setting(0), ignores: true}}, begun: true, code: "cache-not-changeable"},
		"it cannot be read back":           {system: &cacheSystem{disk: &cacheDisk{setting: setting(0), lastGetErr: gone}}, begun: true, code: CodeVanished},
	} {
		disk := test.disk
		if disk == "" {
			disk = "PhysicalDrive3"
		}
		err := NewCache(test.system).SetFlushing(disk, false)
		var failed *CacheError
		if !errors.As(err, &failed) || failed.Begun != test.begun {
			t.Errorf("%s: %v", name, err)
			continue
		}
		written := test.system.disk != nil && len(test.system.disk.written) > 0
		if written != test.begun {
			t.Errorf("%s: sent to the driver: %v, said to be: %v", name, written, test.begun)
		}
		if p := CacheProblem(disk, err); p.Code != test.code || p.Target != disk || !strings.Contains(p.Text, disk) {
			t.Errorf("%s: %+v", name, p)
		}
	}
	denied := NewCache(&cacheSystem{openErr: errAccessDenied}).SetFlushing("PhysicalDrive3", true)
	if !errors.Is(denied, fs.ErrPermission) {
		t.Errorf("the reason is not wrapped: %v", denied)
	}
	failing := NewCache(&cacheSystem{disk: &cacheDisk{getErr: Errno(1117)}}).SetFlushing("PhysicalDrive3", true)
	if p := CacheProblem("PhysicalDrive3", failing); p.HResult == nil || *p.HResult != bitlocker.ERROR_IO_DEVICE.String() {
		t.Errorf("Windows' code is not in the problem: %+v", p)
	}
}

// A driver that hangs is left behind, and whether the setting was made is not known then.
func TestSetFlushingHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &cacheDisk{setting: setting(0), hangs: make(chan struct{})}
		defer close(disk.hangs)
		begun := time.Now()
		err := NewCache(&cacheSystem{disk: disk}).SetFlushing("PhysicalDrive3", false)
		var failed *CacheError
		if !errors.As(err, &failed) || !failed.Begun || time.Since(begun) != cacheLimit {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		if p := CacheProblem("PhysicalDrive3", err); p.Code != "device-timeout" {
			t.Errorf("%+v", p)
		}
	})
}
