//go:build !unix

package require

import "testing"

// Measuring does nothing here: tests that measure run on Unix systems.
func Measuring(t testing.TB) { t.Helper() }
