package target

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"

	"diskaudit/core/contract"
)

// Control codes and properties. Source: winioctl.h.
const (
	ioctlStorageQueryProperty = 0x2d1400

	storageDeviceProperty          = 0
	storageAccessAlignmentProperty = 6
)

// survey finds out about the volume or device of a place, and refuses one that cannot be measured
// on.
func survey(p place) (*site, error) {
	s := &site{}
	if p.kind == contract.TargetDevice {
		s.device, s.key = p.path, p.path[len(`\\.\`):]
		root := deviceRoot(p.path)
		// \\.\C: and what lies on C: lock each other out.
		if volume, err := volumeOf(root); err == nil {
			s.key = volume
		}
		s.examineMounted(root)
		s.examine()
		return s, nil
	}
	root, err := volumeRoot(p.at())
	if err != nil {
		return nil, explain("finding the volume of", p.at(), err)
	}
	if err := refuseRemote(p.at(), root); err != nil {
		return nil, err
	}
	s.key = root
	volume, err := volumeHolding(p.at())
	if err != nil {
		volume, err = volumeOf(root)
	}
	if err == nil {
		s.key = volume
		s.device = strings.TrimSuffix(volume, `\`)
	}
	s.facts.no(FactRemote, "the drive type of "+root+" is not a network drive")
	s.examineType(root)
	s.logical = volumeSector(root)
	s.examine()
	return s, s.examineVolume(p, root, volume)
}

// examineType keeps what the type of the drive says.
func (s *site) examineType(root string) {
	name, err := windows.UTF16PtrFromString(root)
	if err == nil && windows.GetDriveType(name) == windows.DRIVE_RAMDISK {
		s.facts.yes(FactInMemory, "the drive type of "+root+" is a RAM disk")
	}
}

// examineVolume keeps what the file system says of itself. A drive that stands for a folder of
// another (subst) is no root folder, but the volume has one by its own name, when that is known.
func (s *site) examineVolume(p place, root, volume string) error {
	fileSystem, flags, err := volumeInformation(root)
	if errors.Is(err, windows.ERROR_DIR_NOT_ROOT) && volume != "" {
		fileSystem, flags, err = volumeInformation(volume)
	}
	if err != nil {
		return explain("asking about the volume", root, err)
	}
	if fileSystem != "" {
		s.fileSystem = &fileSystem
	}
	if flags&windows.FILE_READ_ONLY_VOLUME == 0 {
		s.facts.no(FactReadOnly, "the volume is not marked read-only")
		return nil
	}
	s.facts.yes(FactReadOnly, "the volume is marked read-only")
	if p.kind != contract.TargetFile {
		return nil
	}
	return explain("making a test file on", root, windows.ERROR_WRITE_PROTECT)
}

// volumeInformation asks the file system with that root folder for its name and flags.
// Source: https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getvolumeinformationw
func volumeInformation(root string) (fileSystem string, flags uint32, err error) {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return "", 0, err
	}
	var text [windows.MAX_PATH + 1]uint16
	if err := windows.GetVolumeInformation(name, nil, 0, nil, nil, &flags, &text[0], uint32(len(text))); err != nil {
		return "", 0, err
	}
	return windows.UTF16ToString(text[:]), flags, nil
}

// volumeHolding is the GUID path of the volume that a folder or file is on in the end, with a
// backslash at its end: behind mount folders, links, junctions and drives made by subst. Source:
// https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getfinalpathnamebyhandlew
func volumeHolding(path string) (string, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return "", err
	}
	// FILE_FLAG_BACKUP_SEMANTICS opens folders, too. It takes no right to look at the content.
	handle, err := windows.CreateFile(name, 0, shared, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	const volumeNameGUID = 1
	final := make([]uint16, 1<<15)
	n, err := windows.GetFinalPathNameByHandle(handle, &final[0], uint32(len(final)), volumeNameGUID)
	if err != nil {
		return "", err
	}
	volume, ok := volumeIn(windows.UTF16ToString(final[:min(int(n), len(final))]))
	if !ok {
		return "", windows.ERROR_NOT_SUPPORTED
	}
	return volume, nil
}

// volumeRoot is the mount point of the volume that holds a path, with a backslash at its end.
func volumeRoot(path string) (string, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return "", err
	}
	root := make([]uint16, max(windows.MAX_PATH, len(path))+2)
	if err := windows.GetVolumePathName(name, &root[0], uint32(len(root))); err != nil {
		return "", err
	}
	return windows.UTF16ToString(root), nil
}

// volumeOf is the GUID path of the volume that is mounted at root, with a backslash at its end.
func volumeOf(root string) (string, error) {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return "", err
	}
	var volume [windows.MAX_PATH]uint16
	if err := windows.GetVolumeNameForVolumeMountPoint(name, &volume[0], uint32(len(volume))); err != nil {
		return "", err
	}
	return windows.UTF16ToString(volume[:]), nil
}

// deviceRoot is the root folder of a volume that is named as a device.
func deviceRoot(path string) string {
	if strings.HasPrefix(path, `\\?\`) {
		return path + `\`
	}
	return path[len(`\\.\`):] + `\`
}

// examineMounted looks whether a device is a volume whose file system is in use.
func (s *site) examineMounted(root string) {
	name, err := windows.UTF16PtrFromString(root)
	if err == nil {
		err = windows.GetVolumeInformation(name, nil, 0, nil, nil, nil, nil, 0)
	}
	if err != nil {
		s.facts.note(FactMounted, nil, fmt.Sprintf("it is no volume with a file system that can be asked (%v)", err))
		return
	}
	s.facts.yes(FactMounted, "it holds the file system of "+root+"; others may read and write meanwhile")
}

// examine asks the device for its sectors and its bus. Neither takes more rights than to know
// that it exists.
func (s *site) examine() {
	if s.device == "" {
		s.facts.note(FactInMemory, nil, "the volume has no name to ask its device by")
		return
	}
	handle, err := openDevice(s.device, 0)
	if err != nil {
		s.facts.note(FactInMemory, nil, fmt.Sprintf("opening %s: %v", s.device, err))
		return
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	if data, err := queryProperty(handle, storageAccessAlignmentProperty); err == nil {
		if logical, physical := sectorsOf(data); logical > 0 {
			s.logical, s.physical = logical, physical
		}
	}
	data, err := queryProperty(handle, storageDeviceProperty)
	if err != nil {
		s.facts.note(FactInMemory, nil, fmt.Sprintf("asking %s for its bus: %v", s.device, err))
		return
	}
	s.takeBus(data)
}

// takeBus keeps what the kind of bus says.
func (s *site) takeBus(data []byte) {
	bus, ok := busOf(data)
	kind := busKinds[bus]
	switch {
	case !ok || kind.name == "":
		s.facts.note(FactInMemory, nil, fmt.Sprintf("%s does not say what bus it is on", s.device))
	case kind.remote:
		s.facts.yes(FactRemote, fmt.Sprintf("%s is on %s, which is a network", s.device, kind.name))
	case kind.disk:
		s.facts.no(FactInMemory, fmt.Sprintf("%s is on %s", s.device, kind.name))
	default:
		s.facts.note(FactInMemory, nil, fmt.Sprintf("%s is on %s, which does not say what is below", s.device, kind.name))
	}
}

var getDiskFreeSpace = kernel32.NewProc("GetDiskFreeSpaceW")

// volumeSector is the sector of a volume in bytes, 0 when it does not say.
// Source: https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdiskfreespacew
func volumeSector(root string) int {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return 0
	}
	var perCluster, sector, free, all uint32
	ok, _, _ := getDiskFreeSpace.Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&perCluster)),
		uintptr(unsafe.Pointer(&sector)), uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&all)))
	if uint32(ok) == 0 {
		return 0
	}
	return int(int32(sector))
}

// openDevice opens a volume or disk beside whoever uses it.
func openDevice(path string, access uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	return windows.CreateFile(name, access, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.OPEN_EXISTING, 0, 0)
}

// queryProperty asks a device to describe itself.
// Source: https://learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_storage_query_property
func queryProperty(handle windows.Handle, property uint32) ([]byte, error) {
	query := [12]byte{byte(property)} // STORAGE_PROPERTY_QUERY, PropertyStandardQuery
	answer := make([]byte, 1024)
	var n uint32
	err := windows.DeviceIoControl(handle, ioctlStorageQueryProperty, &query[0], uint32(len(query)), &answer[0], uint32(len(answer)), &n, nil)
	return answer[:min(int(n), len(answer))], err
}
