package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"testing"

	"diskaudit/core/machine/windows/registry"
)

// sectors is a device that takes whole sectors at multiples of a sector only.
type sectors struct {
	content []byte
	sector  int
	// fails ends reads from there on with an error; 0 is never.
	fails int64
}

var errSurface = errors.New("the surface is damaged")

func (s *sectors) ReadAt(p []byte, offset int64) (int, error) {
	if offset%int64(s.sector) != 0 || len(p)%s.sector != 0 || len(p) == 0 || len(p) > maxTransferBytes {
		return 0, fmt.Errorf("reading %d bytes at %d is not aligned", len(p), offset)
	}
	if offset >= int64(len(s.content)) {
		return 0, io.EOF
	}
	if s.fails > 0 && offset+int64(len(p)) > s.fails {
		return copy(p, s.content[offset:max(offset, s.fails)]), errSurface
	}
	return copy(p, s.content[offset:]), nil
}

func TestAlignedReader(t *testing.T) {
	content := wineDisk()
	random := rand.New(rand.NewPCG(1, 2))
	for _, sector := range []int{512, 4096} {
		r := newAlignedReader(&sectors{content: content, sector: sector}, int64(sector), int64(len(content)))
		check := func(offset, length int) {
			got := make([]byte, length)
			n, err := r.ReadAt(got, int64(offset))
			want := content[min(offset, len(content)):min(offset+length, len(content))]
			if !bytes.Equal(got[:n], want) {
				t.Fatalf("sector %d: reading %d bytes at %d gives %d other bytes (%v)", sector, length, offset, n, err)
			}
			if short := n < length; short != errors.Is(err, io.EOF) || !short && err != nil {
				t.Fatalf("sector %d: reading %d bytes at %d: %d bytes and %v", sector, length, offset, n, err)
			}
		}
		for _, offset := range []int{0, 1, 511, 512, 513, 4095, 4096, len(content) - 1, len(content), len(content) + 5} {
			for _, length := range []int{0, 1, 2, 511, 512, 513, 8192, maxTransferBytes, maxTransferBytes + 1, 2*maxTransferBytes + 700} {
				if length == 0 && offset >= len(content) {
					continue
				}
				check(offset, length)
			}
		}
		for range 60 {
			check(random.IntN(len(content)+10), 1+random.IntN(3*maxTransferBytes/2))
		}
		if _, err := r.ReadAt(make([]byte, 1), -1); err == nil {
			t.Error("a negative offset was taken")
		}
	}
}

// sparing gives what it has and never an error.
type sparing struct{ content []byte }

func (s sparing) ReadAt(p []byte, offset int64) (int, error) {
	return copy(p, s.content[min(offset, int64(len(s.content))):]), nil
}

// What was read before a damaged place is given with the error.
func TestAlignedReaderErrors(t *testing.T) {
	content := wineDisk()
	r := newAlignedReader(&sectors{content: content, sector: 512, fails: 1024}, 512, int64(len(content)))
	got := make([]byte, 2000)
	n, err := r.ReadAt(got, 100)
	if n != 924 || !errors.Is(err, errSurface) || !bytes.Equal(got[:n], content[100:1024]) {
		t.Errorf("%d bytes, %v; want the 924 before the damage", n, err)
	}
	// A device that gives less than was asked for and no reason, over and over.
	r = newAlignedReader(sparing{content[:512]}, 512, int64(len(content)))
	if n, err := r.ReadAt(got, 0); n != 512 || err == nil {
		t.Errorf("%d bytes, %v; want 512 and an error", n, err)
	}
	// A device that ends before the size that it told.
	r = newAlignedReader(&sectors{content: content[:1024], sector: 512}, 512, int64(len(content)))
	if n, err := r.ReadAt(got, 0); n != 1024 || err == nil {
		t.Errorf("%d bytes, %v; want 1024 and an error", n, err)
	}
}

// The buffer that the device fills begins at a page, as disks demand.
func TestAlignedBuffers(t *testing.T) {
	buffer, ok := newAlignedReader(nil, 512, 512).buffers.Get().(*[]byte)
	if !ok {
		t.Fatal("no buffer")
	}
	address, err := strconv.ParseUint(fmt.Sprintf("%p", &(*buffer)[0])[2:], 16, 64)
	if err != nil || address%4096 != 0 {
		t.Errorf("the buffer begins at %#x (%v)", address, err)
	}
}

func TestOpenDisk(t *testing.T) {
	content := wineDisk()
	for _, test := range []struct {
		name    string
		answers map[int64]any
		size    int64
	}{
		{"by its length", map[int64]any{0x7405c: length(1 << 20), 0x700a0: geometry(512, 2<<20)}, 1 << 20},
		{"by its geometry", map[int64]any{0x700a0: geometry(4096, 2<<20)}, 2 << 20},
		{"by its end", map[int64]any{}, wineDiskBytes},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			f.disk("12", test.answers).content = content
			disk, size, err := New(f, registry.Memory{}).OpenDisk("physicaldrive12")
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 1000)
			if _, err := disk.ReadAt(got, 777); err != nil || !bytes.Equal(got, content[777:1777]) || size != test.size {
				t.Errorf("size %d, want %d; %v", size, test.size, err)
			}
			if err := disk.Close(); err != nil || f.opened() != 0 {
				t.Errorf("closing: %v, %d handles open", err, f.opened())
			}
		})
	}
}

func TestOpenDiskFailures(t *testing.T) {
	f := newFake(t)
	f.disk("0", map[int64]any{})
	reader := New(f, registry.Memory{})
	for _, id := range []string{"", "PhysicalDrive", "PhysicalDriveX", "PhysicalDrive-1", "PhysicalDrive4294967295", `..\C:`, "C:", "PhysicalDrive0\\x", "PhysicalDrive1"} {
		if _, _, err := reader.OpenDisk(id); err == nil {
			t.Errorf("%q was opened", id)
		}
	}
	if _, _, err := reader.OpenDisk("PhysicalDrive0"); err == nil || f.opened() != 0 {
		t.Errorf("a disk without a size: %v, %d handles open", err, f.opened())
	}
	f.elevated = false
	if _, _, err := reader.OpenDisk("PhysicalDrive0"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a standard user: %v, want fs.ErrPermission", err)
	}
}
