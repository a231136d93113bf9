//go:build unix

package journal

// DefaultFolder is where this computer's journals lie: on Windows BitLockerDiskAudit\journal below ProgramData;
// elsewhere there is none, and it is empty.
func DefaultFolder() (string, error) { return "", nil }
