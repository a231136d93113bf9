package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/bitlocker/ondisk/ondisktest"
	"diskaudit/core/contract"
	"diskaudit/core/disk/disktest"
	"diskaudit/core/machine"
)

// The same volume gives the same answer whatever it lies in.
func TestSameVolumeInEveryContainer(t *testing.T) {
	volumes := realVolumes(t)
	for path, want := range volumes {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		volume := disktest.From(file, int64(want.VolumeBytes))
		plain := status(t, 0, "--image", path).Volumes[0]
		part := []disktest.Part{{Type: "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", MBRType: 0x07, Name: "Basic data partition", Content: volume}}
		logical := []disktest.Part{part[0], part[0]}
		logical[1].Logical = true
		for name, container := range map[string]*disktest.Image{
			"gpt":         disktest.GPT(part, 512),
			"gpt4k":       disktest.GPT(part, 4096),
			"mbr":         disktest.MBR(part),
			"mbr-logical": disktest.MBR(logical),
			"vhd-fixed":   disktest.FixedVHD(disktest.GPT(part, 512)),
			"vhd":         disktest.DynamicVHD(disktest.MBR(part), 2<<20),
			"vhd-volume":  disktest.DynamicVHD(volume, 2<<20),
			"vhdx":        disktest.VHDX(disktest.GPT(part, 512), disktest.VHDXOptions{Block: 1 << 20, Sector: 512}),
			"vhdx-fixed":  disktest.VHDX(disktest.MBR(part), disktest.VHDXOptions{Block: 32 << 20, Sector: 512, Fixed: true}),
			"vhdx4k":      disktest.VHDX(disktest.GPT(part, 4096), disktest.VHDXOptions{Block: 1 << 20, Sector: 4096}),
		} {
			target := filepath.Join(t.TempDir(), name+".img")
			if err := container.WriteFile(target); err != nil {
				t.Fatal(err)
			}
			document := status(t, 0, "--image", target)
			if len(document.Volumes) == 0 || len(document.Disks) != 1 {
				t.Errorf("%s in %s: %d volumes on %d disks", filepath.Base(path), name, len(document.Volumes), len(document.Disks))
				continue
			}
			for _, got := range document.Volumes {
				if diff := cmp.Diff(want, answer(got)); diff != "" {
					t.Errorf("%s in %s (-want +got):\n%s", filepath.Base(path), name, diff)
				}
				if diff := cmp.Diff(plain.Encryption, got.Encryption); diff != "" {
					t.Errorf("%s in %s answers differently:\n%s", filepath.Base(path), name, diff)
				}
				if len(got.Extents) != 1 || got.Extents[0].DiskID != target {
					t.Errorf("%s in %s: extents %+v", filepath.Base(path), name, got.Extents)
				}
			}
			os.Remove(target)
		}
		file.Close()
	}
}

// Bytes of the first copy of the metadata are changed in turn: the whole of the used part, and
// samples of the rest. The answer stays, and a problem names the copy.
func TestDamagedCopyOfRealVolumes(t *testing.T) {
	changed := 0
	for path := range realVolumes(t) {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		volume := &patched{file: file}
		subject := machine.Subject{ID: path, Reader: volume, Size: info.Size()}
		sound := machine.Inspect(subject)
		if len(sound.Problems) != 0 {
			t.Fatalf("%s: problems before any damage: %+v", path, sound.Problems)
		}
		first := firstCopy(t, file)
		for at := int64(0); at < ondisktest.AreaBytes; at++ {
			if at > 1600 && at%131 != 0 {
				continue
			}
			volume.at = first + at
			got := machine.Inspect(subject)
			volume.at = 0
			changed++
			if diff := cmp.Diff(sound.Encryption, got.Encryption); diff != "" {
				t.Fatalf("%s: byte %d changed the answer:\n%s", path, at, diff)
			}
			if len(got.Problems) != 1 || got.Problems[0].Code != "metadata-copy-damaged" {
				t.Fatalf("%s: byte %d: problems %+v", path, at, got.Problems)
			}
		}
		file.Close()
	}
	t.Logf("%d single bytes changed", changed)
}

func firstCopy(t *testing.T, file *os.File) int64 {
	t.Helper()
	sector := make([]byte, 512)
	if _, err := file.ReadAt(sector, 0); err != nil {
		t.Fatal(err)
	}
	at := 176
	if string(sector[3:11]) == "MSWIN4.1" {
		at = 440
	}
	var offset int64
	for i := 7; i >= 0; i-- {
		offset = offset<<8 | int64(sector[at+i])
	}
	return offset
}

// patched is a file with one byte inverted; none at 0.
type patched struct {
	file *os.File
	at   int64
}

func (p *patched) ReadAt(b []byte, offset int64) (int, error) {
	n, err := p.file.ReadAt(b, offset)
	if p.at != 0 && p.at >= offset && p.at < offset+int64(n) {
		b[p.at-offset] ^= 0xff
	}
	return n, err
}

func TestAllCopiesDestroyed(t *testing.T) {
	for path, want := range realVolumes(t) {
		data, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		volume := disktest.From(data, int64(want.VolumeBytes))
		first := firstCopy(t, data)
		document := status(t, 0, "--image", path)
		if document.Volumes[0].Encryption.Conversion == nil {
			t.Fatalf("%s: no conversion", path)
		}
		sector := make([]byte, 512)
		if _, err := data.ReadAt(sector, 0); err != nil {
			t.Fatal(err)
		}
		block := make([]byte, 64)
		if _, err := data.ReadAt(block, first); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			offset := int64(0)
			for j := 7; j >= 0; j-- {
				offset = offset<<8 | int64(block[32+8*i+j])
			}
			volume.Put(offset, make([]byte, ondisktest.AreaBytes))
		}
		target := filepath.Join(t.TempDir(), "destroyed.img")
		if err := volume.WriteFile(target); err != nil {
			t.Fatal(err)
		}
		data.Close()
		document = status(t, 3, "--image", target)
		e := document.Volumes[0].Encryption
		if e.Conversion != nil || e.Method != nil || e.Protection != nil || e.Protectors != nil || e.VolumeGUID != nil ||
			e.Description != nil || e.CreatedAt != nil || e.ClearKey != nil || e.Engine != nil || e.Percent != nil {
			t.Errorf("%s: invented %+v", path, e)
		}
		if !hasCode(document.Volumes[0].Problems, "metadata-damaged") || !hasCode(document.Problems, "metadata-damaged") {
			t.Errorf("%s: problems %+v", path, document.Problems)
		}
		os.Remove(target)
	}
}

func hasCode(problems []contract.Problem, code string) bool {
	for _, problem := range problems {
		if problem.Code == code {
			return true
		}
	}
	return false
}

// BenchmarkImages shows that many images in one call cost as many times one image.
func BenchmarkImages(b *testing.B) {
	volumes := realVolumes(b)
	var paths []string
	for path := range volumes {
		paths = append(paths, path)
	}
	for _, count := range []int{1, 13, 26} {
		b.Run(fmt.Sprintf("%d", count), func(b *testing.B) {
			dir := b.TempDir()
			var args []string
			for i := range count {
				link := filepath.Join(dir, fmt.Sprintf("%d.img", i))
				if err := os.Symlink(paths[i%len(paths)], link); err != nil {
					b.Fatal(err)
				}
				args = append(args, "--image", link)
			}
			for b.Loop() {
				if got := status(b, 0, args...); len(got.Volumes) != count {
					b.Fatalf("%d volumes", len(got.Volumes))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(count), "us/image")
		})
	}
}

// BenchmarkProcess shows what one run of the executable costs in processor time, start included.
func BenchmarkProcess(b *testing.B) {
	for path := range realVolumes(b) {
		var cpu time.Duration
		for b.Loop() {
			program := exec.Command("diskaudit", "status", "--image", path)
			if out, err := program.Output(); err != nil || len(out) == 0 {
				b.Fatalf("%v: %s", err, out)
			}
			cpu += program.ProcessState.UserTime() + program.ProcessState.SystemTime()
		}
		b.ReportMetric(float64(cpu.Microseconds())/float64(b.N)/1000, "cpu-ms")
		return
	}
}
