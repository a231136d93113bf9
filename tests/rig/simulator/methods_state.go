package simulator

import (
	"math"

	"diskaudit/core/bitlocker"
)

// stateMethods tell the state of a volume. Each page is below learn.microsoft.com/windows/win32/secprov/.
var stateMethods = []method{
	{
		name: "GetConversionStatus", page: "getconversionstatus-win32-encryptablevolume",
		// Its page calls PrecisionFactor an in parameter and no optional one, but Microsoft's own module
		// leaves it out.
		parameters: []parameter{
			out("ConversionStatus"), out("EncryptionPercentage"), out("EncryptionFlags"),
			out("WipingStatus"), out("WipingPercentage"), may("PrecisionFactor", uint32Kind),
		},
		run: getConversionStatus,
	},
	{
		name: "GetEncryptionMethod", page: "getencryptionmethod-win32-encryptablevolume",
		parameters: []parameter{out("EncryptionMethod"), out("SelfEncryptionDriveEncryptionMethod")},
		run: func(c *call) bitlocker.HResult {
			c.out["EncryptionMethod"] = c.volume.Method
			if c.volume.DriveMethod != "" {
				c.out["SelfEncryptionDriveEncryptionMethod"] = c.volume.DriveMethod
			}
			return bitlocker.S_OK
		},
	},
	{
		name: "GetHardwareEncryptionStatus", page: "gethardwareencryptionstatus-win32-encryptablevolume",
		parameters: []parameter{out("HardwareEncryptionStatus")},
		run: func(c *call) bitlocker.HResult {
			c.out["HardwareEncryptionStatus"] = c.volume.Hardware
			return bitlocker.S_OK
		},
	},
	{
		name: "GetProtectionStatus", page: "getprotectionstatus-win32-encryptablevolume",
		parameters: []parameter{out("ProtectionStatus")},
		run: func(c *call) bitlocker.HResult {
			c.out["ProtectionStatus"] = c.volume.protection()
			return bitlocker.S_OK
		},
	},
	{
		name: "GetLockStatus", page: "getlockstatus-win32-encryptablevolume",
		parameters: []parameter{out("LockStatus")},
		run: func(c *call) bitlocker.HResult {
			c.out["LockStatus"] = int32(0)
			if c.volume.Locked {
				c.out["LockStatus"] = int32(1)
			}
			return bitlocker.S_OK
		},
	},
	{
		name: "IsAutoUnlockEnabled", page: "isautounlockenabled-win32-encryptablevolume",
		parameters: []parameter{out("IsAutoUnlockEnabled"), out("VolumeKeyProtectorID")},
		run: func(c *call) bitlocker.HResult {
			switch {
			case c.volume.Type == OperatingSystem:
				return bitlocker.FVE_E_NOT_DATA_VOLUME
			case !c.volume.activated():
				return bitlocker.FVE_E_NOT_ACTIVATED
			}
			c.out["IsAutoUnlockEnabled"] = c.volume.AutoUnlock != ""
			if c.volume.AutoUnlock != "" {
				c.out["VolumeKeyProtectorID"] = c.volume.AutoUnlock
			}
			return bitlocker.S_OK
		},
	},
	{
		name: "IsAutoUnlockKeyStored", page: "isautounlockkeystored-win32-encryptablevolume",
		parameters: []parameter{out("IsAutoUnlockKeyStored")},
		run: func(c *call) bitlocker.HResult {
			switch {
			case c.volume.Type != OperatingSystem:
				return bitlocker.FVE_E_NOT_OS_VOLUME
			case !c.volume.activated():
				return bitlocker.FVE_E_NOT_ACTIVATED
			}
			c.out["IsAutoUnlockKeyStored"] = c.volume.KeysStored
			return bitlocker.S_OK
		},
	},
	{
		name: "GetSuspendCount", page: "getsuspendcount-win32-encryptablevolume",
		parameters: []parameter{out("SuspendCount")},
		run: func(c *call) bitlocker.HResult {
			suspended := c.volume.Conversion != Decrypted && c.volume.KeyInClear && len(c.volume.Protectors) > 0
			if c.volume.Type != OperatingSystem || !suspended {
				return bitlocker.ERROR_NOT_SUPPORTED
			}
			c.out["SuspendCount"] = c.volume.Suspensions
			return bitlocker.S_OK
		},
	},
	{
		name: "GetVersion", page: "getversion-win32-encryptablevolume",
		parameters: []parameter{out("Version")},
		run: func(c *call) bitlocker.HResult {
			c.out["Version"] = c.volume.Version
			return bitlocker.S_OK
		},
	},
	{
		name: "GetHardwareTestStatus", page: "gethardwareteststatus-win32-encryptablevolume",
		parameters: []parameter{out("TestStatus"), out("TestError")},
		run: unlocked(func(c *call) bitlocker.HResult {
			c.out["TestStatus"] = c.volume.HardwareTest
			c.out["TestError"] = c.volume.HardwareTestError
			return bitlocker.S_OK
		}),
	},
	{
		name: "GetIdentificationField", page: "getidentificationfield-win32-encryptablevolume",
		parameters: []parameter{out("IdentificationField")},
		run: unlocked(activated(func(c *call) bitlocker.HResult {
			c.out["IdentificationField"] = c.volume.Identification
			return bitlocker.S_OK
		})),
	},
}

// getConversionStatus scales the percentages by ten to the power of PrecisionFactor. The page says
// only that the factor may be 0 to 4; that the value is the percentage times that power is what
// programs in the field rely on.
func getConversionStatus(c *call) bitlocker.HResult {
	factor := c.integer("PrecisionFactor")
	if factor < 0 || factor > 4 {
		return bitlocker.E_INVALIDARG
	}
	if c.volume.Locked {
		return bitlocker.FVE_E_LOCKED_VOLUME
	}
	scale := math.Pow10(int(factor))
	c.out["ConversionStatus"] = c.volume.Conversion
	c.out["EncryptionPercentage"] = int32(c.volume.Percent * scale)
	c.out["EncryptionFlags"] = c.volume.Flags
	c.out["WipingStatus"] = c.volume.Wiping
	c.out["WipingPercentage"] = int32(c.volume.WipePercent * scale)
	return bitlocker.S_OK
}

// unlocked refuses a locked volume.
func unlocked(run func(*call) bitlocker.HResult) func(*call) bitlocker.HResult {
	return func(c *call) bitlocker.HResult {
		if c.volume.Locked {
			return bitlocker.FVE_E_LOCKED_VOLUME
		}
		return run(c)
	}
}

// activated refuses a volume for which BitLocker is not on.
func activated(run func(*call) bitlocker.HResult) func(*call) bitlocker.HResult {
	return func(c *call) bitlocker.HResult {
		if !c.volume.activated() {
			return bitlocker.FVE_E_NOT_ACTIVATED
		}
		return run(c)
	}
}
