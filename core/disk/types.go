package disk

// gptTypeNames names the common partition types. Windows: winioctl.h,
// PARTITION_INFORMATION_GPT on learn.microsoft.com. Linux: the Discoverable Partitions
// Specification. Others: UEFI specification table 5.7 and the vendors' own pages.
var gptTypeNames = map[string]string{
	"c12a7328-f81f-11d2-ba4b-00a0c93ec93b": "EFI system",
	"024dee41-33e7-11d3-9d69-0008c781f39f": "MBR partition scheme",
	"21686148-6449-6e6f-744e-656564454649": "BIOS boot",
	"e3c9e316-0b5c-4db8-817d-f92df00215ae": "Microsoft reserved",
	"ebd0a0a2-b9e5-4433-87c0-68b6b72699c7": "Basic data",
	"de94bba4-06d1-4d40-a16a-bfd50179d6ac": "Windows recovery",
	"5808c8aa-7e8f-42e0-85d2-e1e90434cfb3": "Windows LDM metadata",
	"af9b60a0-1431-4f62-bc68-3311714a69ad": "Windows LDM data",
	"e75caf8f-f680-4cee-afa3-b001e56efc2d": "Windows Storage Spaces",
	"eeff8352-dd2a-44db-ae83-bee1cf7481dc": "Windows Storage Spaces cache",
	"558d43c5-a1ac-43c0-aac8-d1472b2923d1": "Windows Storage Replica",
	"0fc63daf-8483-4772-8e79-3d69d8477de4": "Linux file system",
	"0657fd6d-a4ab-43c4-84e5-0933c84b4f4f": "Linux swap",
	"e6d6d379-f507-44c2-a23c-238f2a3df928": "Linux LVM",
	"a19d880f-05fc-4d3b-a006-743f0f84911e": "Linux RAID",
	"933ac7e1-2eb4-4f13-b844-0e14e2aef915": "Linux home",
	"4f68bce3-e8cd-4db1-96e7-fbcaf984b709": "Linux root (x86-64)",
	"b921b045-1df0-41c3-af44-4c6f280d3fae": "Linux root (ARM64)",
	"bc13c2ff-59e6-4262-a352-b275fd6f7172": "Linux extended boot",
	"ca7d7ccb-63ed-4c53-861c-1742536059cc": "Linux LUKS",
	"48465300-0000-11aa-aa11-00306543ecac": "Apple HFS+",
	"7c3457ef-0000-11aa-aa11-00306543ecac": "Apple APFS",
	"6a898cc3-1dd2-11b2-99a6-080020736631": "ZFS",
}

// mbrTypeNames names the common partition types of an MBR. Windows: winioctl.h, "Disk Partition
// Types" on learn.microsoft.com. Others as fdisk lists them.
var mbrTypeNames = map[byte]string{
	0x01: "FAT12",
	0x04: "FAT16 (below 32 MB)",
	0x05: "Extended",
	0x06: "FAT16",
	0x07: "NTFS or exFAT",
	0x0b: "FAT32",
	0x0c: "FAT32 (LBA)",
	0x0e: "FAT16 (LBA)",
	0x0f: "Extended (LBA)",
	0x17: "Hidden NTFS or exFAT",
	0x27: "Windows recovery",
	0x42: "Windows LDM",
	0x82: "Linux swap",
	0x83: "Linux file system",
	0x85: "Linux extended",
	0x8e: "Linux LVM",
	0xa5: "FreeBSD",
	0xaf: "Apple HFS+",
	0xe7: "Windows Storage Spaces",
	0xee: "GPT protective",
	0xef: "EFI system",
	0xfd: "Linux RAID",
}

// reservedTypes are partitions that hold no file system by design, by their type in a GPT.
// Sources: PARTITION_INFORMATION_GPT on learn.microsoft.com for Windows' own; the manual of GRUB
// for "BIOS boot".
var reservedTypes = map[string]bool{
	"e3c9e316-0b5c-4db8-817d-f92df00215ae": true, // Microsoft reserved
	"5808c8aa-7e8f-42e0-85d2-e1e90434cfb3": true, // Windows LDM metadata
	"21686148-6449-6e6f-744e-656564454649": true, // BIOS boot
}

// Reserved tells whether the partition holds no file system by design.
func (p Partition) Reserved() bool {
	return reservedTypes[p.Type]
}
