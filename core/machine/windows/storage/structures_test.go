package storage

import (
	"encoding/binary"
)

// What devices answer, byte by byte by the pages of the structures (see the constants beside their
// decoders, which these do not use).

func put32(data []byte, at int, value uint32) { binary.LittleEndian.PutUint32(data[at:], value) }
func put64(data []byte, at int, value uint64) { binary.LittleEndian.PutUint64(data[at:], value) }

// deviceDescriptor is STORAGE_DEVICE_DESCRIPTOR with its texts behind it.
func deviceDescriptor(vendor, product, revision, serial string, bus uint32, removable bool) []byte {
	data := make([]byte, 40)
	put32(data, 0, 40)
	if removable {
		data[10] = 1
	}
	put32(data, 28, bus)
	for at, text := range map[int]string{12: vendor, 16: product, 20: revision, 24: serial} {
		if text == "" {
			continue
		}
		put32(data, at, uint32(len(data)))
		data = append(append(data, text...), 0)
	}
	put32(data, 4, uint32(len(data)))
	return data
}

func accessAlignment(logical, physical uint32) []byte {
	data := make([]byte, 28)
	put32(data, 0, 28)
	put32(data, 4, 28)
	put32(data, 16, logical)
	put32(data, 20, physical)
	return data
}

func seekPenalty(incurs byte) []byte {
	return []byte{12, 0, 0, 0, 12, 0, 0, 0, incurs, 0, 0, 0}
}

func writeCache(kind, enabled uint32) []byte {
	data := make([]byte, 28)
	put32(data, 0, 28)
	put32(data, 4, 28)
	put32(data, 8, kind)
	put32(data, 12, enabled)
	return data
}

func cacheSetting(powerProtected byte) []byte {
	return []byte{1, 0, 0, 0, 0, 0, 0, 0, powerProtected, 0, 0, 0}
}

func geometry(sector uint32, size uint64) []byte {
	data := make([]byte, 40)
	put32(data, 20, sector)
	put64(data, 24, size)
	return data
}

func length(bytes uint64) []byte {
	return binary.LittleEndian.AppendUint64(nil, bytes)
}

func deviceNumber(kind, number, partition uint32) []byte {
	data := make([]byte, 12)
	put32(data, 0, kind)
	put32(data, 4, number)
	put32(data, 8, partition)
	return data
}

// diskExtents is VOLUME_DISK_EXTENTS; each extent is disk, offset, length.
func diskExtents(extents ...[3]uint64) []byte {
	data := make([]byte, 8+24*len(extents))
	put32(data, 0, uint32(len(extents)))
	for i, e := range extents {
		put32(data, 8+24*i, uint32(e[0]))
		put64(data, 8+24*i+8, e[1])
		put64(data, 8+24*i+16, e[2])
	}
	return data
}

// Types of partitions as they lie in memory: the first three fields little-endian.
var (
	typeEFI      = []byte{0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b}
	typeBasic    = []byte{0xa2, 0xa0, 0xd0, 0xeb, 0xe5, 0xb9, 0x33, 0x44, 0x87, 0xc0, 0x68, 0xb6, 0xb7, 0x26, 0x99, 0xc7}
	typeRecovery = []byte{0xa4, 0xbb, 0x94, 0xde, 0xd1, 0x06, 0x40, 0x4d, 0xa1, 0x6a, 0xbf, 0xd5, 0x01, 0x79, 0xd6, 0xac}
)

// partitionInformation is PARTITION_INFORMATION_EX of a GPT.
func partitionInformation(number uint32, offset, length uint64, kind []byte) []byte {
	data := make([]byte, 144)
	put32(data, 0, 1)
	put64(data, 8, offset)
	put64(data, 16, length)
	put32(data, 24, number)
	copy(data[32:], kind)
	return data
}

// mbrPartition is PARTITION_INFORMATION_EX of an MBR.
func mbrPartition(number uint32, offset, length uint64, kind byte) []byte {
	data := make([]byte, 144)
	put64(data, 8, offset)
	put64(data, 16, length)
	put32(data, 24, number)
	data[32] = kind
	return data
}

// driveLayout is DRIVE_LAYOUT_INFORMATION_EX.
func driveLayout(style uint32, partitions ...[]byte) []byte {
	data := make([]byte, 48)
	put32(data, 0, style)
	put32(data, 4, uint32(len(partitions)))
	for _, p := range partitions {
		data = append(data, p...)
	}
	return data
}

// protocolReply is STORAGE_PROTOCOL_DATA_DESCRIPTOR with the data right behind it.
func protocolReply(data []byte) []byte {
	reply := make([]byte, 48)
	put32(reply, 0, 48)
	put32(reply, 4, 48)
	put32(reply, 8, 3)
	put32(reply, 8+16, 40)
	put32(reply, 8+20, uint32(len(data)))
	return append(reply, data...)
}

// protocols is a list of security protocols.
func protocols(numbers ...byte) []byte {
	return append([]byte{0, 0, 0, 0, 0, 0, 0, byte(len(numbers))}, numbers...)
}

// discovery is a level 0 discovery response; each feature is its code and its data.
func discovery(features ...feature) []byte {
	data := make([]byte, 48)
	for _, f := range features {
		data = append(data, byte(f.code>>8), byte(f.code), 0x10, byte(len(f.data)))
		data = append(data, f.data...)
	}
	binary.BigEndian.PutUint32(data, uint32(len(data)-4))
	return data
}

type feature struct {
	code uint16
	data []byte
}

// locking is the locking feature with its first byte.
func locking(bits byte) feature {
	return feature{0x0002, []byte{bits, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
}

var tper = feature{0x0001, []byte{0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}

func subsystem(code uint16) feature { return feature{code, make([]byte, 16)} }

// refused is the answer of a disk that ends a SCSI command with CHECK CONDITION and this sense.
type refused struct{ key, code byte }
