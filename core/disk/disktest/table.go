package disktest

import (
	"hash/crc32"
	"unicode/utf16"
)

// Partition types for GPT and MBR.
const (
	TypeEFI            = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
	TypeReserved       = "e3c9e316-0b5c-4db8-817d-f92df00215ae"
	TypeBasicData      = "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7"
	TypeRecovery       = "de94bba4-06d1-4d40-a16a-bfd50179d6ac"
	TypeLinux          = "0fc63daf-8483-4772-8e79-3d69d8477de4"
	MBRNTFS       byte = 0x07
	MBRFAT32      byte = 0x0c
	MBRLinux      byte = 0x83
	// DiskGUID and DiskSignature identify every disk that is built here.
	DiskGUID             = "6f0e1c4a-52b7-4d1e-9c39-1d2b3a4c5d6e"
	DiskSignature uint32 = 0x1badcafe
)

const mib = 1 << 20

// Part is a partition to be made.
type Part struct {
	// Type is the type GUID for a GPT; empty is basic data.
	Type string
	// MBRType is the type for an MBR; 0 is NTFS.
	MBRType byte
	// Name is the name in a GPT.
	Name string
	// Attributes are the attribute bits in a GPT.
	Attributes uint64
	// Active is the boot flag in an MBR.
	Active bool
	// Logical puts the partition into the MBR's extended partition.
	Logical bool
	// Content is what lies in the partition; its size is the partition's.
	Content *Image
}

// place lays partitions out on MiB boundaries from 1 MiB on, with one MiB before each that is
// left for an extended boot record, and returns where they begin and the first free byte.
func place(parts []Part) (starts []int64, end int64) {
	end = mib
	for _, p := range parts {
		if p.Logical {
			end += mib
		}
		starts = append(starts, end)
		end = (end + p.Content.size + mib - 1) / mib * mib
	}
	return starts, end
}

// GPTEntries is how many entries the tables of GPT have.
const GPTEntries = 128

// GPT builds a disk with a GUID partition table for sectors of the given size (UEFI
// specification, chapter 5). The partition i has the number i+1. The last MiB of the disk holds
// the backup.
func GPT(parts []Part, sector int) *Image {
	starts, end := place(parts)
	disk := New(end + mib)
	sectors := uint64(disk.size) / uint64(sector)
	entries := make([]byte, GPTEntries*128)
	for i, p := range parts {
		e := entries[i*128:]
		if p.Type == "" {
			p.Type = TypeBasicData
		}
		copy(e, GUID(p.Type))
		copy(e[16:], GUID(DiskGUID))
		e[16] = byte(i + 1)
		le.PutUint64(e[32:], uint64(starts[i])/uint64(sector))
		le.PutUint64(e[40:], uint64(starts[i]+p.Content.size)/uint64(sector)-1)
		le.PutUint64(e[48:], p.Attributes)
		for j, unit := range utf16.Encode([]rune(p.Name)) {
			le.PutUint16(e[56+2*j:], unit)
		}
		disk.PutImage(starts[i], p.Content)
	}
	array := uint64((len(entries) + sector - 1) / sector)
	header := func(here, other, table uint64) []byte {
		h := make([]byte, 92)
		copy(h, "EFI PART\x00\x00\x01\x00\x5c\x00\x00\x00")
		le.PutUint64(h[24:], here)
		le.PutUint64(h[32:], other)
		le.PutUint64(h[40:], 2+array)
		le.PutUint64(h[48:], sectors-array-2)
		copy(h[56:], GUID(DiskGUID))
		le.PutUint64(h[72:], table)
		le.PutUint32(h[80:], GPTEntries)
		le.PutUint32(h[84:], 128)
		le.PutUint32(h[88:], crc32.ChecksumIEEE(entries))
		return SealGPT(h)
	}
	disk.Put(0, protectiveMBR(sectors))
	disk.Put(int64(sector), header(1, sectors-1, 2))
	disk.Put(int64(2*sector), entries)
	disk.Put(int64(sectors-1-array)*int64(sector), entries)
	disk.Put(int64(sectors-1)*int64(sector), header(sectors-1, 1, sectors-1-array))
	return disk
}

// SealGPT puts the right checksum into a GPT header, and returns it.
func SealGPT(header []byte) []byte {
	copy(header[16:20], []byte{0, 0, 0, 0})
	le.PutUint32(header[16:], crc32.ChecksumIEEE(header[:le.Uint32(header[12:])]))
	return header
}

func protectiveMBR(sectors uint64) []byte {
	s := make([]byte, 512)
	e := s[446:]
	copy(e, []byte{0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff})
	le.PutUint32(e[8:], 1)
	le.PutUint32(e[12:], uint32(min(sectors-1, 0xffffffff)))
	s[510], s[511] = 0x55, 0xaa
	return s
}

// MBR builds a disk with a master boot record and sectors of 512 bytes. Logical partitions must
// come last; they lie in one extended partition behind the others.
func MBR(parts []Part) *Image {
	starts, end := place(parts)
	disk := New(end)
	record := make([]byte, 512)
	le.PutUint32(record[440:], DiskSignature)
	record[510], record[511] = 0x55, 0xaa
	slot := 0
	for i, p := range parts {
		disk.PutImage(starts[i], p.Content)
		if p.Logical {
			continue
		}
		putMBREntry(record, slot, p, starts[i]/512, p.Content.size/512)
		slot++
	}
	first := -1
	for i, p := range parts {
		if !p.Logical {
			continue
		}
		at := starts[i] - mib
		if first < 0 {
			first = i
			putMBREntry(record, slot, Part{MBRType: 0x0f}, at/512, (end-at)/512)
		}
		ebr := make([]byte, 512)
		ebr[510], ebr[511] = 0x55, 0xaa
		putMBREntry(ebr, 0, p, mib/512, p.Content.size/512)
		if i+1 < len(parts) {
			next := starts[i+1] - mib
			putMBREntry(ebr, 1, Part{MBRType: 0x05}, (next-starts[first]+mib)/512, (mib+parts[i+1].Content.size)/512)
		}
		disk.Put(at, ebr)
	}
	return disk.Put(0, record)
}

func putMBREntry(record []byte, slot int, p Part, start, count int64) {
	e := record[446+16*slot:]
	if p.Active {
		e[0] = 0x80
	}
	if p.MBRType == 0 {
		p.MBRType = MBRNTFS
	}
	// The addresses by cylinder, head and sector say "beyond what they can express".
	copy(e[1:4], []byte{0xfe, 0xff, 0xff})
	e[4] = p.MBRType
	copy(e[5:8], []byte{0xfe, 0xff, 0xff})
	le.PutUint32(e[8:], uint32(start))
	le.PutUint32(e[12:], uint32(count))
}
