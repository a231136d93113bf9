package storage

import "io"

// System is what Windows is asked. An error that Windows gave a code for is, or wraps, an Errno. A
// call may block for as long as a device hangs; none shows a message box.
type System interface {
	// Volumes are the GUID paths of all volumes, with a backslash at the end. With an error come
	// those that were found before it.
	Volumes() ([]string, error)
	// MountPoints are the drive letters and folders of a volume, with a backslash at the end.
	MountPoints(volume string) ([]string, error)
	// VolumeAt is the GUID path of the volume that is mounted at a drive letter such as C:\.
	VolumeAt(root string) (string, error)
	// Letters are the drive letters in use, as bits: 0 is A.
	Letters() (uint32, error)
	// DriveType is what a volume or drive letter, with a backslash at the end, is.
	DriveType(root string) DriveType
	// DeviceNames are the names in the namespace of MS-DOS devices, such as C: and PhysicalDrive0.
	DeviceNames() ([]string, error)
	// DeviceTargets are what one such name stands for, the present one first.
	DeviceTargets(name string) ([]string, error)
	// FileSystem asks the file system of a volume or drive letter, with a backslash at the end.
	FileSystem(root string) (FileSystem, error)
	// Space asks it for its room.
	Space(root string) (Space, error)
	// ClusterBytes asks it for the size of its clusters.
	ClusterBytes(root string) (uint64, error)
	// Open opens a volume (without the backslash) or a disk beside whoever uses it.
	Open(path string, access Access) (Device, error)
	// DiskInterfaces are the disks that the configuration manager knows.
	DiskInterfaces() ([]DiskInterface, error)
	// Node is a device in the tree of devices, by its instance id.
	Node(instance string) (Node, error)
}

// Device is an open volume or disk.
type Device interface {
	io.ReaderAt
	io.Closer
	// Control sends a control code and returns at most outMax bytes of the answer; with the error
	// ERROR_MORE_DATA come those that had room.
	Control(code uint32, in []byte, outMax int) ([]byte, error)
	// End is where the device ends by its file pointer, for drivers that do not tell their length.
	End() (int64, error)
}

// Access is what a device is opened for.
type Access int

// The kinds of access.
const (
	// AccessAttributes is to ask about the device, which takes no rights
	// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew, dwDesiredAccess 0).
	AccessAttributes Access = iota
	// AccessRead is to read its data, which takes an administrator.
	AccessRead
	// AccessCommand is to send commands to it, which Windows allows to those who may also write
	// (learn.microsoft.com/windows-hardware/drivers/ddi/ntddscsi/ni-ntddscsi-ioctl_scsi_pass_through).
	AccessCommand
)

// DriveType is what a drive is.
type DriveType uint32

// The types of drives (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdrivetypew).
const (
	DriveUnknown   DriveType = 0
	DriveNoRoot    DriveType = 1
	DriveRemovable DriveType = 2
	DriveFixed     DriveType = 3
	DriveRemote    DriveType = 4
	DriveOptical   DriveType = 5
	DriveRAMDisk   DriveType = 6
)

// FileSystem is what a file system says of itself.
type FileSystem struct {
	// Label is the volume's label, empty when it has none.
	Label string
	// Name is the file system's, such as NTFS.
	Name string
	// Flags are those of GetVolumeInformation.
	Flags uint32
}

// Space is the room on a volume.
type Space struct {
	// TotalBytes is the size of the file system, or the caller's quota.
	TotalBytes uint64
	// FreeBytes is what is free, whatever the caller's quota.
	FreeBytes uint64
}

// DiskInterface is how the configuration manager knows a disk.
type DiskInterface struct {
	// Path opens the disk.
	Path string
	// Instance is the device's instance id, such as SCSI\DISK&VEN_NVME&PROD_X\5&1&0&0.
	Instance string
}

// Node is a device in the tree of devices; what it does not have is empty.
type Node struct {
	// Parent is the instance id of the device above, for a disk that of its adapter.
	Parent string
	// Service is the name of the device's driver.
	Service string
	// DriverVersion is the version of that driver's package.
	DriverVersion string
}
