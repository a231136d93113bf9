package disk_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"diskaudit/core/disk"
	"diskaudit/core/disk/disktest"
)

func open(image *disktest.Image) (*disk.Image, error) {
	return disk.Open(image, image.Size())
}

// codeOf returns the code of an error that Open or a read gave.
func codeOf(err error) string {
	var failure *disk.Error
	if errors.As(err, &failure) {
		return failure.Code
	}
	return ""
}

func issueCodes(issues []disk.Issue) string {
	var codes []string
	for _, issue := range issues {
		codes = append(codes, issue.Code)
	}
	return strings.Join(codes, " ")
}

// source is what the containers of these tests hold.
func source() *disktest.Image { return speckled(12<<20 + 512*8) }

// wrap lists the containers, all of source.
var wrap = map[string]func(*disktest.Image) *disktest.Image{
	"fixed vhd":   disktest.FixedVHD,
	"dynamic vhd": func(i *disktest.Image) *disktest.Image { return disktest.DynamicVHD(i, 2<<20) },
	"dynamic vhd with blocks of 4 KiB": func(i *disktest.Image) *disktest.Image {
		return disktest.DynamicVHD(i, 4<<10)
	},
	"dynamic vhdx": func(i *disktest.Image) *disktest.Image { return disktest.VHDX(i, disktest.VHDXOptions{}) },
	"fixed vhdx": func(i *disktest.Image) *disktest.Image {
		return disktest.VHDX(i, disktest.VHDXOptions{Fixed: true, Block: 2 << 20})
	},
	"vhdx with large sectors": func(i *disktest.Image) *disktest.Image {
		return disktest.VHDX(i, disktest.VHDXOptions{Sector: 4096})
	},
	"vhdx with pending changes": func(i *disktest.Image) *disktest.Image {
		return disktest.VHDX(i, disktest.VHDXOptions{Log: &disktest.VHDXLog{Start: 254}}) // an entry lies across the log's end
	},
	"vhdx with a torn change": func(i *disktest.Image) *disktest.Image {
		return disktest.VHDX(i, disktest.VHDXOptions{Log: &disktest.VHDXLog{Start: 10, Torn: true}})
	},
}

func TestContainersShowTheDisk(t *testing.T) {
	for name, container := range wrap {
		t.Run(name, func(t *testing.T) {
			image, err := open(container(source()))
			if err != nil {
				t.Fatal(err)
			}
			if image.Size() != source().Size() {
				t.Errorf("%d bytes, want %d", image.Size(), source().Size())
			}
			wantFormat, wantAllocation, wantSector := disk.FormatVHD, disk.Dynamic, 512
			if strings.Contains(name, "vhdx") {
				wantFormat = disk.FormatVHDX
			}
			if strings.Contains(name, "fixed") {
				wantAllocation = disk.Fixed
			}
			if image.Format() != wantFormat || image.Allocation() != wantAllocation {
				t.Errorf("opened as %s, %s", image.Format(), image.Allocation())
			}
			if strings.Contains(name, "large sectors") {
				wantSector = 4096
			}
			if image.LogicalSectorBytes() != wantSector {
				t.Errorf("sectors of %d bytes, want %d", image.LogicalSectorBytes(), wantSector)
			}
			if wantPhysical := map[disk.Format]int{disk.FormatVHDX: 4096}[wantFormat]; image.PhysicalSectorBytes() != wantPhysical {
				t.Errorf("physical sectors of %d bytes, want %d", image.PhysicalSectorBytes(), wantPhysical)
			}
			wantIssues := ""
			if strings.Contains(name, "change") {
				wantIssues = disk.IssueVHDXLogReplayed
			}
			if got := issueCodes(image.Issues()); got != wantIssues {
				t.Errorf("issues %q, want %q", got, wantIssues)
			}
			sameContent(t, image, image.Size(), source(), source().Size())
		})
	}
}

// The end of the content behaves as io.ReaderAt says, whatever the container.
func TestReadingAtTheEnd(t *testing.T) {
	wrap := map[string]func(*disktest.Image) *disktest.Image{"raw": func(i *disktest.Image) *disktest.Image { return i }, "vhd": wrap["dynamic vhd"], "vhdx": wrap["dynamic vhdx"]}
	for name, container := range wrap {
		image, err := open(container(source()))
		if err != nil {
			t.Fatal(err)
		}
		buffer := make([]byte, 1000)
		if n, err := image.ReadAt(buffer, image.Size()-600); n != 600 || !errors.Is(err, io.EOF) {
			t.Errorf("%s: read across the end: %d, %v", name, n, err)
		}
		if n, err := image.ReadAt(buffer, image.Size()); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%s: read at the end: %d, %v", name, n, err)
		}
		if n, err := image.ReadAt(buffer, -1); n != 0 || err == nil {
			t.Errorf("%s: read before the beginning: %d, %v", name, n, err)
		}
		if n, err := image.ReadAt(nil, 0); n != 0 || err != nil {
			t.Errorf("%s: read of nothing: %d, %v", name, n, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	start := func(magic string) *disktest.Image { return disktest.New(1<<20).Put(0, []byte(magic)) }
	sealedVHDX := func(edit func(metadata *disktest.Image)) *disktest.Image {
		image := disktest.VHDX(source(), disktest.VHDXOptions{})
		edit(image)
		return image
	}
	le64 := func(v uint64) []byte { return le.AppendUint64(nil, v) }
	const items = disktest.VHDXMetadata + 64<<10 // block size, flags, disk size, disk id, sectors
	for _, c := range []struct {
		name  string
		image *disktest.Image
		code  string
		text  string
	}{
		{"empty", disktest.New(0), disk.CodeImageEmpty, "empty"},
		{"one byte", disktest.New(1), disk.CodeImageTooSmall, "1 bytes"},
		{"less than a sector", disktest.New(511), disk.CodeImageTooSmall, "511 bytes"},
		{"qcow2", start("QFI\xfb\x00\x00\x00\x03"), disk.CodeFormatUnsupported, "QCOW2"},
		{"vmdk", start("KDMV"), disk.CodeFormatUnsupported, "qemu-img convert"},
		{"vdi", start(strings.Repeat(" ", 64) + "\x7f\x10\xda\xbe"), disk.CodeFormatUnsupported, "VirtualBox"},
		{"e01", start("EVF\x09\x0d\x0a\xff\x00"), disk.CodeFormatUnsupported, "EnCase"},
		{"zip", start("PK\x03\x04"), disk.CodeFormatUnsupported, "Unpack"},
		{"differencing vhd", disktest.DifferencingVHD(source(), 2<<20, `C:\VMs\base.vhd`), disk.CodeDifferencing, `C:\VMs\base.vhd`},
		{"differencing vhdx", disktest.VHDX(source(), disktest.VHDXOptions{Parent: `C:\VMs\ä.vhdx`}), disk.CodeDifferencing, `C:\VMs\ä.vhdx`},
		{
			"fixed vhd cut short", disktest.New(1<<20).PutImage(1<<20-512, cutOut(disktest.FixedVHD(source()), source().Size(), 512)),
			disk.CodeVHDDamaged, "complete copy",
		},
		{"dynamic vhd with both footers damaged", wrap["dynamic vhd"](source()).Put(100, []byte{1}).Put(wrap["dynamic vhd"](source()).Size()-400, []byte{1}), disk.CodeVHDDamaged, "both copies"},
		{"dynamic vhd without its end and with a damaged beginning", wrap["dynamic vhd"](source()).Put(100, []byte{1}).Cut(3 << 20), disk.CodeVHDDamaged, "no footer"},
		{"dynamic vhd without its header", wrap["dynamic vhd"](source()).Put(512, make([]byte, 1024)), disk.CodeVHDDamaged, "header"},
		{"dynamic vhd of nothing but a footer", wrap["dynamic vhd"](source()).Cut(512), disk.CodeVHDDamaged, "ends inside"},
		{"dynamic vhd whose table lies outside", editVHD(512, 1024, 36, func(h []byte) { h[16] = 0x7f }), disk.CodeVHDDamaged, "table"},
		{"dynamic vhd whose table is too short", editVHD(512, 1024, 36, func(h []byte) { copy(h[28:], []byte{0, 0, 0, 1}) }), disk.CodeVHDDamaged, "1 entries"},
		{"dynamic vhd with blocks of 4 GiB", editVHD(512, 1024, 36, func(h []byte) { copy(h[32:], []byte{0xff, 0xff, 0xff, 0xff}) }), disk.CodeVHDDamaged, "block size"},
		{"dynamic vhd with blocks of nothing", editVHD(512, 1024, 36, func(h []byte) { copy(h[32:], []byte{0, 0, 0, 0}) }), disk.CodeVHDDamaged, "block size"},
		{"vhdx without headers", sealedVHDX(func(i *disktest.Image) {
			i.Put(disktest.VHDXHeader1+9, []byte{1}).Put(disktest.VHDXHeader2+9, []byte{1})
		}), disk.CodeVHDXDamaged, "headers"},
		{"vhdx of a later version", sealedVHDX(func(i *disktest.Image) {
			reseal(i, disktest.VHDXHeader2, 4<<10, func(h []byte) { h[66] = 2 })
		}), disk.CodeVHDXUnsupported, "version 2"},
		{"vhdx without region tables", sealedVHDX(func(i *disktest.Image) {
			i.Put(disktest.VHDXRegions1, []byte{1}).Put(disktest.VHDXRegions2, []byte{1})
		}), disk.CodeVHDXDamaged, "region table"},
		{"vhdx with 4 billion regions", sealedVHDX(func(i *disktest.Image) {
			reseal(i, disktest.VHDXRegions1, 64<<10, func(r []byte) { le.PutUint32(r[8:], 0xffffffff) })
		}), disk.CodeVHDXDamaged, "4294967295 entries"},
		{"vhdx with a region outside", sealedVHDX(func(i *disktest.Image) {
			reseal(i, disktest.VHDXRegions1, 64<<10, func(r []byte) { le.PutUint64(r[32:], 1<<50) })
		}), disk.CodeVHDXDamaged, "does not fit"},
		{"vhdx with a region that must be understood", sealedVHDX(func(i *disktest.Image) {
			reseal(i, disktest.VHDXRegions1, 64<<10, func(r []byte) {
				le.PutUint32(r[8:], 3)
				copy(r[16+64:], disktest.GUID(disktest.DiskGUID))
				r[16+64+28] = 1
			})
		}), disk.CodeVHDXUnsupported, disktest.DiskGUID},
		{"vhdx without metadata", sealedVHDX(func(i *disktest.Image) { i.Put(disktest.VHDXMetadata, make([]byte, 32)) }), disk.CodeVHDXDamaged, "metadata table"},
		{"vhdx without a disk size", sealedVHDX(func(i *disktest.Image) { i.Put(disktest.VHDXMetadata+64, []byte{9}) }), disk.CodeVHDXUnsupported, "metadata item"},
		{"vhdx with a metadata item outside", sealedVHDX(func(i *disktest.Image) {
			i.Put(disktest.VHDXMetadata+32+16, []byte{0xff, 0xff, 0xff, 0xff})
		}), disk.CodeVHDXDamaged, "outside its region"},
		{"vhdx with blocks of nothing", sealedVHDX(func(i *disktest.Image) { i.Put(items, make([]byte, 4)) }), disk.CodeVHDXDamaged, "block size"},
		{"vhdx with blocks of 2 GiB", sealedVHDX(func(i *disktest.Image) { i.Put(items, []byte{0, 0, 0, 0x80}) }), disk.CodeVHDXDamaged, "block size"},
		{"vhdx of nothing", sealedVHDX(func(i *disktest.Image) { i.Put(items+8, le64(0)) }), disk.CodeVHDXDamaged, "0 bytes"},
		{"vhdx of 8 EiB", sealedVHDX(func(i *disktest.Image) { i.Put(items+8, le64(1<<63)) }), disk.CodeVHDXDamaged, "64 TiB"},
		{"vhdx larger than its table", sealedVHDX(func(i *disktest.Image) { i.Put(items+8, le64(1<<40)) }), disk.CodeVHDXDamaged, "block table"},
		{"vhdx with sectors of 520", sealedVHDX(func(i *disktest.Image) { i.Put(items+32, []byte{8, 2}) }), disk.CodeVHDXDamaged, "520 bytes"},
		{"vhdx with a wiped log", disktest.VHDX(source(), disktest.VHDXOptions{Log: &disktest.VHDXLog{}}).Put(disktest.VHDXLogAt, make([]byte, 1<<20)), disk.CodeVHDXLog, "Attach the disk"},
		{"vhdx with a damaged log", disktest.VHDX(source(), disktest.VHDXOptions{Log: &disktest.VHDXLog{}}).Put(disktest.VHDXLogAt+100, []byte{0xff}), disk.CodeVHDXLog, "Attach the disk"},
		{"vhdx whose log knows a longer file", func() *disktest.Image {
			i := disktest.VHDX(source(), disktest.VHDXOptions{Log: &disktest.VHDXLog{}})
			reseal(i, disktest.VHDXLogAt+4<<10, 8<<10, func(entry []byte) { le.PutUint64(entry[48:], 1<<40) })
			return i
		}(), disk.CodeVHDXDamaged, "its log says"},
		{"vhdx with more in its log than is replayed", func() *disktest.Image {
			i := disktest.New(45 << 30)
			for at := int64(0); at < i.Size(); at += 512 << 20 { // one sector of the block table each
				i.Put(at, []byte{1})
			}
			return disktest.VHDX(i, disktest.VHDXOptions{Log: &disktest.VHDXLog{}})
		}(), disk.CodeVHDXLog, "640 KiB"},
		{"vhdx with a log of another kind", sealedVHDX(func(i *disktest.Image) {
			reseal(i, disktest.VHDXHeader2, 4<<10, func(h []byte) { h[48], h[64] = 1, 1 })
		}), disk.CodeVHDXLog, "version 1"},
		{"vhdx with a log outside", sealedVHDX(func(i *disktest.Image) {
			reseal(i, disktest.VHDXHeader2, 4<<10, func(h []byte) { h[48] = 1; le.PutUint64(h[72:], 1<<50) })
		}), disk.CodeVHDXDamaged, "log"},
		{"vhdx with a log of 4 GiB", sealedVHDX(func(i *disktest.Image) {
			reseal(i, disktest.VHDXHeader2, 4<<10, func(h []byte) { h[48] = 1; le.PutUint32(h[68:], 0xfff00000) })
		}), disk.CodeVHDXLog, "more than is replayed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			image, err := open(c.image)
			if image != nil || codeOf(err) != c.code {
				t.Fatalf("opened as %v, error %v; want code %s", image, err, c.code)
			}
			if !strings.Contains(err.Error(), c.text) {
				t.Errorf("the message %q does not say %q", err, c.text)
			}
		})
	}
}

// cutOut returns a part of an image.
func cutOut(image *disktest.Image, at, length int64) *disktest.Image {
	data := make([]byte, length)
	if _, err := image.ReadAt(data, at); err != nil && !errors.Is(err, io.EOF) {
		panic(err)
	}
	return disktest.New(length).Put(0, data)
}

// editVHD changes a structure of a dynamic VHD and puts its checksum right again.
func editVHD(at, length int64, checksum int, edit func([]byte)) *disktest.Image {
	image := wrap["dynamic vhd"](source())
	data := cutOut(image, at, length).Bytes()
	edit(data)
	return image.Put(at, disktest.SealVHD(data, checksum))
}

// reseal changes a structure of a VHDX and puts its checksum right again.
func reseal(image *disktest.Image, at, length int64, edit func([]byte)) {
	data := cutOut(image, at, length).Bytes()
	edit(data)
	image.Put(at, disktest.SealVHDX(data))
}

func TestParentIsNamed(t *testing.T) {
	_, err := open(disktest.DifferencingVHD(source(), 2<<20, `C:\VMs\base.vhd`))
	var failure *disk.Error
	if !errors.As(err, &failure) || failure.Parent != `C:\VMs\base.vhd` {
		t.Errorf("parent of %v", err)
	}
}

// Damage that a copy makes good is reported, and the content is right all the same.
func TestDamageThatCanBeMended(t *testing.T) {
	end := func(i *disktest.Image) int64 { return i.Size() - 512 }
	for _, c := range []struct {
		name   string
		damage func() *disktest.Image
		issues string
	}{
		{"vhd, footer wiped", func() *disktest.Image {
			i := wrap["dynamic vhd"](source())
			return i.Put(end(i), make([]byte, 512))
		}, disk.IssueVHDFooterDamaged},
		{"vhd, footer cut off", func() *disktest.Image {
			i := wrap["dynamic vhd"](source())
			return i.Cut(end(i))
		}, disk.IssueVHDFooterDamaged},
		{"vhd, footer damaged", func() *disktest.Image {
			i := wrap["dynamic vhd"](source())
			return i.Put(end(i)+100, []byte{1})
		}, disk.IssueVHDFooterDamaged},
		{"vhd, copy damaged", func() *disktest.Image {
			return wrap["dynamic vhd"](source()).Put(100, []byte{1})
		}, ""},
		{"vhd, header with a wrong checksum", func() *disktest.Image {
			return wrap["dynamic vhd"](source()).Put(512+900, []byte{1})
		}, disk.IssueVHDHeaderDamaged},
		{"fixed vhd, footer with a wrong checksum", func() *disktest.Image {
			i := wrap["fixed vhd"](source())
			return i.Put(end(i)+100, []byte{1})
		}, disk.IssueVHDFooterDamaged},
		{"fixed vhd, footer of 511 bytes", func() *disktest.Image {
			i := wrap["fixed vhd"](source())
			return i.Cut(i.Size() - 1)
		}, ""},
		{"vhdx, current header damaged", func() *disktest.Image {
			return wrap["dynamic vhdx"](source()).Put(disktest.VHDXHeader2+100, []byte{1})
		}, disk.IssueVHDXHeaderDamaged},
		{"vhdx, old header wiped", func() *disktest.Image {
			return wrap["dynamic vhdx"](source()).Put(disktest.VHDXHeader1, make([]byte, 4096))
		}, disk.IssueVHDXHeaderDamaged},
		{"vhdx, first region table damaged", func() *disktest.Image {
			return wrap["dynamic vhdx"](source()).Put(disktest.VHDXRegions1+60000, []byte{1})
		}, disk.IssueVHDXRegionsDamaged},
		{"vhdx, second region table damaged", func() *disktest.Image {
			return wrap["dynamic vhdx"](source()).Put(disktest.VHDXRegions2+60000, []byte{1})
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			image, err := open(c.damage())
			if err != nil {
				t.Fatal(err)
			}
			if got := issueCodes(image.Issues()); got != c.issues {
				t.Errorf("issues %q, want %q", got, c.issues)
			}
			sameContent(t, image, image.Size(), source(), source().Size())
		})
	}
}

// The header with the higher sequence number counts, wherever it lies: the other one here says
// that a log must be replayed which is not there.
func TestVHDXCurrentHeader(t *testing.T) {
	for _, at := range []int64{disktest.VHDXHeader1, disktest.VHDXHeader2} {
		image := wrap["dynamic vhdx"](source())
		for _, header := range []int64{disktest.VHDXHeader1, disktest.VHDXHeader2} {
			reseal(image, header, 4<<10, func(h []byte) {
				le.PutUint64(h[8:], 50)
				if header == at {
					le.PutUint64(h[8:], 51)
					return
				}
				h[48] = 1
			})
		}
		if _, err := open(image); err != nil {
			t.Errorf("current header at %d: %v", at, err)
		}
	}
}

// Blocks without data read as zeros, whatever the state says; a state that cannot be gives an
// error when the block is read, and only then.
func TestVHDXBlockStates(t *testing.T) {
	for state, want := range map[byte]string{0: "zero", 1: "zero", 2: "zero", 3: "zero", 4: "error", 5: "error", 6: "data", 7: "error"} {
		image := wrap["dynamic vhdx"](source())
		entry := cutOut(image, disktest.VHDXTable, 1).Bytes()[0]
		image.Put(disktest.VHDXTable, []byte{entry&^7 | state})
		opened, err := open(image)
		if err != nil {
			t.Fatalf("state %d: %v", state, err)
		}
		got := make([]byte, 512)
		_, err = opened.ReadAt(got, 0)
		switch {
		case want == "error" && codeOf(err) != disk.CodeVHDXDamaged, want != "error" && err != nil:
			t.Errorf("state %d: %v", state, err)
		case want == "zero" && !bytes.Equal(got, make([]byte, 512)), want == "data" && !bytes.Equal(got, cutOut(source(), 0, 512).Bytes()):
			t.Errorf("state %d reads %x..., want %s", state, got[:8], want)
		}
		if _, err := opened.ReadAt(got, 5<<20); err != nil || !bytes.Equal(got, cutOut(source(), 5<<20, 512).Bytes()) {
			t.Errorf("state %d of block 0: another block reads wrong: %v", state, err)
		}
	}
}

// A block table that points outside or to itself gives an error or bytes of the file, never
// more.
func TestBlockTablesThatPointWrong(t *testing.T) {
	vhdx := func(offset uint64) *disktest.Image {
		return wrap["dynamic vhdx"](source()).Put(disktest.VHDXTable, le.AppendUint64(nil, offset|6))
	}
	vhd := func(sector ...byte) *disktest.Image { return wrap["dynamic vhd"](source()).Put(1536, sector) }
	for _, c := range []struct {
		name  string
		image *disktest.Image
		code  string
	}{
		{"vhdx, far outside", vhdx(1 << 62), disk.CodeVHDXDamaged},
		{"vhdx, negative", vhdx(1<<64 - 1<<20), disk.CodeVHDXDamaged},
		{"vhdx, into the header", vhdx(0), disk.CodeVHDXDamaged},
		{"vhdx, to itself", vhdx(disktest.VHDXTable), ""},
		{"vhd, far outside", vhd(0x7f, 0, 0, 0), disk.CodeVHDDamaged},
		{"vhd, just below unused", vhd(0xff, 0xff, 0xff, 0xfe), disk.CodeVHDDamaged},
		{"vhd, to the footer's copy", vhd(0, 0, 0, 0), disk.CodeVHDDamaged},
		{"vhd, to itself", vhd(0, 0, 0, 3), ""},
	} {
		opened, err := open(c.image)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if _, err := opened.ReadAt(make([]byte, 4096), 0); codeOf(err) != c.code {
			t.Errorf("%s: %v, want code %q", c.name, err, c.code)
		}
	}
}

// Sectors that a dynamic VHD's bitmap calls never written read as zeros.
func TestVHDBitmap(t *testing.T) {
	image := wrap["dynamic vhd"](source())
	first := int64(1536 + 512) // header and table, then the bitmap of block 0
	image.Put(first, []byte{0b01011111})
	opened, err := open(image)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 1300)
	if _, err := opened.ReadAt(got, 100); err != nil {
		t.Fatal(err)
	}
	want := cutOut(source(), 100, 1300).Bytes()
	clear(want[:412])
	clear(want[924:])
	if !bytes.Equal(got, want) {
		t.Error("sectors 0 and 2 should be blank, sector 1 should not")
	}
}

// A file that was cut short is refused, or gives what is there and errors for the rest; it never
// gives wrong bytes.
func TestTruncatedFiles(t *testing.T) {
	want := source()
	for name, container := range wrap {
		whole := container(want)
		cuts := []int64{512, 513, 1024, 1500, 1537, 2048, 60 << 10, 66 << 10, 130 << 10, 200 << 10, 300 << 10, 1 << 20, 1<<20 + 5000, 2 << 20, 2<<20 + 100, 2<<20 + 70<<10, 3 << 20, 3<<20 + 4, 4 << 20, 5<<20 + 77, whole.Size() - 512, whole.Size() - 1}
		for _, cut := range cuts {
			if cut >= whole.Size() {
				continue
			}
			image, err := open(whole.Cut(cut))
			if err != nil {
				if codeOf(err) == "" {
					t.Errorf("%s cut to %d bytes: error without code: %v", name, cut, err)
				}
				continue
			}
			if strings.Contains(name, "fixed vhd") && image.Format() == disk.FormatRaw {
				continue // without its footer a fixed VHD is a raw image, and a cut one is a cut one
			}
			got, expected := make([]byte, 4096), make([]byte, 4096)
			for at := int64(0); at+4096 <= want.Size(); at += 4096 {
				if _, err := image.ReadAt(got, at); err != nil {
					continue
				}
				if _, err := want.ReadAt(expected, at); err != nil && !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				if !bytes.Equal(got, expected) {
					t.Errorf("%s cut to %d bytes: wrong content at %d", name, cut, at)
					break
				}
			}
		}
	}
}

func TestRawImageOfOddSize(t *testing.T) {
	image, err := open(disktest.New(1000))
	if err != nil || image.Format() != disk.FormatRaw || issueCodes(image.Issues()) != disk.IssueImageUnaligned {
		t.Errorf("%v, %v", image, err)
	}
	if image.LogicalSectorBytes() != 0 {
		t.Error("a raw image does not state its sectors")
	}
}

// An image whose reader fails says so, with the cause.
func TestOpenOfAFailingReader(t *testing.T) {
	for name, container := range wrap {
		image := container(source())
		for _, from := range []int64{0, image.Size() - 512, 512, disktest.VHDXHeader1, disktest.VHDXRegions1, disktest.VHDXMetadata} {
			opened, err := disk.Open(brokenAt{image, from, from + 512}, image.Size())
			if err != nil && !errors.Is(err, errBadSector) {
				t.Errorf("%s failing at %d: %v", name, from, err)
			}
			if opened == nil && err == nil {
				t.Errorf("%s failing at %d: neither image nor error", name, from)
			}
		}
	}
}
