package storage

// Control codes. Each number is CTL_CODE of its device type, function, method and access
// (learn.microsoft.com/windows-hardware/drivers/kernel/defining-i-o-control-codes); bits 14 and 15
// are the access that the handle must have: 0 none, 1 read, 3 read and write.
const (
	// learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_storage_query_property
	ioctlQueryProperty = 0x002d1400
	// learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_storage_get_device_number
	ioctlDeviceNumber = 0x002d1080
	// learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_volume_get_volume_disk_extents
	ioctlExtents = 0x00560000
	// learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_disk_get_partition_info_ex
	ioctlPartition = 0x00070048
	// learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_disk_get_drive_layout_ex
	ioctlLayout = 0x00070050
	// learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_disk_get_drive_geometry_ex
	ioctlGeometry = 0x000700a0
	// learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_disk_get_length_info
	ioctlLength = 0x0007405c
	// winioctl.h, answered by the class driver whose source Microsoft publishes as a sample
	// (learn.microsoft.com/windows-hardware/drivers/samples/storage-driver-samples, "Disk Class Driver").
	ioctlCacheSetting = 0x000740e0
	// learn.microsoft.com/windows-hardware/drivers/ifs/fsctl-is-volume-dirty
	fsctlIsVolumeDirty = 0x00090078
	// learn.microsoft.com/windows-hardware/drivers/ddi/ntddscsi/ni-ntddscsi-ioctl_scsi_pass_through
	ioctlSCSIPassThrough = 0x0004d004
)

// Properties of STORAGE_PROPERTY_QUERY
// (learn.microsoft.com/windows/win32/api/winioctl/ne-winioctl-storage_property_id).
const (
	propertyDevice          = 0
	propertyWriteCache      = 4
	propertyAccessAlignment = 6
	propertySeekPenalty     = 7
	propertyAdapterProtocol = 49
	propertyDeviceProtocol  = 50
)
