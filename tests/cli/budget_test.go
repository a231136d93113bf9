package cli_test

import (
	"io"
	"testing"

	"diskaudit/core/bitlocker/ondisk/ondisktest"
	"diskaudit/core/disk"
	"diskaudit/core/disk/disktest"
	"diskaudit/core/machine"
)

// counted counts the bytes that are read.
type counted struct {
	io.ReaderAt
	bytes int64
}

func (c *counted) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, offset)
	c.bytes += int64(n)
	return n, err
}

// An image costs less than 1 MiB of reading, whatever the volume lies in.
func TestImagesAreReadSparingly(t *testing.T) {
	spec := ondisktest.Default()
	volume := disktest.From(ondisktest.Build(spec), spec.SizeBytes)
	part := []disktest.Part{{Type: "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", MBRType: 7, Content: volume}}
	for name, image := range map[string]*disktest.Image{
		"volume": volume,
		"gpt":    disktest.GPT(part, 512),
		"mbr":    disktest.MBR(part),
		"vhd":    disktest.DynamicVHD(disktest.GPT(part, 512), 2<<20),
		"vhdx":   disktest.VHDX(disktest.GPT(part, 4096), disktest.VHDXOptions{Block: 1 << 20, Sector: 4096}),
	} {
		reader := &counted{ReaderAt: image}
		opened, err := disk.Open(reader, image.Size())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		table, err := opened.Table()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		inspected := 0
		inspect := func(r io.ReaderAt, size int64) {
			if machine.Inspect(machine.Subject{ID: name, Reader: r, Size: size}).Encryption.VolumeGUID != nil {
				inspected++
			}
		}
		for _, partition := range table.Partitions {
			inspect(partition.Reader(opened), partition.LengthBytes)
		}
		if table.Scheme == disk.SchemeNone {
			inspect(opened, opened.Size())
		}
		if inspected != 1 || reader.bytes >= 1<<20 {
			t.Errorf("%s: %d volumes for %d bytes read", name, inspected, reader.bytes)
		}
		t.Logf("%s: %d KiB read", name, reader.bytes>>10)
	}
}
