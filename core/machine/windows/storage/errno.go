package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"diskaudit/core/bitlocker"
)

// Errno is the code of an error as GetLastError gives it: a system error code, or a whole HRESULT.
type Errno uint32

// The codes that decide something here
// (learn.microsoft.com/windows/win32/debug/system-error-codes; the last one from
// learn.microsoft.com/windows/win32/secprov/getlockstatus-win32-encryptablevolume).
const (
	errInvalidFunction    Errno = 1
	errFileNotFound       Errno = 2
	errPathNotFound       Errno = 3
	errAccessDenied       Errno = 5
	errNotReady           Errno = 21
	errNotSupported       Errno = 50
	errDeviceNotExist     Errno = 55
	errInvalidParameter   Errno = 87
	errInsufficientBuffer Errno = 122
	errMoreData           Errno = 234
	errNoSuchDevice       Errno = 433
	errUnrecognizedVolume Errno = 1005
	errNoMedium           Errno = 1112
	errNotConnected       Errno = 1167
	errPrivilegeNotHeld   Errno = 1314
	errFileCorrupt        Errno = 1392
	errDeviceRemoved      Errno = 1617
	errLockedVolume       Errno = Errno(bitlocker.FVE_E_LOCKED_VOLUME)
)

var errnoNames = map[Errno]string{
	errInvalidFunction: "ERROR_INVALID_FUNCTION", errFileNotFound: "ERROR_FILE_NOT_FOUND",
	errPathNotFound: "ERROR_PATH_NOT_FOUND", errAccessDenied: "ERROR_ACCESS_DENIED",
	errNotReady: "ERROR_NOT_READY", errNotSupported: "ERROR_NOT_SUPPORTED",
	errDeviceNotExist: "ERROR_DEV_NOT_EXIST", errInvalidParameter: "ERROR_INVALID_PARAMETER",
	errInsufficientBuffer: "ERROR_INSUFFICIENT_BUFFER", errMoreData: "ERROR_MORE_DATA",
	errNoSuchDevice: "ERROR_NO_SUCH_DEVICE", errUnrecognizedVolume: "ERROR_UNRECOGNIZED_VOLUME",
	errNoMedium: "ERROR_NO_MEDIA_IN_DRIVE", errNotConnected: "ERROR_DEVICE_NOT_CONNECTED",
	errPrivilegeNotHeld: "ERROR_PRIVILEGE_NOT_HELD", errFileCorrupt: "ERROR_FILE_CORRUPT", errDeviceRemoved: "ERROR_DEVICE_REMOVED",
	errLockedVolume: "FVE_E_LOCKED_VOLUME",
}

// The kinds of errors that this package tells apart. An Errno is those that its code means.
var (
	errGone     = errors.New("the device is gone")
	errNoMedia  = errors.New("there is no medium in the device")
	errLocked   = errors.New("the volume is locked by BitLocker")
	errNoSystem = errors.New("the volume has no file system that Windows knows")
	errUnasked  = errors.New("the device does not support the question")
)

var errnoKinds = map[error][]Errno{
	fs.ErrPermission: {errAccessDenied, errPrivilegeNotHeld},
	fs.ErrNotExist:   {errFileNotFound, errPathNotFound},
	errGone:          {errFileNotFound, errPathNotFound, errDeviceNotExist, errNoSuchDevice, errNotConnected, errDeviceRemoved},
	errNoMedia:       {errNotReady, errNoMedium},
	errLocked:        {errLockedVolume},
	errNoSystem:      {errUnrecognizedVolume},
	errUnasked:       {errInvalidFunction, errNotSupported, errInvalidParameter},
}

// Error gives the code and its name, in English on every Windows.
func (e Errno) Error() string {
	if name, ok := errnoNames[e]; ok {
		return fmt.Sprintf("Windows error %s (%s)", e.number(), name)
	}
	if name, ok := e.result().Name(); ok {
		return fmt.Sprintf("Windows error %s (%s)", e.number(), name)
	}
	return "Windows error " + e.number()
}

// number is the code as people look it up: system error codes in decimal, others in hexadecimal.
func (e Errno) number() string {
	if e <= 0xffff {
		return fmt.Sprint(uint32(e))
	}
	return fmt.Sprintf("0x%08X", uint32(e))
}

// Is tells what the code means.
func (e Errno) Is(target error) bool {
	return slices.Contains(errnoKinds[target], e)
}

// result is the code as an HRESULT, as HRESULT_FROM_WIN32 makes one
// (learn.microsoft.com/windows/win32/api/winerror/nf-winerror-hresult_from_win32).
func (e Errno) result() bitlocker.HResult {
	if e == 0 || e > 0xffff {
		return bitlocker.HResult(e)
	}
	return bitlocker.HResult(0x80070000 | uint32(e))
}
