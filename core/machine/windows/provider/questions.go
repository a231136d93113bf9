package provider

import (
	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// question is a method that tells a state and hands out no secret. Pages are below
// learn.microsoft.com/windows/win32/secprov, named like the method with the class behind it, such
// as getlockstatus-win32-encryptablevolume.
type question struct {
	method string
	// facts are the fields of the document that each of its out arguments tells, in order.
	facts []string
	// absent is the level of the problem when this Windows does not have the method: info for one
	// that came after the first release of the class.
	absent contract.Level
	// beside tells that no volume's state rests on it: a failure to read it is a warning.
	beside bool
	// refusals are the codes by which the method itself says something.
	refusals map[bitlocker.HResult]meaning
	// uncertain tells that the page gives any code a meaning which it does not name, so that a
	// refusal is no failure.
	uncertain bool
}

// meaning is what a method says by refusing.
type meaning int

const (
	// unexplained is a refusal that says nothing: the fact is unknown.
	unexplained meaning = iota
	// none: BitLocker is not on for the volume, so there is nothing of the kind.
	none
	// elsewhere: the question is for another kind of volume, and for this one there is no such fact.
	elsewhere
	// locked: the volume is locked, which its own problem says.
	locked
)

// Codes of FACILITY_WIN32 stand here as HRESULT_FROM_WIN32 makes them.
var (
	askLock = question{method: "GetLockStatus", facts: []string{"lock"}, absent: contract.LevelError}

	// The page says nothing of what PrecisionFactor, the last argument, scales; see percent.go.
	askConversion = question{method: "GetConversionStatus",
		facts: []string{"conversion", "percent", "usedSpaceOnly", "wiping", "wipePercent"}, absent: contract.LevelError,
		refusals: map[bitlocker.HResult]meaning{bitlocker.FVE_E_LOCKED_VOLUME: locked}}

	askMethod = question{method: "GetEncryptionMethod", facts: []string{"method, engine", "driveMethod"}, absent: contract.LevelError,
		refusals: map[bitlocker.HResult]meaning{bitlocker.FVE_E_LOCKED_VOLUME: locked}}

	askProtection = question{method: "GetProtectionStatus", facts: []string{"protection, protectionReason"}, absent: contract.LevelError,
		refusals: map[bitlocker.HResult]meaning{bitlocker.FVE_E_LOCKED_VOLUME: locked}}

	// FVE_E_NOT_ACTIVATED: "Add a key protector", so there is none.
	askProtectors = question{method: "GetKeyProtectors", facts: []string{"protectors"}, absent: contract.LevelError,
		refusals: map[bitlocker.HResult]meaning{
			bitlocker.FVE_E_NOT_ACTIVATED: none,
			bitlocker.FVE_E_LOCKED_VOLUME: locked,
		}}

	askAnyProtector = question{method: "IsKeyProtectorAvailable", facts: []string{"protectors"}, absent: contract.LevelError}

	askProtectorType = question{method: "GetKeyProtectorType", facts: []string{"the type of a key protector"}, absent: contract.LevelError}

	askAutoUnlock = question{method: "IsAutoUnlockEnabled", facts: []string{"autoUnlock"}, absent: contract.LevelError,
		refusals: map[bitlocker.HResult]meaning{
			bitlocker.FVE_E_NOT_ACTIVATED:   none,
			bitlocker.FVE_E_NOT_DATA_VOLUME: elsewhere,
			bitlocker.FVE_E_LOCKED_VOLUME:   locked,
		}}

	askKeysStored = question{method: "IsAutoUnlockKeyStored", facts: []string{"autoUnlockKeysStored"}, absent: contract.LevelWarning, beside: true,
		refusals: map[bitlocker.HResult]meaning{
			bitlocker.FVE_E_NOT_ACTIVATED: none,
			bitlocker.FVE_E_NOT_OS_VOLUME: elsewhere,
			bitlocker.FVE_E_LOCKED_VOLUME: locked,
		}}

	// From Windows 8 on. ERROR_NOT_SUPPORTED: not suspended, or not the system's volume.
	askSuspendCount = question{method: "GetSuspendCount", facts: []string{"suspendCount"}, absent: contract.LevelInfo,
		refusals: map[bitlocker.HResult]meaning{
			bitlocker.ERROR_NOT_SUPPORTED: elsewhere,
			bitlocker.FVE_E_LOCKED_VOLUME: locked,
		}}

	// From Windows 7 on.
	askVersion = question{method: "GetVersion", facts: []string{"metadataVersion"}, absent: contract.LevelInfo, beside: true,
		refusals: map[bitlocker.HResult]meaning{
			bitlocker.FVE_E_NOT_ACTIVATED: elsewhere,
			bitlocker.FVE_E_LOCKED_VOLUME: locked,
		}}

	// The page speaks of operating system volumes only.
	askHardwareTest = question{method: "GetHardwareTestStatus", facts: []string{"hardwareTest"}, absent: contract.LevelWarning, beside: true,
		refusals: map[bitlocker.HResult]meaning{
			bitlocker.FVE_E_NOT_OS_VOLUME: elsewhere,
			// "Add a key protector to enable BitLocker": without one no test can be pending.
			bitlocker.FVE_E_NOT_ACTIVATED: none,
			bitlocker.FVE_E_LOCKED_VOLUME: locked,
		}}

	// From Windows 8 on. The page returns 0 for a volume that is compatible with the encryption
	// of its drive and "an error" otherwise, without naming one.
	askHardware = question{method: "GetHardwareEncryptionStatus", facts: []string{"hardwareEncryption"}, absent: contract.LevelInfo, beside: true,
		uncertain: true,
		refusals:  map[bitlocker.HResult]meaning{bitlocker.FVE_E_LOCKED_VOLUME: locked}}
)

// missing are the codes of a method that this Windows does not have
// (learn.microsoft.com/windows/win32/wmisdk/wmi-error-constants,
// learn.microsoft.com/windows/win32/api/oaidl/nf-oaidl-idispatch-getidsofnames).
var missing = map[bitlocker.HResult]bool{
	bitlocker.DISP_E_UNKNOWNNAME:            true,
	bitlocker.DISP_E_MEMBERNOTFOUND:         true,
	bitlocker.WBEM_E_INVALID_METHOD:         true,
	bitlocker.WBEM_E_METHOD_NOT_IMPLEMENTED: true,
}
