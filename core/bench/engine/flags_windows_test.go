package engine

import (
	"testing"

	"golang.org/x/sys/windows"

	"diskaudit/core/contract"
)

// What CreateFile is called with is what is announced, number by number (case P22), and nothing
// that NO_BUFFERING does not go with (case P61: appending). The numbers are those of its
// documentation (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew).
func TestCreateFileIsCalledAsAnnounced(t *testing.T) {
	const (
		genericRead, genericWrite = 0x80000000, 0x40000000
		shareAll, openExisting    = 1 | 2 | 4, 3
		noBuffering               = 0x20000000
		writeThrough, overlapped  = 0x80000000, 0x40000000
	)
	type call struct{ access, share, disposition, flags uint32 }
	path := newFile(t, 16*testBlock)
	original := createFile
	t.Cleanup(func() { createFile = original })
	var calls []call
	createFile = func(name *uint16, access, share uint32, security *windows.SecurityAttributes, disposition, flags uint32, template windows.Handle) (windows.Handle, error) {
		calls = append(calls, call{access, share, disposition, flags})
		return original(name, access, share, security, disposition, flags, template)
	}
	durable := func(s Spec, durability contract.Durability) Spec {
		s.Durability = durability
		return s
	}
	deep := func(s Spec) Spec {
		s.QueueDepth = 4
		return s
	}
	for _, c := range []struct {
		name string
		spec Spec
		want call
	}{
		{"read", readSpec(path, 16), call{genericRead, shareAll, openExisting, noBuffering}},
		{"read, deep", deep(readSpec(path, 16)), call{genericRead, shareAll, openExisting, noBuffering | overlapped}},
		{"write", writeSpec(path, 16), call{genericWrite, shareAll, openExisting, noBuffering}},
		{"write through", durable(writeSpec(path, 16), contract.DurabilityWriteThrough), call{genericWrite, shareAll, openExisting, noBuffering | writeThrough}},
		{"write through, deep", deep(durable(writeSpec(path, 16), contract.DurabilityWriteThrough)), call{genericWrite, shareAll, openExisting, noBuffering | overlapped | writeThrough}},
		{"write and flush", durable(writeSpec(path, 16), contract.DurabilityFlush), call{genericWrite, shareAll, openExisting, noBuffering}},
	} {
		calls = nil
		session := open(t, c.spec)
		if len(calls) != 1 || calls[0] != c.want {
			t.Errorf("%s: CreateFile was called with %#x, want %#x", c.name, calls, c.want)
		}
		announced := uint32(0)
		for _, flag := range session.Description().OpenFlags {
			announced |= flag.Value
		}
		if announced != c.want.access|c.want.flags {
			t.Errorf("%s: announced %#x", c.name, announced)
		}
	}
	// The paths of a penalty are opened to be read, beside all who use the disk.
	calls = nil
	opened, err := OpenPath(path, testBlock)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if want := (call{genericRead, shareAll, openExisting, noBuffering}); len(calls) != 1 || calls[0] != want {
		t.Errorf("a path: CreateFile was called with %#x, want %#x", calls, want)
	}
}
