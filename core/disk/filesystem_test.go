package disk_test

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"os/exec"
	"strings"
	"testing"

	"diskaudit/core/disk"
	"diskaudit/core/disk/disktest"
)

// sample is a volume written from a format's specification. blkid is what libblkid calls it, or
// empty where libblkid looks at more than was written.
type sample struct {
	name   string
	volume *disktest.Image
	want   string
	blkid  string
}

func samples() []sample {
	const size = 64 << 20
	volume := func(at int64, data []byte) *disktest.Image { return disktest.New(size).Put(at, data) }
	raid := func(at int64) *disktest.Image {
		s := make([]byte, 256)
		le.PutUint32(s, 0xa92b4efc)
		le.PutUint32(s[4:], 1)
		s[16] = 1
		le.PutUint64(s[80:], size/512-2048)
		le.PutUint32(s[92:], 2)
		le.PutUint64(s[128:], 2048)
		le.PutUint64(s[136:], size/512-2048)
		le.PutUint64(s[144:], uint64(at)/512)
		var sum uint64
		for i := 0; i < 256; i += 4 {
			sum += uint64(le.Uint32(s[i:]))
		}
		le.PutUint32(s[216:], uint32(sum)+uint32(sum>>32))
		return volume(at, s)
	}
	return []sample{
		{"ntfs", disktest.NTFS(size, "LABEL"), `file-system NTFS 4096 "LABEL"`, "ntfs"},
		{"fat32", disktest.FAT32(size, "LABEL"), `file-system FAT32 512 "LABEL"`, "vfat"},
		{"refs", volume(0, refsBoot(size)), `file-system ReFS 4096 -`, "ReFS"},
		{"f2fs", volume(1024, f2fsSuperblock(size)), `file-system F2FS 4096 "flash"`, "f2fs"},
		{"squashfs", volume(0, squashSuperblock(size)), `file-system SquashFS 131072 -`, "squashfs"},
		{"iso 9660", volume(32<<10, isoDescriptor(size)), `file-system ISO 9660 2048 "CDROM"`, "iso9660"},
		{"udf", volume(32<<10, udfSequence()).Put(256*2048, udfAnchor()), `file-system UDF 2048 -`, ""},
		{"hfs+", volume(1024, hfsHeader("H+\x00\x04", size)), `file-system HFS+ 4096 -`, "hfsplus"},
		{"hfsx", volume(1024, hfsHeader("HX\x00\x05", size)), `file-system HFSX 4096 -`, "hfsplus"},
		{"apfs", volume(0, apfsSuperblock(size)), `member APFS - -`, "apfs"},
		{"lvm", volume(512, lvmLabel(1)), `member LVM2 - -`, "LVM2_member"},
		{"lvm in sector 3", volume(3*512, lvmLabel(3)), `member LVM2 - -`, "LVM2_member"},
		{"raid 0.90", volume(size-64<<10, raid090()), `member Linux RAID - -`, "linux_raid_member"},
		{"raid 1.0", raid(size - 8<<10), `member Linux RAID - -`, "linux_raid_member"},
		{"raid 1.1", raid(0), `member Linux RAID - -`, "linux_raid_member"},
		{"raid 1.2", raid(4 << 10), `member Linux RAID - -`, "linux_raid_member"},
		{"zfs", volume(16<<10, zfsLabel()), `member ZFS - -`, ""},
		{"swap", volume(0, swapSpace(size)), `swap swap - ""`, "swap"},
		{"ext journal", volume(1024, extJournal()), `member ext journal - -`, "jbd"},
		{"luks of a later version", volume(0, []byte("LUKS\xba\xbe\x00\x09")), `encrypted LUKS version 9 - -`, ""},
		{"bitlocker", disktest.BitLockerBoot(disktest.NTFS(size, "X")), `bitlocker BitLocker - -`, ""},
		{"bitlocker to go", disktest.BitLockerToGoBoot(disktest.FAT32(size, "X")), `bitlocker BitLocker - -`, ""},
		{"bitlocker of vista", disktest.NTFS(size, "X").Put(3, []byte("-FVE-FS-")), `bitlocker BitLocker - -`, ""},
		{"bitlocker, used space only", disktest.BitLockerBoot(disktest.New(size)).Put(160, disktest.GUID("92a84d3b-dd80-4d0e-9e4e-b1e3284eaed8")), `bitlocker BitLocker - -`, ""},
		{"bitlocker's guid under the name of ntfs", disktest.NTFS(size, "X").Put(160, disktest.GUID("4967d63b-2e29-4ad8-8399-f6a339e3d001")), `bitlocker BitLocker - -`, ""},
		{"nothing", disktest.New(size), `blank  - -`, ""},
		{"ten terabytes of nothing", disktest.New(10 << 40), `blank  - -`, ""},
		{"noise", noise(size), `unknown  - -`, ""},
		{"noise in the middle", disktest.New(size).Put(size/2, []byte{1}), `unknown  - -`, ""},
		{"text", disktest.New(1000).Put(0, []byte(strings.Repeat("line of text\n", 76))), `unknown  - -`, ""},
		{"less than a sector", disktest.New(100), `unknown  - -`, ""},
		{"nothing at all", disktest.New(0), `unknown  - -`, ""},
	}
}

func TestRecognize(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			content, err := disk.Recognize(s.volume, s.volume.Size())
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(content); got != s.want {
				t.Errorf("got %s (%s), want %s", got, content.Doubt, s.want)
			}
		})
	}
}

// libblkid agrees on what the samples are, so the samples are not just what the code expects.
func TestBlkidAgreesOnTheSamples(t *testing.T) {
	blkid := tool(t, "blkid")
	for _, s := range samples() {
		if s.blkid == "" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			path := writeFile(t, s.volume, "volume.img")
			out, _ := exec.Command(blkid, "--probe", "--output", "export", path).CombinedOutput()
			if !strings.Contains(string(out), "\nTYPE="+s.blkid+"\n") {
				t.Errorf("blkid does not say %s:\n%s", s.blkid, out)
			}
		})
	}
}

// What only resembles a file system is not called one, and the doubt says why.
func TestDoubts(t *testing.T) {
	const size = 64 << 20
	for _, c := range []struct {
		name   string
		volume *disktest.Image
		doubt  string
	}{
		{"ntfs larger than the volume", disktest.NTFS(size, "X").Cut(size / 2), "where the volume has"},
		{"ntfs without its file table", disktest.NTFS(size, "X").Put(16384, make([]byte, 4)), "no file table"},
		{"ntfs with the file table outside", disktest.NTFS(size, "X").Put(48, le.AppendUint64(nil, 1<<60)), "where the file table lies"},
		{"ntfs with sectors of nothing", disktest.NTFS(size, "X").Put(11, []byte{0, 0}), "make no sense"},
		{"ntfs with the parameters of fat", disktest.NTFS(size, "X").Put(16, []byte{2}), "make no sense"},
		{"ntfs without 55 AA", disktest.NTFS(size, "X").Put(510, []byte{0, 0}), "55 AA"},
		{"fat larger than the volume", disktest.FAT32(size, "X").Cut(size - 512), "where the volume has"},
		{"fat without its table", disktest.FAT32(size, "X").Put(32*512, make([]byte, 4)), "no file allocation table"},
		{"fat with a table too short", disktest.FAT32(size, "X").Put(36, []byte{1, 0}), "too small"},
		{"fat with the root outside", disktest.FAT32(size, "X").Put(44, []byte{0xff, 0xff, 0xff}), "root directory"},
		{"refs with a wrong checksum", disktest.New(size).Put(0, refsBoot(size)).Put(100, []byte{1}), "checksum"},
		{"refs larger than the volume", disktest.New(size).Put(0, refsBoot(4*size)), "do not fit"},
		{"lvm with a wrong checksum", disktest.New(size).Put(512, lvmLabel(1)).Put(900, []byte{1}), "checksum"},
		{"squashfs larger than the volume", disktest.New(size).Put(0, squashSuperblock(2*size)), "do not fit"},
		{"iso larger than the volume", disktest.New(size).Put(32<<10, isoDescriptor(2*size)), "do not fit"},
		{"udf without an anchor", disktest.New(size).Put(32<<10, udfSequence()), "no anchor"},
		{"f2fs larger than the volume", disktest.New(size).Put(1024, f2fsSuperblock(2*size)), "do not fit"},
		{"hfs+ larger than the volume", disktest.New(size).Put(1024, hfsHeader("H+\x00\x04", 2*size)), "do not fit"},
		{"apfs larger than the volume", disktest.New(size).Put(0, apfsSuperblock(2*size)), "do not fit"},
		{"swap larger than the volume", disktest.New(size).Put(0, swapSpace(2*size)), "does not fit"},
		{"ntfs, image cut before the file table", disktest.NTFS(size, "X").Cut(4096), "where the volume has"},
	} {
		t.Run(c.name, func(t *testing.T) {
			content, err := disk.Recognize(c.volume, c.volume.Size())
			if err != nil || content.Kind != disk.KindUnknown || !strings.Contains(content.Doubt, c.doubt) {
				t.Errorf("got %s (%q), %v; want a doubt that says %q", describe(content), content.Doubt, err, c.doubt)
			}
		})
	}
}

// Labels are the ones that Windows shows; what cannot be told is nil, not empty.
func TestLabels(t *testing.T) {
	const size, root = 64 << 20, (32 + 2*1024) * 512 // of FAT32(size)
	deleted := append([]byte("\xe5DELETED   "), 0x08)
	long := append([]byte("Along name."), 0x0f)
	file := append([]byte("FILE    TXT"), 0x20)
	full := bytes.Repeat(append(file, make([]byte, 20)...), 16)
	for _, c := range []struct {
		name   string
		volume *disktest.Image
		want   string
	}{
		{"fat, not the first entry", disktest.FAT32(size, "OLD").Put(root, file).Put(root+32, deleted).Put(root+64, long).Put(root+96, append([]byte("REAL LABEL "), 0x08)), `"REAL LABEL"`},
		{"fat, label removed", disktest.FAT32(size, "OLD").Put(root, deleted), `""`},
		{"fat, no label in the part that is read", disktest.FAT32(size, "OLD").Put(root, full), "-"},
		{"fat, foreign letters", disktest.FAT32(size, "OLD").Put(root, []byte("K\x8aSE")), `"K?SE"`},
		{"ntfs, letters", disktest.NTFS(size, "abc \u00fc \U0001f4be"), `"abc ü 💾"`},
		{"ntfs, record written in part", disktest.NTFS(size, "X").Put(16384+3*1024+1022, []byte{0}), "-"},
		{"ntfs, record missing", disktest.NTFS(size, "X").Put(16384+3*1024, make([]byte, 1024)), "-"},
		{"ntfs, attribute beyond the record", disktest.NTFS(size, "X").Put(16384+3*1024+56+4, []byte{0xff, 0xff}), "-"},
		{"ntfs, name beyond the attribute", disktest.NTFS(size, "X").Put(16384+3*1024+56+16, []byte{0xff}), "-"},
	} {
		content, err := disk.Recognize(c.volume, size)
		got := describe(content)
		if err != nil || content.Kind != disk.KindFileSystem || !strings.HasSuffix(got, " "+c.want) {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// A partition of a truncated image has its full length, but not all of its bytes.
func TestRecognizeInATruncatedImage(t *testing.T) {
	const size = 64 << 20
	for _, c := range []struct {
		name string
		keep int64
		want string
	}{
		{"structures still there", 1 << 20, `file-system NTFS 4096 "X"`},
		{"structures gone", 8 << 10, `unknown  - -`},
	} {
		cut := disktest.NTFS(size, "X").Cut(c.keep)
		content, err := disk.Recognize(io.NewSectionReader(cut, 0, size), size)
		if err != nil || describe(content) != c.want {
			t.Errorf("%s: %s, %v", c.name, describe(content), err)
		}
	}
	blank := io.NewSectionReader(disktest.New(4096), 0, size)
	if content, err := disk.Recognize(blank, size); err != nil || content.Kind != disk.KindUnknown || !strings.Contains(content.Doubt, "cut short") {
		t.Errorf("blank as far as it goes: %s (%s), %v", describe(content), content.Doubt, err)
	}
}

// A part that cannot be read makes the answer unknown, with the error; it is never blank.
func TestRecognizeWithBadSectors(t *testing.T) {
	const size = 64 << 20
	for _, at := range []int64{0, 32 << 10, 64<<10 + 64, size - 512, size / 2} {
		content, err := disk.Recognize(brokenAt{disktest.New(size), at, at + 512}, size)
		if content.Kind != disk.KindUnknown || !errors.Is(err, errBadSector) {
			t.Errorf("bad sector at %d: %s, %v", at, describe(content), err)
		}
	}
	content, err := disk.Recognize(brokenAt{disktest.NTFS(size, "X"), 16384 + 3*1024, 16384 + 4*1024}, size)
	if err != nil || content.Kind != disk.KindFileSystem || content.Label != nil {
		t.Errorf("bad sector in the label's record: %s, %v", describe(content), err)
	}
}

// noise is a volume whose beginning looks encrypted.
func noise(size int64) *disktest.Image {
	data := make([]byte, 1<<20)
	state := uint32(1)
	for i := range data {
		state = state*1664525 + 1013904223
		data[i] = byte(state >> 24)
	}
	return disktest.New(size).Put(0, data)
}

// refsBoot is a boot sector of ReFS 1.1. TestReFSChecksum checks the calculation that it shares
// with nothing else.
func refsBoot(size uint64) []byte {
	b := make([]byte, 512)
	copy(b[3:], "ReFS")
	copy(b[16:], "FSRS")
	le.PutUint16(b[20:], 512)
	le.PutUint64(b[24:], size/512)
	le.PutUint32(b[32:], 512)
	le.PutUint32(b[36:], 8)
	b[40], b[41] = 1, 1
	le.PutUint16(b[22:], refsChecksum(b))
	return b
}

func refsChecksum(b []byte) uint16 {
	var sum uint16
	for i, value := range b {
		if i < 3 || i == 22 || i == 23 {
			continue
		}
		if sum&1 != 0 {
			sum = 0x8000 | sum>>1
		} else {
			sum >>= 1
		}
		sum += uint16(value)
	}
	return sum
}

// The boot sector of a ReFS 1.1 volume that Windows formatted, with the checksum that it wrote.
func TestReFSChecksum(t *testing.T) {
	b := make([]byte, 512)
	copy(b, "\x00\x00\x00ReFS\x00\x00\x00\x00\x00\x00\x00\x00\x00FSRS\x00\x02\x33\xc2\x00\x00\x9e\x00\x00\x00\x00\x00\x00\x02\x00\x00\x80\x00\x00\x00\x01\x01")
	copy(b[56:], "\x04\x1c\x55\xc4\x56\x55\xc4\x34")
	volume := disktest.New(0x9e0000*512).Put(0, b)
	content, err := disk.Recognize(volume, volume.Size())
	if err != nil || describe(content) != "file-system ReFS 65536 -" {
		t.Errorf("%s (%s), %v", describe(content), content.Doubt, err)
	}
}

func f2fsSuperblock(size uint64) []byte {
	s := make([]byte, 3072)
	le.PutUint32(s, 0xf2f52010)
	le.PutUint16(s[4:], 1)
	le.PutUint16(s[6:], 16)
	le.PutUint32(s[8:], 9)
	le.PutUint32(s[12:], 3)
	le.PutUint32(s[16:], 12)
	le.PutUint32(s[20:], 9)
	le.PutUint32(s[24:], 1)
	le.PutUint32(s[28:], 1)
	le.PutUint64(s[36:], size/4096)
	for i, c := range "flash" {
		le.PutUint16(s[124+2*i:], uint16(c))
	}
	return s
}

func squashSuperblock(size uint64) []byte {
	s := make([]byte, 96)
	copy(s, "hsqs")
	le.PutUint32(s[4:], 1)
	le.PutUint32(s[12:], 128<<10)
	le.PutUint16(s[20:], 1)
	le.PutUint16(s[22:], 17)
	le.PutUint16(s[28:], 4)
	le.PutUint64(s[40:], size)
	return s
}

func isoDescriptor(size uint32) []byte {
	s := make([]byte, 2048)
	copy(s, "\x01CD001\x01")
	copy(s[40:], "CDROM                           ")
	le.PutUint32(s[80:], size/2048)
	be32(s[84:], size/2048)
	le.PutUint16(s[128:], 2048)
	s[130], s[131] = 8, 0
	return append(s, "\xffCD001\x01"...)
}

func be32(b []byte, v uint32) {
	b[0], b[1], b[2], b[3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
}

func udfSequence() []byte {
	s := make([]byte, 3*2048)
	for i, id := range []string{"BEA01", "NSR03", "TEA01"} {
		copy(s[2048*i+1:], id)
		s[2048*i+6] = 1
	}
	return s
}

func udfAnchor() []byte {
	tag := make([]byte, 512)
	le.PutUint16(tag, 2)
	le.PutUint16(tag[2:], 3)
	le.PutUint32(tag[12:], 256)
	tag[4] = 2 + 3 + 1 // the sum of the other bytes of the tag, with 256 as 0, 1
	return tag
}

func hfsHeader(magic string, size uint32) []byte {
	h := make([]byte, 512)
	copy(h, magic)
	be32(h[40:], 4096)
	be32(h[44:], size/4096)
	return h
}

func apfsSuperblock(size uint64) []byte {
	s := make([]byte, 4096)
	s[8], s[16], s[24], s[27] = 1, 1, 1, 0x80
	copy(s[32:], "NXSB")
	le.PutUint32(s[36:], 4096)
	le.PutUint64(s[40:], size/4096)
	// Fletcher's sum over 32-bit words, in the form of the Apple File System Reference.
	var a, b uint64
	for i := 8; i < len(s); i += 4 {
		a = (a + uint64(le.Uint32(s[i:]))) % 0xffffffff
		b = (b + a) % 0xffffffff
	}
	low := 0xffffffff - (a+b)%0xffffffff
	high := 0xffffffff - (a+low)%0xffffffff
	le.PutUint64(s, high<<32|low)
	return s
}

func lvmLabel(sector uint64) []byte {
	l := make([]byte, 512)
	copy(l, "LABELONE")
	le.PutUint64(l[8:], sector)
	le.PutUint32(l[20:], 32)
	copy(l[24:], "LVM2 001")
	copy(l[32:], "0123456789abcdef0123456789abcdef")
	// CRC-32 without the inversions, started with LVM's own value.
	sum := uint32(0xf597a6cf)
	for _, b := range l[20:] {
		sum = sum>>8 ^ crc32.IEEETable[byte(sum)^b]
	}
	le.PutUint32(l[16:], sum)
	return l
}

func raid090() []byte {
	s := make([]byte, 4096)
	le.PutUint32(s, 0xa92b4efc)
	le.PutUint32(s[8:], 90)
	return s
}

func zfsLabel() []byte {
	var s bytes.Buffer
	s.Write([]byte{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
	s.Write([]byte{0, 0, 0, 0x24, 0, 0, 0, 0x20, 0, 0, 0, 7})
	s.WriteString("version\x00")
	s.Write([]byte{0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x13, 0x88})
	s.Write(make([]byte, 64))
	return s.Bytes()
}

func extJournal() []byte {
	s := make([]byte, 1024)
	le.PutUint32(s[4:], 1024)
	le.PutUint16(s[56:], 0xef53)
	le.PutUint32(s[24:], 2)
	le.PutUint32(s[76:], 1)
	le.PutUint32(s[96:], 8)
	return s
}
