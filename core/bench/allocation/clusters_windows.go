package allocation

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Control codes of volumes, from winioctl.h.
const (
	// learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-fsctl_get_volume_bitmap
	fsctlGetVolumeBitmap = 0x9006f
	// learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-fsctl_get_retrieval_pointer_base
	fsctlGetRetrievalPointerBase = 0x90234
)

var getDiskFreeSpace = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetDiskFreeSpaceW")

// VolumeRanges returns the bytes of a mounted volume that its file system says are in use, by a
// handle of the volume; root is the volume's root folder, with the separator at its end. size
// limits the ranges. It works with every file system of Windows that has clusters: NTFS, ReFS,
// FAT, exFAT. The list is true for a moment only, since others may write.
func VolumeRanges(volume windows.Handle, root string, size int64) ([]Range, error) {
	clusters, err := clustersOf(volume, root)
	if err != nil {
		return nil, err
	}
	ranges, err := volumeRanges(size, clusters, func(from int64, answer []byte) (int, bool, error) {
		question := startingCluster(from)
		n, err := control(volume, fsctlGetVolumeBitmap, question[:], answer)
		more := errors.Is(err, windows.ERROR_MORE_DATA)
		if more {
			err = nil
		}
		return n, more, err
	})
	if err != nil {
		return nil, fmt.Errorf("asking for the bitmap of %s (FSCTL_GET_VOLUME_BITMAP): %w", root, err)
	}
	return ranges, nil
}

// clustersOf asks for the size of a cluster and for the place of the first. Both are told in
// sectors (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdiskfreespacew and
// learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-retrieval_pointer_base). The place is
// asked of every file system: where it begins elsewhere than at 0 is a matter of the file system.
func clustersOf(volume windows.Handle, root string) (Clusters, error) {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return Clusters{}, fmt.Errorf("asking for the clusters of %s: %w", root, err)
	}
	var perCluster, sector, free, all uint32
	ok, _, err := getDiskFreeSpace.Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&perCluster)),
		uintptr(unsafe.Pointer(&sector)), uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&all)))
	if uint32(ok) == 0 {
		return Clusters{}, fmt.Errorf("asking for the clusters of %s: %w", root, err)
	}
	var base [8]byte
	n, err := control(volume, fsctlGetRetrievalPointerBase, nil, base[:])
	if err == nil && n != len(base) {
		err = fmt.Errorf("the answer has %d bytes", n)
	}
	if err != nil {
		return Clusters{}, fmt.Errorf("asking where the clusters of %s begin (FSCTL_GET_RETRIEVAL_POINTER_BASE): %w", root, err)
	}
	return inSectors(sector, perCluster, le.Uint64(base[:]))
}

// control calls DeviceIoControl
// (learn.microsoft.com/windows/win32/api/ioapiset/nf-ioapiset-deviceiocontrol).
func control(handle windows.Handle, code uint32, question, answer []byte) (int, error) {
	var returned uint32
	err := windows.DeviceIoControl(handle, code, unsafe.SliceData(question), uint32(len(question)), unsafe.SliceData(answer), uint32(len(answer)), &returned, nil)
	return int(returned), err
}
