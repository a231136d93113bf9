package provider

import "diskaudit/core/contract"

// answers are what the methods said of one volume; nil where one said nothing.
type answers struct {
	// lock is of GetLockStatus.
	lock *int32
	// The five are of GetConversionStatus with its highest precision.
	conversion, percent, flags, wiping, wipePercent *int32
	// roughPercent and roughWipePercent are of the same method in whole percent, asked for only
	// while something is under way.
	roughPercent, roughWipePercent *int32
	// method and driveMethod are of GetEncryptionMethod.
	method      *int32
	driveMethod *string
	// protection is of GetProtectionStatus.
	protection *int32
	// protectors are of GetKeyProtectors and GetKeyProtectorType; nil when they were not listed.
	// off tells that the method refused because no protector was ever added.
	protectors []contract.Protector
	off        bool
	// autoUnlock is of IsAutoUnlockEnabled, keysStored of IsAutoUnlockKeyStored.
	autoUnlock, keysStored *bool
	// isSystem tells, by what those two refuse, whether the volume is that of the running system.
	isSystem *bool
	// suspendCount is of GetSuspendCount; notSuspended tells that it refused because protection
	// of the system's volume is not suspended, or the volume is another one.
	suspendCount *int32
	notSuspended bool
	// version is of GetVersion, hardwareTest of GetHardwareTestStatus, hardware of GetHardwareEncryptionStatus.
	version, hardwareTest, hardware *int32
}
