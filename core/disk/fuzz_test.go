package disk_test

import (
	"bytes"
	"hash/crc32"
	"io"
	"runtime"
	"testing"

	"diskaudit/core/disk"
	"diskaudit/core/disk/disktest"
)

// The fuzz targets build an image out of what the fuzzer gives, put into the places that are
// read, so that inputs stay small. With seal they first put the checksums right, which the
// fuzzer could not do, so that it gets behind them.

// fuzzAllocation is what looking at any image may allocate in all.
const fuzzAllocation = 64 << 20

// bounded runs look and checks what it allocated.
func bounded(t *testing.T, look func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	look()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > fuzzAllocation {
		t.Errorf("%d bytes allocated", got)
	}
}

// walk looks at everything in an image and checks what must hold for any.
func walk(t *testing.T, r io.ReaderAt, size int64) {
	t.Helper()
	bounded(t, func() {
		image, err := disk.Open(r, size)
		if err != nil {
			if codeOf(err) == "" {
				t.Errorf("error without a code: %v", err)
			}
			return
		}
		if image.Size() <= 0 {
			t.Fatalf("size %d", image.Size())
		}
		buffer := make([]byte, 8<<10)
		for _, at := range []int64{0, 3, 1<<20 - 100, image.Size()/2 - 11, image.Size() - 4096} {
			if at < 0 || at > image.Size() {
				continue
			}
			if n, err := image.ReadAt(buffer, at); err == nil && n != len(buffer) || int64(n) > image.Size()-at {
				t.Errorf("reading at %d of %d: %d, %v", at, image.Size(), n, err)
			}
		}
		table, err := image.Table()
		if err != nil {
			if codeOf(err) == "" {
				t.Errorf("error without a code: %v", err)
			}
			return
		}
		checkTable(t, table, image.Size())
		for _, p := range table.Partitions {
			recognize(t, p.Reader(image), p.LengthBytes)
		}
		recognize(t, image, image.Size())
	})
}

func checkTable(t *testing.T, table *disk.Table, size int64) {
	t.Helper()
	if table.Scheme == disk.SchemeNone && len(table.Partitions) > 0 {
		t.Error("partitions without a table")
	}
	for i, p := range table.Partitions {
		end := p.OffsetBytes + p.LengthBytes
		if p.Index < 1 || p.OffsetBytes <= 0 || p.LengthBytes <= 0 || p.OffsetBytes >= size || end < 0 || p.Truncated != (end > size) {
			t.Errorf("impossible partition %+v on a disk of %d bytes", p, size)
		}
		for _, other := range table.Partitions[:i] {
			if p.OffsetBytes < other.OffsetBytes+other.LengthBytes && other.OffsetBytes < end {
				t.Errorf("%+v overlaps %+v", p, other)
			}
		}
	}
	for _, issue := range table.Issues {
		if issue.Code == "" || issue.Text == "" {
			t.Errorf("issue without code or text: %+v", issue)
		}
	}
}

func recognize(t *testing.T, r io.ReaderAt, size int64) disk.Content {
	t.Helper()
	content, err := disk.Recognize(r, size)
	boot := make([]byte, 512)
	n, _ := r.ReadAt(boot, 0)
	if n == 512 && string(boot[3:11]) == "-FVE-FS-" && size >= 512 && content.Kind != disk.KindBitLocker {
		t.Errorf("BitLocker's boot sector passes for %s", describe(content))
	}
	switch content.Kind {
	case disk.KindFileSystem:
		if err != nil || content.Name == "" || content.ClusterBytes == nil || *content.ClusterBytes < 128 || *content.ClusterBytes > uint64(size) {
			t.Errorf("impossible file system %s on %d bytes, %v", describe(content), size, err)
		}
	case disk.KindBlank:
		if err != nil || n > 0 && len(bytes.Trim(boot[:n], "\x00")) > 0 {
			t.Errorf("blank with data, %v", err)
		}
	case "":
		t.Error("no kind")
	}
	return content
}

// sealGPT puts the checksums of a header and its entries right, as far as they lie in data,
// which begins at sector first.
func sealGPT(data []byte, header int, first uint64) {
	if header < 0 || header+92 > len(data) || string(data[header:header+8]) != "EFI PART" {
		return
	}
	h := data[header:]
	at, length := (le.Uint64(h[72:])-first)*512, uint64(le.Uint32(h[80:]))*uint64(le.Uint32(h[84:]))
	if at <= uint64(len(data)) && length <= uint64(len(data))-at {
		le.PutUint32(h[88:], crc32.ChecksumIEEE(data[at:at+length]))
	}
	if headerLength := le.Uint32(h[12:]); headerLength >= 92 && uint64(headerLength) <= uint64(len(h)) {
		disktest.SealGPT(h)
	}
}

const fuzzDisk = 64 << 20

func FuzzGPT(f *testing.F) {
	add := func(image *disktest.Image) {
		// Four entries instead of 128, and right before the header in the backup, keep the input small.
		entries := cutOut(image, 1024, 512).Bytes()
		few := func(at uint64) func(h []byte) {
			return func(h []byte) {
				le.PutUint64(h[72:], at)
				le.PutUint32(h[80:], 4)
				le.PutUint32(h[88:], crc32.ChecksumIEEE(entries))
			}
		}
		editHeader(image, 512, few(2))
		editHeader(image, lastSector(image), few(uint64(lastSector(image)/512-1)))
		image.Put(lastSector(image)-512, entries)
		head, tail := cutOut(image, 0, 1536).Bytes(), cutOut(image, lastSector(image)-512, 1024).Bytes()
		f.Add(head, tail, false)
		f.Add(head, tail, true)
	}
	add(disktest.GPT([]disktest.Part{{Name: "one", Content: disktest.New(30 << 20)}, {Name: "two", Content: disktest.New(fuzzDisk - 32<<20)}}, 512))
	add(disktest.GPT([]disktest.Part{{Content: disktest.New(fuzzDisk - 2<<20)}}, 512))
	f.Fuzz(func(t *testing.T, head, tail []byte, seal bool) {
		if len(head) > 64<<10 || len(tail) > 64<<10 {
			t.Skip("longer than anything that is read")
		}
		if seal {
			sealGPT(head, 512, 0)
			sealGPT(tail, len(tail)-512, uint64(fuzzDisk-len(tail))/512)
		}
		walk(t, disktest.New(fuzzDisk).Put(0, head).Put(fuzzDisk-int64(len(tail)), tail), fuzzDisk)
	})
}

func FuzzMBR(f *testing.F) {
	image := mbrDisk()
	records := append(cutOut(image, 33<<20, 512).Bytes(), cutOut(image, secondEBR, 512).Bytes()...)
	f.Add(cutOut(image, 0, 512).Bytes(), records, uint32(33<<11))
	f.Add(ebr(2048, 4096, 8192, 8192), append(ebr(1, 1, 1, 2), ebr(1, 1, 0, 2)...), uint32(8192))
	f.Fuzz(func(t *testing.T, first, records []byte, sector uint32) {
		image := disktest.New(128 << 20)
		if len(first) > 512 || len(records) > 64<<10 || int64(sector)*512+int64(len(records)) > image.Size() {
			t.Skip("does not fit the disk")
		}
		// A chain needs 55 AA at its end; with it most inputs go nowhere.
		for at := 512; at <= len(records); at += 512 {
			records[at-2], records[at-1] = 0x55, 0xaa
		}
		image.Put(int64(sector)*512, records).Put(0, first).Put(510, []byte{0x55, 0xaa})
		walk(t, image, image.Size())
	})
}

func FuzzVHD(f *testing.F) {
	small := disktest.New(16<<10).Put(0, []byte("the first block")).Put(9<<10, []byte("the third block"))
	for _, image := range []*disktest.Image{disktest.FixedVHD(small), disktest.DynamicVHD(small, 4<<10), disktest.DifferencingVHD(small, 4<<10, `C:\base.vhd`)} {
		f.Add(image.Bytes(), false)
		f.Add(image.Bytes(), true)
		f.Add(image.Bytes()[:image.Size()-512], true)
	}
	f.Fuzz(func(t *testing.T, file []byte, seal bool) {
		if seal && len(file) >= 2048 {
			disktest.SealVHD(file[:512], 64)
			disktest.SealVHD(file[len(file)-512:], 64)
			disktest.SealVHD(file[512:1536], 36)
		}
		walk(t, bytes.NewReader(file), int64(len(file)))
	})
}

func FuzzVHDX(f *testing.F) {
	const fileBytes = 8 << 20
	small := disktest.New(4<<20).Put(0, []byte("the first block")).Put(3<<20, []byte("the last block"))
	for _, options := range []disktest.VHDXOptions{
		{}, {Fixed: true, Sector: 4096, Block: 2 << 20}, {Parent: `C:\base.vhdx`}, {Log: &disktest.VHDXLog{}}, {Log: &disktest.VHDXLog{Torn: true}},
	} {
		image := disktest.VHDX(small, options)
		part := func(at, length int64) []byte { return bytes.TrimRight(cutOut(image, at, length).Bytes(), "\x00") }
		f.Add(part(disktest.VHDXHeader2, 128), part(disktest.VHDXRegions1, 256), part(disktest.VHDXMetadata, 512), part(disktest.VHDXMetadata+64<<10, 512),
			part(disktest.VHDXTable, 64), part(disktest.VHDXLogAt, 32<<10), true)
	}
	f.Fuzz(func(t *testing.T, header, regions, metadata, items, table, log []byte, seal bool) {
		image := disktest.New(fileBytes).Put(0, []byte("vhdxfile"))
		for _, part := range []struct {
			at, length int64
			data       []byte
			sealed     bool
		}{
			{disktest.VHDXHeader2, 4 << 10, header, true}, {disktest.VHDXRegions1, 64 << 10, regions, true},
			{disktest.VHDXMetadata, 64 << 10, metadata, false}, {disktest.VHDXMetadata + 64<<10, 64 << 10, items, false},
			{disktest.VHDXTable, 1 << 20, table, false}, {disktest.VHDXLogAt, 1 << 20, log, false},
		} {
			if int64(len(part.data)) > part.length {
				t.Skip("longer than its place")
			}
			image.Put(part.at, part.data)
			if seal && part.sealed {
				reseal(image, part.at, part.length, func([]byte) {})
			}
		}
		for at := 0; seal && at+64 <= len(log); at += 4 << 10 {
			length := int64(le.Uint32(log[at+8:]))
			if string(log[at:at+4]) == "loge" && length >= 4<<10 && length <= 1<<20-int64(at) {
				reseal(image, disktest.VHDXLogAt+int64(at), length, func([]byte) {})
			}
		}
		walk(t, image, fileBytes)
	})
}

func FuzzFileSystem(f *testing.F) {
	for _, s := range samples() {
		if s.volume.Size() != fuzzDisk {
			continue
		}
		boot, far, farAt := bytes.TrimRight(cutOut(s.volume, 0, 8<<10).Bytes(), "\x00"), []byte(nil), uint32(0)
		for at := int64(8 << 10); at < 1<<20; at += 4 << 10 {
			if far = bytes.TrimRight(cutOut(s.volume, at, 4<<10).Bytes(), "\x00"); len(far) > 0 {
				farAt = uint32(at)
				break
			}
		}
		f.Add(boot, far, farAt, true)
	}
	f.Add([]byte("XFSB"), []byte("_BHRfS_M"), uint32(64<<10+64), true)
	f.Fuzz(func(t *testing.T, boot, far []byte, farAt uint32, seal bool) {
		if len(boot) > 8<<10 || int64(farAt)+int64(len(far)) > fuzzDisk {
			t.Skip("does not fit the volume")
		}
		image := disktest.New(fuzzDisk).Put(0, boot).Put(int64(farAt), far)
		if seal {
			sealFileSystem(image)
		}
		bounded(t, func() { recognize(t, image, fuzzDisk) })
	})
}

// sealFileSystem puts the checksums of every structure right that is there.
func sealFileSystem(image *disktest.Image) {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	put32 := func(at int64, sum uint32) { image.Put(at, le.AppendUint32(nil, sum)) }
	boot := cutOut(image, 0, 4<<10).Bytes()
	switch {
	case string(boot[:4]) == "XFSB":
		if sector := int(boot[102])<<8 | int(boot[103]); sector >= 512 && sector <= len(boot) {
			copy(boot[224:228], []byte{0, 0, 0, 0})
			put32(224, crc32.Checksum(boot[:sector], castagnoli))
		}
	case string(boot[16:20]) == "FSRS":
		le.PutUint16(boot[20:], 512)
		image.Put(20, []byte{0, 2}).Put(22, le.AppendUint16(nil, refsChecksum(boot[:512])))
	case le.Uint16(boot[1024+56:]) == 0xef53:
		put32(1024+1020, ^crc32.Checksum(boot[1024:1024+1020], castagnoli))
	}
	if super := cutOut(image, 64<<10, 4<<10).Bytes(); string(super[64:72]) == "_BHRfS_M" {
		put32(64<<10, crc32.Checksum(super[32:], castagnoli))
	}
}
