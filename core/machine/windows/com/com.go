// Package com runs calls of COM on one thread of their own. COM binds objects to the thread that
// made them, and a call can hang for ever; so there is one goroutine with a locked thread, and
// whoever waits for a call can leave when time is up.
package com

import "diskaudit/core/bitlocker"

// Apartment is how COM treats the worker's thread
// (learn.microsoft.com/windows/win32/com/processes--threads--and-apartments).
type Apartment int

// The apartments.
const (
	// MTA is the multithreaded apartment, which WMI is asked from.
	MTA Apartment = iota
	// STA is a single-threaded apartment, which the shell's objects live in.
	STA
)

// entry tells what an answer of CoInitializeEx means: whether COM can be used on the thread now,
// and whether that has to be ended by CoUninitialize. S_FALSE means that the thread had COM
// already, and counts all the same. RPC_E_CHANGED_MODE means that it had COM in another
// apartment: COM works, but this call counted for nothing
// (learn.microsoft.com/windows/win32/api/combaseapi/nf-combaseapi-coinitializeex).
func entry(result bitlocker.HResult) (usable, counted bool) {
	switch result {
	case bitlocker.S_OK, bitlocker.S_FALSE:
		return true, true
	case bitlocker.RPC_E_CHANGED_MODE:
		return true, false
	}
	return false, false
}
