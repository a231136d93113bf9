package target

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"diskaudit/core/contract"
)

// fileSystems are those that a file is made on, with what is known of each. P49: a file system that
// compresses does not get to compress the file.
var fileSystems = []struct {
	name, kind, options string
	size                int64
	// alignment: what is smaller goes through the cache on btrfs.
	alignment int
}{
	{"ext4", "ext4", "", 128 << 20, 512},
	{"xfs", "xfs", "", 320 << 20, 512},
	{"btrfs", "btrfs", "", 256 << 20, 4096},
	{"btrfs that compresses", "btrfs", "compress-force=zstd", 256 << 20, 4096},
}

func TestFileOnFileSystems(t *testing.T) {
	for _, f := range fileSystems {
		t.Run(f.name, func(t *testing.T) {
			device := loopDevice(t, image(t, testFolder(t), f.size))
			point := mounted(t, f.kind, device, f.options)
			for name, c := range map[string]choices{"unnamed": {}, "named": {named: true}} {
				t.Run(name, func(t *testing.T) {
					before := names(t, point)
					opened, err := open(t.Context(), asking(point), c)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { opened.Close() })
					if opened.FileSystem == nil || *opened.FileSystem != f.kind {
						t.Errorf("file system %v, want %s", opened.FileSystem, f.kind)
					}
					if opened.Device != device {
						t.Errorf("device %q, want %s", opened.Device, device)
					}
					if opened.Alignment != f.alignment {
						t.Errorf("alignment %d, want %d", opened.Alignment, f.alignment)
					}
					checkProven(t, opened)
					checkContent(t, opened, 1<<20)
					if name == "unnamed" && len(names(t, point)) != len(before) {
						t.Errorf("the file has a name: %v", names(t, point))
					}
					if err := opened.Close(); err != nil {
						t.Fatal(err)
					}
					if after := names(t, point); len(after) != len(before) {
						t.Errorf("left behind: %v", after)
					}
				})
			}
		})
	}
}

// checkProven looks for a file that is all there, unchanged, and on a disk.
func checkProven(t *testing.T, opened *Target) {
	t.Helper()
	proof, facts := opened.Proof, &opened.Facts
	if proof.AllocatedBytes == nil || *proof.AllocatedBytes != uint64(opened.SizeBytes) {
		t.Errorf("allocated %v of %d: %s", proof.AllocatedBytes, opened.SizeBytes, facts.Evidence(FactProof))
	}
	if proof.Transformed == nil || *proof.Transformed {
		t.Errorf("transformed: %s", facts.Evidence(FactCompressed))
	}
	if proof.SampledBlocks < 64 || proof.WrongBlocks != 0 {
		t.Errorf("%d of %d sampled blocks are wrong", proof.WrongBlocks, proof.SampledBlocks)
	}
	for fact, value := range map[Fact]*bool{
		FactInMemory: facts.InMemory, FactRemote: facts.Remote, FactSparse: facts.Sparse, FactCompressed: facts.Compressed,
		FactReadOnly: facts.ReadOnly, FactFUSE: facts.FUSE, FactOverlay: facts.Overlay,
	} {
		if value == nil || *value {
			t.Errorf("%s: %v, %s", fact, value, facts.Evidence(fact))
		}
	}
	// As losetup makes them, unless it is told otherwise.
	if facts.Cached == nil || !*facts.Cached {
		t.Errorf("cached: %v, %s", facts.Cached, facts.Evidence(FactCached))
	}
}

// Files and devices in memory are told, however deep the memory lies.
func TestMemoryIsTold(t *testing.T) {
	shm := memoryFolder(t)
	t.Run("tmpfs", func(t *testing.T) {
		path := filepath.Join(shm, "file")
		writeAndSync(t, path, NewPool(1, 2<<20))
		checkMemory(t, path, "tmpfs")
	})
	t.Run("loop over tmpfs", func(t *testing.T) {
		device := loopDevice(t, image(t, shm, 64<<20))
		checkMemory(t, device, "tmpfs")
		point := mounted(t, "ext4", device, "")
		checkMemory(t, point, "tmpfs")
		inner := loopDevice(t, image(t, point, 8<<20))
		checkMemory(t, inner, "tmpfs")
	})
	t.Run("zram", func(t *testing.T) {
		device := ramDisk(t, "16M")
		opened := checkMemory(t, device, "zram")
		if c := opened.Facts.Compressed; c == nil || !*c {
			t.Errorf("compressed: %v, %s", c, opened.Facts.Evidence(FactCompressed))
		}
		// P1, P3: a device that was never written answers zeros without looking.
		if z := opened.Facts.Zeros; z == nil || !*z {
			t.Errorf("zeros: %v, %s", z, opened.Facts.Evidence(FactZeros))
		}
	})
}

func checkMemory(t *testing.T, path, evidence string) *Target {
	t.Helper()
	opened, err := Open(t.Context(), asking(path))
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
	if m := opened.Facts.InMemory; m == nil || !*m || !strings.Contains(opened.Facts.Evidence(FactInMemory), evidence) {
		t.Errorf("%s in memory: %v, %q", path, m, opened.Facts.Evidence(FactInMemory))
	}
	return opened
}

// memoryFolder is a tmpfs.
func memoryFolder(t *testing.T) string {
	t.Helper()
	needRoot(t)
	return mountAt(t, "tmpfs", "none", "size=128m")
}

func TestBlockDevice(t *testing.T) {
	needRoot(t)
	path := image(t, testFolder(t), 64<<20)
	data := NewPool(3, 64<<20)
	writeAndSync(t, path, data)
	device := loopDevice(t, path)
	r := asking(device)
	opened := mustOpen(t, r)
	if opened.Kind != contract.TargetDevice || opened.Device != device || opened.FileSystem != nil || opened.SizeBytes != r.SizeBytes {
		t.Errorf("kind %s, device %s, %d bytes, file system %v", opened.Kind, opened.Device, opened.SizeBytes, opened.FileSystem)
	}
	if w := opened.Facts.WholeBytes; w == nil || *w != 64<<20 {
		t.Errorf("whole length %v", w)
	}
	if m := opened.Facts.Mounted; m == nil || *m {
		t.Errorf("mounted: %v, %s", m, opened.Facts.Evidence(FactMounted))
	}
	opened.Close()
	// P13, B62: writing to a device is refused before anything is done.
	r.Writes = true
	_, err := Open(t.Context(), r)
	wantRefusal(t, err, "is-written-to", device, "destroy", "folder")
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the device changed: %v", err)
	}
}

func TestMountedDevice(t *testing.T) {
	device := loopDevice(t, image(t, testFolder(t), 64<<20))
	point := mounted(t, "ext4", device, "")
	opened := mustOpen(t, asking(device))
	if m := opened.Facts.Mounted; m == nil || !*m || !strings.Contains(opened.Facts.Evidence(FactMounted), point) {
		t.Errorf("mounted: %v, %s", m, opened.Facts.Evidence(FactMounted))
	}
	// The device and its file system are one volume.
	_, err := Open(t.Context(), asking(point))
	wantRefusal(t, err, "in-use", "this volume")
}

func TestFullFileSystem(t *testing.T) {
	device := loopDevice(t, image(t, testFolder(t), 64<<20))
	point := mounted(t, "ext4", device, "")
	writeAndSync(t, filepath.Join(point, "others"), NewPool(1, 40<<20))
	before := names(t, point)
	r := asking(point)
	r.SizeBytes, r.MinBytes = 32<<20, 32<<20
	_, err := Open(t.Context(), r)
	wantRefusal(t, err, "no-space", point, "free", "33554432")
	// Room for less than was asked for, and enough.
	r.MinBytes = 1 << 20
	opened := mustOpen(t, r)
	if s := opened.Facts.Shortened; s == nil || !*s || opened.SizeBytes >= 32<<20 || opened.SizeBytes%chunk != 0 {
		t.Errorf("shortened %v to %d: %s", s, opened.SizeBytes, opened.Facts.Evidence(FactShortened))
	}
	opened.Close()
	// Others fill it while the file is written.
	writes := 0
	fill := func() {
		if writes++; writes == 2 {
			fillUp(t, filepath.Join(point, "more"))
		}
	}
	unfinished, err := open(t.Context(), r, choices{named: true, wrap: func(w writer) writer { return slowed{w, fill} }})
	if err == nil {
		unfinished.Close()
	}
	wantRefusal(t, err, "no-space", point, unix.ENOSPC.Error())
	if after := names(t, point); len(after) != len(before)+1 {
		t.Errorf("left behind: %v", after)
	}
}

// fillUp writes a file until there is no room left, also none of what is reserved for root.
func fillUp(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data := NewPool(2, 1<<16)
	for err == nil {
		if _, err = file.Write(data); err == nil {
			err = file.Sync()
		}
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Error(err)
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	device := loopDevice(t, image(t, testFolder(t), 64<<20))
	point := mounted(t, "ext4", device, "")
	file := filepath.Join(point, "file")
	writeAndSync(t, file, NewPool(1, 2<<20))
	if err := unix.Mount("", point, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{point, filepath.Join(point, "new")} {
		_, err := Open(t.Context(), asking(path))
		wantRefusal(t, err, "read-only", point, "read-only", unix.EROFS.Error())
	}
	opened := mustOpen(t, asking(file))
	if ro := opened.Facts.ReadOnly; ro == nil || !*ro {
		t.Errorf("read-only: %v", ro)
	}
}

// P1, P26, P27: holes and extents that were never written are told.
func TestFilesThatAreNotThere(t *testing.T) {
	device := loopDevice(t, image(t, testFolder(t), 64<<20))
	point := mounted(t, "ext4", device, "")
	sparse := filepath.Join(point, "sparse")
	writeAndSync(t, sparse, NewPool(1, 1<<20))
	if err := os.Truncate(sparse, 4<<20); err != nil {
		t.Fatal(err)
	}
	unwritten := filepath.Join(point, "unwritten")
	writeAndSync(t, unwritten, nil)
	file, err := os.OpenFile(unwritten, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := unix.Fallocate(int(file.Fd()), 0, 0, 4<<20); err != nil {
		t.Fatal(err)
	}
	for path, allocated := range map[string]uint64{sparse: 1 << 20, unwritten: 0} {
		opened := mustOpen(t, asking(path))
		if s := opened.Facts.Sparse; s == nil || !*s {
			t.Errorf("%s sparse: %v", path, s)
		}
		if a := opened.Proof.AllocatedBytes; a == nil || *a != allocated {
			t.Errorf("%s: %v bytes allocated, want %d: %s", path, a, allocated, opened.Facts.Evidence(FactProof))
		}
		if z := opened.Facts.Zeros; z == nil || !*z {
			t.Errorf("%s zeros: %v", path, z)
		}
		opened.Close()
	}
}

// P49: a file that btrfs compressed is told.
func TestCompressedFile(t *testing.T) {
	device := loopDevice(t, image(t, testFolder(t), 256<<20))
	point := mounted(t, "btrfs", device, "compress-force=zstd")
	path := filepath.Join(point, "text")
	writeAndSync(t, path, bytes.Repeat([]byte("compressible "), 4<<20/13))
	opened := mustOpen(t, asking(path))
	if c := opened.Facts.Compressed; c == nil || !*c {
		t.Errorf("compressed: %v, %s", c, opened.Facts.Evidence(FactCompressed))
	}
	if x := opened.Proof.Transformed; x == nil || !*x {
		t.Errorf("transformed: %v", x)
	}
}
