// Package shell reads the property by which Explorer shows a drive's BitLocker state. It answers
// callers without administrator rights, whom the WMI provider refuses, and tells less.
package shell

import "context"

// Property reads System.Volume.BitLockerProtection.
type Property interface {
	// BitLocker is the property of a drive or mount folder, given with a backslash at the end; nil
	// when the shell has none for it. An error that came with a code is, or wraps, a
	// *provider.Error. When ctx ends before the shell answers, the error is its cause.
	BitLocker(ctx context.Context, root string) (*int32, error)
	// Close lets go of the shell. It never waits for a question that hangs.
	Close()
}
