package allocation

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"diskaudit/core/bitlocker/ondisk"
	"diskaudit/core/bitlocker/ondisk/ondisktest"
	"diskaudit/tests/require"
)

// Where the header of a copy has the number of moved sectors, and the place they were moved to.
const fveMovedSectors, fveMovedTo = 28, 56

// moved says in every copy of a made-up volume's metadata where the volume's first sectors are.
func moved(image *ondisktest.Image, sectors uint32, to uint64) *ondisktest.Image {
	for i := range image.Parts[1:] {
		area := image.Parts[1+i].Data
		binary.LittleEndian.PutUint32(area[fveMovedSectors:], sectors)
		binary.LittleEndian.PutUint64(area[fveMovedTo:], to)
		ondisktest.Seal(area)
	}
	return image
}

// in tells whether a byte lies in one of the ranges.
func in(ranges []Range, at int64) bool {
	return slices.ContainsFunc(ranges, func(r Range) bool { return r.Offset <= at && at < r.Offset+r.Length })
}

func TestNoBitLocker(t *testing.T) {
	for name, content := range map[string][]byte{"NTFS": small(), "zeros": make([]byte, 1<<20), "nothing": nil} {
		areas, err := BitLockerAreas(bytes.NewReader(content), int64(len(content)))
		if err != nil || areas != nil {
			t.Errorf("%s: %v, error %v", name, areas, err)
		}
	}
}

// What cryptsetup says of the volumes that Windows made is left out to the byte, and all blocks
// that hold a signature of BitLocker's own are among that.
func TestBitLockerAreasOfRealVolumes(t *testing.T) {
	archive := require.Shared(t, "bitlocker-images", "data/bitlocker-images.tar.xz")
	cryptsetup := require.Tool(t, "cryptsetup")
	require.Tool(t, "xz")
	dir := t.TempDir()
	run(t, "tar", "-xJSf", archive, "-C", dir)
	images, err := filepath.Glob(filepath.Join(dir, "*.img"))
	if nested, _ := filepath.Glob(filepath.Join(dir, "*", "*.img")); err != nil || len(images) == 0 {
		images = nested
	}
	if len(images) < 10 {
		t.Fatalf("only %d images", len(images))
	}
	areaLine := regexp.MustCompile(`Offset:\s+(\d+) \[bytes\]\s+Size:\s+(\d+) \[bytes\]`)
	for _, path := range images {
		t.Run(filepath.Base(path), func(t *testing.T) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			areas, err := BitLockerAreas(bytes.NewReader(content), int64(len(content)))
			if err != nil {
				t.Fatal(err)
			}
			dump, err := exec.Command(cryptsetup, "bitlkDump", path).CombinedOutput()
			if err != nil {
				t.Fatalf("cryptsetup: %v: %s", err, dump)
			}
			told := areaLine.FindAllStringSubmatch(string(dump), -1)
			if len(told) != 4 {
				t.Fatalf("cryptsetup tells of %d areas:\n%s", len(told), dump)
			}
			known := []Range{}
			for _, area := range told {
				offset, _ := strconv.ParseInt(area[1], 10, 64)
				length, _ := strconv.ParseInt(area[2], 10, 64)
				known = append(known, Range{offset, length})
				for _, at := range []int64{offset, offset + length/2, offset + length - 1} {
					if !in(areas, at) {
						t.Errorf("byte %d is BitLocker's own and is not left out", at)
					}
				}
			}
			// The moved sectors are the last that cryptsetup tells of; they come from the start.
			start := Range{0, max(known[3].Length, fveLeastHeader)}
			for _, at := range []int64{0, start.Length - 1} {
				if !in(areas, at) {
					t.Errorf("byte %d of the header is not left out", at)
				}
			}
			// No more than that is left out, but for the two areas of a volume of which only the
			// used space was encrypted.
			rest := Without(areas, append(known, start))
			total := int64(0)
			for _, r := range rest {
				total += r.Length
			}
			if total > 2*fveAreaBytes {
				t.Errorf("%v is left out beside", rest)
			}
			for at := 0; ; {
				next := bytes.Index(content[at:], []byte("-FVE-FS-"))
				if next < 0 {
					break
				}
				if at += next; !in(areas, int64(at)) {
					t.Errorf("a signature at byte %d is not left out", at)
				}
				at++
			}
		})
	}
}

func TestBitLockerAreas(t *testing.T) {
	spec := ondisktest.Default()
	const to = 34603008 + fveAreaBytes
	areas, err := BitLockerAreas(moved(ondisktest.Build(spec), 16, to), spec.SizeBytes)
	if err != nil {
		t.Fatal(err)
	}
	own := []Range{{0, 8192}, {34603008, 65536 + 8192}, {46256128, 65536}, {57909248, 65536}}
	if left, more := Without(own, areas), Without(areas, own); left != nil || more != nil {
		t.Errorf("not left out: %v; left out too much: %v", left, more)
	}
	// 2 sectors of 4096 bytes are as much.
	spec.SectorBytes = 4096
	areas, err = BitLockerAreas(moved(ondisktest.Build(spec), 2, to), spec.SizeBytes)
	if left, more := Without(own, areas), Without(areas, own); err != nil || left != nil || more != nil {
		t.Errorf("4K: not left out: %v; left out too much: %v; %v", left, more, err)
	}
}

// A damaged copy of the metadata changes nothing; without an intact one nothing is known, which is
// not the same as nothing to leave out.
func TestBitLockerAreasOfDamagedVolumes(t *testing.T) {
	spec := ondisktest.Default()
	const to = 34603008 + fveAreaBytes
	damaged := func(copies ...int) *ondisktest.Image {
		image := moved(ondisktest.Build(spec), 16, to)
		for _, i := range copies {
			image.Parts[i].Data[200] ^= 0xff
		}
		return image
	}
	areas, err := BitLockerAreas(damaged(1, 3), spec.SizeBytes)
	if err != nil || !in(areas, to) || !in(areas, 34603008) || !in(areas, 57909248) {
		t.Errorf("two damaged copies: %v, error %v", areas, err)
	}
	if areas, err := BitLockerAreas(damaged(1, 2, 3), spec.SizeBytes); !errors.Is(err, ondisk.ErrDamaged) || areas != nil {
		t.Errorf("no intact copy: %v, error %v", areas, err)
	}
	for name, image := range map[string]*ondisktest.Image{
		"no sectors moved":        moved(ondisktest.Build(spec), 0, to),
		"more than the volume":    moved(ondisktest.Build(spec), 1<<31, 0),
		"not moved":               moved(ondisktest.Build(spec), 16, 0),
		"moved behind its end":    moved(ondisktest.Build(spec), 16, uint64(spec.SizeBytes-4096)),
		"moved beyond all bounds": moved(ondisktest.Build(spec), 16, 1<<63),
	} {
		if areas, err := BitLockerAreas(image, spec.SizeBytes); err == nil || areas != nil {
			t.Errorf("%s: %v", name, areas)
		}
	}
	spec.Vista = true
	if areas, err := BitLockerAreas(ondisktest.Build(spec), spec.SizeBytes); !errors.Is(err, ondisk.ErrVista) || areas != nil {
		t.Errorf("Vista: %v, error %v", areas, err)
	}
}
