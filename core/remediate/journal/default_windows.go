package journal

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// DefaultFolder is where this computer's journals lie: on Windows BitLockerDiskAudit\journal below ProgramData
// (learn.microsoft.com/windows/win32/shell/knownfolderid, FOLDERID_ProgramData); elsewhere there is none, and it
// is empty.
func DefaultFolder() (string, error) {
	data, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, windows.KF_FLAG_DEFAULT)
	if err != nil {
		return "", fmt.Errorf("asking Windows for the folder ProgramData: %w", err)
	}
	return filepath.Join(data, programFolder, "journal"), nil
}

// programFolder is this program's folder below ProgramData.
const programFolder = "BitLockerDiskAudit"
