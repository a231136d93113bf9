//go:build linux

package layers

import (
	"path/filepath"
	"testing"

	"diskaudit/tests/layers/layer"
)

// The options of Mount and Folder, and what they are made of.
type (
	Options       = layer.Views
	FolderOptions = layer.Folder
	Fault         = layer.Fault
	Counters      = layer.Counters
)

// The views, kinds of requests and kinds of faults.
const (
	Bare, Slow         = layer.Bare, layer.Slow
	Read, Write, Flush = layer.Read, layer.Write, layer.Flush

	IOError, Hang, Short, Changing, NoSpace = layer.IOError, layer.Hang, layer.Short, layer.Changing, layer.NoSpace
)

// Views are two read-only files that show the same bytes, one with a delay.
type Views struct {
	*Mounted
	// Bare and Slow are the files.
	Bare, Slow string
}

// Mount shows a backing file or block device as two files, of which the slow one takes
// options.Delay longer for each read. No page cache answers, neither for the two files nor, where
// its file system allows that, for the backing.
func Mount(t testing.TB, backing string, options Options) *Views {
	t.Helper()
	backing, err := filepath.Abs(backing)
	if err != nil {
		t.Fatal(err)
	}
	mounted := mount(t, layer.Setup{Backing: backing, Views: &options})
	return &Views{mounted, filepath.Join(mounted.Path, string(Bare)), filepath.Join(mounted.Path, string(Slow))}
}

// Folder mounts an empty folder in which files can be made, written, read and removed, at the
// speed and with the faults that the options say. Its files are kept in t.TempDir.
func Folder(t testing.TB, options FolderOptions) *Mounted {
	t.Helper()
	return mount(t, layer.Setup{Backing: t.TempDir(), Folder: &options})
}
