package host

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// restartSigns are keys that exist while Windows waits for a restart: of the component store,
// which installs features and updates, and of Windows Update. Microsoft's own scripts for
// ConfigMgr and DSC test the same
// (github.com/dsccommunity/ComputerManagementDsc, DSC_PendingReboot).
//
// PendingFileRenameOperations of the Session Manager does not count: any program leaves files there
// to be removed at the next start, printer drivers, browsers and virus scanners all the time, so
// that most computers would wait for a restart always. When an update needs the restart, the
// component store or Windows Update says so as well.
var restartSigns = []struct{ key, below string }{
	{`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing`, "RebootPending"},
	{`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing`, "RebootInProgress"},
	{`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update`, "RebootRequired"},
}

// RebootPending tells whether Windows waits for a restart to finish an update or the installation
// of a feature; nil when that cannot be read. Case B11.
func (r *Reader) RebootPending() *bool {
	return r.rebootPending(&notes{})
}

func (r *Reader) rebootPending(notes *notes) *bool {
	var refused error
	for _, sign := range restartSigns {
		// The parent is listed, as a key of its own may be closed to standard users.
		keys, err := r.registry.Subkeys(sign.key)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			refused = err
			continue
		}
		if slices.ContainsFunc(keys, func(key string) bool { return strings.EqualFold(key, sign.below) }) {
			return contract.Ptr(true)
		}
	}
	if refused != nil {
		notes.failed("pending restart", refused)
		return nil
	}
	return contract.Ptr(false)
}
