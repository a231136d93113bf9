package allocation

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// run runs a tool and returns what it printed.
func run(t *testing.T, name string, arguments ...string) []byte {
	t.Helper()
	var complaint bytes.Buffer
	command := exec.Command(require.Tool(t, name), arguments...)
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(arguments, " "), err, complaint.String())
	}
	return out
}

// image makes an empty sparse file.
func image(t *testing.T, bytes int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, bytes); err != nil {
		t.Fatal(err)
	}
	return path
}

// content makes a folder with files of some sizes.
func content(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i, size := range []int{1, 700, 5000, 70_000, 1_300_000, 4096, 3_000_000, 100} {
		data := make([]byte, size)
		rand.Read(data)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d", i)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rangesOf reads an image, given the size of the file or a smaller one.
func rangesOf(t *testing.T, path string, size int64) ([]Range, string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ranges, source, err := Ranges(file, size)
	if err != nil {
		t.Fatal(err)
	}
	return ranges, source
}

func orderly(t *testing.T, ranges []Range, size int64) {
	t.Helper()
	end := int64(-1)
	for _, r := range ranges {
		if r.Offset <= end || r.Length <= 0 || r.Offset+r.Length > size {
			t.Fatalf("range %+v after byte %d, of %d", r, end, size)
		}
		end = r.Offset + r.Length
	}
}

// What is in use on NTFS is what ntfscat, of ntfs-3g, reads as the content of $Bitmap.
func TestNTFSAgainstNtfs3g(t *testing.T) {
	for _, c := range []struct {
		sector, cluster int
		size            int64
	}{
		{512, 512, 40 << 20}, {512, 4096, 64 << 20}, {512, 4096, 64<<20 + 512*3}, {4096, 4096, 64 << 20},
		{512, 65536, 200 << 20}, {512, 2 << 20, 900 << 20},
	} {
		t.Run(fmt.Sprintf("sector %d cluster %d size %d", c.sector, c.cluster, c.size), func(t *testing.T) {
			path := image(t, c.size)
			command := exec.Command(require.Tool(t, "mkfs.ntfs"), "-q", "-F", "-f", "-s", strconv.Itoa(c.sector), "-c", strconv.Itoa(c.cluster), path)
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("mkfs.ntfs: %v: %s", err, out)
			}
			dir := content(t)
			files, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				run(t, "ntfscp", "-f", path, filepath.Join(dir, file.Name()), file.Name())
			}
			got, source := rangesOf(t, path, c.size)
			orderly(t, got, c.size)
			if source != "ntfs-bitmap" {
				t.Errorf("source %q", source)
			}
			bitmap := run(t, "ntfscat", "-f", "-i", "6", path)
			info := run(t, "ntfsinfo", "-f", "-m", path)
			clusters := number(t, info, `Volume Size in Clusters: (\d+)`)
			var want []Range
			used := int64(0)
			for i := range clusters {
				if bitmap[i/8]>>(i%8)&1 == 0 {
					continue
				}
				used++
				at := i * int64(c.cluster)
				if n := len(want); n > 0 && want[n-1].Offset+want[n-1].Length == at {
					want[n-1].Length += int64(c.cluster)
				} else {
					want = append(want, Range{Offset: at, Length: int64(c.cluster)})
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %d ranges %v, want %d %v", len(got), head(got), len(want), head(want))
			}
			if free := number(t, info, `Free Clusters: (\d+)`); used+free != clusters || used == 0 {
				t.Errorf("%d clusters in use and %d free, of %d", used, free, clusters)
			}
		})
	}
}

func head(ranges []Range) []Range { return ranges[:min(len(ranges), 6)] }

func number(t *testing.T, text []byte, pattern string) int64 {
	t.Helper()
	found := regexp.MustCompile(pattern).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no %s in %s", pattern, text)
	}
	n, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What is in use on ext2, 3 and 4 is what dumpe2fs does not list as free, but for the groups whose
// bitmap was never written.
func TestExtAgainstDumpe2fs(t *testing.T) {
	for _, c := range []struct {
		name      string
		size      int64
		arguments []string
	}{
		{"ext2, 1 KiB", 60 << 20, []string{"-t", "ext2", "-b", "1024"}},
		{"ext3, 4 KiB", 300 << 20, []string{"-t", "ext3", "-b", "4096"}},
		{"ext4 of today", 700 << 20, []string{"-t", "ext4", "-b", "4096"}},
		{"ext4, odd size", 300<<20 + 5*1024, []string{"-t", "ext4", "-b", "1024"}},
		{"ext4, 32 bit", 300 << 20, []string{"-t", "ext4", "-O", "^64bit,^metadata_csum,uninit_bg"}},
		{"ext4, no flexible groups", 500 << 20, []string{"-t", "ext4", "-O", "^flex_bg", "-b", "4096"}},
		{"ext4, bigalloc", 600 << 20, []string{"-t", "ext4", "-O", "bigalloc", "-C", "65536", "-b", "4096"}},
		{"ext4, bigalloc, 1 KiB", 200 << 20, []string{"-t", "ext4", "-O", "bigalloc", "-C", "16384", "-b", "1024"}},
		{"ext4, small groups", 200 << 20, []string{"-t", "ext4", "-g", "8192", "-b", "4096"}},
		{"ext4, sparse_super2", 500 << 20, []string{"-t", "ext4", "-O", "sparse_super2", "-b", "4096"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := image(t, c.size)
			run(t, "mkfs.ext4", append(append([]string{"-q", "-F", "-d", content(t)}, c.arguments...), path)...)
			got, source := rangesOf(t, path, c.size)
			orderly(t, got, c.size)
			if source != "ext4-bitmap" {
				t.Errorf("source %q", source)
			}
			want := fromDumpe2fs(t, run(t, "dumpe2fs", path))
			if !slices.Equal(got, want) {
				t.Errorf("got %d ranges %v, want %d %v", len(got), head(got), len(want), head(want))
			}
			if total := sum(got); total < 4_400_000 {
				t.Errorf("%d bytes in use, the files have more", total)
			}
		})
	}
}

func sum(ranges []Range) int64 {
	total := int64(0)
	for _, r := range ranges {
		total += r.Length
	}
	return total
}

// fromDumpe2fs turns what dumpe2fs prints into the ranges in use.
func fromDumpe2fs(t *testing.T, text []byte) []Range {
	t.Helper()
	block := number(t, text, `Block size: +(\d+)`)
	// With bigalloc the last cluster of a free run is printed as its first block only.
	more := int64(0)
	if bytes.Contains(text, []byte("Cluster size:")) {
		more = number(t, text, `Cluster size: +(\d+)`)/block - 1
	}
	group := regexp.MustCompile(`^Group \d+: \(Blocks (\d+)-(\d+)\)(.*)$`)
	free := regexp.MustCompile(`^  Free blocks: (.*)$`)
	var found collector
	var first, last int64
	unset := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if m := group.FindStringSubmatch(line); m != nil {
			first, last, unset = atoi(t, m[1]), atoi(t, m[2]), strings.Contains(m[3], "BLOCK_UNINIT")
			continue
		}
		m := free.FindStringSubmatch(line)
		if m == nil || unset {
			continue
		}
		at := first
		for part := range strings.SplitSeq(m[1], ", ") {
			if part == "" {
				continue
			}
			from, to, both := strings.Cut(part, "-")
			if !both {
				to = from
			}
			if err := found.add(at*block, (atoi(t, from)-at)*block); err != nil {
				t.Fatal(err)
			}
			at = min(atoi(t, to)+more, last) + 1
		}
		if err := found.add(at*block, (last+1-at)*block); err != nil {
			t.Fatal(err)
		}
	}
	return found.ranges
}

func atoi(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMetaGroupsAreRefused(t *testing.T) {
	path := image(t, 100<<20)
	run(t, "mkfs.ext4", "-q", "-F", "-O", "meta_bg,^resize_inode", path)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if ranges, _, err := Ranges(file, 100<<20); err == nil || !strings.Contains(err.Error(), "meta_bg") {
		t.Errorf("%d ranges, error %v", len(ranges), err)
	}
}

// A file system of another kind is unknown, not empty.
func TestOtherFileSystems(t *testing.T) {
	path := image(t, 64<<20)
	run(t, "mkfs.vfat", path)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, source, err := Ranges(file, 64<<20); !errors.Is(err, ErrUnknown) || source != "" {
		t.Errorf("source %q, error %v", source, err)
	}
}
