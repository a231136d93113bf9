package device

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"diskaudit/core/bench/allocation"
)

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "image")
	content := bytes.Repeat([]byte("content "), 8192)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Size != int64(len(content)) || d.Readable != d.Size {
		t.Errorf("%d bytes, %d readable", d.Size, d.Readable)
	}
	got := make([]byte, 100)
	if _, err := d.ReadAt(got, 1001); err != nil || !bytes.Equal(got, content[1001:1101]) {
		t.Errorf("read %q, error %v", got, err)
	}
	ranges, source, err := d.InUse(d.Size)
	if err != nil || source != SourceContent || !slices.Equal(ranges, []allocation.Range{{Offset: 0, Length: d.Size}}) {
		t.Errorf("in use %v by %q, error %v", ranges, source, err)
	}
	if stored, ok := d.Stored(); !ok || !slices.Equal(stored, []allocation.Range{{Offset: 0, Length: d.Size}}) {
		t.Errorf("stored %v, %v", stored, ok)
	}
}

func TestMissing(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// What the system knows of a mounted volume comes first; where it refuses, the disk is read.
func TestMountedFirst(t *testing.T) {
	told := []allocation.Range{{Offset: 4096, Length: 8192}}
	var refusal error
	d := &Device{
		Path: "volume", Size: 1 << 20, Readable: 1<<20 - 65536, ReaderAt: bytes.NewReader(make([]byte, 1<<20)),
		mounted: func(int64) ([]allocation.Range, error) { return told, refusal },
	}
	if ranges, source, err := d.InUse(1 << 20); err != nil || source != allocation.SourceVolume || !slices.Equal(ranges, told) {
		t.Errorf("%v by %q, error %v", ranges, source, err)
	}
	refusal = errors.New("the request is not supported")
	// No file system is on it, so that all that can be read is in use.
	if ranges, source, err := d.InUse(1 << 20); err != nil || source != SourceContent || !slices.Equal(ranges, []allocation.Range{{Offset: 0, Length: 1<<20 - 65536}}) {
		t.Errorf("%v by %q, error %v", ranges, source, err)
	}
}
