package storage

import (
	"math"

	"diskaudit/core/contract"
)

// decodeAlignment reads the sizes of sectors from STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR: logical at
// 16, physical at 20
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_access_alignment_descriptor).
// One that no disk has is nil.
func decodeAlignment(data []byte) (logical, physical *uint64, err error) {
	if err := need("the access alignment", data, 24); err != nil {
		return nil, nil, err
	}
	return sectorSize(le.Uint32(data[16:])), sectorSize(le.Uint32(data[20:])), nil
}

// maxSectorBytes is far beyond the sectors that there are: 512 and 4096 bytes, 64 KiB for some
// flash disks' physical ones.
const maxSectorBytes = 1 << 24

func sectorSize(bytes uint32) *uint64 {
	if bytes < 512 || bytes > maxSectorBytes || bytes&(bytes-1) != 0 {
		return nil
	}
	return contract.Ptr(uint64(bytes))
}

// decodeSeekPenalty reads DEVICE_SEEK_PENALTY_DESCRIPTOR: the flag at 8
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-device_seek_penalty_descriptor).
func decodeSeekPenalty(data []byte) (bool, error) {
	if err := need("the seek penalty", data, 9); err != nil {
		return false, err
	}
	return data[8] != 0, nil
}

// decodeWriteCache reads STORAGE_WRITE_CACHE_PROPERTY: type at 8 (0 unknown), whether it is on at 12
// (0 unknown, 1 off, 2 on)
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_write_cache_property).
func decodeWriteCache(data []byte) (kind *contract.WriteCacheType, enabled *bool, err error) {
	if err := need("the write cache property", data, 16); err != nil {
		return nil, nil, err
	}
	if code := le.Uint32(data[8:]); code != 0 {
		kind = contract.Ptr(contract.WriteCacheType(code))
	}
	switch le.Uint32(data[12:]) {
	case 1:
		enabled = contract.Ptr(false)
	case 2:
		enabled = contract.Ptr(true)
	}
	return kind, enabled, nil
}

// decodeCacheSetting reads from DISK_CACHE_SETTING (winioctl.h: Version at 0, State at 4,
// IsPowerProtected at 8) whether Windows holds the cache for safe against power loss.
func decodeCacheSetting(data []byte) (powerProtected bool, err error) {
	if err := need("the cache setting", data, 9); err != nil {
		return false, err
	}
	return data[8] != 0, nil
}

// decodeGeometry reads DISK_GEOMETRY_EX: bytes per sector at 20, size of the disk at 24
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-disk_geometry_ex).
func decodeGeometry(data []byte) (sectorBytes, sizeBytes *uint64, err error) {
	if err := need("the disk's geometry", data, 32); err != nil {
		return nil, nil, err
	}
	if size := le.Uint64(data[24:]); size > 0 && size <= math.MaxInt64 {
		sizeBytes = &size
	}
	return sectorSize(le.Uint32(data[20:])), sizeBytes, nil
}

// decodeLength reads GET_LENGTH_INFORMATION, one number
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-get_length_information).
func decodeLength(data []byte) (*uint64, error) {
	if err := need("the length", data, 8); err != nil {
		return nil, err
	}
	if length := le.Uint64(data); length > 0 && length <= math.MaxInt64 {
		return &length, nil
	}
	return nil, nil
}

// deviceTypeDisk is FILE_DEVICE_DISK
// (learn.microsoft.com/windows-hardware/drivers/kernel/specifying-device-types).
const deviceTypeDisk = 7

// decodeDeviceNumber reads from STORAGE_DEVICE_NUMBER (DeviceType at 0, DeviceNumber at 4,
// PartitionNumber at 8) the number N of \\.\PhysicalDriveN; false when the device is no disk
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_device_number).
func decodeDeviceNumber(data []byte) (number uint32, isDisk bool, err error) {
	if err := need("the device number", data, 12); err != nil {
		return 0, false, err
	}
	number = le.Uint32(data[4:])
	return number, le.Uint32(data) == deviceTypeDisk && number != noNumber, nil
}

// noNumber stands for a device without a number: (DWORD)-1.
const noNumber = math.MaxUint32
