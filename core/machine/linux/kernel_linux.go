package linux

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"diskaudit/core/machine/nvme"
)

// systemCalls is the kernel that this program runs on.
type systemCalls struct {
	root string
	// anyFile lets an ordinary file stand for a device.
	anyFile bool
}

var _ kernel = systemCalls{}

// hardware implements kernel with uname(2), which names the machine's architecture to a 32-bit
// program, too.
func (systemCalls) hardware() (string, error) {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return "", fmt.Errorf("asking uname: %w", err)
	}
	return unix.ByteSliceToString(name.Machine[:]), nil
}

func (systemCalls) effectiveUser() int {
	return unix.Geteuid()
}

func (s systemCalls) open(name, number string) (blockDevice, error) {
	path := filepath.Join(s.root, filepath.FromSlash(name))
	file, err := os.OpenFile(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, explain(err)
	}
	if err := s.check(file, number); err != nil {
		file.Close()
		return nil, err
	}
	return deviceFile{file}, nil
}

// check makes sure that an open file is the device that sysfs described: another device may
// have got its name since, and a stray "dd" creates an ordinary file where a node was missing.
func (s systemCalls) check(file *os.File, number string) error {
	if s.anyFile {
		return nil
	}
	var stat unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		return fmt.Errorf("examining %s: %w", file.Name(), explain(err))
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFBLK {
		return errNotBlock
	}
	rdev := uint64(stat.Rdev)
	if found := fmt.Sprintf("%d:%d", unix.Major(rdev), unix.Minor(rdev)); found != number {
		return fmt.Errorf("its node is of device %s instead of %s: %w", found, number, errGone)
	}
	return nil
}

// deviceFile explains the errors of reading.
type deviceFile struct{ file *os.File }

func (d deviceFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := d.file.ReadAt(p, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		err = explain(err)
	}
	return n, err
}

func (d deviceFile) Close() error { return d.file.Close() }

// meanings gives the error numbers of devices one of this package's meanings.
var meanings = map[unix.Errno]error{
	unix.ENXIO: errGone, unix.ENODEV: errGone, unix.ENOMEDIUM: errNoMedium,
	unix.ENOTTY: errNotSupported, unix.EINVAL: errNotSupported, unix.EOPNOTSUPP: errNotSupported,
}

func explain(err error) error {
	var number unix.Errno
	if errors.As(err, &number) {
		if meaning, ok := meanings[number]; ok {
			return fmt.Errorf("%w (%w)", meaning, err)
		}
	}
	return err
}

func (s systemCalls) space(mountPoint string) (space, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(filepath.Join(s.root, mountPoint), &stat); err != nil {
		return space{}, fmt.Errorf("asking statfs: %w", err)
	}
	unit := uint64(stat.Frsize)
	if unit == 0 {
		unit = uint64(stat.Bsize)
	}
	if unit == 0 || stat.Bavail > math.MaxUint64/unit {
		return space{}, fmt.Errorf("statfs gives %d free blocks of %d bytes", stat.Bavail, unit)
	}
	return space{clusterBytes: unit, freeBytes: stat.Bavail * unit}, nil
}

// nvmeCommand is struct nvme_passthru_cmd of the kernel's include/uapi/linux/nvme_ioctl.h.
type nvmeCommand struct {
	opcode, flags               uint8
	_                           uint16
	namespace                   uint32
	_, _                        uint32
	metadata, address           uint64
	metadataBytes, dataBytes    uint32
	dword10, dword11, dword12   uint32
	dword13, dword14, dword15   uint32
	timeoutMilliseconds, result uint32
}

const (
	nvmeAdminCommand  = 0xc0484e41 // NVME_IOCTL_ADMIN_CMD
	nvmeGetLogPage    = 0x02
	nvmeSMARTLog      = 0x02
	nvmeAllNamespaces = 0xffffffff
	nvmeMilliseconds  = 5000
)

// smartLog implements kernel with the Get Log Page command of the NVM Express Base Specification. Only
// root may send admin commands.
func (s systemCalls) smartLog(name string) ([]byte, error) {
	file, err := os.OpenFile(filepath.Join(s.root, filepath.FromSlash(name)), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, explain(err)
	}
	defer file.Close()
	page := make([]byte, nvme.SMARTLogBytes)
	command := &nvmeCommand{
		opcode: nvmeGetLogPage, namespace: nvmeAllNamespaces, dataBytes: nvme.SMARTLogBytes,
		dword10:             (nvme.SMARTLogBytes/4-1)<<16 | nvmeSMARTLog,
		timeoutMilliseconds: nvmeMilliseconds,
	}
	// The kernel writes to the page by its address in the command.
	var pinned runtime.Pinner
	pinned.Pin(&page[0])
	defer pinned.Unpin()
	command.address = uint64(uintptr(unsafe.Pointer(&page[0])))
	status, err := control(file, nvmeAdminCommand, unsafe.Pointer(command))
	if err != nil {
		return nil, fmt.Errorf("asking for the SMART log: %w", err)
	}
	if status != 0 {
		return nil, fmt.Errorf("the disk refused the SMART log with NVMe status 0x%x: %w", status, errNotSupported)
	}
	return page, nil
}

func control(file *os.File, request uintptr, argument unsafe.Pointer) (uintptr, error) {
	result, _, errno := unix.Syscall(unix.SYS_IOCTL, file.Fd(), request, uintptr(argument))
	if errno != 0 {
		return 0, explain(errno)
	}
	return result, nil
}

// The device-mapper interface. Source: include/uapi/linux/dm-ioctl.h of the kernel.
const (
	mapperNoFlush    = 1 << 11 // DM_NOFLUSH_FLAG
	mapperBufferFull = 1 << 8  // DM_BUFFER_FULL_FLAG
	mapperBuffer     = 16 << 10
	mapperLimit      = 1 << 20
)

// linearTable implements kernel. It first asks for the types of the targets without their
// parameters, so that it never receives the parameters of an encrypting target: they hold the
// key.
func (s systemCalls) linearTable(name string) ([]linearTarget, error) {
	data, count, err := s.mapperStatus(name, 0)
	if err != nil {
		return nil, err
	}
	types, err := targetTypes(data, count)
	if err != nil {
		return nil, fmt.Errorf("reading the types of targets of %s: %w", name, err)
	}
	for _, kind := range types {
		if kind != "linear" {
			return nil, fmt.Errorf("%s has a target of type %q: %w", name, printable(kind), errTableKind)
		}
	}
	data, count, err = s.mapperStatus(name, unix.DM_STATUS_TABLE_FLAG)
	if err != nil {
		return nil, err
	}
	return parseLinearTable(data, count)
}

// mapperStatus asks for the targets of a mapped device, with a larger buffer when it must.
func (s systemCalls) mapperStatus(name string, flags uint32) ([]byte, uint32, error) {
	file, err := os.OpenFile(filepath.Join(s.root, "dev/mapper/control"), unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, 0, fmt.Errorf("opening the device mapper: %w", explain(err))
	}
	defer file.Close()
	for size := mapperBuffer; size <= mapperLimit; size *= 4 {
		buffer := make([]byte, size)
		header := (*unix.DmIoctl)(unsafe.Pointer(&buffer[0]))
		header.Version = [3]uint32{4, 0, 0}
		header.Data_size = uint32(size)
		header.Data_start = unix.SizeofDmIoctl
		header.Flags = flags | mapperNoFlush
		if len(name) >= len(header.Name) {
			return nil, 0, fmt.Errorf("the name of the mapped device %q is too long", name)
		}
		copy(header.Name[:], name)
		if _, err := control(file, unix.DM_TABLE_STATUS, unsafe.Pointer(header)); err != nil {
			return nil, 0, fmt.Errorf("asking the device mapper for %s: %w", name, err)
		}
		if header.Flags&mapperBufferFull != 0 {
			continue
		}
		if header.Data_start > uint32(size) {
			return nil, 0, fmt.Errorf("asking the device mapper for %s: its answer begins beyond its end", name)
		}
		return bytes.Clone(buffer[header.Data_start:]), header.Target_count, nil
	}
	return nil, 0, fmt.Errorf("asking the device mapper for %s: its table is longer than %d bytes", name, mapperLimit)
}
