package storage

import (
	"errors"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Live is this computer.
func Live() System { return live{} }

type live struct{}

// maxNames bounds lists of names, in UTF-16 units.
const maxNames = 1 << 22

var (
	kernel32           = windows.NewLazySystemDLL("kernel32.dll")
	getDiskFreeSpace   = kernel32.NewProc("GetDiskFreeSpaceW")
	setThreadErrorMode = kernel32.NewProc("SetThreadErrorMode")
	volumeAt           = kernel32.NewProc("GetVolumeNameForVolumeMountPointW")
)

// failCriticalErrors is SEM_FAILCRITICALERRORS: Windows shows no box that asks for a medium.
const failCriticalErrors = 1

// quietly makes a call that a drive without a medium would otherwise answer with a message box
// (learn.microsoft.com/windows/win32/api/errhandlingapi/nf-errhandlingapi-setthreaderrormode).
func quietly(call func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before uint32
	set, _, _ := setThreadErrorMode.Call(failCriticalErrors, uintptr(unsafe.Pointer(&before)))
	err := coded(call())
	if set != 0 {
		_, _, _ = setThreadErrorMode.Call(uintptr(before), 0)
	}
	return err
}

// coded makes an Errno of what package windows returns.
func coded(err error) error {
	var code syscall.Errno
	if errors.As(err, &code) {
		return Errno(code)
	}
	return err
}

// Volumes calls FindFirstVolume and FindNextVolume
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-findfirstvolumew).
func (live) Volumes() ([]string, error) {
	// A GUID path has 49 characters and the zero.
	var name [windows.MAX_PATH + 1]uint16
	var find windows.Handle
	err := quietly(func() (err error) {
		find, err = windows.FindFirstVolume(&name[0], uint32(len(name)))
		return err
	})
	if errors.Is(err, Errno(windows.ERROR_NO_MORE_FILES)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = windows.FindVolumeClose(find) }()
	var volumes []string
	for {
		volumes = append(volumes, windows.UTF16ToString(name[:]))
		err := quietly(func() error { return windows.FindNextVolume(find, &name[0], uint32(len(name))) })
		if errors.Is(err, Errno(windows.ERROR_NO_MORE_FILES)) {
			return volumes, nil
		}
		if err != nil {
			return volumes, err
		}
	}
}

// MountPoints calls GetVolumePathNamesForVolumeName
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getvolumepathnamesforvolumenamew).
func (live) MountPoints(volume string) ([]string, error) {
	name, err := windows.UTF16PtrFromString(volume)
	if err != nil {
		return nil, err
	}
	return names(func(buffer []uint16) (needed uint32, err error) {
		err = windows.GetVolumePathNamesForVolumeName(name, &buffer[0], uint32(len(buffer)), &needed)
		return needed, err
	})
}

// VolumeAt calls GetVolumeNameForVolumeMountPoint
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getvolumenameforvolumemountpointw).
func (live) VolumeAt(root string) (string, error) {
	point, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return "", err
	}
	var volume [windows.MAX_PATH + 1]uint16
	err = quietly(func() error {
		ok, _, err := volumeAt.Call(uintptr(unsafe.Pointer(point)), uintptr(unsafe.Pointer(&volume[0])), uintptr(len(volume)))
		return unless(ok, err)
	})
	return windows.UTF16ToString(volume[:]), err
}

// unless is the error of a call that returned 0.
func unless(ok uintptr, err error) error {
	if uint32(ok) != 0 {
		return nil
	}
	return err
}

// Letters calls GetLogicalDrives
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getlogicaldrives).
func (live) Letters() (uint32, error) {
	letters, err := windows.GetLogicalDrives()
	return letters, coded(err)
}

// DriveType calls GetDriveType
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdrivetypew).
func (live) DriveType(root string) DriveType {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return DriveUnknown
	}
	return DriveType(windows.GetDriveType(name))
}

// DeviceNames calls QueryDosDevice without a name
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-querydosdevicew).
func (live) DeviceNames() ([]string, error) {
	return names(func(buffer []uint16) (uint32, error) {
		_, err := windows.QueryDosDevice(nil, &buffer[0], uint32(len(buffer)))
		return 0, err
	})
}

// DeviceTargets calls QueryDosDevice with a name.
func (live) DeviceTargets(name string) ([]string, error) {
	device, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	return names(func(buffer []uint16) (uint32, error) {
		_, err := windows.QueryDosDevice(device, &buffer[0], uint32(len(buffer)))
		return 0, err
	})
}

// names makes a call that fills a buffer with a list of names, again with a larger one as long as
// there is no room: for as many units as the call says, or twice as many.
func names(call func(buffer []uint16) (needed uint32, err error)) ([]string, error) {
	for size := uint32(4096); ; {
		buffer := make([]uint16, size)
		var needed uint32
		err := quietly(func() (err error) {
			needed, err = call(buffer)
			return err
		})
		if err == nil {
			return splitNames(buffer), nil
		}
		if !errors.Is(err, errMoreData) && !errors.Is(err, errInsufficientBuffer) || size >= maxNames {
			return nil, err
		}
		size = min(max(2*size, needed), maxNames)
	}
}

// FileSystem calls GetVolumeInformation
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getvolumeinformationw).
func (live) FileSystem(root string) (FileSystem, error) {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return FileSystem{}, err
	}
	var label, system [windows.MAX_PATH + 1]uint16
	var flags uint32
	err = quietly(func() error {
		return windows.GetVolumeInformation(name, &label[0], uint32(len(label)), nil, nil, &flags, &system[0], uint32(len(system)))
	})
	return FileSystem{Label: windows.UTF16ToString(label[:]), Name: windows.UTF16ToString(system[:]), Flags: flags}, err
}

// Space calls GetDiskFreeSpaceEx
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdiskfreespaceexw).
func (live) Space(root string) (Space, error) {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return Space{}, err
	}
	var space Space
	err = quietly(func() error { return windows.GetDiskFreeSpaceEx(name, nil, &space.TotalBytes, &space.FreeBytes) })
	return space, err
}

// ClusterBytes calls GetDiskFreeSpace
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdiskfreespacew).
func (live) ClusterBytes(root string) (uint64, error) {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return 0, err
	}
	var perCluster, sector, free, all uint32
	err = quietly(func() error {
		ok, _, err := getDiskFreeSpace.Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&perCluster)),
			uintptr(unsafe.Pointer(&sector)), uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&all)))
		return unless(ok, err)
	})
	return uint64(perCluster) * uint64(sector), err
}

// accessRights are the rights of CreateFile by what a device is opened for.
var accessRights = map[Access]uint32{
	AccessAttributes: 0,
	AccessRead:       windows.GENERIC_READ,
	AccessCommand:    windows.GENERIC_READ | windows.GENERIC_WRITE,
}

// Open calls CreateFile
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew, "Physical Disks and Volumes").
func (live) Open(path string, access Access) (Device, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	var handle windows.Handle
	err = quietly(func() (err error) {
		handle, err = windows.CreateFile(name, accessRights[access], windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
			nil, windows.OPEN_EXISTING, 0, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return handleOf(handle), nil
}
