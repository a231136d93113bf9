package provider

import (
	"fmt"

	"diskaudit/core/bitlocker"
)

// Caller carries questions to BitLocker's WMI provider: COM on Windows, a simulator in tests. Its
// methods are called from one goroutine, and may block for as long as the provider hangs. An
// error that WMI or COM gave a code for is, or wraps, an *Error.
type Caller interface {
	// Connect connects to the namespace Namespace.
	Connect() error
	// Volumes returns every instance of Win32_EncryptableVolume. With an error come the instances
	// that were read before it.
	Volumes() ([]Row, error)
	// Call calls a method of the volume with this DeviceID, with its arguments in the order in which
	// the class declares them, and returns its return value: an int32, or nil where the provider gave
	// none. It sets Out of each argument that is one.
	Call(deviceID, method string, arguments ...*Argument) (Value, error)
	// Close ends the connection. It may be called after a failed Connect.
	Close()
}

// Value is what scripting for WMI hands over: nil (NULL, or nothing at all), bool, int32, string,
// []string. A uint32 arrives as int32 (learn.microsoft.com/windows/win32/wmisdk/numbers).
type Value any

// Argument is one argument of a method.
type Argument struct {
	// In is the value to pass; nil leaves an optional argument out.
	In Value
	// IsOut is set for an argument that the method fills in.
	IsOut bool
	// Out is what the method filled in.
	Out Value
}

// Row is one instance of Win32_EncryptableVolume. A property that is NULL, or that this Windows
// does not have, is nil. Its states, such as ProtectionStatus, are not among them: they are those
// of when the instance was made, and methods tell the present ones
// (learn.microsoft.com/windows/win32/secprov/win32-encryptablevolume).
type Row struct {
	// DeviceID is the volume's GUID path with a backslash at the end.
	DeviceID *string
	// PersistentVolumeID is the GUID that BitLocker gave the volume; empty for one that it never encrypted.
	PersistentVolumeID *string
	// DriveLetter is the letter with its colon.
	DriveLetter *string
	// VolumeType is 0 for the operating system's volume, 1 for a fixed and 2 for a removable one.
	VolumeType *int32
}

// Error is a failure that came with a code.
type Error struct {
	// Doing is what was being done, such as "calling GetLockStatus".
	Doing string
	// Code is what WMI or COM answered.
	Code bitlocker.HResult
}

func (e *Error) Error() string {
	if name, ok := e.Code.Name(); ok {
		return fmt.Sprintf("%s: %s (%s)", e.Doing, name, e.Code)
	}
	return fmt.Sprintf("%s: %s", e.Doing, e.Code)
}
