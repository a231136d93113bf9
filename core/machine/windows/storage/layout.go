package storage

import (
	"errors"
	"fmt"
	"math"
)

// Where the fields of DRIVE_LAYOUT_INFORMATION_EX and PARTITION_INFORMATION_EX are
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-drive_layout_information_ex,
// learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-partition_information_ex). The unions
// for MBR and GPT begin at 8 and 32.
const (
	layoutCount       = 4
	layoutHeaderBytes = 48
	partitionBytes    = 144
	partitionOffset   = 8
	partitionLength   = 16
	partitionKind     = 32
)

// Bounds of how many partitions are asked for; a GPT has room for 128 as a rule.
const (
	firstPartitions = 128
	maxPartitions   = 4096
)

// tableNames are the partition tables by PARTITION_STYLE
// (learn.microsoft.com/windows/win32/api/winioctl/ne-winioctl-partition_style), in the words of the
// document.
var tableNames = map[uint32]string{0: tableMBR, 1: tableGPT, 2: tableNone}

const (
	tableMBR  = "mbr"
	tableGPT  = "gpt"
	tableNone = "none"
)

// layout is how a disk is divided.
type layout struct {
	// table is mbr, gpt or none.
	table      string
	partitions []partition
}

// partition is one part of a disk.
type partition struct {
	offset, length uint64
	// kind is what the partition is for, where its type says that.
	kind string
}

// readLayout asks a disk for its partition table.
func readLayout(device Device) (layout, error) {
	for room := firstPartitions; ; room *= 2 {
		data, err := device.Control(ioctlLayout, nil, layoutHeaderBytes+partitionBytes*room)
		if err == nil {
			return decodeLayout(data)
		}
		if !errors.Is(err, errInsufficientBuffer) && !errors.Is(err, errMoreData) {
			return layout{}, err
		}
		if room >= maxPartitions {
			return layout{}, fmt.Errorf("the disk has more than %d partitions", maxPartitions)
		}
	}
}

func decodeLayout(data []byte) (layout, error) {
	if err := need("the drive layout", data, layoutCount+4); err != nil {
		return layout{}, err
	}
	style, count := le.Uint32(data), uint64(le.Uint32(data[layoutCount:]))
	table, ok := tableNames[style]
	if !ok {
		return layout{}, fmt.Errorf("the drive layout has a style that is not known: %d", style)
	}
	if table == tableNone {
		return layout{table: table}, nil
	}
	if room := uint64(max(len(data)-layoutHeaderBytes, 0)) / partitionBytes; count > room {
		return layout{}, fmt.Errorf("the drive layout tells of %d partitions and holds %d", count, room)
	}
	l := layout{table: table}
	for i := range int(count) {
		p, err := decodePartition(data[layoutHeaderBytes+i*partitionBytes:])
		if err != nil {
			return layout{}, fmt.Errorf("partition %d of the drive layout: %w", i, err)
		}
		if p.length > 0 {
			l.partitions = append(l.partitions, p)
		}
	}
	return l, nil
}

// decodePartition reads PARTITION_INFORMATION_EX.
func decodePartition(data []byte) (partition, error) {
	if err := need("the partition", data, partitionBytes); err != nil {
		return partition{}, err
	}
	p := partition{offset: le.Uint64(data[partitionOffset:]), length: le.Uint64(data[partitionLength:])}
	if p.offset > math.MaxInt64 || p.length > math.MaxInt64-p.offset {
		return partition{}, fmt.Errorf("it lies beyond what a disk can hold: offset %d, length %d", int64(p.offset), int64(p.length))
	}
	switch tableNames[le.Uint32(data)] {
	case tableMBR:
		p.kind = mbrKinds[data[partitionKind]]
	case tableGPT:
		p.kind = gptKinds[guidText(data[partitionKind:])]
	}
	return p, nil
}

// gptKinds are the types of partitions that Windows keeps for itself
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-partition_information_gpt).
var gptKinds = map[string]string{
	"c12a7328-f81f-11d2-ba4b-00a0c93ec93b": "EFI system partition",
	"de94bba4-06d1-4d40-a16a-bfd50179d6ac": "Windows recovery partition",
	"e3c9e316-0b5c-4db8-817d-f92df00215ae": "Microsoft reserved partition",
	"5808c8aa-7e8f-42e0-85d2-e1e90434cfb3": "metadata of dynamic disks",
}

// mbrKinds are the same in an MBR
// (learn.microsoft.com/windows/win32/fileio/disk-partition-types; for 0x27
// learn.microsoft.com/windows-hardware/manufacture/desktop/configure-biosmbr-based-hard-drive-partitions).
var mbrKinds = map[byte]string{0xef: "EFI system partition", 0x27: "Windows recovery partition"}

// guidText writes a GUID as it lies in memory: three little-endian numbers, then eight bytes
// (learn.microsoft.com/windows/win32/api/guiddef/ns-guiddef-guid).
func guidText(data []byte) string {
	return fmt.Sprintf("%08x-%04x-%04x-%x-%x", le.Uint32(data), le.Uint16(data[4:]), le.Uint16(data[6:]), data[8:10], data[10:16])
}
