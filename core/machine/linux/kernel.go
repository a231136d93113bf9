package linux

import (
	"errors"
	"io"
)

// kernel is what the file tree does not tell: the system calls. Names of devices and folders
// are relative to the root of the tree, such as "dev/sda".
type kernel interface {
	// hardware is the architecture as uname names it, such as "x86_64".
	hardware() (string, error)
	// effectiveUser is the effective user id.
	effectiveUser() int
	// open opens a block device for reading. Number is the "major:minor" that it must have.
	open(name, number string) (blockDevice, error)
	// space asks the file system mounted at a folder.
	space(mountPoint string) (space, error)
	// smartLog reads the SMART / Health Information log page (02h) of an NVMe device.
	smartLog(name string) ([]byte, error)
	// linearTable is the table of a device-mapper device that consists of linear targets only.
	linearTable(name string) ([]linearTarget, error)
}

// blockDevice is an open device.
type blockDevice interface {
	io.ReaderAt
	io.Closer
}

// space is what statfs says of a file system.
type space struct {
	// clusterBytes is the unit that the file system counts in.
	clusterBytes uint64
	// freeBytes is what an ordinary user may still write.
	freeBytes uint64
}

// Why a device did not answer. fs.ErrPermission and fs.ErrNotExist are used beside these; any
// other error is a failure to read.
var (
	errGone         = errors.New("the device is gone")
	errNoMedium     = errors.New("there is no medium in the device")
	errSuspended    = errors.New("it is a suspended mapping, or lies on one")
	errNotSupported = errors.New("the device does not support this")
	errNotBlock     = errors.New("it is not a block device")
	errTableKind    = errors.New("the mapping is not linear")
)
