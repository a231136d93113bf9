package contract

import "time"

// Volume describes one volume: a partition, a mapped device, an image of either.
type Volume struct {
	// Id within this document: the volume's GUID path, its device, or the image's path with "#partition" and a number.
	ID string `json:"id"`
	// Where it is mounted: drive letters as "C:", folders without a separator at the end.
	MountPoints List[string] `json:"mountPoints"`
	// Label of the file system.
	Label *string `json:"label"`
	// File system as it names itself, such as NTFS, ReFS, ext4; null when it is not known or cannot be seen through encryption.
	FileSystem *string `json:"fileSystem"`
	// Size of the file system's clusters in bytes.
	ClusterBytes *uint64 `json:"clusterBytes"`
	// Size of the volume in bytes.
	SizeBytes *uint64 `json:"sizeBytes"`
	// Space left in the file system, in bytes.
	FreeBytes *uint64 `json:"freeBytes"`
	// Whether the file system is marked as not sound, so that Windows checks it at the next start: its dirty bit.
	FileSystemDirty *bool `json:"fileSystemDirty"`
	// What the volume is to BitLocker.
	Type *VolumeType `json:"type"`
	// Where its bytes lie on disks.
	Extents List[Extent] `json:"extents"`
	// Block devices between this volume and its disk, topmost first: mapped devices, loops, partitions.
	Layers List[Layer] `json:"layers"`
	// What BitLocker does with it.
	Encryption Encryption `json:"encryption"`
	// The document's problems that are about this volume.
	Problems List[Problem] `json:"problems"`
}

// Extent is one run of a volume's bytes on a disk.
type Extent struct {
	// Id of the disk.
	DiskID string `json:"diskId"`
	// Where the run begins on the disk, in bytes.
	OffsetBytes uint64 `json:"offsetBytes"`
	// How long it is, in bytes.
	LengthBytes uint64 `json:"lengthBytes"`
}

// Layer is one block device between a volume and its disk.
type Layer struct {
	// The device.
	Device string `json:"device"`
	// What it does: crypt, loop, lvm, raid, multipath, mapped, partition, disk.
	Kind string `json:"kind"`
	// Device or file below it; null for the lowest.
	Below *string `json:"below"`
	// Where it begins in what is below it, in bytes; null when it is not one run.
	OffsetBytes *uint64 `json:"offsetBytes"`
}

// Engine is what does the work of encrypting.
type Engine string

// The engines. An engine that is not known is null.
const (
	EngineNone     Engine = "none"
	EngineSoftware Engine = "software"
	EngineDrive    Engine = "drive"
	EngineSoC      Engine = "soc"
)

// ProtectionReason says why protection is what it is.
type ProtectionReason string

// The reasons for a protection state.
const (
	ReasonProtected            ProtectionReason = "protected"
	ReasonSuspended            ProtectionReason = "suspended"
	ReasonWaitingForActivation ProtectionReason = "waiting-for-activation"
	ReasonConverting           ProtectionReason = "converting"
	ReasonLocked               ProtectionReason = "locked"
	ReasonDecrypted            ProtectionReason = "decrypted"
)

// Encryption holds four independent answers - conversion, protection, lock, protectors - and
// what explains them. An encrypted volume can be unprotected, and a locked one tells little.
type Encryption struct {
	// What formatted the volume: bitlocker, bitlocker-to-go, luks or none; null when it is unknown.
	Format *string `json:"format"`
	// How far the data is encrypted by BitLocker.
	Conversion *Conversion `json:"conversion"`
	// Part of the volume that is encrypted, 0 to 100; 100 does not mean that conversion is complete.
	Percent *float64 `json:"percent"`
	// Whether only the space in use was encrypted, so that older free space may hold plain data.
	UsedSpaceOnly *bool `json:"usedSpaceOnly"`
	// State of the free-space wipe.
	Wiping *Wiping `json:"wiping"`
	// Part of the free space that is wiped, 0 to 100; null when no wipe was asked for.
	WipePercent *float64 `json:"wipePercent"`
	// The cipher.
	Method *Method `json:"method"`
	// What does the encrypting: none, software, drive (the drive itself), soc (hardware-accelerated).
	Engine *Engine `json:"engine"`
	// The drive's own cipher by its own account, as an object identifier or in words; null when the drive does not encrypt or does not say.
	DriveMethod *string `json:"driveMethod"`
	// Whether BitLocker can use, or uses, the drive's own encryption for this volume.
	HardwareEncryption *HardwareEncryption `json:"hardwareEncryption"`
	// Whether the volume's key is kept from a thief.
	Protection *Protection `json:"protection"`
	// Why protection is what it is.
	ProtectionReason *ProtectionReason `json:"protectionReason"`
	// Restarts until suspended protection resumes; 0 until someone resumes it.
	SuspendCount *uint64 `json:"suspendCount"`
	// Whether the volume's content can be reached now.
	Lock *Lock `json:"lock"`
	// Key protectors in the order of the provider; null when they could not be read.
	Protectors []Protector `json:"protectors"`
	// Whether a key is stored in the clear beside the data, so that anyone can read it.
	ClearKey *bool `json:"clearKey"`
	// Whether the volume unlocks by itself when the operating system volume does.
	AutoUnlock *bool `json:"autoUnlock"`
	// Whether the operating system volume holds keys by which data volumes unlock; such a volume refuses to be decrypted. Null for other volumes.
	AutoUnlockKeysStored *bool `json:"autoUnlockKeysStored"`
	// State of the test restart that BitLocker makes before it encrypts an operating system volume.
	HardwareTest *HardwareTest `json:"hardwareTest"`
	// Version of the metadata: 1 is that of Windows Vista, 2 that of Windows 7 and later.
	MetadataVersion *uint64 `json:"metadataVersion"`
	// The GUID that BitLocker gave the encrypted volume, in lower case without braces.
	VolumeGUID *string `json:"volumeGuid"`
	// Description that Windows stored: as a rule computer name, label and date in the user's format.
	Description *string `json:"description"`
	// When encryption began, UTC.
	CreatedAt *time.Time `json:"createdAt"`
	// Sector that the cipher works on, in bytes.
	SectorBytes *uint64 `json:"sectorBytes"`
}

// Protector is one key protector. Its secrets are never read.
type Protector struct {
	// GUID of the protector, in lower case without braces.
	ID string `json:"id"`
	// How it protects the key.
	Type ProtectorType `json:"type"`
}
