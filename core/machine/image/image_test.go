package image_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/core/bitlocker/ondisk/ondisktest"
	"diskaudit/core/contract"
	"diskaudit/core/disk/disktest"
	"diskaudit/core/machine"
	"diskaudit/core/machine/image"
)

const (
	basicData = "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7"
	reserved  = "e3c9e316-0b5c-4db8-817d-f92df00215ae"
)

func bitLocker() *disktest.Image {
	spec := ondisktest.Default()
	return disktest.From(ondisktest.Build(spec), spec.SizeBytes)
}

func collect(t *testing.T, image0 *disktest.Image) (contract.Status, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "disk.img")
	if err := image0.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	return machine.Collect(t.Context(), image.New([]string{path}), nil), path
}

// brief writes what a status says of its volumes and problems, one per line.
func brief(status contract.Status, path string) string {
	var lines []string
	for _, volume := range status.Volumes {
		conversion := "unknown"
		if volume.Encryption.Conversion != nil {
			conversion = volume.Encryption.Conversion.String()
		}
		lines = append(lines, strings.TrimPrefix(volume.ID, path)+" "+conversion)
	}
	for _, problem := range status.Problems {
		if problem.Code != "not-in-image" {
			lines = append(lines, string(problem.Level)+" "+problem.Code+" "+strings.TrimPrefix(problem.Target, path))
		}
	}
	return strings.Join(lines, "\n")
}

func TestDisks(t *testing.T) {
	windows := []disktest.Part{
		{Type: reserved, MBRType: 0x0c, Content: disktest.New(16 << 20)},
		{Type: basicData, MBRType: 7, Content: bitLocker()},
		{Type: basicData, MBRType: 7, Content: disktest.NTFS(32<<20, "Data")},
	}
	broken := func(headers ...int64) *disktest.Image {
		disk := disktest.GPT(windows, 512)
		for _, header := range headers {
			if header < 0 {
				header = disk.Size()/512 + header
			}
			disk.Put(header*512+20, []byte{0xff})
		}
		return disk
	}
	for name, test := range map[string]struct {
		disk *disktest.Image
		want string
	}{
		// Case B68: a whole disk and its partitions, not only a volume.
		"a Windows disk": {
			disktest.GPT(windows, 512),
			"#partition1 unknown\n#partition2 FullyEncrypted\n#partition3 FullyDecrypted\ninfo no-file-system #partition1",
		},
		"with 4096-byte sectors": {
			disktest.GPT(windows, 4096),
			"#partition1 unknown\n#partition2 FullyEncrypted\n#partition3 FullyDecrypted\ninfo no-file-system #partition1",
		},
		"the first header broken": {
			broken(1),
			"#partition1 unknown\n#partition2 FullyEncrypted\n#partition3 FullyDecrypted\nwarning gpt-primary-damaged \ninfo no-file-system #partition1",
		},
		"the backup broken": {
			broken(-1),
			"#partition1 unknown\n#partition2 FullyEncrypted\n#partition3 FullyDecrypted\nwarning gpt-backup-damaged \ninfo no-file-system #partition1",
		},
		"both headers broken": {broken(1, -1), "error gpt-damaged "},
		"cut off in the second partition": {
			disktest.GPT(windows, 512).Cut(60 << 20),
			"#partition1 unknown\n#partition2 FullyEncrypted\n" +
				"warning gpt-backup-missing \nerror partition-truncated \nerror partition-out-of-range \ninfo no-file-system #partition1\nwarning image-truncated #partition2",
		},
		"an MBR": {
			disktest.MBR(windows[1:]),
			"#partition1 FullyEncrypted\n#partition2 FullyDecrypted",
		},
		"a volume alone":                  {bitLocker(), " FullyEncrypted"},
		"NTFS alone":                      {disktest.NTFS(32<<20, "Data"), " FullyDecrypted"},
		"an empty GPT without its backup": {disktest.GPT(nil, 512).Cut(1 << 20), "warning gpt-backup-missing \nerror no-partitions "},
		"an empty GPT":                    {disktest.GPT(nil, 512), "error no-partitions "},
		"NTFS with a damaged boot sector": {
			disktest.NTFS(32<<20, "Data").Put(3, []byte("XXXX")), " unknown\nerror content-unrecognized ",
		},
		"zeros": {disktest.New(1 << 20), " unknown\nerror content-unrecognized "},
		// What lies behind the cut is one copy of the metadata: it is damaged, the answer stays.
		"a dynamic VHD cut short": {
			disktest.DynamicVHD(bitLocker(), 2<<20).Cut(disktest.DynamicVHD(bitLocker(), 2<<20).Size() - 1536<<10),
			" FullyEncrypted\nwarning vhd-footer-damaged \nwarning metadata-copy-damaged ",
		},
		"a damaged VHDX": {disktest.New(4<<20).Put(0, []byte("vhdxfile")), "error vhdx-damaged "},
		"a differencing VHD": {
			disktest.DifferencingVHD(disktest.GPT(windows, 512), 2<<20, "parent.vhd"), "error image-needs-parent ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			status, path := collect(t, test.disk)
			if got := brief(status, path); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			for _, problem := range status.Problems {
				if problem.Code != "not-in-image" && !strings.Contains(problem.Text, path) {
					t.Errorf("a problem does not name the file: %+v", problem)
				}
			}
		})
	}
}

// A GPT that claims four billion entries costs no memory and no partition is invented.
func TestFourBillionEntries(t *testing.T) {
	disk := disktest.GPT([]disktest.Part{{Type: basicData, Content: bitLocker()}}, 512)
	for _, sector := range []int64{1, disk.Size()/512 - 1} {
		header := make([]byte, 512)
		if _, err := disk.ReadAt(header, sector*512); err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(header[80:], 1<<32-1)
		disk.Put(sector*512, disktest.SealGPT(header))
	}
	status, path := collect(t, disk)
	if got := brief(status, path); got != "error gpt-damaged " {
		t.Errorf("got %s", got)
	}
}

func TestDiskFacts(t *testing.T) {
	status, path := collect(t, disktest.VHDX(disktest.GPT([]disktest.Part{{Type: basicData, Content: bitLocker()}}, 4096),
		disktest.VHDXOptions{Block: 1 << 20, Sector: 4096}))
	if len(status.Disks) != 1 || len(status.Volumes) != 1 {
		t.Fatalf("%d disks, %d volumes", len(status.Disks), len(status.Volumes))
	}
	disk, volume := status.Disks[0], status.Volumes[0]
	if disk.ID != path || *disk.Container != "vhdx" || *disk.PartitionTable != "gpt" || *disk.LogicalSectorBytes != 4096 {
		t.Errorf("disk %+v", disk)
	}
	if len(volume.Extents) != 1 || volume.Extents[0] != (contract.Extent{DiskID: path, OffsetBytes: 1 << 20, LengthBytes: 64 << 20}) {
		t.Errorf("extents %+v", volume.Extents)
	}
}

// A volume that fills a container lies on it as a whole; only a partition is one.
func TestLayers(t *testing.T) {
	kinds := func(status contract.Status) string {
		text := ""
		for _, layer := range status.Volumes[0].Layers {
			text += layer.Kind + " "
		}
		return text
	}
	whole, path := collect(t, disktest.FixedVHD(bitLocker()))
	if got := kinds(whole); got != "disk " || whole.Volumes[0].Layers[0].Device != path || whole.Volumes[0].Layers[0].Below != nil {
		t.Errorf("a volume in a VHD: %s", got)
	}
	part, path := collect(t, disktest.GPT([]disktest.Part{{Type: basicData, Content: bitLocker()}}, 512))
	if got := kinds(part); got != "partition disk " || *part.Volumes[0].Layers[0].Below != path || *part.Volumes[0].Layers[0].OffsetBytes != 1<<20 {
		t.Errorf("a partition: %s", got)
	}
}

// The images that can be read are read when others cannot, in the order of the call.
func TestOthersAreStillReported(t *testing.T) {
	dir := t.TempDir()
	good, text := filepath.Join(dir, "good.img"), filepath.Join(dir, "text.img")
	if err := bitLocker().WriteFile(good); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, []byte(strings.Repeat("not an image\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	status := machine.Collect(t.Context(), image.New([]string{dir, filepath.Join(dir, "missing"), text, good}), nil)
	want := "/text.img unknown\n/good.img FullyEncrypted\nerror image-not-a-file \nerror image-not-found /missing\nerror content-unrecognized /text.img"
	if got := brief(status, dir); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// An image that could not be read, or a partition that was lost, is a gap in the list of volumes: what
// is left must not be taken for the whole.
func TestWhatIsMissingIsAGap(t *testing.T) {
	dir := t.TempDir()
	plain, cut := filepath.Join(dir, "plain.img"), filepath.Join(dir, "cut.img")
	two := []disktest.Part{{Type: basicData, Content: disktest.NTFS(32<<20, "Data")}, {Type: basicData, Content: bitLocker()}}
	for path, written := range map[string]*disktest.Image{plain: disktest.NTFS(32<<20, "Data"), cut: disktest.GPT(two, 512).Cut(34 << 20)} {
		if err := written.WriteFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		paths []string
		gap   bool
	}{
		{[]string{plain}, false},
		{[]string{plain, filepath.Join(dir, "missing.img")}, true},
		{[]string{cut}, true},
	} {
		status := machine.Collect(t.Context(), image.New(test.paths), nil)
		if got := len(status.Gaps()) > 0; got != test.gap || len(status.Volumes) == 0 {
			t.Errorf("%v: a gap is %v\n%s", test.paths, got, brief(status, dir))
		}
	}
}
