package disk_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"diskaudit/core/disk"
	"diskaudit/core/disk/disktest"
)

var le = binary.LittleEndian

// gptDisk has two partitions of 32 MiB.
func gptDisk(sector int) *disktest.Image {
	return disktest.GPT([]disktest.Part{
		{Name: "data", Content: disktest.NTFS(32<<20, "ONE")},
		{Type: disktest.TypeRecovery, Name: "more", Content: disktest.FAT32(32<<20, "TWO")},
	}, sector)
}

// mbrDisk has a primary partition and two logical ones of 32 MiB.
func mbrDisk() *disktest.Image {
	return disktest.MBR([]disktest.Part{
		{Active: true, Content: disktest.NTFS(32<<20, "ONE")},
		{Logical: true, MBRType: disktest.MBRLinux, Content: disktest.New(32 << 20)},
		{Logical: true, Content: disktest.NTFS(32<<20, "THREE")},
	})
}

func readTable(t *testing.T, image *disktest.Image, sector int) *disk.Table {
	t.Helper()
	table, err := disk.ReadTable(image, image.Size(), sector)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

const gptPartitions = `1 1048576+33554432 ebd0a0a2-b9e5-4433-87c0-68b6b72699c7 Basic data "data" active=false logical=false truncated=false
2 34603008+33554432 de94bba4-06d1-4d40-a16a-bfd50179d6ac Windows recovery "more" active=false logical=false truncated=false
`

const mbrPartitions = `1 1048576+33554432 0x07 NTFS or exFAT "" active=true logical=false truncated=false
5 35651584+33554432 0x83 Linux file system "" active=false logical=true truncated=false
6 70254592+33554432 0x07 NTFS or exFAT "" active=false logical=true truncated=false
`

// lastSector is where the backup header of gptDisk(512) lies.
func lastSector(image *disktest.Image) int64 { return image.Size() - 512 }

// editHeader changes a GPT header and puts its checksum right again.
func editHeader(image *disktest.Image, at int64, edit func(header []byte)) *disktest.Image {
	header := make([]byte, 92)
	if _, err := image.ReadAt(header, at); err != nil {
		panic(err)
	}
	edit(header)
	return image.Put(at, disktest.SealGPT(header))
}

func TestTables(t *testing.T) {
	garbage := []byte(strings.Repeat("garbage ", 16))
	whole := func(image *disktest.Image) *disktest.Image { return image }
	for _, c := range []struct {
		name   string
		image  *disktest.Image
		sector int
		change func(*disktest.Image) *disktest.Image
		want   string
	}{
		{"gpt", gptDisk(512), 512, whole, "gpt 512\n" + gptPartitions},
		{"gpt, sector not stated", gptDisk(512), 0, whole, "gpt 512\n" + gptPartitions},
		{"gpt with large sectors, not stated", gptDisk(4096), 0, whole, "gpt 4096\n" + gptPartitions},
		{"gpt with large sectors, stated", gptDisk(4096), 4096, whole, "gpt 4096\n" + gptPartitions},
		{"gpt for other sectors than the disk's", gptDisk(512), 4096, whole, "gpt 512\n" + gptPartitions + "! sector-size-differs\n"},
		{
			"gpt, first header damaged", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image { return i.Put(512+40, garbage) },
			"gpt 512\n" + gptPartitions + "! gpt-primary-damaged\n",
		},
		{
			"gpt, first entries damaged", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image { return i.Put(1024+128*7, garbage) },
			"gpt 512\n" + gptPartitions + "! gpt-primary-damaged\n",
		},
		{
			"gpt with large sectors, first header wiped", gptDisk(4096), 0,
			func(i *disktest.Image) *disktest.Image { return i.Put(4096, make([]byte, 4096)) },
			"gpt 4096\n" + gptPartitions + "! gpt-primary-damaged\n",
		},
		{
			"gpt, backup header damaged", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image { return i.Put(lastSector(i), garbage) },
			"gpt 512\n" + gptPartitions + "! gpt-backup-damaged\n",
		},
		{
			"gpt, backup entries damaged", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image { return i.Put(lastSector(i)-32*512, garbage) },
			"gpt 512\n" + gptPartitions + "! gpt-backup-damaged\n",
		},
		{
			"gpt, image cut behind the partitions", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image { return i.Cut(i.Size() - 512) },
			"gpt 512\n" + gptPartitions + "! gpt-backup-missing\n",
		},
		{
			"gpt, image cut inside a partition", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image { return i.Cut(40 << 20) },
			"gpt 512\n" + strings.Replace(gptPartitions, `"more" active=false logical=false truncated=false`, `"more" active=false logical=false truncated=true`, 1) +
				"! gpt-backup-missing\n! partition-truncated\n",
		},
		{
			"gpt, image cut before a partition", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image { return i.Cut(20 << 20) },
			"gpt 512\n" + strings.Replace(gptPartitions[:strings.IndexByte(gptPartitions, '\n')+1], "truncated=false", "truncated=true", 1) +
				"! gpt-backup-missing\n! partition-truncated\n! partition-out-of-range\n",
		},
		{
			"gpt, both headers damaged", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image { return i.Put(512+40, garbage).Put(lastSector(i)+40, garbage) },
			"gpt 512\n! gpt-damaged\n",
		},
		{
			"gpt, both headers wiped", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image {
				return i.Put(512, make([]byte, 512)).Put(lastSector(i), make([]byte, 512))
			},
			"gpt 512\n! gpt-damaged\n",
		},
		{
			"gpt with 4 billion entries in both copies", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image {
				lie := func(h []byte) { le.PutUint32(h[80:], 0xffffffff) }
				return editHeader(editHeader(i, 512, lie), lastSector(i), lie)
			},
			"gpt 512\n! gpt-damaged\n",
		},
		{
			"gpt with 4 billion entries in the first copy", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image {
				return editHeader(i, 512, func(h []byte) { le.PutUint32(h[80:], 0xffffffff) })
			},
			"gpt 512\n" + gptPartitions + "! gpt-primary-damaged\n",
		},
		{
			"gpt with entries of 4 GiB", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image {
				return editHeader(i, 512, func(h []byte) { le.PutUint32(h[84:], 0x80000000) })
			},
			"gpt 512\n" + gptPartitions + "! gpt-primary-damaged\n",
		},
		{
			"gpt with entries outside", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image {
				return editHeader(i, 512, func(h []byte) { le.PutUint64(h[72:], 1<<63) })
			},
			"gpt 512\n" + gptPartitions + "! gpt-primary-damaged\n",
		},
		{
			"gpt, copies differ", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image {
				return editHeader(i, lastSector(i), func(h []byte) { h[56] ^= 1 })
			},
			"gpt 512\n" + gptPartitions + "! gpt-copies-differ\n",
		},
		{
			"gpt with a hybrid mbr", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image {
				return i.Put(446+16, []byte{0, 0xfe, 0xff, 0xff, 7, 0xfe, 0xff, 0xff, 0, 8, 0, 0, 0, 0, 1, 0})
			},
			"gpt 512\n" + gptPartitions + "! gpt-hybrid-mbr\n",
		},
		{
			"gpt with a wiped first sector", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image { return i.Put(0, make([]byte, 512)) },
			"gpt 512\n" + gptPartitions + "! gpt-protective-mbr-missing\n",
		},
		{
			"disk repartitioned to mbr", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image {
				return i.Put(446, []byte{0, 0xfe, 0xff, 0xff, 7, 0xfe, 0xff, 0xff, 0, 8, 0, 0, 0, 0, 1, 0})
			},
			"mbr 512\n1 1048576+33554432 0x07 NTFS or exFAT \"\" active=false logical=false truncated=false\n! gpt-stale\n",
		},
		{"mbr", mbrDisk(), 0, whole, "mbr 512\n" + mbrPartitions},
		{
			"mbr, chain leads back", mbrDisk(), 0,
			func(i *disktest.Image) *disktest.Image {
				return i.Put(secondEBR, ebr(2048, 65536, 0, 100))
			},
			"mbr 512\n" + mbrPartitions + "! mbr-chain-loops\n",
		},
		{
			"mbr, chain leads out", mbrDisk(), 0,
			func(i *disktest.Image) *disktest.Image {
				return i.Put(secondEBR, ebr(2048, 65536, 0x7fffffff, 100))
			},
			"mbr 512\n" + mbrPartitions + "! mbr-chain-broken\n",
		},
		{
			"mbr, second record wiped", mbrDisk(), 0,
			func(i *disktest.Image) *disktest.Image { return i.Put(secondEBR, make([]byte, 512)) },
			"mbr 512\n" + strings.Join(strings.SplitAfter(mbrPartitions, "\n")[:2], "") + "! mbr-chain-broken\n",
		},
		{
			"mbr with a partition outside", mbrDisk(), 0,
			func(i *disktest.Image) *disktest.Image {
				return i.Put(446+8, []byte{0, 0, 0, 0xff, 0, 0, 1, 0})
			},
			"mbr 512\n" + strings.Join(strings.SplitAfter(mbrPartitions, "\n")[1:], "") + "! partition-out-of-range\n",
		},
		{
			"mbr with overlapping partitions", mbrDisk(), 0,
			func(i *disktest.Image) *disktest.Image {
				return i.Put(446+32, []byte{0, 0xfe, 0xff, 0xff, 7, 0xfe, 0xff, 0xff, 0, 9, 0, 0, 0, 1, 0, 0})
			},
			"mbr 512\n" + mbrPartitions + "! partition-overlaps\n",
		},
		{
			"mbr of large sectors", disktest.New(64<<20).PutImage(8<<20, disktest.NTFS(16<<20, "BIG")).
				Put(446, []byte{0, 0xfe, 0xff, 0xff, 7, 0xfe, 0xff, 0xff, 0, 8, 0, 0, 0, 16, 0, 0}).Put(510, []byte{0x55, 0xaa}), 0, whole,
			"mbr 4096\n1 8388608+16777216 0x07 NTFS or exFAT \"\" active=false logical=false truncated=false\n",
		},
		{"ntfs on the whole disk", disktest.NTFS(32<<20, ""), 0, whole, "none 512\n"},
		{"fat on the whole disk", disktest.FAT32(32<<20, "STICK"), 0, whole, "none 512\n"},
		{"bitlocker on the whole disk", disktest.BitLockerBoot(disktest.New(32 << 20)), 0, whole, "none 512\n"},
		{"bitlocker to go on the whole disk", disktest.BitLockerToGoBoot(disktest.FAT32(32<<20, "")), 0, whole, "none 512\n"},
		{"volume with large sectors", disktest.BitLockerBoot(disktest.New(32 << 20)), 4096, whole, "none 4096\n"},
		{
			"volume on a disk that had a gpt", gptDisk(512), 0,
			func(i *disktest.Image) *disktest.Image {
				return i.Put(0, make([]byte, 4096)).Put(0, swapSpace(i.Size()))
			},
			"none 512\n! gpt-stale\n",
		},
		{"ten terabytes of nothing", disktest.New(10 << 40), 0, whole, "none 512\n"},
		{"one sector of nothing", disktest.New(512), 0, whole, "none 512\n"},
		{"text", disktest.New(1000).Put(0, []byte(strings.Repeat("line of text\n", 76))), 0, whole, "none 512\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := partitions(readTable(t, c.change(c.image), c.sector)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// secondEBR is where the record of mbrDisk's second logical partition lies.
const secondEBR = 66 << 20

// ebr is an extended boot record with a logical partition and a link, both in sectors.
func ebr(start, count, next, nextCount uint32) []byte {
	r := make([]byte, 512)
	r[446+4] = 7
	le.PutUint32(r[446+8:], start)
	le.PutUint32(r[446+12:], count)
	r[462+4] = 5
	le.PutUint32(r[462+8:], next)
	le.PutUint32(r[462+12:], nextCount)
	r[510], r[511] = 0x55, 0xaa
	return r
}

// swapSpace is the first page of Linux swap space.
func swapSpace(size int64) []byte {
	page := make([]byte, 4096)
	le.PutUint32(page[1024:], 1)
	le.PutUint32(page[1028:], uint32(size/4096-1))
	copy(page[4086:], "SWAPSPACE2")
	return page
}

// A chain of logical partitions that never ends is followed only so far.
func TestEndlessChain(t *testing.T) {
	image := disktest.New(1 << 30)
	record := ebr(0, 0, 0, 0)
	record[446+4] = 0
	record[462+4] = 0x0f
	le.PutUint32(record[462+8:], 2048)
	le.PutUint32(record[462+12:], 1<<20)
	image.Put(0, record)
	for i := range 1000 {
		image.Put(int64(2048+i)*512, ebr(0, 0, uint32(i+1), 1))
	}
	table := readTable(t, image, 0)
	if n := len(table.Issues); n == 0 || n > 20 || table.Issues[n-1].Code != disk.IssuePartitionLimit || !table.Issues[n-1].Incomplete {
		t.Errorf("issues: %v", table.Issues)
	}
}

// A table can have more wrong entries than anyone wants to read about, and more partitions than
// are looked at.
func TestManyEntries(t *testing.T) {
	const count = 512
	image := disktest.GPT([]disktest.Part{{Content: disktest.New(8 << 20)}}, 512)
	for name, place := range map[string]func(i int) (first, last uint64){
		"wrong":       func(i int) (uint64, uint64) { return 1 << 60, 1<<60 + uint64(i) },
		"overlapping": func(i int) (uint64, uint64) { return 2048, 4096 },
		"too many":    func(i int) (uint64, uint64) { return uint64(2048 + i), uint64(2048 + i) },
	} {
		entries := make([]byte, count*128)
		for i := range count {
			e := entries[128*i:]
			e[0] = 1
			first, last := place(i)
			le.PutUint64(e[32:], first)
			le.PutUint64(e[40:], last)
		}
		image.Put(1<<20, entries)
		editHeader(image, 512, func(h []byte) {
			le.PutUint64(h[72:], 2048)
			le.PutUint32(h[80:], count)
			le.PutUint32(h[88:], crc32.ChecksumIEEE(entries))
		})
		table := readTable(t, image, 0)
		if table.Scheme != disk.SchemeGPT || len(table.Partitions) > 128 || len(table.Issues) > 20 || !table.Issues[len(table.Issues)-1].Incomplete {
			t.Errorf("%s: %s, %d partitions, %d issues", name, table.Scheme, len(table.Partitions), len(table.Issues))
		}
	}
}

func Test128Partitions(t *testing.T) {
	parts := make([]disktest.Part, 128)
	for i := range parts {
		parts[i].Content = disktest.New(512)
	}
	if table := readTable(t, disktest.GPT(parts, 512), 0); len(table.Partitions) != 128 || len(table.Issues) != 0 {
		t.Errorf("%d partitions, issues %v", len(table.Partitions), table.Issues)
	}
}

// brokenAt fails every read that touches a range.
type brokenAt struct {
	io.ReaderAt
	from, to int64
}

var errBadSector = errors.New("bad sector")

func (b brokenAt) ReadAt(p []byte, at int64) (int, error) {
	if at < b.to && at+int64(len(p)) > b.from {
		return 0, errBadSector
	}
	return b.ReaderAt.ReadAt(p, at)
}

// A disk with bad sectors gives what is readable, and says what is not.
func TestBadSectors(t *testing.T) {
	image := gptDisk(512)
	read := func(r io.ReaderAt) (*disk.Table, error) { return disk.ReadTable(r, image.Size(), 512) }

	table, err := read(brokenAt{image, 512, 1024})
	if err != nil || len(table.Partitions) != 2 || table.Issues[0].Code != disk.IssueGPTPrimaryDamaged {
		t.Errorf("first header unreadable: %v, %v", table, err)
	}
	table, err = read(brokenAt{image, lastSector(image), image.Size()})
	if err != nil || len(table.Partitions) != 2 || table.Issues[0].Code != disk.IssueGPTBackupDamaged {
		t.Errorf("backup unreadable: %v, %v", table, err)
	}
	_, err = read(brokenAt{image, 0, 512})
	var failure *disk.Error
	if !errors.As(err, &failure) || failure.Code != disk.CodeUnreadable || !errors.Is(err, errBadSector) {
		t.Errorf("first sector unreadable: %v", err)
	}
	blank := disktest.New(1 << 20)
	table, err = disk.ReadTable(brokenAt{blank, 512, 1024}, blank.Size(), 512)
	if err != nil || table.Scheme != disk.SchemeNone || len(table.Issues) != 1 || table.Issues[0].Code != disk.IssueGPTUnreadable {
		t.Errorf("no table, second sector unreadable: %v, %v", table, err)
	}
}

func TestTooSmallForATable(t *testing.T) {
	for _, size := range []int64{0, 1, 511} {
		_, err := disk.ReadTable(disktest.New(size), size, 0)
		var failure *disk.Error
		if !errors.As(err, &failure) || failure.Code != disk.CodeImageTooSmall {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// A volume whose boot sector was damaged keeps its boot signature. It must not be taken for a
// disk without partitions: then it would be in no list at all.
func TestDamagedBootSectorIsNoPartitionTable(t *testing.T) {
	for name, volume := range map[string]*disktest.Image{
		"NTFS":                           disktest.NTFS(32<<20, "Data").Put(3, []byte("XXXX")),
		"FAT32":                          disktest.FAT32(64<<20, "Data").Put(11, []byte{0xff}),
		"zeros and a boot signature":     disktest.New(1<<20).Put(510, []byte{0x55, 0xaa}),
		"ReFS with a boot signature":     disktest.New(1<<20).Put(3, []byte("ReFS\x00\x00\x00\x00")).Put(510, []byte{0x55, 0xaa}),
		"NTFS damaged from end to begin": disktest.NTFS(32<<20, "Data").Put(0, make([]byte, 440)).Put(440, make([]byte, 70)),
	} {
		table, err := disk.ReadTable(volume, volume.Size(), 0)
		if err != nil || table.Scheme != disk.SchemeNone {
			t.Errorf("%s: scheme %q, %v", name, table.Scheme, err)
		}
	}
}

// Logical partitions are found by either sector size, also where no primary partition shows it.
func TestLogicalPartitionsOfLargeSectors(t *testing.T) {
	const sector = 4096
	image := disktest.New(160 << 20)
	record := func(at int64, entries ...[3]uint32) {
		data := make([]byte, 512)
		for i, e := range entries {
			data[446+16*i+4] = byte(e[0])
			le.PutUint32(data[446+16*i+8:], e[1])
			le.PutUint32(data[446+16*i+12:], e[2])
		}
		data[510], data[511] = 0x55, 0xaa
		image.Put(at*sector, data)
	}
	record(0, [3]uint32{0x0f, 256, 39000})
	record(256, [3]uint32{0x07, 256, 8192}, [3]uint32{0x05, 16384, 12288})
	record(256+16384, [3]uint32{0x07, 256, 12000})
	table, err := disk.ReadTable(image, image.Size(), 0)
	if err != nil || table.SectorBytes != sector || len(table.Partitions) != 2 || len(table.Issues) != 0 {
		t.Fatalf("%+v, %v", table, err)
	}
	first, second := table.Partitions[0], table.Partitions[1]
	if first.OffsetBytes != 512*sector || first.LengthBytes != 8192*sector || second.OffsetBytes != (256+16384+256)*sector || second.Index != 6 {
		t.Errorf("partitions %+v", table.Partitions)
	}
}

func TestManyIssuesOfOneKindAreCondensed(t *testing.T) {
	part := disktest.Part{Type: disktest.TypeBasicData, Content: disktest.New(1 << 20)}
	image := disktest.GPT([]disktest.Part{part}, 512)
	// All 128 entries are the same partition.
	entries := make([]byte, 128*128)
	if _, err := image.ReadAt(entries[:128], 1024); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 128; i++ {
		copy(entries[128*i:], entries[:128])
	}
	sum := crc32.ChecksumIEEE(entries)
	for _, place := range [][2]int64{{512, 1024}, {image.Size() - 512, image.Size() - 512 - 128*128}} {
		header := make([]byte, 512)
		if _, err := image.ReadAt(header, place[0]); err != nil {
			t.Fatal(err)
		}
		le.PutUint32(header[88:], sum)
		image.Put(place[0], disktest.SealGPT(header)).Put(place[1], entries)
	}
	table, err := disk.ReadTable(image, image.Size(), 512)
	if err != nil || len(table.Partitions) != 1 || len(table.Issues) != 4 {
		t.Fatalf("%d partitions, issues %+v, %v", len(table.Partitions), table.Issues, err)
	}
	if !strings.HasSuffix(table.Issues[2].Text, "; 13 more of this kind are not listed") || !table.Issues[2].Incomplete {
		t.Errorf("last issue %+v", table.Issues[2])
	}
}
