package simulator

import (
	"slices"

	"diskaudit/core/bitlocker"
)

// accessDenied is E_ACCESSDENIED, with which Lock refuses a volume in use.
const accessDenied = bitlocker.HResult(0x80070005)

// changingMethods change a volume. Each page is below learn.microsoft.com/windows/win32/secprov/.
var changingMethods = []method{
	{name: "Decrypt", page: "decrypt-win32-encryptablevolume", changes: true, run: unlocked(decrypt)},
	{
		name: "PauseConversion", page: "pauseconversion-win32-encryptablevolume", changes: true,
		run: unlocked(func(c *call) bitlocker.HResult {
			c.turn(map[int32]int32{Encrypting: EncryptingPaused, Decrypting: DecryptingPaused}, Wiping, WipePaused)
			return bitlocker.S_OK
		}),
	},
	{
		name: "ResumeConversion", page: "resumeconversion-win32-encryptablevolume", changes: true,
		run: unlocked(func(c *call) bitlocker.HResult {
			c.turn(map[int32]int32{EncryptingPaused: Encrypting, DecryptingPaused: Decrypting}, WipePaused, Wiping)
			return bitlocker.S_OK
		}),
	},
	{
		name: "DisableKeyProtectors", page: "disablekeyprotectors-win32-encryptablevolume", changes: true,
		parameters: []parameter{may("DisableCount", uint32Kind)},
		run: unlocked(func(c *call) bitlocker.HResult {
			count, given := c.in["DisableCount"].(int32)
			if given && (c.volume.Type != OperatingSystem || count < 0 || count > 15) {
				return bitlocker.E_INVALIDARG
			}
			c.volume.KeyInClear, c.volume.Suspensions = true, count
			return bitlocker.S_OK
		}),
	},
	{
		name: "EnableKeyProtectors", page: "enablekeyprotectors-win32-encryptablevolume", changes: true,
		run: activated(func(c *call) bitlocker.HResult {
			if len(c.volume.Protectors) == 0 {
				return bitlocker.FVE_E_SECURE_KEY_REQUIRED
			}
			c.volume.KeyInClear, c.volume.Suspensions = false, 0
			return bitlocker.S_OK
		}),
	},
	{
		// It takes effect on every data volume that the computer ever knew; those that are there lose
		// their automatic unlocking.
		name: "ClearAllAutoUnlockKeys", page: "clearallautounlockkeys-win32-encryptablevolume", changes: true,
		run: func(c *call) bitlocker.HResult {
			switch {
			case c.volume.Type != OperatingSystem:
				return bitlocker.FVE_E_NOT_OS_VOLUME
			case !c.volume.activated():
				return bitlocker.FVE_E_NOT_ACTIVATED
			}
			for _, volume := range c.others {
				volume.AutoUnlock = ""
			}
			c.volume.KeysStored = false
			return bitlocker.S_OK
		},
	},
	{
		name: "DisableAutoUnlock", page: "disableautounlock-win32-encryptablevolume", changes: true,
		run: func(c *call) bitlocker.HResult {
			switch {
			case c.volume.Type == OperatingSystem:
				return bitlocker.FVE_E_NOT_DATA_VOLUME
			case !c.volume.activated():
				return bitlocker.FVE_E_NOT_ACTIVATED
			case c.volume.AutoUnlock == "":
				return bitlocker.FVE_E_VOLUME_NOT_BOUND
			}
			c.volume.AutoUnlock = ""
			return bitlocker.S_OK
		},
	},
	{
		name: "DeleteKeyProtector", page: "deletekeyprotector-win32-encryptablevolume", changes: true,
		parameters: []parameter{in("VolumeKeyProtectorID", stringKind)},
		run:        unlocked(activated(deleteProtector)),
	},
	{
		name: "DeleteKeyProtectors", page: "deletekeyprotectors-win32-encryptablevolume", changes: true,
		run: unlocked(func(c *call) bitlocker.HResult {
			switch {
			case c.volume.AutoUnlock != "":
				return bitlocker.FVE_E_VOLUME_BOUND_ALREADY
			case c.volume.Conversion != Decrypted && !c.volume.KeyInClear:
				return bitlocker.FVE_E_KEY_REQUIRED
			}
			c.volume.Protectors = nil
			return bitlocker.S_OK
		}),
	},
	{
		name: "BackupRecoveryInformationToActiveDirectory", page: "backuprecoveryinformationtoactivedirectory-win32-encryptablevolume", changes: true,
		parameters: []parameter{in("VolumeKeyProtectorID", stringKind)},
		run: activated(func(c *call) bitlocker.HResult {
			protector := c.volume.protector(c.text("VolumeKeyProtectorID"))
			switch {
			case protector == nil || protector.Type != RecoveryPassword:
				return bitlocker.FVE_E_INVALID_PROTECTOR_TYPE
			case c.volume.BackupRefused:
				return bitlocker.S_FALSE
			}
			return bitlocker.S_OK
		}),
	},
	{
		name: "UpgradeVolume", page: "upgradevolume-win32-encryptablevolume", changes: true,
		run: unlocked(activated(func(c *call) bitlocker.HResult {
			c.volume.Version = 2
			return bitlocker.S_OK
		})),
	},
	{
		name: "Lock", page: "lock-win32-encryptablevolume", changes: true,
		parameters: []parameter{may("ForceDismount", booleanKind)},
		run:        lock,
	},
	{
		name: "PrepareVolume", page: "preparevolume-win32-encryptablevolume", changes: true,
		parameters: []parameter{in("DiscoveryVolumeType", stringKind), in("ForceEncryptionType", uint32Kind)},
		run: func(c *call) bitlocker.HResult {
			discovery := []string{"<none>", "<default>", "FAT32"}
			if !slices.Contains(discovery, c.text("DiscoveryVolumeType")) || c.integer("ForceEncryptionType") < 0 || c.integer("ForceEncryptionType") > 2 {
				return bitlocker.E_INVALIDARG
			}
			return bitlocker.S_OK
		},
	},
}

// decrypt starts a decryption and returns at once. One that is under way goes on, a paused one
// resumes, and an encryption turns round. A volume that does not convert in time is left at the
// percentage that it has.
func decrypt(c *call) bitlocker.HResult {
	v := c.volume
	switch {
	case v.Conversion == Decrypted:
		return bitlocker.S_OK
	case v.Type == OperatingSystem && v.KeysStored:
		return bitlocker.FVE_E_AUTOUNLOCK_ENABLED
	}
	v.Conversion = Decrypting
	if v.Method == 5 {
		// A drive that encrypts by itself has nothing to rewrite: its metadata goes at once.
		v.decrypted()
	}
	return bitlocker.S_OK
}

func deleteProtector(c *call) bitlocker.HResult {
	v, id := c.volume, c.text("VolumeKeyProtectorID")
	switch {
	case v.protector(id) == nil:
		return bitlocker.E_INVALIDARG
	case v.AutoUnlock == id:
		return bitlocker.FVE_E_VOLUME_BOUND_ALREADY
	case len(v.Protectors) == 1 && v.Conversion != Decrypted && !v.KeyInClear:
		return bitlocker.FVE_E_KEY_REQUIRED
	}
	v.Protectors = slices.DeleteFunc(v.Protectors, func(p Protector) bool { return p.ID == id })
	return bitlocker.S_OK
}

func lock(c *call) bitlocker.HResult {
	v := c.volume
	force, _ := c.in["ForceDismount"].(bool)
	recoverable := slices.ContainsFunc(v.Protectors, func(p Protector) bool {
		return p.Type == RecoveryPassword || p.Type == ExternalKey
	})
	switch {
	case v.Conversion == Decrypted:
		return bitlocker.FVE_E_NOT_ENCRYPTED
	case v.KeyInClear:
		return bitlocker.FVE_E_PROTECTION_DISABLED
	case !recoverable:
		return bitlocker.FVE_E_RECOVERY_KEY_REQUIRED
	case v.Type == OperatingSystem || v.InUse && !force:
		return accessDenied
	}
	v.Locked = true
	return bitlocker.S_OK
}

// turn changes a conversion and a wipe that are in one of these states into another. What a drive
// encrypts by itself does not pause, only its wipe does.
func (c *call) turn(conversions map[int32]int32, wiping, becomes int32) {
	v := c.volume
	if next, turns := conversions[v.Conversion]; turns && v.Method != 5 {
		v.Conversion = next
	}
	if v.Wiping == wiping {
		v.Wiping = becomes
	}
}
