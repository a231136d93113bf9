package disk_test

import (
	"io"
	"testing"

	"diskaudit/core/disk"
	"diskaudit/core/disk/disktest"
)

// survey does what an audit does with an image: open it, find the partitions, recognise each.
func survey(r io.ReaderAt, size int64) (contents []disk.Content, err error) {
	image, err := disk.Open(r, size)
	if err != nil {
		return nil, err
	}
	table, err := image.Table()
	if err != nil {
		return nil, err
	}
	if table.Scheme == disk.SchemeNone {
		content, err := disk.Recognize(image, image.Size())
		return []disk.Content{content}, err
	}
	for _, p := range table.Partitions {
		content, _ := disk.Recognize(p.Reader(image), p.LengthBytes)
		contents = append(contents, content)
	}
	return contents, nil
}

// windowsDisk is laid out as Windows does it.
func windowsDisk(sector int) *disktest.Image {
	return disktest.GPT([]disktest.Part{
		{Type: disktest.TypeEFI, Name: "EFI system partition", Content: disktest.FAT32(100<<20, "SYSTEM")},
		{Type: disktest.TypeReserved, Name: "Microsoft reserved partition", Content: disktest.New(16 << 20)},
		{Name: "Basic data partition", Content: disktest.BitLockerBoot(disktest.New(100 << 30))},
		{Name: "Basic data partition", Content: disktest.NTFS(100<<30, "Data")},
		{Type: disktest.TypeRecovery, Name: "Recovery", Content: disktest.NTFS(700<<20, "")},
	}, sector)
}

// An image costs little to look at, however large it is.
func TestBytesRead(t *testing.T) {
	const normal, most = 160 << 10, 1 << 20
	many := make([]disktest.Part, 128)
	for i := range many {
		many[i].Content = disktest.New(1<<20).Put(9000, []byte("not blank, so that everything is tried"))
	}
	pending := disktest.VHDXOptions{Log: &disktest.VHDXLog{Start: 200, Torn: true}}
	for _, c := range []struct {
		name  string
		image *disktest.Image
		limit int64
		parts int
	}{
		{"raw gpt", windowsDisk(512), normal, 5},
		{"raw gpt with large sectors", windowsDisk(4096), normal, 5},
		{"raw mbr", mbrDisk(), normal, 3},
		{"raw volume", disktest.NTFS(10<<40, "huge"), normal, 1},
		{"blank disk of 10 TiB", disktest.New(10 << 40), normal, 1},
		{"vhd", disktest.DynamicVHD(windowsDisk(512), 2<<20), normal, 5},
		{"vhdx", disktest.VHDX(windowsDisk(512), disktest.VHDXOptions{Block: 32 << 20}), normal, 5},
		{"vhdx with pending changes", disktest.VHDX(windowsDisk(512), pending), most, 5},
		{"128 partitions", disktest.GPT(many, 512), most, 128},
		{"128 partitions in a vhdx", disktest.VHDX(disktest.GPT(many, 512), pending), most, 128},
	} {
		t.Run(c.name, func(t *testing.T) {
			counter := &countingReader{r: c.image}
			contents, err := survey(counter, c.image.Size())
			if err != nil || len(contents) != c.parts {
				t.Fatalf("%d volumes, %v", len(contents), err)
			}
			t.Logf("%d bytes read", counter.bytes)
			if counter.bytes > c.limit {
				t.Errorf("%d bytes read, more than %d", counter.bytes, c.limit)
			}
		})
	}
}

// What is found in a container is what was put into it, for whole disks as for volumes (B68).
func TestSurveyThroughContainers(t *testing.T) {
	want := []string{`file-system FAT32 512 "SYSTEM"`, `blank  - -`, `bitlocker BitLocker - -`, `file-system NTFS 4096 "Data"`, `file-system NTFS 4096 ""`}
	for name, image := range map[string]*disktest.Image{
		"raw":                     windowsDisk(512),
		"vhd":                     disktest.DynamicVHD(windowsDisk(512), 2<<20),
		"vhdx":                    disktest.VHDX(windowsDisk(512), disktest.VHDXOptions{}),
		"vhdx with large sectors": disktest.VHDX(windowsDisk(4096), disktest.VHDXOptions{Sector: 4096, Block: 256 << 20}),
	} {
		contents, err := survey(image, image.Size())
		if err != nil || len(contents) != len(want) {
			t.Errorf("%s: %d volumes, %v", name, len(contents), err)
			continue
		}
		for i, content := range contents {
			if got := describe(content); got != want[i] {
				t.Errorf("%s, partition %d: %s, want %s", name, i+1, got, want[i])
			}
		}
	}
}
