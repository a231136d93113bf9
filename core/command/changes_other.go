//go:build !windows

package command

import "diskaudit/core/remediate"

// theseChanges is nil: BitLocker is changed through Windows only.
var theseChanges func() remediate.Computer
