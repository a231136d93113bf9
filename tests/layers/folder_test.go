//go:build linux

package layers_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"diskaudit/tests/layers"
	"diskaudit/tests/layers/held"
)

func TestFolderKeepsFiles(t *testing.T) {
	folder := layers.Folder(t, layers.FolderOptions{FreeBytes: 1 << 30})
	path := filepath.Join(folder.Path, "file")
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_DIRECT|unix.O_CLOEXEC, 0o600)
	if err != nil {
		t.Fatalf("making a file: %v", err)
	}
	block, back := held.Aligned(1<<20), held.Aligned(1<<20)
	for i := range block {
		block[i] = byte(i*7 + i>>8)
	}
	for i := range 4 {
		if n, err := unix.Pwrite(fd, block, int64(i)<<20); n != len(block) || err != nil {
			t.Fatalf("writing: %d bytes, %v", n, err)
		}
	}
	if err := unix.Fdatasync(fd); err != nil {
		t.Errorf("flushing: %v", err)
	}
	if n, err := unix.Pread(fd, back, 2<<20); n != len(back) || err != nil || !bytes.Equal(block, back) {
		t.Errorf("reading back: %d bytes, %v, equal %v", n, err, bytes.Equal(block, back))
	}
	var space unix.Statfs_t
	if err := unix.Statfs(folder.Path, &space); err != nil {
		t.Fatal(err)
	}
	if free := int64(space.Bavail) * space.Bsize; free != 1<<30-4<<20 {
		t.Errorf("%d bytes are free, want 1 GiB less 4 MiB", free)
	}
	// Removed while it is open, as a program may do that leaves nothing behind.
	if err := os.Remove(path); err != nil {
		t.Errorf("removing: %v", err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Size != 4<<20 {
		t.Errorf("the removed file has %d bytes, %v", st.Size, err)
	}
	if err := unix.Close(fd); err != nil {
		t.Errorf("closing: %v", err)
	}
	if left, err := os.ReadDir(folder.Path); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if c := folder.Counters(""); c.Writes != 4 || c.WrittenBytes != 4<<20 || c.Flushes != 1 || c.Reads != 1 {
		t.Errorf("counted %+v", c)
	}
}

func TestFaultsOfAFolder(t *testing.T) {
	for _, c := range []struct {
		about string
		fault layers.Fault
		// at is the number of the 64 KiB write that goes wrong, and flush whether the flush does.
		at    int
		n     int
		err   error
		flush error
	}{
		{"full after 320 KiB", layers.Fault{Kind: layers.NoSpace, Operation: layers.Write, AfterBytes: 320 << 10}, 5, -1, unix.ENOSPC, nil},
		{"bad sector", layers.Fault{Kind: layers.IOError, Operation: layers.Write, From: 130 << 10, To: 131 << 10}, 2, -1, unix.EIO, nil},
		{"short write", layers.Fault{Kind: layers.Short, Operation: layers.Write, AfterRequests: 7}, 7, 32 << 10, nil, nil},
		{"failing flush", layers.Fault{Kind: layers.IOError, Operation: layers.Flush}, 99, 0, nil, unix.EIO},
	} {
		t.Run(c.about, func(t *testing.T) {
			folder := layers.Folder(t, layers.FolderOptions{Faults: []layers.Fault{c.fault}})
			file, err := os.Create(filepath.Join(folder.Path, "file"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			block := make([]byte, 64<<10)
			for i := range 8 {
				n, err := unix.Pwrite(int(file.Fd()), block, int64(i)*int64(len(block)))
				if i != c.at {
					if n != len(block) || err != nil {
						t.Errorf("write %d: %d bytes, %v", i, n, err)
					}
					continue
				}
				if n != c.n || !errors.Is(err, c.err) {
					t.Errorf("write %d: %d bytes, %v; want %d, %v", i, n, err, c.n, c.err)
				}
				if errors.Is(err, unix.ENOSPC) {
					break
				}
			}
			if err := unix.Fsync(int(file.Fd())); !errors.Is(err, c.flush) {
				t.Errorf("flush: %v, want %v", err, c.flush)
			}
		})
	}
}

// A slow disk takes at least the time that its speed means, whatever asks at the same time.
func TestSlowFolder(t *testing.T) {
	folder := layers.Folder(t, layers.FolderOptions{WriteBytesPerSecond: 20e6, ReadBytesPerSecond: 40e6})
	path := filepath.Join(folder.Path, "file")
	began := time.Now()
	if err := os.WriteFile(path, make([]byte, 4e6), 0o600); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 190*time.Millisecond {
		t.Errorf("4 MB were written in %v at 20 MB/s", took)
	}
	began = time.Now()
	if content, err := os.ReadFile(path); err != nil || len(content) != 4e6 {
		t.Fatalf("%d bytes, %v", len(content), err)
	}
	if took := time.Since(began); took < 90*time.Millisecond {
		t.Errorf("4 MB were read in %v at 40 MB/s", took)
	}
}
