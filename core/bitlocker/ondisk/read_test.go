package ondisk_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/bitlocker/ondisk"
	"diskaudit/core/bitlocker/ondisk/ondisktest"
)

// facts are what must stay the same whichever copy they come from.
func facts(v *ondisk.Volume) ondisk.Metadata {
	return ondisk.Metadata{
		State: v.State, NextState: v.NextState, EncryptedBytes: v.EncryptedBytes, GUID: v.GUID,
		Method: v.Method, Created: v.Created, Description: v.Description, Protectors: v.Protectors,
	}
}

var compareFacts = cmp.Options{cmp.FilterPath(func(p cmp.Path) bool {
	last := p.Last().String()
	return last == ".offsets" || last == ".nonce"
}, cmp.Ignore())}

func TestReadSaysWhatTheMetadataSays(t *testing.T) {
	spec := ondisktest.Default()
	spec.UsedSpaceOnly = true
	spec.SectorBytes = 4096
	spec.Description = "PC-1 Grüße 🚸 C: 09.03.2025"
	spec.Protectors = append(spec.Protectors, ondisktest.Protector{ID: [16]byte{3}, Protection: 0, Version: 3})
	got, err := ondisk.Read(ondisktest.Build(spec), spec.SizeBytes)
	if err != nil {
		t.Fatal(err)
	}
	description := spec.Description
	want := ondisk.Metadata{
		State: 4, NextState: 4, EncryptedBytes: 64 << 20, Method: 0x8004,
		// The first three groups are little-endian on disk, the last two are not.
		GUID:        "01234567-89ab-cdef-0102-030405060708",
		Created:     time.Date(2025, 3, 9, 9, 6, 10, 0, time.UTC),
		Description: &description,
		Protectors: []ondisk.Protector{
			{ID: "00000001-0000-0000-0000-000000000000", Protection: ondisk.Tpm},
			{ID: "00000002-0000-0000-0000-000000000000", Protection: ondisk.RecoveryPassword},
			{ID: "00000003-0000-0000-0000-000000000000", Protection: ondisk.ClearKey},
		},
	}
	if diff := cmp.Diff(want, facts(got), compareFacts); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	if got.Format != ondisk.Standard || got.SectorBytes != 4096 || got.UsedSpaceOnly == nil || !*got.UsedSpaceOnly {
		t.Errorf("header: %+v", got.Header)
	}
	for _, c := range got.Copies {
		if c.State != ondisk.Intact || c.Detail != "" {
			t.Errorf("copy of a sound volume: %+v", c)
		}
	}
}

func TestFormats(t *testing.T) {
	plain := make([]byte, 512)
	fat := ondisktest.Header(ondisktest.Spec{ToGo: true, Identifier: [16]byte{9}})
	for name, test := range map[string]struct {
		sector []byte
		want   ondisk.Format
	}{
		"Windows 7 and later":                  {ondisktest.Header(ondisktest.Default()), ondisk.Standard},
		"To Go":                                {ondisktest.Header(ondisktest.Spec{ToGo: true}), ondisk.ToGo},
		"Vista":                                {ondisktest.Header(ondisktest.Spec{Vista: true}), ondisk.Vista},
		"zeros":                                {plain, ""},
		"FAT32 that looks like To Go":          {fat, ""},
		"a sector that is too short to tell":   {ondisktest.Header(ondisktest.Default())[:511], ""},
		"nothing":                              {nil, ""},
		"signature without the jump before it": {append([]byte("\x00\x00\x00-FVE-FS-"), plain...)[:512], ""},
	} {
		volume, err := ondisk.Read(bytes.NewReader(test.sector), int64(len(test.sector)))
		if (test.want == "") != errors.Is(err, ondisk.ErrNotBitLocker) || volume != nil && volume.Format != test.want {
			t.Errorf("%s: %+v, %v, want %q", name, volume, err, test.want)
		}
	}
}

// One wrong bit in the identifier must not turn a To Go volume into a plain FAT32: that is what
// it looks like otherwise.
func TestToGoWithADamagedIdentifier(t *testing.T) {
	spec := ondisktest.Default()
	spec.ToGo = true
	image := ondisktest.Build(spec)
	for at := 424; at < 440; at++ {
		image.Parts[0].Data[at] ^= 4
		got, err := ondisk.Read(image, image.Size)
		if err != nil || got.Format != ondisk.ToGo || got.UsedSpaceOnly != nil || got.GUID == "" {
			t.Fatalf("byte %d: %+v, %v", at, got, err)
		}
		image.Parts[0].Data[at] ^= 4
	}
}

func TestVistaIsNamedAndNotGuessed(t *testing.T) {
	spec := ondisktest.Default()
	spec.Vista = true
	got, err := ondisk.Read(ondisktest.Build(spec), spec.SizeBytes)
	if !errors.Is(err, ondisk.ErrVista) || got == nil || got.Format != ondisk.Vista || got.Protectors != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Every byte of the first copy is changed in turn. What the volume says must not change, and the
// copy must be named.
func TestEveryByteOfOneCopyDamaged(t *testing.T) {
	spec := ondisktest.Default()
	sound, err := ondisk.Read(ondisktest.Build(spec), spec.SizeBytes)
	if err != nil {
		t.Fatal(err)
	}
	for number := 1; number <= 3; number++ {
		image := ondisktest.Build(spec)
		area := image.Parts[number].Data
		for at := 0; at < len(area); at++ {
			if at > 1100 && at%97 != 0 && at < len(area)-64 {
				continue // past the metadata, all bytes are alike
			}
			area[at] ^= 0x41
			got, err := ondisk.Read(image, spec.SizeBytes)
			if err != nil {
				t.Fatalf("copy %d, byte %d: %v", number, at, err)
			}
			if diff := cmp.Diff(facts(sound), facts(got), compareFacts); diff != "" {
				t.Fatalf("copy %d, byte %d changed the answer:\n%s", number, at, diff)
			}
			for _, c := range got.Copies {
				if damaged := c.State != ondisk.Intact; damaged != (c.Number == number) || damaged != (c.Detail != "") {
					t.Fatalf("copy %d, byte %d: copy %d is reported as %+v", number, at, c.Number, c)
				}
			}
			area[at] ^= 0x41
		}
	}
}

func TestDamageToTheCopies(t *testing.T) {
	breakCopy := func(image *ondisktest.Image, numbers ...int) {
		for _, number := range numbers {
			image.Parts[number].Data[70] ^= 1
		}
	}
	for name, test := range map[string]struct {
		change func(*ondisktest.Spec)
		damage func(*ondisktest.Image)
		size   int64
		err    error
		states [3]ondisk.CopyState
		detail string
	}{
		"two of three": {
			damage: func(i *ondisktest.Image) { breakCopy(i, 1, 2) },
			states: [3]ondisk.CopyState{ondisk.Damaged, ondisk.Damaged, ondisk.Intact}, detail: "checksum",
		},
		"all three": {
			damage: func(i *ondisktest.Image) { breakCopy(i, 1, 2, 3) }, err: ondisk.ErrDamaged,
			states: [3]ondisk.CopyState{ondisk.Damaged, ondisk.Damaged, ondisk.Damaged}, detail: "checksum",
		},
		"all zero": {
			damage: func(i *ondisktest.Image) { i.Parts = i.Parts[:1] }, err: ondisk.ErrDamaged,
			states: [3]ondisk.CopyState{ondisk.Damaged, ondisk.Damaged, ondisk.Damaged}, detail: "signature",
		},
		"the second is newer": {
			change: func(s *ondisktest.Spec) { s.Nonces = [3]uint32{10, 11, 10} },
			states: [3]ondisk.CopyState{ondisk.Stale, ondisk.Intact, ondisk.Stale}, detail: "newer",
		},
		"cut off behind the second": {
			size:   50 << 20,
			states: [3]ondisk.CopyState{ondisk.Intact, ondisk.Intact, ondisk.Outside}, detail: "beyond the end",
		},
		"cut off before the first": {
			size: 1 << 20, err: ondisk.ErrDamaged,
			states: [3]ondisk.CopyState{ondisk.Outside, ondisk.Outside, ondisk.Outside}, detail: "beyond the end",
		},
		"cut off inside the third": {
			size:   57909248 + 200,
			states: [3]ondisk.CopyState{ondisk.Intact, ondisk.Intact, ondisk.Outside}, detail: "beyond the end",
		},
		"the header points all to one place": {
			damage: func(i *ondisktest.Image) {
				copy(i.Parts[0].Data[184:], i.Parts[0].Data[176:184])
				copy(i.Parts[0].Data[192:], i.Parts[0].Data[176:184])
			},
			states: [3]ondisk.CopyState{ondisk.Intact, ondisk.Differs, ondisk.Differs}, detail: "header",
		},
		"the header points to itself": {
			damage: func(i *ondisktest.Image) { clear(i.Parts[0].Data[176:200]) }, err: ondisk.ErrDamaged,
			states: [3]ondisk.CopyState{ondisk.Damaged, ondisk.Damaged, ondisk.Damaged}, detail: "signature",
		},
		"the header points to the end of the number range": {
			damage: func(i *ondisktest.Image) {
				for at := 176; at < 184; at++ {
					i.Parts[0].Data[at] = 0xff
				}
			},
			states: [3]ondisk.CopyState{ondisk.Differs, ondisk.Intact, ondisk.Intact}, detail: "header",
		},
		"a size of nearly a mebibyte": {
			damage: func(i *ondisktest.Image) { binary.LittleEndian.PutUint16(i.Parts[1].Data[8:], 0xffff) },
			states: [3]ondisk.CopyState{ondisk.Damaged, ondisk.Intact, ondisk.Intact}, detail: "size",
		},
		"an entry of no length under a right checksum": {
			damage: func(i *ondisktest.Image) {
				binary.LittleEndian.PutUint16(i.Parts[1].Data[112:], 0)
				ondisktest.Seal(i.Parts[1].Data)
			},
			states: [3]ondisk.CopyState{ondisk.Damaged, ondisk.Intact, ondisk.Intact}, detail: "entry",
		},
		"a version of the future": {
			damage: func(i *ondisktest.Image) {
				i.Parts[1].Data[10] = 3
				ondisktest.Seal(i.Parts[1].Data)
			},
			states: [3]ondisk.CopyState{ondisk.Damaged, ondisk.Intact, ondisk.Intact}, detail: "version",
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := ondisktest.Default()
			if test.change != nil {
				test.change(&spec)
			}
			image := ondisktest.Build(spec)
			if test.damage != nil {
				test.damage(image)
			}
			if test.size != 0 {
				image.Size = test.size
			}
			got, err := ondisk.Read(image, image.Size)
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			if err == nil && (got.GUID != "01234567-89ab-cdef-0102-030405060708" || len(got.Protectors) != 2) {
				t.Errorf("facts: %+v", got.Metadata)
			}
			if err != nil && (got.GUID != "" || got.Protectors != nil) {
				t.Errorf("facts invented: %+v", got.Metadata)
			}
			details := ""
			for i, c := range got.Copies {
				details += c.Detail + "\n"
				if c.State != test.states[i] {
					t.Errorf("copy %d: %+v, want state %d", i+1, c, test.states[i])
				}
			}
			if !strings.Contains(details, test.detail) {
				t.Errorf("details %q do not speak of %q", details, test.detail)
			}
		})
	}
}

// badSector fails like a device with an unreadable sector.
type badSector struct {
	io.ReaderAt
	from, to int64
	err      error
}

func (b badSector) ReadAt(p []byte, offset int64) (int, error) {
	if offset < b.to && offset+int64(len(p)) > b.from {
		return 0, b.err
	}
	return b.ReaderAt.ReadAt(p, offset)
}

func TestUnreadableSectors(t *testing.T) {
	spec := ondisktest.Default()
	image := ondisktest.Build(spec)
	first := spec.Offsets[0]
	got, err := ondisk.Read(badSector{image, first, first + 512, syscall.EIO}, image.Size)
	if err != nil || got.Copies[0].State != ondisk.Damaged || got.GUID == "" {
		t.Errorf("one unreadable copy: %+v, %v", got, err)
	}
	// Whatever a reader calls the failure, the other copies are as good (a VHD that was cut short
	// has errors of its own).
	odd := errors.New("block 7 lies beyond the end of the file")
	got, err = ondisk.Read(badSector{image, first, first + 512, odd}, image.Size)
	if err != nil || got.Copies[0].State != ondisk.Damaged || !strings.Contains(got.Copies[0].Detail, "block 7") || got.GUID == "" {
		t.Errorf("one copy in a truncated container: %+v, %v", got, err)
	}
	gone := errors.New("device gone")
	got, err = ondisk.Read(badSector{image, 512, image.Size, gone}, image.Size)
	if !errors.Is(err, gone) || got.GUID != "" {
		t.Errorf("a device that vanishes: %+v, %v, want its own error", got, err)
	}
	if _, err := ondisk.Read(badSector{image, 0, 512, syscall.EIO}, image.Size); !errors.Is(err, syscall.EIO) {
		t.Errorf("an unreadable first sector: %v, want its own error", err)
	}
}

func TestNotBitLocker(t *testing.T) {
	for name, data := range map[string]string{"empty": "", "short": "-FVE-FS-", "text": strings.Repeat("hello world ", 100)} {
		if _, err := ondisk.Read(strings.NewReader(data), int64(len(data))); !errors.Is(err, ondisk.ErrNotBitLocker) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// counting counts the bytes that are read.
type counting struct {
	io.ReaderAt
	bytes int
}

func (c *counting) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, offset)
	c.bytes += n
	return n, err
}

func TestReadsLittle(t *testing.T) {
	spec := ondisktest.Default()
	reader := &counting{ReaderAt: ondisktest.Build(spec)}
	if _, err := ondisk.Read(reader, spec.SizeBytes); err != nil {
		t.Fatal(err)
	}
	if limit := 512 + 3*ondisktest.AreaBytes; reader.bytes > limit {
		t.Errorf("read %d bytes, more than header and metadata, %d", reader.bytes, limit)
	}
}

func FuzzRead(f *testing.F) {
	// The input is the first sector, then the areas of the copies in turn, cut to what they hold.
	const used = 2048
	for _, change := range []func(*ondisktest.Spec){
		func(*ondisktest.Spec) {},
		func(s *ondisktest.Spec) { s.ToGo = true },
		func(s *ondisktest.Spec) { s.Vista = true },
		func(s *ondisktest.Spec) { s.UsedSpaceOnly, s.SectorBytes, s.Nonces[1] = true, 4096, 12 },
	} {
		spec := ondisktest.Default()
		change(&spec)
		data := ondisktest.Header(spec)
		for i := range spec.Offsets {
			data = append(data, ondisktest.Copy(spec, i)[:used]...)
		}
		f.Add(data, int64(64<<20), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int64, seal bool) {
		if len(data) < 512 {
			data = append(data, make([]byte, 512-len(data))...)
		}
		spec := ondisktest.Default()
		image := &ondisktest.Image{Size: max(size, 0), Parts: []ondisktest.Part{{Data: data[:512]}}}
		rest := data[512:]
		for i := range spec.Offsets {
			area := make([]byte, ondisktest.AreaBytes)
			copy(area, rest[:min(len(rest), used)])
			rest = rest[min(len(rest), used):]
			if seal {
				// With a right checksum the fuzzer reaches what lies behind it.
				ondisktest.Seal(area)
			}
			image.Parts = append(image.Parts, ondisktest.Part{Offset: spec.Offsets[i], Data: area})
		}
		reader := &counting{ReaderAt: image}
		volume, err := ondisk.Read(reader, image.Size)
		if reader.bytes > 1<<20 {
			t.Errorf("read %d bytes", reader.bytes)
		}
		if err == nil && (volume == nil || len(volume.Copies) != 3) {
			t.Errorf("no error and no volume: %+v", volume)
		}
	})
}
