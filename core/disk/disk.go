// Package disk opens images of disks and volumes, finds their partitions and recognises what
// lies in them. It reads from an io.ReaderAt, a few kilobytes at a time, and never writes.
//
// Open takes the bytes out of their container, ReadTable finds the partitions, Recognize tells
// what a partition holds. All three trust nothing that they read: sizes and counts are checked
// against the image before they are used, and no input makes them allocate more than a few MiB.
//
// They read at any offset and in any length. A device that takes whole sectors only, as Windows
// has them, needs a reader in between.
package disk

import "fmt"

// Issue is something about an image that a reader should know although the work went on.
type Issue struct {
	// Code is a stable kebab-case id, one of the Issue constants.
	Code string
	// Text says what is wrong and what was done about it, for people.
	Text string
	// Incomplete is true when partitions or data are missing from the result because of it.
	Incomplete bool
}

// The codes of issues.
const (
	IssueImageUnaligned      = "image-size-unaligned"
	IssueVHDFooterDamaged    = "vhd-footer-damaged"
	IssueVHDHeaderDamaged    = "vhd-header-damaged"
	IssueVHDXHeaderDamaged   = "vhdx-header-damaged"
	IssueVHDXRegionsDamaged  = "vhdx-region-table-damaged"
	IssueVHDXLogReplayed     = "vhdx-log-replayed"
	IssueSectorSizeDiffers   = "sector-size-differs"
	IssueGPTDamaged          = "gpt-damaged"
	IssueGPTPrimaryDamaged   = "gpt-primary-damaged"
	IssueGPTBackupDamaged    = "gpt-backup-damaged"
	IssueGPTBackupMissing    = "gpt-backup-missing"
	IssueGPTCopiesDiffer     = "gpt-copies-differ"
	IssueGPTHybridMBR        = "gpt-hybrid-mbr"
	IssueGPTNotProtected     = "gpt-protective-mbr-missing"
	IssueGPTStale            = "gpt-stale"
	IssueGPTUnreadable       = "gpt-unreadable"
	IssuePartitionOutOfRange = "partition-out-of-range"
	IssuePartitionTruncated  = "partition-truncated"
	IssuePartitionOverlaps   = "partition-overlaps"
	IssuePartitionLimit      = "partition-limit"
	IssueMBRChainBroken      = "mbr-chain-broken"
	IssueMBRChainLoops       = "mbr-chain-loops"
)

func issuef(code, format string, args ...any) Issue {
	return Issue{Code: code, Text: fmt.Sprintf(format, args...)}
}

func lossf(code, format string, args ...any) Issue {
	return Issue{Code: code, Text: fmt.Sprintf(format, args...), Incomplete: true}
}

// Error says why an image could not be opened or read. Errors of the reader below, such as a
// bad sector, are wrapped in it or come unchanged.
type Error struct {
	// Code is a stable kebab-case id, one of the Code constants.
	Code string
	// Text names the reason and the way out, for people.
	Text string
	// Parent is the path of the disk that a differencing disk needs, when the image names it.
	Parent string
	// Err is the cause below, or nil.
	Err error
}

// The codes of errors.
const (
	CodeImageEmpty        = "image-empty"
	CodeImageTooSmall     = "image-too-small"
	CodeFormatUnsupported = "image-format-unsupported"
	CodeDifferencing      = "image-needs-parent"
	CodeVHDDamaged        = "vhd-damaged"
	CodeVHDXDamaged       = "vhdx-damaged"
	CodeVHDXUnsupported   = "vhdx-unsupported"
	CodeVHDXLog           = "vhdx-log-not-replayed"
	CodeUnreadable        = "image-unreadable"
)

// Error returns the text and the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Text + ": " + e.Err.Error()
	}
	return e.Text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func errorf(code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}
