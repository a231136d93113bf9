package disk_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"diskaudit/core/disk"
	"diskaudit/core/disk/disktest"
	"diskaudit/tests/require"
)

// The tests here compare with programs that others wrote.

// tool finds an executable, also where administrators' tools live on Linux.
func tool(t *testing.T, name string) string {
	t.Helper()
	if runtime.GOOS == "linux" {
		t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	}
	return require.Tool(t, name)
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func openFile(t *testing.T, path string) *disk.Image {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	image, err := disk.Open(file, info.Size())
	if err != nil {
		t.Fatalf("opening %s: %v", filepath.Base(path), err)
	}
	return image
}

func writeFile(t *testing.T, image *disktest.Image, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := image.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// sameContent compares everything up to want's size. A container may add zeros behind.
func sameContent(t *testing.T, got io.ReaderAt, gotSize int64, want io.ReaderAt, wantSize int64) {
	t.Helper()
	if gotSize < wantSize {
		t.Fatalf("the content has %d bytes, want at least %d", gotSize, wantSize)
	}
	const piece = 1<<20 + 512
	a, b := make([]byte, piece), make([]byte, piece)
	for at := int64(0); at < gotSize; at += piece {
		n := int(min(piece, gotSize-at))
		clear(b)
		if _, err := got.ReadAt(a[:n], at); err != nil && err != io.EOF {
			t.Fatalf("reading %d bytes at %d: %v", n, at, err)
		}
		if _, err := want.ReadAt(b[:n], at); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if !bytes.Equal(a[:n], b[:n]) {
			t.Fatalf("the content differs between byte %d and %d", at, at+int64(n))
		}
	}
}

// speckled is a disk with data here and there, at block boundaries too.
func speckled(size int64) *disktest.Image {
	image := disktest.New(size)
	data := make([]byte, 3000)
	for n, at := range []int64{0, 4096, 1<<20 - 1500, 2<<20 - 1, 5 << 20, 8<<20 - 512, 31 << 20, size - 3000} {
		if at+3000 > size || at < 0 {
			continue
		}
		for i := range data {
			data[i] = byte(i*7 + n*31 + i>>8 + 1)
		}
		image.Put(at, data)
	}
	return image
}

func TestReadsWhatQemuWrites(t *testing.T) {
	qemu := tool(t, "qemu-img")
	for _, c := range []struct {
		name, format, options string
		want                  disk.Format
		allocation            disk.Allocation
	}{
		{"fixed.vhd", "vpc", "subformat=fixed", disk.FormatVHD, disk.Fixed},
		{"fixed-size.vhd", "vpc", "subformat=fixed,force_size=on", disk.FormatVHD, disk.Fixed},
		{"dynamic.vhd", "vpc", "subformat=dynamic", disk.FormatVHD, disk.Dynamic},
		{"dynamic-size.vhd", "vpc", "subformat=dynamic,force_size=on", disk.FormatVHD, disk.Dynamic},
		{"dynamic.vhdx", "vhdx", "subformat=dynamic", disk.FormatVHDX, disk.Dynamic},
		{"small-blocks.vhdx", "vhdx", "subformat=dynamic,block_size=1M", disk.FormatVHDX, disk.Dynamic},
		{"large-blocks.vhdx", "vhdx", "subformat=dynamic,block_size=256M", disk.FormatVHDX, disk.Dynamic},
		{"fixed.vhdx", "vhdx", "subformat=fixed", disk.FormatVHDX, disk.Fixed},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := speckled(40 << 20)
			raw := writeFile(t, source, "disk.raw")
			path := filepath.Join(filepath.Dir(raw), c.name)
			run(t, qemu, "convert", "-f", "raw", "-O", c.format, "-o", c.options, raw, path)
			image := openFile(t, path)
			// qemu does not set LeaveBlockAllocated on a fixed VHDX, so only its VHDs say it.
			if image.Format() != c.want || c.want == disk.FormatVHD && image.Allocation() != c.allocation {
				t.Errorf("opened as %s, %s", image.Format(), image.Allocation())
			}
			if len(image.Issues()) > 0 {
				t.Errorf("issues: %v", image.Issues())
			}
			sameContent(t, image, image.Size(), source, source.Size())
		})
	}
}

// A VHDX of more than a chunk (4 GiB here) has entries for sector bitmaps between the others.
func TestReadsAVHDXOfSeveralChunksOfQemu(t *testing.T) {
	qemu := tool(t, "qemu-img")
	source := disktest.New(10<<30).Put(4<<30-100, bytes.Repeat([]byte("chunk"), 100)).Put(9<<30+4096, []byte("far away"))
	raw := writeFile(t, source, "disk.raw")
	path := filepath.Join(filepath.Dir(raw), "disk.vhdx")
	run(t, qemu, "convert", "-f", "raw", "-O", "vhdx", "-o", "block_size=1M", raw, path)
	image := openFile(t, path)
	for _, at := range []int64{0, 4<<30 - 4096, 4 << 30, 9 << 30, 10<<30 - 8192} {
		got, want := make([]byte, 8192), make([]byte, 8192)
		if _, err := image.ReadAt(got, at); err != nil {
			t.Fatal(err)
		}
		if _, err := source.ReadAt(want, at); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("the content differs at %d", at)
		}
	}
}

// What disktest builds must be what another program takes it for; otherwise the tests that use
// it would prove nothing.
func TestQemuReadsWhatDisktestBuilds(t *testing.T) {
	qemu := tool(t, "qemu-img")
	source := speckled(40 << 20)
	for _, c := range []struct {
		name, format string
		image        *disktest.Image
	}{
		{"fixed.vhd", "vpc", disktest.FixedVHD(source)},
		{"dynamic.vhd", "vpc", disktest.DynamicVHD(source, 2<<20)},
		{"small-blocks.vhd", "vpc", disktest.DynamicVHD(source, 512<<10)},
		{"dynamic.vhdx", "vhdx", disktest.VHDX(source, disktest.VHDXOptions{})},
		{"fixed.vhdx", "vhdx", disktest.VHDX(source, disktest.VHDXOptions{Fixed: true, Block: 8 << 20})},
		{"pending.vhdx", "vhdx", disktest.VHDX(source, disktest.VHDXOptions{Log: &disktest.VHDXLog{Start: 254}})},
		{"torn.vhdx", "vhdx", disktest.VHDX(source, disktest.VHDXOptions{Log: &disktest.VHDXLog{Start: 3, Torn: true}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, c.image, c.name)
			if strings.HasSuffix(c.name, "pending.vhdx") || strings.HasSuffix(c.name, "torn.vhdx") {
				run(t, qemu, "check", "-f", c.format, "-r", "all", path)
			}
			raw := filepath.Join(filepath.Dir(path), "disk.raw")
			run(t, qemu, "convert", "-f", c.format, "-O", "raw", path, raw)
			got := openFile(t, raw)
			sameContent(t, got, got.Size(), source, source.Size())
		})
	}
}

// partitions writes a table as text, to compare it as a whole.
func partitions(table *disk.Table) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %d\n", table.Scheme, table.SectorBytes)
	for _, p := range table.Partitions {
		fmt.Fprintf(&out, "%d %d+%d %s %s %q active=%t logical=%t truncated=%t\n",
			p.Index, p.OffsetBytes, p.LengthBytes, p.Type, p.TypeName, p.Name, p.Active, p.Logical, p.Truncated)
	}
	for _, i := range table.Issues {
		fmt.Fprintf(&out, "! %s\n", i.Code)
	}
	return out.String()
}

func TestReadsWhatSgdiskWrites(t *testing.T) {
	sgdisk := tool(t, "sgdisk")
	path := writeFile(t, disktest.New(64<<20), "disk.img")
	run(t, sgdisk, "--clear", "--set-alignment=8",
		"--new=1:2048:+4M", "--typecode=1:EF00", "--change-name=1:EFI system partition",
		"--new=5:16384:+16M", "--typecode=5:0700", "--change-name=5:Daten \u00fc \U0001f4be",
		"--new=128:65536:65543", "--typecode=128:8300",
		"--attributes=5:set:62", path)
	table, err := openFile(t, path).Table()
	if err != nil {
		t.Fatal(err)
	}
	want := `gpt 512
1 1048576+4194304 c12a7328-f81f-11d2-ba4b-00a0c93ec93b EFI system "EFI system partition" active=false logical=false truncated=false
5 8388608+16777216 ebd0a0a2-b9e5-4433-87c0-68b6b72699c7 Basic data "Daten ü 💾" active=false logical=false truncated=false
128 33554432+4096 0fc63daf-8483-4772-8e79-3d69d8477de4 Linux file system "" active=false logical=false truncated=false
`
	if got := partitions(table); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if table.Partitions[1].Attributes != 1<<62 {
		t.Errorf("attributes %x", table.Partitions[1].Attributes)
	}
	info := run(t, sgdisk, "--print", "--info=5", path)
	for _, id := range []string{table.DiskID, table.Partitions[1].GUID} {
		if !strings.Contains(strings.ToLower(info), id) {
			t.Errorf("sgdisk does not name %s:\n%s", id, info)
		}
	}
}

func TestReadsWhatSfdiskWrites(t *testing.T) {
	sfdisk := tool(t, "sfdisk")
	for _, c := range []struct{ name, script, want string }{
		{
			"mbr with logical partitions",
			"label: dos\nlabel-id: 0xdeadbeef\n" +
				"2048,8192,c,*\n12288,4096,7\n20480,81920,f\n106496,2048,83\n22528,4096,7\n30720,8192,83\n45056,2048,82\n",
			`mbr 512
1 1048576+4194304 0x0c FAT32 (LBA) "" active=true logical=false truncated=false
2 6291456+2097152 0x07 NTFS or exFAT "" active=false logical=false truncated=false
4 54525952+1048576 0x83 Linux file system "" active=false logical=false truncated=false
5 11534336+2097152 0x07 NTFS or exFAT "" active=false logical=true truncated=false
6 15728640+4194304 0x83 Linux file system "" active=false logical=true truncated=false
7 23068672+1048576 0x82 Linux swap "" active=false logical=true truncated=false
`,
		},
		{
			"mbr without partitions", "label: dos\nlabel-id: 0xdeadbeef\n", "mbr 512\n",
		},
		{
			"gpt with 512 entries", "label: gpt\ntable-length: 512\n300: start=8192, size=2048, type=0657FD6D-A4AB-43C4-84E5-0933C84B4F4F\n",
			"gpt 512\n300 4194304+1048576 0657fd6d-a4ab-43c4-84e5-0933c84b4f4f Linux swap \"\" active=false logical=false truncated=false\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, disktest.New(64<<20), "disk.img")
			command := exec.Command(sfdisk, "--no-reread", path)
			command.Stdin = strings.NewReader(c.script)
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("sfdisk: %v\n%s", err, out)
			}
			table, err := openFile(t, path).Table()
			if err != nil {
				t.Fatal(err)
			}
			if got := partitions(table); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if table.Scheme == disk.SchemeMBR && table.DiskID != "deadbeef" {
				t.Errorf("signature %s", table.DiskID)
			}
		})
	}
}

// What disktest builds is what sfdisk reads.
func TestSfdiskReadsWhatDisktestBuilds(t *testing.T) {
	sfdisk := tool(t, "sfdisk")
	for _, c := range []struct {
		name  string
		image *disktest.Image
		want  []string
	}{
		{"gpt", gptDisk(512), []string{"start=        2048, size=       65536, type=" + strings.ToUpper(disktest.TypeBasicData), `name="data"`, "start=       67584"}},
		{"mbr", mbrDisk(), []string{"start=        2048, size=       65536, type=7, bootable", "type=f", "img5 : start=       69632, size=       65536, type=83", "img6 : start=      137216, size=       65536, type=7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := run(t, sfdisk, "--dump", writeFile(t, c.image, "disk.img"))
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("sfdisk does not say %q:\n%s", want, out)
				}
			}
		})
	}
}
