package hive

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"diskaudit/core/remediate/hive/hivetest"
)

// find is the place of a cell's data that begins so, the nth of them counting from 0.
func find(t *testing.T, data []byte, what string, nth int) int {
	t.Helper()
	at := headerBytes
	for ; ; nth-- {
		found := bytes.Index(data[at:], []byte(what))
		if found < 0 {
			t.Fatalf("there is no %q", what)
		}
		at += found
		if nth == 0 {
			return at
		}
		at++
	}
}

// nodeOf is the place of the key of this name.
func nodeOf(t *testing.T, data []byte, name string) int {
	t.Helper()
	return find(t, data, name, 0) - nodeBytes
}

// valueOf is the place of the value of this name.
func valueOf(t *testing.T, data []byte, name string) int {
	t.Helper()
	return find(t, data, name, 0) - valueBytes
}

// What cannot be told for sure is refused, never taken for a value that is not there.
func TestRefusesContent(t *testing.T) {
	system := hivetest.System(1, 1, hivetest.ControlSet("ControlSet001", prevent(1)))
	put := func(at int, number uint32) func(*testing.T, []byte) []byte {
		return func(_ *testing.T, data []byte) []byte {
			le.PutUint32(data[at:], number)
			hivetest.Seal(data)
			return data
		}
	}
	inNode := func(name string, offset int, number uint32) func(*testing.T, []byte) []byte {
		return func(t *testing.T, data []byte) []byte {
			t.Helper()
			le.PutUint32(data[nodeOf(t, data, name)+offset:], number)
			return data
		}
	}
	inValue := func(offset int, number uint32) func(*testing.T, []byte) []byte {
		return func(t *testing.T, data []byte) []byte {
			t.Helper()
			le.PutUint32(data[valueOf(t, data, "PreventDeviceEncryption")+offset:], number)
			return data
		}
	}
	cut := func(length int) func(*testing.T, []byte) []byte {
		return func(_ *testing.T, data []byte) []byte { return data[:length] }
	}
	with := func(values ...hivetest.Value) hivetest.Key {
		return hivetest.System(1, 1, hivetest.ControlSet("ControlSet001", values...))
	}
	pick := func(values ...hivetest.Value) hivetest.Key {
		root := hivetest.System(1, 1, hivetest.ControlSet("ControlSet001"))
		root.Keys[0].Values = values
		return root
	}
	const name = "PreventDeviceEncryption"
	for _, c := range []struct {
		name  string
		root  hivetest.Key
		spoil func(*testing.T, []byte) []byte
		code  string
		says  string
	}{
		{"empty", system, cut(0), CodeNotAHive, "Name the file SYSTEM"},
		{"short", system, cut(headerBytes - 1), CodeNotAHive, "Name the file SYSTEM"},
		{"other file", system, func(_ *testing.T, data []byte) []byte { return bytes.Repeat([]byte("MZ"), 4096) }, CodeNotAHive, "is no registry hive"},
		{"log", system, put(28, 6), CodeNotAHive, "without .LOG, .LOG1 or .LOG2"},
		{"old format", system, put(24, 2), CodeVersion, "1.2"},
		{"next format", system, put(20, 2), CodeVersion, "2.5"},
		{"container's hive", system, put(24, 6), CodeVersion, "containers"},

		{"dirty", system, put(8, 6), CodeDirty, `reg load HKLM\DiskauditOffline "` + testPath + `", then reg unload HKLM\DiskauditOffline`},
		{"wrong checksum", system, func(_ *testing.T, data []byte) []byte { data[508] ^= 1; return data }, CodeDirty, "checksum"},
		{"header changed", system, func(_ *testing.T, data []byte) []byte { data[36] ^= 8; return data }, CodeDirty, "checksum"},

		{"cut short", system, cut(headerBytes + 100), CodeDamaged, "cut short"},
		{"no data", system, put(40, 0), CodeDamaged, "backup"},
		{"odd length", system, put(40, 4097), CodeDamaged, "4097"},
		{"no bin", system, func(_ *testing.T, data []byte) []byte { data[headerBytes] = 'x'; return data }, CodeDamaged, "does not begin"},
		{"root nowhere", system, put(36, offsetNowhere), CodeDamaged, "nothing can be"},
		{"root odd", system, put(36, 33), CodeDamaged, "33"},
		{"root beyond", system, put(36, 1<<20), CodeDamaged, "1048576"},
		{"root at the end", system, put(36, 4096-8), CodeDamaged, "beyond its end"},
		{"root is no key", system, put(36, 32), CodeDamaged, "length"},

		{"no Select", hivetest.Key{Name: "ROOT", Keys: []hivetest.Key{{Name: "Microsoft"}}}, nil, CodeNotSystem, "no key Select"},
		{"no keys at all", hivetest.Key{Name: "ROOT"}, nil, CodeNotSystem, "no key Select"},
		{"no Current", pick(hivetest.Number("Default", 1)), nil, CodeNotSystem, `Select\Current`},
		{"no Default", pick(hivetest.Number("Current", 1)), nil, CodeNotSystem, `Select\Default`},
		{"Current is none", pick(hivetest.Number("Current", 0), hivetest.Number("Default", 1)), nil, CodeNotSystem, "control set 0"},
		{"Default is too high", pick(hivetest.Number("Current", 1), hivetest.Number("Default", 1000)), nil, CodeNotSystem, "control set 1000"},
		{"Current is text", pick(hivetest.Value{Name: "Current", Type: hivetest.SZ, Data: []byte{'1', 0, 0, 0}}), nil, CodeNotANumber, `Select\Current`},
		{"control set missing", hivetest.System(2, 2, hivetest.ControlSet("ControlSet001")), nil, CodeNotSystem, `ControlSet002\Control`},
		{"default control set missing", hivetest.System(1, 2, hivetest.ControlSet("ControlSet001")), nil, CodeNotSystem, `ControlSet002\Control`},
		{"control set empty", hivetest.System(1, 1, hivetest.Key{Name: "ControlSet001"}), nil, CodeNotSystem, "not complete"},

		{"text", with(hivetest.Value{Name: name, Type: hivetest.SZ, Data: []byte{'1', 0, 0, 0}}), nil, CodeNotANumber, `ControlSet001\Control\BitLocker\PreventDeviceEncryption`},
		{"long text", with(hivetest.Value{Name: name, Type: hivetest.SZ, Data: make([]byte, 3000)}), nil, CodeNotANumber, "3000 bytes"},
		{"64 bits", with(hivetest.Value{Name: name, Type: hivetest.QWORD, Data: make([]byte, 8)}), nil, CodeNotANumber, "type is 11"},
		{"empty number", with(hivetest.Value{Name: name, Type: hivetest.DWORD}), nil, CodeNotANumber, "0 bytes"},
		{"short number", with(hivetest.Value{Name: name, Type: hivetest.DWORD, Data: []byte{1}}), nil, CodeNotANumber, "1 bytes"},

		{"twice", with(prevent(1), prevent(0)), nil, CodeDamaged, "twice"},
		{"deleted below", with(hivetest.Value{Name: name, Flags: 2}), nil, CodeDamaged, "deleted"},
		{"two keys of a name", hivetest.System(1, 1, hivetest.ControlSet("ControlSet001", prevent(1)), hivetest.ControlSet("CONTROLSET001")), nil, CodeDamaged, "two keys ControlSet001"},
		{"link", hivetest.System(1, 1, hivetest.Key{Name: "ControlSet001", Flags: 0x10}), nil, CodeDamaged, "link"},
		{"handle", hivetest.System(1, 1, hivetest.Key{Name: "ControlSet001", Flags: 0x40}), nil, CodeDamaged, "link"},

		{"key gone", system, inNode("BitLocker", 0, 0), CodeDamaged, "should have a key"},
		{"key not in use", system, inNode("BitLocker", -4, 96), CodeDamaged, "not in use"},
		{"key too short", system, inNode("BitLocker", -4, 0xffffffff-40+1), CodeDamaged, "length"},
		{"key too long", system, inNode("BitLocker", -4, 0xffffffff-1<<20+1), CodeDamaged, "length"},
		{"key with the shortest length", system, inNode("BitLocker", -4, 0x80000000), CodeDamaged, "length"},
		{"key belongs elsewhere", system, inNode("BitLocker", 16, 32), CodeDamaged, "belongs elsewhere"},
		{"fewer keys than said", system, inNode("ControlSet001", 20, 9), CodeDamaged, "9 keys"},
		{"more keys than said", system, inNode("ControlSet001", 20, 1), CodeDamaged, "1 keys"},
		{"keys nowhere", system, inNode("ControlSet001", 28, offsetNowhere), CodeDamaged, "nothing can be"},
		{"keys are no list", system, inNode("ControlSet001", 28, 32), CodeDamaged, "list of keys"},
		{"values nowhere", system, inNode("BitLocker", 40, offsetNowhere), CodeDamaged, "nothing can be"},
		{"more values than there are", system, inNode("BitLocker", 36, 100), CodeDamaged, "length"},
		{"very many values", system, inNode("BitLocker", 36, 0xffffffff), CodeDamaged, "4294967295 values"},
		{"value gone", system, inValue(0, 0), CodeDamaged, "should have a value"},
		{"data nowhere", system, inValue(4, 4), CodeDamaged, "offset 1"},
		{"list in itself", hivetest.Key{Name: "ROOT", List: "ri", Keys: []hivetest.Key{{Name: "Select"}, {Name: "Setup"}}}, func(t *testing.T, data []byte) []byte {
			t.Helper()
			at := find(t, data, "ri\x01\x00", 0)
			le.PutUint32(data[at+4:], uint32(at-4-headerBytes))
			return data
		}, CodeDamaged, "into one another"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := hivetest.Hive(c.root)
			if c.spoil != nil {
				data = c.spoil(t, data)
			}
			state, err := read(bytes.NewReader(data), int64(len(data)), testPath)
			refused(t, err, testPath, c.code, c.says)
			if len(state.Sets) != 0 {
				t.Errorf("a state all the same: %v", state)
			}
		})
	}
}

const testPath = `D:\mount\Windows\System32\config\SYSTEM`

// failing is a disk that fails from some byte on.
type failing struct {
	data []byte
	from int64
	err  error
}

func (f failing) ReadAt(p []byte, offset int64) (int, error) {
	if offset+int64(len(p)) > f.from {
		return 0, f.err
	}
	return bytes.NewReader(f.data).ReadAt(p, offset)
}

// A disk that fails, and a file that shrinks while it is read, are no value that is not there either.
func TestRefusesWhatCannotBeRead(t *testing.T) {
	data := hivetest.Hive(hivetest.System(1, 1, hivetest.ControlSet("ControlSet001")))
	for from := range int64(len(data)) {
		_, err := read(failing{data, from, syscall.EIO}, int64(len(data)), testPath)
		if err == nil {
			break // All that is needed lies before it.
		}
		refused(t, err, testPath, CodeUnreadable, "cannot be read", "Check the disk")
		if !errors.Is(err, syscall.EIO) {
			t.Fatalf("the cause is lost: %v", err)
		}
	}
	_, err := read(failing{data, headerBytes, io.EOF}, int64(len(data)), testPath)
	refused(t, err, testPath, CodeDamaged, "it ends")
}

func TestRefusesFiles(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "no such file")
	_, err := Read(missing)
	refused(t, err, missing, CodeNotFound, `Windows\System32\config\SYSTEM`)

	_, err = Read(folder)
	refused(t, err, folder, CodeNotAFile, "is a folder", "SYSTEM")

	_, err = Read(os.DevNull)
	refused(t, err, os.DevNull, CodeNotAFile, "device")

	closed := filepath.Join(folder, "closed")
	err = openError(closed, &os.PathError{Op: "open", Path: closed, Err: os.ErrPermission})
	refused(t, err, closed, CodeNeedsElevation, "as administrator")

	err = openError(closed, &os.PathError{Op: "open", Path: closed, Err: syscall.EIO})
	refused(t, err, closed, CodeUnreadable, "cannot be opened", "Check the path")
	if runtime.GOOS == "windows" {
		err = openError(closed, &os.PathError{Op: "open", Path: closed, Err: syscall.Errno(32)}) // ERROR_SHARING_VIOLATION
		refused(t, err, closed, CodeInUse, "reg load", "--offline-hive")
	}
}
