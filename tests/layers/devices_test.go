//go:build linux

package layers_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"diskaudit/tests/layers"
	"diskaudit/tests/layers/held"
)

// block reads one block past the page cache.
func block(t *testing.T, path string, offset int64) []byte {
	t.Helper()
	fd, buffer := direct(t, path), held.Aligned(4096)
	if n, err := unix.Pread(fd, buffer, offset); n != len(buffer) || err != nil {
		t.Fatalf("reading %s at %d: %d bytes, %v", path, offset, n, err)
	}
	return buffer
}

func TestRAMDisk(t *testing.T) {
	const size = 8 << 20
	var path string
	t.Run("made", func(t *testing.T) {
		path = layers.RAMDisk(t, size)
		seen := map[string]bool{}
		var counts [256]int
		for at := int64(0); at < size; at += 4096 {
			content := block(t, path, at)
			seen[string(content)] = true
			for _, b := range content {
				counts[b]++
			}
		}
		if len(seen) != size/4096 {
			t.Errorf("%d different blocks of %d", len(seen), size/4096)
		}
		// Random bytes: each value 32768 times, give or take 181.
		for value, count := range counts {
			if count < 32768-7*181 || count > 32768+7*181 {
				t.Errorf("the byte %#x is there %d times", value, count)
			}
		}
	})
	if path == "" {
		t.Skip("no RAM disk could be made: see the reason above")
	}
	if _, err := os.Stat("/sys/block/" + filepath.Base(path)); err == nil {
		t.Errorf("%s is still there", path)
	}
}

func TestLoop(t *testing.T) {
	const offset = 1 << 20
	disk := layers.RAMDisk(t, 4<<20)
	var loop string
	t.Run("made", func(t *testing.T) {
		loop = layers.Loop(t, disk, offset)
		for _, at := range []int64{0, 4096, 3<<20 - 4096} {
			if !bytes.Equal(block(t, loop, at), block(t, disk, offset+at)) {
				t.Errorf("byte %d of the loop device is not byte %d of the disk", at, offset+at)
			}
		}
		if dio, err := os.ReadFile("/sys/block/" + filepath.Base(loop) + "/loop/dio"); err != nil || string(dio) != "1\n" {
			t.Errorf("direct I/O: %q, %v", dio, err)
		}
	})
	if used, err := os.ReadFile("/sys/block/" + filepath.Base(loop) + "/loop/backing_file"); err == nil && strings.TrimSpace(string(used)) == disk {
		t.Errorf("%s still uses %s", loop, disk)
	}
}

func TestFileSystems(t *testing.T) {
	for _, c := range []struct {
		kind    string
		size    int64
		magic   int64
		options []string
	}{
		{"ext4", 64 << 20, unix.EXT4_SUPER_MAGIC, []string{"noatime"}},
		{"btrfs", 128 << 20, unix.BTRFS_SUPER_MAGIC, []string{"compress-force=zstd"}},
		{"xfs", 320 << 20, unix.XFS_SUPER_MAGIC, nil},
		{"tmpfs", 0, unix.TMPFS_MAGIC, []string{"size=8m"}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			var folder string
			t.Run("made", func(t *testing.T) {
				disk := ""
				if c.size > 0 {
					disk = layers.RAMDisk(t, c.size)
				}
				folder = layers.FileSystem(t, disk, c.kind, c.options...)
				var about unix.Statfs_t
				if err := unix.Statfs(folder, &about); err != nil || about.Type != c.magic {
					t.Errorf("the file system is of type %#x, %v", about.Type, err)
				}
				content := bytes.Repeat([]byte("content "), 10_000)
				if err := os.WriteFile(filepath.Join(folder, "file"), content, 0o600); err != nil {
					t.Fatal(err)
				}
				mounts, err := os.ReadFile("/proc/self/mounts")
				if err != nil {
					t.Fatal(err)
				}
				for _, option := range c.options {
					// btrfs shows the level of the compression behind its name; tmpfs its size in KiB.
					option = strings.Replace(option, "size=8m", "size=8192k", 1)
					if !strings.Contains(lineOf(string(mounts), folder), option) {
						t.Errorf("the option %s is not in %q", option, lineOf(string(mounts), folder))
					}
				}
			})
			gone(t, folder)
		})
	}
}

// A mount that is still in use at the end of its test goes away all the same.
func TestFileSystemInUse(t *testing.T) {
	var folder string
	var file *os.File
	t.Run("made", func(t *testing.T) {
		folder = layers.FileSystem(t, "", "tmpfs", "size=1m")
		var err error
		if file, err = os.Create(filepath.Join(folder, "file")); err != nil {
			t.Fatal(err)
		}
	})
	if file == nil {
		t.Skip("nothing could be mounted: see the reason above")
	}
	defer file.Close()
	gone(t, folder)
}

// What cannot be made says why, and leaves nothing.
func TestRefusals(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: the refusals of another user are others")
	}
	before := mounts(t)
	for _, c := range []struct {
		about string
		make  func() (*held.Thing, error)
		want  string
	}{
		{"odd size", func() (*held.Thing, error) { return held.RAMDisk(5000, 1) }, "multiple of 4096"},
		{"no such file", func() (*held.Thing, error) { return held.Loop("/nowhere", 0) }, "/nowhere"},
		{"odd offset", func() (*held.Thing, error) { return held.Loop("/nowhere", 100) }, "multiple of 512"},
		{"no such kind", func() (*held.Thing, error) { return held.FileSystem("/nowhere", "ntfs") }, "there are btrfs, ext4, tmpfs, xfs"},
		{"no such device", func() (*held.Thing, error) { return held.FileSystem("/nowhere", "ext4") }, "/nowhere"},
		{"bad option", func() (*held.Thing, error) { return held.FileSystem("", "tmpfs", "size=what") }, "tmpfs"},
	} {
		thing, err := c.make()
		if err == nil {
			t.Errorf("%s: %s was made", c.about, thing.Path)
			thing.Release() //nolint:errcheck // The test has failed already.
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want a message with %q", c.about, err, c.want)
		}
	}
	if after := mounts(t); after != before {
		t.Errorf("mounts changed from %s to %s", before, after)
	}
}

func gone(t *testing.T, folder string) {
	t.Helper()
	if folder == "" {
		return
	}
	if line := lineOf(mounts(t), folder); line != "" {
		t.Errorf("still mounted: %s", line)
	}
	if _, err := os.Lstat(folder); err == nil {
		t.Errorf("the folder %s is still there", folder)
	}
}

func mounts(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func lineOf(mounts, folder string) string {
	for line := range strings.Lines(mounts) {
		if strings.Contains(line, fmt.Sprintf(" %s ", folder)) {
			return line
		}
	}
	return ""
}
