//go:build unix

package machine

import (
	"errors"
	"syscall"
)

// isGone tells whether a device has been taken away.
func isGone(err error) bool {
	return errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ESTALE)
}
