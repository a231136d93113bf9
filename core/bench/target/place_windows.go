package target

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"

	"diskaudit/core/contract"
)

// find tells what a path names. Links are followed.
func find(path string) (place, error) {
	kind, name, err := readWindowsPath(path)
	if err != nil {
		return place{}, err
	}
	switch kind {
	case windowsDevice:
		return place{kind: contract.TargetDevice, path: name}, nil
	case windowsDrive:
		return findOnDrive(name)
	}
	absolute, err := filepath.Abs(name)
	if err != nil {
		return place{}, explain("finding", path, err)
	}
	// Before anything is asked of it: a server that is gone takes long to not answer.
	if err := refuseRemote(absolute, filepath.VolumeName(absolute)+`\`); err != nil {
		return place{}, err
	}
	info, err := os.Stat(absolute)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return findNew(name, absolute)
	case err != nil:
		return place{}, explain("looking at", absolute, err)
	case info.IsDir():
		return place{kind: contract.TargetFile, path: absolute, folders: []string{absolute}}, nil
	case !info.Mode().IsRegular():
		return place{}, refuse("not-a-target", "%s is not a file on a disk. Name a folder, a new file, an existing file or a drive such as C:", absolute)
	}
	return findRegular(absolute, info)
}

// findOnDrive names the folders of a drive in which a user may make a file: its root, where the
// standard user of a system drive may not, and the folder for temporary files, if it is there.
func findOnDrive(root string) (place, error) {
	if err := refuseRemote(root, root); err != nil {
		return place{}, err
	}
	if _, err := os.Stat(root); err != nil {
		return place{}, explain("looking at", root, err)
	}
	p := place{kind: contract.TargetFile, path: root, folders: []string{root}}
	temporary := os.TempDir()
	own, err := volumeRoot(root)
	other, err2 := volumeRoot(temporary)
	if err == nil && err2 == nil && strings.EqualFold(own, other) {
		p.folders = append(p.folders, temporary)
	}
	return p, nil
}

// recalled are the attributes of files whose content a cloud service fetches when they are read.
const recalled = windows.FILE_ATTRIBUTE_OFFLINE | windows.FILE_ATTRIBUTE_RECALL_ON_OPEN | windows.FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS

// findRegular tells an existing file from one of ours that a loss of power left under a name that
// was given to it: that one is removed, and the name is free.
func findRegular(path string, info fs.FileInfo) (place, error) {
	if data, ok := info.Sys().(*syscall.Win32FileAttributeData); ok && data.FileAttributes&recalled != 0 {
		return place{}, refuse("remote", "the content of %s is not on this computer but in a cloud or an archive, and reading would fetch it. Name another file, or a folder", path)
	}
	if sweepOne(path, false) {
		return place{kind: contract.TargetFile, path: path, folders: []string{filepath.Dir(path)}, name: filepath.Base(path)}, nil
	}
	return place{kind: contract.TargetExistingFile, path: path}, nil
}

// findNew is for a path at which there is nothing, if there is a folder for it.
func findNew(given, path string) (place, error) {
	if link, err := os.Readlink(path); err == nil {
		return place{}, refuse("not-found", "%s is a link to %s, which does not exist (%s). Name the file itself, or a folder", path, link, systemText(windows.ERROR_FILE_NOT_FOUND))
	}
	folder, name := filepath.Dir(path), filepath.Base(path)
	info, err := os.Stat(folder)
	switch {
	case err != nil && errors.Is(err, fs.ErrNotExist):
		return place{}, refuse("not-found", "%s: the folder %s does not exist (%s). Make it first, or name another", path, folder, systemText(windows.ERROR_PATH_NOT_FOUND))
	case err != nil:
		return place{}, explain("looking at", folder, err)
	case !info.IsDir():
		return place{}, refuse("not-found", "%s: %s is not a folder. Name a folder or a file in one", path, folder)
	case strings.HasSuffix(given, `\`):
		return place{}, refuse("not-found", `the folder %s does not exist (%s). Make it first, or leave out the \ at the end for a file of that name`, path, systemText(windows.ERROR_FILE_NOT_FOUND))
	}
	return place{kind: contract.TargetFile, path: path, folders: []string{folder}, name: name}, nil
}

// refuseRemote refuses a path on a mapped network drive.
// Source: https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdrivetypew
func refuseRemote(path, root string) error {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return explain("looking at", path, err)
	}
	if windows.GetDriveType(name) != windows.DRIVE_REMOTE {
		return nil
	}
	return refuseShare(path)
}
