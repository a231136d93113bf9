package target

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"

	"diskaudit/core/contract"
)

// find tells what a path names. Links are followed.
func find(path string) (place, error) {
	if strings.ContainsRune(path, 0) {
		return place{}, refuse("not-a-target", "%q is not a path: it contains a NUL character", path)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return place{}, explain("finding", path, err)
	}
	// Before anything is asked of it: a network file system whose server is gone never answers.
	if m, ok := mountAbove(absolute); ok {
		if err := refuseRemote(absolute, m); err != nil {
			return place{}, err
		}
	}
	info, err := os.Stat(absolute)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return findNew(path, absolute)
	case err != nil:
		return place{}, explain("looking at", absolute, err)
	}
	return findExisting(absolute, info)
}

// unsuitable are the kinds of files that nothing can be measured on.
var unsuitable = []struct {
	mode fs.FileMode
	name string
}{
	{fs.ModeCharDevice, "a character device"}, {fs.ModeNamedPipe, "a pipe"}, {fs.ModeSocket, "a socket"}, {fs.ModeIrregular, "not a regular file"},
}

func findExisting(path string, info fs.FileInfo) (place, error) {
	mode := info.Mode()
	switch {
	case mode.IsDir():
		return place{kind: contract.TargetFile, path: path, folders: []string{path}, folder: path}, nil
	case mode.IsRegular():
		return findRegular(path)
	}
	for _, u := range unsuitable {
		if mode&u.mode != 0 {
			return place{}, refuse("not-a-target", "%s is %s, not a disk. Name a folder, a new file, an existing file or a block device", path, u.name)
		}
	}
	return place{kind: contract.TargetDevice, path: path}, nil
}

// findRegular tells an existing file from one of ours that a killed run left under a name that
// was given to it: that one is removed, and the name is free.
func findRegular(path string) (place, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return place{}, explain("looking at", path, err)
	}
	if sweepOne(resolved, false) {
		return place{kind: contract.TargetFile, path: resolved, folders: []string{filepath.Dir(resolved)}, folder: filepath.Dir(resolved), name: filepath.Base(resolved)}, nil
	}
	return place{kind: contract.TargetExistingFile, path: path}, nil
}

// findNew is for a path at which there is nothing, if there is a folder for it.
func findNew(given, path string) (place, error) {
	if link, err := os.Readlink(path); err == nil {
		return place{}, refuse("not-found", "%s is a link to %s, which does not exist (%v). Name the file itself, or a folder", path, link, unix.ENOENT)
	}
	folder, name := filepath.Dir(path), filepath.Base(path)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return place{}, refuse("not-found", "%s: the folder %s does not exist (%v). Make it first, or name another", path, folder, unix.ENOENT)
	case err != nil:
		return place{}, explain("looking at", folder, err)
	case !info.IsDir():
		return place{}, refuse("not-found", "%s: %s is not a folder. Name a folder or a file in one", path, folder)
	case windowsPath.MatchString(given):
		return place{}, refuse("not-found", "%s is a path of Windows, and this is Linux. Name a folder such as /data, or a device such as /dev/nvme0n1", given)
	case isDeviceFolder(folder):
		return place{}, refuse("not-found", "there is no device %s (%v), and files are not made in %s, which is memory. Check the name: lsblk lists the disks", path, unix.ENOENT, folder)
	case strings.HasSuffix(given, "/"):
		return place{}, refuse("not-found", "the folder %s does not exist (%v). Make it first, or leave out the / at the end for a file of that name", path, unix.ENOENT)
	}
	return place{kind: contract.TargetFile, path: path, folders: []string{folder}, folder: folder, name: name}, nil
}

// windowsPath is how drives and devices are written on Windows.
var windowsPath = regexp.MustCompile(`^([A-Za-z]:([\\/].*)?|\\\\.*)$`)

// isDeviceFolder tells whether a folder holds device files: /dev and what lies below it on the
// same file system.
func isDeviceFolder(folder string) bool {
	m, ok := mountAbove(folder)
	return ok && m.kind == "devtmpfs"
}

// survey finds out about the file system or device of a place, and refuses one that cannot be
// measured on.
func survey(p place) (*site, error) {
	at := p.at()
	var stat unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, at, 0, unix.STATX_BASIC_STATS|unix.STATX_MNT_ID, &stat); err != nil {
		return nil, explain("looking at", at, err)
	}
	s := &site{}
	if p.kind == contract.TargetDevice {
		number := deviceNumber{stat.Rdev_major, stat.Rdev_minor}
		s.device, s.key = p.path, number.String()
		s.examine(number)
		s.examineMounts(number)
		return s, nil
	}
	holder := deviceNumber{stat.Dev_major, stat.Dev_minor}
	s.key = holder.String()
	mount, known := mountOf(stat, at)
	if known {
		if err := refuseRemote(at, mount); err != nil {
			return nil, err
		}
		s.takeMount(mount)
		holder = mount.below(holder)
	}
	if holder.major != 0 {
		s.key = holder.String()
		s.device = holder.path()
		s.examine(holder)
	} else if s.facts.InMemory == nil {
		s.facts.note(FactInMemory, nil, "the device below "+at+" is not known")
	}
	return s, s.examineFlags(p, at)
}

// takeMount keeps what the kind of the file system says.
func (s *site) takeMount(m mount) {
	s.fileSystem = &m.kind
	s.facts.no(FactRemote, "the file system is "+m.kind)
	if memoryKinds[m.kind] {
		s.facts.yes(FactInMemory, "the file system "+m.kind+" keeps its files in memory")
	}
	if m.kind == "fuse" || m.kind == "fuseblk" || strings.HasPrefix(m.kind, "fuse.") {
		s.facts.yes(FactFUSE, "the file system "+m.kind+" is a program in user space, which may cache")
	} else {
		s.facts.no(FactFUSE, "the file system is "+m.kind)
	}
	if m.kind == "overlay" || m.kind == "aufs" {
		s.facts.yes(FactOverlay, "the file system "+m.kind+" at "+m.point+" lies on others")
	} else {
		s.facts.no(FactOverlay, "the file system is "+m.kind)
	}
}

// examineFlags looks whether the file system can be written to. Source: statfs(2), f_flags.
func (s *site) examineFlags(p place, at string) error {
	var stat unix.Statfs_t
	if err := unix.Statfs(at, &stat); err != nil {
		s.facts.note(FactReadOnly, nil, fmt.Sprintf("asking statfs about %s: %v", at, err))
		return nil
	}
	if stat.Flags&unix.ST_RDONLY == 0 {
		s.facts.no(FactReadOnly, "it is mounted for reading and writing")
		return nil
	}
	s.facts.yes(FactReadOnly, "it is mounted read-only")
	if p.kind != contract.TargetFile {
		return nil
	}
	refusal := refuse("read-only", "%s is on a file system that is mounted read-only (%v): no test file can be made there. Mount it for writing, name another folder, or name an existing file to only read", at, unix.EROFS)
	refusal.cause = unix.EROFS
	return refusal
}
