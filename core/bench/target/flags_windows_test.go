package target

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// created is a call of CreateFile.
type created struct{ access, share, disposition, flags uint32 }

// watchCreateFile notes the calls for a path.
func watchCreateFile(t *testing.T, path string) *[]created {
	t.Helper()
	var calls []created
	open := createFile
	t.Cleanup(func() { createFile = open })
	createFile = func(name *uint16, access, share uint32, security *windows.SecurityAttributes, disposition, flags uint32, template windows.Handle) (windows.Handle, error) {
		if windows.UTF16PtrToString(name) == path {
			calls = append(calls, created{access, share, disposition, flags})
		}
		return open(name, access, share, security, disposition, flags, template)
	}
	return &calls
}

// The numbers are those of CreateFile's documentation
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew, and
// learn.microsoft.com/windows/win32/secauthz/generic-access-rights).
const (
	genericRead, genericWrite, deleteRight   = 0x80000000, 0x40000000, 0x00010000
	shareRead, shareWrite, shareDelete       = 1, 2, 4
	createNew, openExistingOnly              = 1, 3
	noBuffering, deleteOnClose, notIndexed   = 0x20000000, 0x04000000, 0x00002000
	writeThrough, overlapped, sequentialScan = 0x80000000, 0x40000000, 0x08000000
)

// The test file is new or it is an error, goes past the cache, goes with its last handle, and can
// be opened again beside this one, for the workers (case P22). No right is asked for that a
// standard user does not have (cases P1 to P3, B62).
func TestFlagsOfANewFile(t *testing.T) {
	path := filepath.Join(testFolder(t), "new.bin")
	calls := watchCreateFile(t, path)
	r := asking(path)
	opened := mustOpen(t, r)
	defer opened.Close()
	want := created{genericRead | genericWrite | deleteRight, shareRead | shareWrite | shareDelete, createNew, noBuffering | deleteOnClose | notIndexed}
	if len(*calls) != 1 || (*calls)[0] != want {
		t.Errorf("%#x, want once %#x", *calls, want)
	}
}

// An existing file is opened to be read, and nothing else.
func TestFlagsOfAnExistingFile(t *testing.T) {
	path := filepath.Join(testFolder(t), "existing.bin")
	writeAndSync(t, path, NewPool(2, 8<<20))
	calls := watchCreateFile(t, path)
	opened := mustOpen(t, asking(path))
	defer opened.Close()
	want := created{genericRead, shareRead | shareWrite | shareDelete, openExistingOnly, noBuffering}
	if len(*calls) != 1 || (*calls)[0] != want {
		t.Errorf("%#x, want once %#x", *calls, want)
	}
	for _, call := range *calls {
		if call.access&genericWrite != 0 || call.flags&(writeThrough|overlapped|sequentialScan) != 0 {
			t.Errorf("%#x", call)
		}
	}
}
