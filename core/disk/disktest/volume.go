package disktest

import "strings"

// The volumes below have the structures by which a file system is recognised, and nothing else:
// they cannot be mounted.

// NTFS returns a volume with a boot sector of NTFS, clusters of 4 KiB, and the file records of
// $MFT and $Volume. The label has up to 32 characters.
func NTFS(size int64, label string) *Image {
	const cluster, tableCluster, record = 4096, 4, 1024
	boot := make([]byte, 512)
	copy(boot, "\xeb\x52\x90NTFS    ")
	le.PutUint16(boot[11:], 512)
	boot[13] = cluster / 512
	boot[21] = 0xf8
	le.PutUint64(boot[40:], uint64(size/512-1))
	le.PutUint64(boot[48:], tableCluster)
	le.PutUint64(boot[56:], 2)
	boot[64] = 0xf6 // records of 2^10 bytes
	boot[68] = 1
	copy(boot[400:], "A disk read error occurred")
	boot[510], boot[511] = 0x55, 0xaa
	volume := make([]byte, record)
	attribute := volume[56:]
	name := text16(label)
	length := (24 + len(name) + 7) / 8 * 8
	le.PutUint32(attribute, 0x60)
	le.PutUint32(attribute[4:], uint32(length))
	le.PutUint32(attribute[16:], uint32(len(name)))
	le.PutUint16(attribute[20:], 24)
	copy(attribute[24:], name)
	le.PutUint32(attribute[length:], 0xffffffff)
	table := make([]byte, record)
	le.PutUint32(table[56:], 0xffffffff)
	return New(size).Put(0, boot).Put(size-512, boot).
		Put(tableCluster*cluster, sealNTFSRecord(table)).
		Put(tableCluster*cluster+3*record, sealNTFSRecord(volume))
}

// sealNTFSRecord writes the head of a file record and puts its update sequence number, 0x1234,
// at the end of each sector.
func sealNTFSRecord(record []byte) []byte {
	const array = 48
	copy(record, "FILE")
	le.PutUint16(record[4:], array)
	le.PutUint16(record[6:], 3)
	le.PutUint16(record[20:], 56)
	le.PutUint16(record[array:], 0x1234)
	for i := 1; i <= 2; i++ {
		end := record[512*i-2:]
		copy(record[array+2*i:], end[:2])
		le.PutUint16(end, 0x1234)
	}
	return record
}

// FAT32 returns a volume of FAT32 with clusters of 512 bytes. The label has up to 11 characters
// and lies in the root directory; the one in the boot sector is different.
func FAT32(size int64, label string) *Image {
	const reserved = 32
	sectors := size / 512
	perFAT := (sectors*4 + 511) / 512
	boot := make([]byte, 512)
	copy(boot, "\xeb\x58\x90MSDOS5.0")
	le.PutUint16(boot[11:], 512)
	boot[13] = 1
	le.PutUint16(boot[14:], reserved)
	boot[16], boot[21] = 2, 0xf8
	le.PutUint32(boot[32:], uint32(sectors))
	le.PutUint32(boot[36:], uint32(perFAT))
	le.PutUint32(boot[44:], 2)
	le.PutUint16(boot[48:], 1)
	le.PutUint16(boot[50:], 6)
	boot[64], boot[66] = 0x80, 0x29
	copy(boot[71:], "OLD LABEL  FAT32   ")
	boot[510], boot[511] = 0x55, 0xaa
	table := []byte("\xf8\xff\xff\x0f\xff\xff\xff\x0f\xff\xff\xff\x0f")
	entry := make([]byte, 32)
	copy(entry, label+strings.Repeat(" ", 11-len(label)))
	entry[11] = 8
	return New(size).Put(0, boot).Put(6*512, boot).
		Put(reserved*512, table).Put((reserved+perFAT)*512, table).
		Put((reserved+2*perFAT)*512, entry)
}

// BitLockerToGoBoot turns a volume of FAT32 into one whose boot sector is that of BitLocker To
// Go: still valid for FAT32, with another name and BitLocker's GUID at byte 424.
func BitLockerToGoBoot(volume *Image) *Image {
	return volume.Put(3, []byte("MSWIN4.1")).Put(424, GUID("4967d63b-2e29-4ad8-8399-f6a339e3d001"))
}

// BitLockerBoot overwrites the boot sector with one of BitLocker as Windows 7 and later write it.
func BitLockerBoot(volume *Image) *Image {
	boot := make([]byte, 512)
	copy(boot, "\xeb\x58\x90-FVE-FS-")
	le.PutUint16(boot[11:], 512)
	boot[13], boot[21] = 8, 0xf8
	copy(boot[160:], GUID("4967d63b-2e29-4ad8-8399-f6a339e3d001"))
	boot[510], boot[511] = 0x55, 0xaa
	return volume.Put(0, boot)
}
