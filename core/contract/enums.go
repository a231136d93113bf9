package contract

// The names are those of Microsoft's own PowerShell enumerations where there is one
// (BitLocker.psm1, Storage module), the codes those of the WMI classes. Pages cited are below
// learn.microsoft.com/windows/win32/secprov and /windows-hardware/drivers/storage.

type (
	conversionTerms     struct{}
	wipingTerms         struct{}
	methodTerms         struct{}
	protectionTerms     struct{}
	lockTerms           struct{}
	protectorTypeTerms  struct{}
	volumeTypeTerms     struct{}
	busTerms            struct{}
	mediaTerms          struct{}
	writeCacheTypeTerms struct{}
	hardwareTestTerms   struct{}
	hardwareUseTerms    struct{}
)

// Conversion is how far a volume's data is encrypted.
// Codes: Win32_EncryptableVolume.GetConversionStatus, ConversionStatus.
type Conversion = Coded[conversionTerms]

// The conversion states.
const (
	FullyDecrypted       Conversion = 0
	FullyEncrypted       Conversion = 1
	EncryptionInProgress Conversion = 2
	DecryptionInProgress Conversion = 3
	EncryptionPaused     Conversion = 4
	DecryptionPaused     Conversion = 5
)

func (conversionTerms) Title() string { return "Conversion" }
func (conversionTerms) Terms() map[int64]string {
	return map[int64]string{
		0: "FullyDecrypted", 1: "FullyEncrypted", 2: "EncryptionInProgress",
		3: "DecryptionInProgress", 4: "EncryptionPaused", 5: "DecryptionPaused",
	}
}

// Wiping is the state of the free-space wipe.
// Codes: Win32_EncryptableVolume.GetConversionStatus, WipingStatus.
type Wiping = Coded[wipingTerms]

// The wiping states.
const (
	NotWiped       Wiping = 0
	Wiped          Wiping = 1
	WipeInProgress Wiping = 2
	WipePaused     Wiping = 3
)

func (wipingTerms) Title() string { return "Wiping" }
func (wipingTerms) Terms() map[int64]string {
	return map[int64]string{0: "NotWiped", 1: "Wiped", 2: "WipeInProgress", 3: "WipePaused"}
}

// Method is the cipher that encrypts a volume's data.
// Codes: Win32_EncryptableVolume.GetEncryptionMethod. Code 5 is the drive's own encryption;
// 6 and 7 are XTS (the class page's "with diffuser" at 7 is an error of that page).
type Method = Coded[methodTerms]

// The encryption methods.
const (
	MethodUnknown   Method = -1
	MethodNone      Method = 0
	Aes128Diffuser  Method = 1
	Aes256Diffuser  Method = 2
	Aes128          Method = 3
	Aes256          Method = 4
	MethodHardware  Method = 5
	XtsAes128       Method = 6
	XtsAes256       Method = 7
	unknownAsUint32        = 1<<32 - 1
)

func (methodTerms) Title() string { return "Method" }
func (methodTerms) Terms() map[int64]string {
	return map[int64]string{
		-1: "Unknown", 0: "None", 1: "Aes128Diffuser", 2: "Aes256Diffuser", 3: "Aes128",
		4: "Aes256", 5: "Hardware", 6: "XtsAes128", 7: "XtsAes256",
		// The same "unknown" as it looks to a caller that reads it unsigned.
		unknownAsUint32: "Unknown",
	}
}

// Protection tells whether the key that encrypts the volume is kept from a thief.
// Codes: Win32_EncryptableVolume.GetProtectionStatus.
type Protection = Coded[protectionTerms]

// The protection states.
const (
	ProtectionOff     Protection = 0
	ProtectionOn      Protection = 1
	ProtectionUnknown Protection = 2
)

func (protectionTerms) Title() string { return "Protection" }
func (protectionTerms) Terms() map[int64]string {
	return map[int64]string{0: "Off", 1: "On", 2: "Unknown"}
}

// Lock tells whether the volume's content can be reached now.
// Codes: Win32_EncryptableVolume.GetLockStatus.
type Lock = Coded[lockTerms]

// The lock states.
const (
	Unlocked Lock = 0
	Locked   Lock = 1
)

func (lockTerms) Title() string { return "Lock" }
func (lockTerms) Terms() map[int64]string {
	return map[int64]string{0: "Unlocked", 1: "Locked"}
}

// ProtectorType is how a key protector protects the volume's key.
// Codes: Win32_EncryptableVolume.GetKeyProtectorType. ClearKey is ours: WMI has no type for a
// key stored in the clear. A protector that was read from a disk and whose on-disk value has
// no WMI type is OnDiskProtector plus that value, and so "Unrecognized".
type ProtectorType = Coded[protectorTypeTerms]

// The key protector types.
const (
	ProtectorUnknown ProtectorType = 0
	Tpm              ProtectorType = 1
	ExternalKey      ProtectorType = 2
	RecoveryPassword ProtectorType = 3
	TpmPin           ProtectorType = 4
	TpmStartupKey    ProtectorType = 5
	TpmPinStartupKey ProtectorType = 6
	PublicKey        ProtectorType = 7
	Password         ProtectorType = 8
	TpmNetworkKey    ProtectorType = 9
	AdAccountOrGroup ProtectorType = 10
	ClearKey         ProtectorType = -1
	OnDiskProtector  ProtectorType = 0x10000
)

func (protectorTypeTerms) Title() string { return "ProtectorType" }
func (protectorTypeTerms) Terms() map[int64]string {
	return map[int64]string{
		-1: "ClearKey", 0: "Unknown", 1: "Tpm", 2: "ExternalKey", 3: "RecoveryPassword",
		4: "TpmPin", 5: "TpmStartupKey", 6: "TpmPinStartupKey", 7: "PublicKey", 8: "Password",
		9: "TpmNetworkKey", 10: "AdAccountOrGroup",
	}
}

// VolumeType is what a volume is to BitLocker.
// Codes: Win32_EncryptableVolume.VolumeType.
type VolumeType = Coded[volumeTypeTerms]

// The volume types.
const (
	OperatingSystem VolumeType = 0
	Data            VolumeType = 1
	Removable       VolumeType = 2
)

func (volumeTypeTerms) Title() string { return "VolumeType" }
func (volumeTypeTerms) Terms() map[int64]string {
	return map[int64]string{0: "OperatingSystem", 1: "Data", 2: "Removable"}
}

// Bus is what a disk is attached to.
// Codes: STORAGE_BUS_TYPE (ntddstor.h) and MSFT_PhysicalDisk.BusType.
type Bus = Coded[busTerms]

// The bus types that the project tells apart.
const (
	BusUnknown    Bus = 0
	BusSCSI       Bus = 1
	BusATA        Bus = 3
	BusFibre      Bus = 6
	BusUSB        Bus = 7
	BusRAID       Bus = 8
	BusISCSI      Bus = 9
	BusSAS        Bus = 10
	BusSATA       Bus = 11
	BusSD         Bus = 12
	BusMMC        Bus = 13
	BusVirtual    Bus = 14
	BusFileBacked Bus = 15
	BusSpaces     Bus = 16
	BusNVMe       Bus = 17
	BusSCM        Bus = 18
	BusUFS        Bus = 19
)

func (busTerms) Title() string { return "Bus" }
func (busTerms) Terms() map[int64]string {
	return map[int64]string{
		0: "Unknown", 1: "SCSI", 2: "ATAPI", 3: "ATA", 4: "IEEE1394", 5: "SSA", 6: "FibreChannel",
		7: "USB", 8: "RAID", 9: "iSCSI", 10: "SAS", 11: "SATA", 12: "SD", 13: "MMC", 14: "Virtual",
		15: "FileBackedVirtual", 16: "StorageSpaces", 17: "NVMe", 18: "SCM", 19: "UFS",
	}
}

// Media is what a disk stores its data on.
// Codes: MSFT_PhysicalDisk.MediaType.
type Media = Coded[mediaTerms]

// The media types.
const (
	MediaUnspecified Media = 0
	MediaHDD         Media = 3
	MediaSSD         Media = 4
	MediaSCM         Media = 5
)

func (mediaTerms) Title() string { return "Media" }
func (mediaTerms) Terms() map[int64]string {
	return map[int64]string{0: "Unspecified", 3: "HDD", 4: "SSD", 5: "SCM"}
}

// WriteCacheType is how a disk's write cache works.
// Codes: WRITE_CACHE_TYPE of STORAGE_WRITE_CACHE_PROPERTY (winioctl.h).
type WriteCacheType = Coded[writeCacheTypeTerms]

// The write cache types.
const (
	WriteCacheUnknown WriteCacheType = 0
	WriteCacheNone    WriteCacheType = 1
	WriteBack         WriteCacheType = 2
	WriteThrough      WriteCacheType = 3
)

func (writeCacheTypeTerms) Title() string { return "WriteCacheType" }
func (writeCacheTypeTerms) Terms() map[int64]string {
	return map[int64]string{0: "Unknown", 1: "None", 2: "WriteBack", 3: "WriteThrough"}
}

// HardwareTest is the state of the hardware test, a restart that shows whether the computer can
// read its keys before anything is encrypted.
// Codes: Win32_EncryptableVolume.GetHardwareTestStatus, TestStatus. The names are ours.
type HardwareTest = Coded[hardwareTestTerms]

// The states of the hardware test.
const (
	HardwareTestNone    HardwareTest = 0
	HardwareTestFailed  HardwareTest = 1
	HardwareTestPending HardwareTest = 2
)

func (hardwareTestTerms) Title() string { return "HardwareTest" }
func (hardwareTestTerms) Terms() map[int64]string {
	return map[int64]string{0: "NotFailedAndNotPending", 1: "Failed", 2: "Pending"}
}

// HardwareEncryption tells what a volume's drive offers to BitLocker by way of encryption.
// Codes: Win32_EncryptableVolume.GetHardwareEncryptionStatus. The names are ours.
type HardwareEncryption = Coded[hardwareUseTerms]

// What can be with a drive's own encryption.
const (
	HardwareNotSupported HardwareEncryption = 0
	HardwareNoProtection HardwareEncryption = 1
	HardwareUsesSoftware HardwareEncryption = 2
	HardwareUsesHardware HardwareEncryption = 3
)

func (hardwareUseTerms) Title() string { return "HardwareEncryption" }
func (hardwareUseTerms) Terms() map[int64]string {
	return map[int64]string{0: "NotSupported", 1: "NoProtection", 2: "UsesSoftware", 3: "UsesHardware"}
}
