package target

import "encoding/binary"

// What Windows answers about devices and files.
// Source: winioctl.h, https://learn.microsoft.com/windows/win32/api/winioctl/

// sectorsOf reads a STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR: bytes per logical and physical sector, 0
// when it does not say.
func sectorsOf(data []byte) (logical, physical int) {
	if len(data) < 24 {
		return 0, 0
	}
	return int(int32(binary.LittleEndian.Uint32(data[16:]))), int(int32(binary.LittleEndian.Uint32(data[20:])))
}

// storageInfoBytes is the length of a FILE_STORAGE_INFO.
const storageInfoBytes = 28

// fileSectorsOf reads a FILE_STORAGE_INFO: the logical sector, and the physical one for performance.
// Source: https://learn.microsoft.com/windows/win32/api/winbase/ns-winbase-file_storage_info
func fileSectorsOf(data []byte) (logical, physical int) {
	if len(data) < 12 {
		return 0, 0
	}
	return int(int32(binary.LittleEndian.Uint32(data))), int(int32(binary.LittleEndian.Uint32(data[8:])))
}

// busOf reads the bus out of a STORAGE_DEVICE_DESCRIPTOR.
func busOf(data []byte) (uint32, bool) {
	if len(data) < 32 {
		return 0, false
	}
	return binary.LittleEndian.Uint32(data[28:]), true
}

// busKinds are the buses of STORAGE_BUS_TYPE. disk: its devices are disks; those of the others can
// be anything, or nothing is known of them.
var busKinds = map[uint32]struct {
	name         string
	disk, remote bool
}{
	0x01: {name: "SCSI"}, 0x02: {name: "ATAPI", disk: true}, 0x03: {name: "ATA", disk: true},
	0x04: {name: "IEEE 1394", disk: true}, 0x05: {name: "SSA", disk: true}, 0x06: {name: "Fibre Channel"},
	0x07: {name: "USB", disk: true}, 0x08: {name: "RAID"}, 0x09: {name: "iSCSI", remote: true},
	0x0a: {name: "SAS", disk: true}, 0x0b: {name: "SATA", disk: true}, 0x0c: {name: "SD", disk: true},
	0x0d: {name: "MMC", disk: true}, 0x0e: {name: "a virtual bus"}, 0x0f: {name: "a file (virtual disk)"},
	0x10: {name: "Storage Spaces"}, 0x11: {name: "NVMe", disk: true}, 0x12: {name: "storage-class memory", disk: true},
	0x13: {name: "UFS", disk: true}, 0x14: {name: "NVMe over Fabrics", remote: true},
}

// allocatedRange is a FILE_ALLOCATED_RANGE_BUFFER.
type allocatedRange struct{ offset, length int64 }

// rangeBytes is its length.
const rangeBytes = 16

// rangesOf reads an answer to FSCTL_QUERY_ALLOCATED_RANGES.
func rangesOf(data []byte) []allocatedRange {
	var out []allocatedRange
	for ; len(data) >= rangeBytes; data = data[rangeBytes:] {
		out = append(out, allocatedRange{int64(binary.LittleEndian.Uint64(data)), int64(binary.LittleEndian.Uint64(data[8:]))})
	}
	return out
}
