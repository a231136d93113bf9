package target

import (
	"os"

	"diskaudit/core/contract"
)

// place is what a path names.
type place struct {
	kind contract.TargetKind
	// path is absolute, for people and for opening what exists.
	path string
	// folders are those in which a new file may be made, in order of preference; folder is the one
	// that is tried.
	folders []string
	folder  string
	// name is what a new file has to be called; "" leaves it to us.
	name string
}

// at is what exists of the place.
func (p place) at() string {
	if p.kind == contract.TargetFile {
		return p.folder
	}
	return p.path
}

// site is what is known about the volume or device that holds a place.
type site struct {
	fileSystem *string
	// device is the path of the block device or volume below, "" when unknown.
	device string
	// key names the volume for the lock, the same for all that lies on it.
	key   string
	facts Facts
	// logical and physical are the device's sectors in bytes, 0 when unknown.
	logical, physical int
}

// made is a new empty file, open for unbuffered I/O.
type made struct {
	file *os.File
	// path opens it once more, shown is its path for people.
	path, shown string
	remove      func() error
}
