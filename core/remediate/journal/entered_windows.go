package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// protected is the security of what this program makes: the Administrators own it, they and the
// system may do everything, nobody else anything, and nothing is inherited from the folder above. Sources:
// learn.microsoft.com/windows/win32/secauthz/security-descriptor-string-format and ace-strings.
const protected = "O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"

// entered is the folder of the journals, opened and found to be in the hands of administrators. As long as its
// handles are open, which do not share the right to delete, neither it nor this program's folder above it
// can be renamed or removed
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew, FILE_SHARE_DELETE).
type entered struct {
	dirs []*os.File
	path string
}

// guarded are the folders that have to be in safe hands: ProgramData lets every user make folders in it, so
// this program's own folder there counts too.
func guarded(path string) []string {
	if standard, err := DefaultFolder(); err == nil && strings.EqualFold(path, standard) {
		return []string{filepath.Dir(path), path}
	}
	return []string{path}
}

// makeFolder makes the folder for administrators alone, unless it is there. Its security is there from the first moment
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createdirectoryw).
func makeFolder(path string) error {
	security, err := protection()
	if err != nil {
		return err
	}
	for _, folder := range guarded(path) {
		name, err := windows.UTF16PtrFromString(folder)
		if err == nil {
			err = windows.CreateDirectory(name, security)
		}
		switch {
		case err == nil, errors.Is(err, windows.ERROR_ALREADY_EXISTS):
		case errors.Is(err, windows.ERROR_INVALID_OWNER), errors.Is(err, windows.ERROR_ACCESS_DENIED):
			return fmt.Errorf("making the folder of the journals %s: %w (%w). Only an elevated administrator can; run this elevated", folder, fs.ErrPermission, err)
		default:
			return fmt.Errorf("making the folder of the journals: %w", &fs.PathError{Op: "mkdir", Path: folder, Err: err})
		}
	}
	return nil
}

// protection is what CreateDirectory and CreateFile take for it
// (learn.microsoft.com/windows/win32/api/sddl/nf-sddl-convertstringsecuritydescriptortosecuritydescriptorw).
func protection() (*windows.SecurityAttributes, error) {
	descriptor, err := windows.SecurityDescriptorFromString(protected)
	if err != nil {
		return nil, fmt.Errorf("making the security of the journals: %w", err)
	}
	return &windows.SecurityAttributes{Length: uint32(unsafe.Sizeof(windows.SecurityAttributes{})), SecurityDescriptor: descriptor}, nil
}

// enter opens the folder, if neither it nor this program's folder above it leads elsewhere, and if only
// administrators can change what is in them.
func enter(path string) (*entered, error) {
	e := &entered{path: path}
	for _, folder := range guarded(path) {
		dir, err := openFolder(folder)
		if err != nil {
			e.Close()
			return nil, err
		}
		e.dirs = append(e.dirs, dir)
	}
	return e, nil
}

// openFolder opens a folder itself, not what it leads to
// (learn.microsoft.com/windows/win32/fileio/symbolic-link-effects-on-file-systems-functions).
func openFolder(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of the journals %q: %w", path, err)
	}
	handle, err := windows.CreateFile(name, windows.FILE_LIST_DIRECTORY|windows.READ_CONTROL, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of the journals: %w", &fs.PathError{Op: "open", Path: path, Err: err})
	}
	dir := os.NewFile(uintptr(handle), path)
	if err := inSafeHands(handle, path, true); err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}

// inSafeHands tells whether a handle is that of a folder, or of a file, which leads nowhere else and which only
// administrators can change.
func inSafeHands(handle windows.Handle, path string, folder bool) error {
	wayOut := removeFile
	if folder {
		wayOut = removeFolder
	}
	// learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getfileinformationbyhandle
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(handle, &info); err != nil {
		return fmt.Errorf("looking at what %s is: %w", path, err)
	}
	switch isFolder := info.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0; {
	case info.FileAttributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0:
		return &Refusal{Path: path, Reason: "it is a link, a junction or another reparse point, which can lead anywhere", WayOut: wayOut}
	case folder && !isFolder:
		return &Refusal{Path: path, Reason: "it is not a folder", WayOut: wayOut}
	case !folder && isFolder:
		return &Refusal{Path: path, Reason: "it is not a file", WayOut: wayOut}
	}
	descriptor, err := securityOf(handle)
	if err != nil {
		return fmt.Errorf("looking at who may change %s: %w", path, err)
	}
	if reason := unsafety(descriptor, trusted()); reason != "" {
		return &Refusal{Path: path, Reason: reason, WayOut: wayOut}
	}
	return nil
}

// securityOf reads the owner of something open and who may do what with it, in self-relative form
// (learn.microsoft.com/windows/win32/api/aclapi/nf-aclapi-getsecurityinfo).
func securityOf(handle windows.Handle) ([]byte, error) {
	descriptor, err := windows.GetSecurityInfo(handle, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil, err
	}
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(descriptor)), descriptor.Length())...), nil
}

func (e *entered) Close() {
	for _, dir := range e.dirs {
		dir.Close()
	}
}

// names reads some of the names in the folder; io.EOF when there are no more.
func (e *entered) names(limit int) ([]string, error) {
	return e.dirs[len(e.dirs)-1].Readdirnames(limit)
}

// flush has nothing to do: flushing a file's buffers writes its metadata too
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-flushfilebuffers).
func (e *entered) flush() error { return nil }

// create makes a new file to append to. Others may read it meanwhile.
func (e *entered) create(name string) (*os.File, error) {
	return e.open("making the journal", name, windows.GENERIC_WRITE|windows.READ_CONTROL, windows.FILE_SHARE_READ, windows.CREATE_NEW)
}

// read opens a file that is there, and that may be written to meanwhile.
func (e *entered) read(name string) (*os.File, error) {
	return e.open("opening the journal", name, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, windows.OPEN_EXISTING)
}

// openLock opens the file that is locked, and makes it if it is not there.
func (e *entered) openLock(name string) (*os.File, error) {
	return e.open("opening the lock", name, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, windows.OPEN_ALWAYS)
}

// open opens a file of the folder itself, not what it leads to. CREATE_NEW is O_EXCL here
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew).
func (e *entered) open(doing, name string, access, share, disposition uint32) (*os.File, error) {
	path := filepath.Join(e.path, name)
	text, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", doing, path, err)
	}
	security, err := protection()
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(text, access, share, security, disposition, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	file := os.NewFile(uintptr(handle), path)
	if err := inSafeHands(handle, path, false); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// privileged tells whether this process is elevated
// (learn.microsoft.com/windows/win32/api/winnt/ns-winnt-token_elevation).
func privileged() bool { return windows.GetCurrentProcessToken().IsElevated() }
