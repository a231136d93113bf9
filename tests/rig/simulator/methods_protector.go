package simulator

import (
	"slices"

	"diskaudit/core/bitlocker"
)

// The types of key protectors that methods ask for by name
// (learn.microsoft.com/windows/win32/secprov/getkeyprotectortype-win32-encryptablevolume).
const (
	TPM              = 1
	ExternalKey      = 2
	RecoveryPassword = 3
	TPMAndPIN        = 4
	TPMAndKey        = 5
	TPMAndPINAndKey  = 6
	PublicKey        = 7
	Passphrase       = 8
	TPMNetworkKey    = 9
	AccountSID       = 10
)

var (
	tpmTypes = []int32{TPM, TPMAndPIN, TPMAndKey, TPMAndPINAndKey}
	keyTypes = []int32{ExternalKey, TPMAndKey, TPMAndPINAndKey}
)

// protectorMethods tell about key protectors; some hand out their secrets. Each page is below
// learn.microsoft.com/windows/win32/secprov/.
var protectorMethods = []method{
	{
		name: "GetKeyProtectors", page: "getkeyprotectors-win32-encryptablevolume",
		parameters: []parameter{may("KeyProtectorType", uint32Kind), out("VolumeKeyProtectorID")},
		run: known(activated(func(c *call) bitlocker.HResult {
			wanted := c.integer("KeyProtectorType")
			ids := []string{}
			for _, protector := range c.volume.Protectors {
				if wanted == 0 || protector.Type == wanted {
					ids = append(ids, protector.ID)
				}
			}
			c.out["VolumeKeyProtectorID"] = ids
			return bitlocker.S_OK
		})),
	},
	{
		name: "GetKeyProtectorType", page: "getkeyprotectortype-win32-encryptablevolume",
		parameters: []parameter{in("VolumeKeyProtectorID", stringKind), out("KeyProtectorType")},
		run: activated(of(nil, func(c *call, p *Protector) bitlocker.HResult {
			c.out["KeyProtectorType"] = p.Type
			return bitlocker.S_OK
		})),
	},
	{
		name: "GetKeyProtectorFriendlyName", page: "getkeyprotectorfriendlyname-win32-encryptablevolume",
		parameters: []parameter{in("VolumeKeyProtectorID", stringKind), out("FriendlyName")},
		run: activated(of(nil, func(c *call, p *Protector) bitlocker.HResult {
			c.out["FriendlyName"] = p.Name
			return bitlocker.S_OK
		})),
	},
	{
		name: "GetKeyProtectorCertificate", page: "getkeyprotectorcertificate-win32-encryptablevolume",
		parameters: []parameter{
			in("VolumeKeyProtectorID", stringKind), out("PublicKey"), out("CertThumbprint"), out("CertType"),
		},
		run: unlocked(activated(of([]int32{PublicKey, TPMNetworkKey}, func(c *call, p *Protector) bitlocker.HResult {
			c.out["PublicKey"], c.out["CertThumbprint"], c.out["CertType"] = []byte{4, 2}, p.Thumbprint, int32(2)
			return bitlocker.S_OK
		}))),
	},
	{
		name: "GetKeyProtectorPlatformValidationProfile", page: "getkeyprotectorplatformvalidationprofile-win32-encryptablevolume",
		parameters: []parameter{in("VolumeKeyProtectorID", stringKind), out("PlatformValidationProfile")},
		run: activated(of(tpmTypes, func(c *call, _ *Protector) bitlocker.HResult {
			c.out["PlatformValidationProfile"] = []byte{7, 11}
			return bitlocker.S_OK
		})),
	},
	{
		name: "GetKeyProtectorAdSidInformation", page: "getkeyprotectoradsidinformation-win32-encryptablevolume",
		parameters: []parameter{in("VolumeKeyProtectorID", stringKind), out("SidString"), out("Flags")},
		run: activated(of([]int32{AccountSID}, func(c *call, p *Protector) bitlocker.HResult {
			c.out["SidString"], c.out["Flags"] = p.SID, int32(0)
			return bitlocker.S_OK
		})),
	},
	{
		name: "GetExternalKeyFileName", page: "getexternalkeyfilename-win32-encryptablevolume",
		parameters: []parameter{in("VolumeKeyProtectorID", stringKind), out("FileName")},
		run: unlocked(activated(of(keyTypes, func(c *call, p *Protector) bitlocker.HResult {
			c.out["FileName"] = p.File
			return bitlocker.S_OK
		}))),
	},
	{
		name: "IsKeyProtectorAvailable", page: "iskeyprotectoravailable-win32-encryptablevolume",
		parameters: []parameter{may("KeyProtectorType", uint32Kind), out("IsKeyProtectorAvailable")},
		run: known(func(c *call) bitlocker.HResult {
			wanted := c.integer("KeyProtectorType")
			c.out["IsKeyProtectorAvailable"] = slices.ContainsFunc(c.volume.Protectors, func(p Protector) bool {
				return wanted == 0 || p.Type == wanted
			})
			return bitlocker.S_OK
		}),
	},
	{
		name: "GetKeyProtectorNumericalPassword", page: "getkeyprotectornumericalpassword-win32-encryptablevolume", secret: true,
		parameters: []parameter{in("VolumeKeyProtectorID", stringKind), out("NumericalPassword")},
		run: unlocked(activated(of([]int32{RecoveryPassword}, func(c *call, p *Protector) bitlocker.HResult {
			c.out["NumericalPassword"] = p.Password
			return bitlocker.S_OK
		}))),
	},
	{
		name: "GetKeyProtectorExternalKey", page: "getkeyprotectorexternalkey-win32-encryptablevolume", secret: true,
		parameters: []parameter{in("VolumeKeyProtectorID", stringKind), out("ExternalKey")},
		run: unlocked(activated(of(keyTypes, func(c *call, p *Protector) bitlocker.HResult {
			c.out["ExternalKey"] = p.Key
			return bitlocker.S_OK
		}))),
	},
	{
		name: "GetKeyPackage", page: "getkeypackage-win32-encryptablevolume", secret: true,
		parameters: []parameter{in("VolumeKeyProtectorID", stringKind), out("KeyPackage")},
		run: unlocked(activated(func(c *call) bitlocker.HResult {
			protector := c.volume.protector(c.text("VolumeKeyProtectorID"))
			switch {
			case protector == nil:
				return bitlocker.FVE_E_PROTECTOR_NOT_FOUND
			case protector.Type != RecoveryPassword && protector.Type != ExternalKey:
				return bitlocker.FVE_E_INVALID_PROTECTOR_TYPE
			}
			c.out["KeyPackage"] = protector.Package
			return bitlocker.S_OK
		})),
	},
}

// known refuses a type of key protector that the page of GetKeyProtectors does not list.
func known(run func(*call) bitlocker.HResult) func(*call) bitlocker.HResult {
	return func(c *call) bitlocker.HResult {
		if wanted := c.integer("KeyProtectorType"); wanted < 0 || wanted > AccountSID {
			return bitlocker.E_INVALIDARG
		}
		return run(c)
	}
}

// of refuses an id that is none of the volume's protectors, or of a type that is not listed.
func of(types []int32, run func(*call, *Protector) bitlocker.HResult) func(*call) bitlocker.HResult {
	return func(c *call) bitlocker.HResult {
		protector := c.volume.protector(c.text("VolumeKeyProtectorID"))
		if protector == nil || len(types) > 0 && !slices.Contains(types, protector.Type) {
			return bitlocker.E_INVALIDARG
		}
		return run(c, protector)
	}
}
