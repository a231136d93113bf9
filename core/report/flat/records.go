// Package flat turns documents into flat records that databases, log services and spreadsheets load as
// they are: one JSON object a line, or one line of CSV, with no nesting and no lists. A name means the
// same and has the same type in every record that has it.
//
// Names suit Log Analytics: a letter, then letters and digits, at most 45 in all, and none of those that
// it keeps for itself (learn.microsoft.com/azure/azure-monitor/logs/logs-ingestion-api-overview).
package flat

import "time"

// Record kinds, in the field "record".
const (
	recordComputer = "computer"
	recordVolume   = "volume"
	recordFinding  = "finding"
	recordTest     = "test"
	recordPenalty  = "penalty"
	recordSkipped  = "skipped"
)

// Origin opens every record.
type Origin struct {
	// Which kind of record this is: computer, volume, finding, test, penalty or skipped.
	Record string `json:"record"`
	// Name of the computer: the document's, which is there with --identify alone, else the file's name up to ".status.json", ".bench.json" or ".json", with a number for each further document of the file.
	Computer *string `json:"computer"`
	// File that the record was read from.
	File *string `json:"file"`
	// When the facts were gathered, UTC.
	CollectedAt *time.Time `json:"collectedAt"`
	// Version of the program that gathered them.
	ToolVersion *string `json:"toolVersion"`
}

// Computer is the record of one status document.
type Computer struct {
	Origin
	// The computer in one state: unknown, decrypting, encrypting, paused, software-encrypted, hardware-encrypted, not-encrypted.
	State string `json:"state"`
	// False when a fact that was asked for could not be read.
	Complete bool `json:"complete"`
	// Where the facts came from: windows, linux, image, recording or none.
	FactsFrom string `json:"factsFrom"`
	// Operating system by its own name.
	OSName *string `json:"osName"`
	// Build of Windows, or release of the Linux kernel.
	OSBuild *string `json:"osBuild"`
	// Edition of Windows by its registry name.
	OSEdition *string `json:"osEdition"`
	// Architecture of the computer: amd64, arm64.
	Architecture *string `json:"architecture"`
	// Whether the program ran with administrator rights.
	Elevated *bool `json:"elevated"`
	// Whether the computer is a virtual machine.
	VirtualMachine *bool `json:"virtualMachine"`
	// Whether it has a battery of its own.
	Portable *bool `json:"portable"`
	// Name of the processor.
	CPUName *string `json:"cpuName"`
	// Whether the processor has instructions for AES.
	CPUAes *bool `json:"cpuAes"`
	// Whether there is a TPM.
	TPMPresent *bool `json:"tpmPresent"`
	// Whether UEFI Secure Boot is on.
	SecureBoot *bool `json:"secureBoot"`
	// Whether it is joined to an Active Directory domain.
	DomainJoined *bool `json:"domainJoined"`
	// Whether it is joined to Microsoft Entra ID.
	EntraJoined *bool `json:"entraJoined"`
	// Whether it is enrolled in mobile device management.
	MDMEnrolled *bool `json:"mdmEnrolled"`
	// Whether BitLocker could be asked.
	BitLockerAvailable *bool `json:"bitLockerAvailable"`
	// Whether a setting keeps Windows from encrypting by itself.
	EncryptionPrevented *bool `json:"encryptionPrevented"`
	// Whether a policy makes Windows encrypt again what was decrypted.
	EncryptionRequired *bool `json:"encryptionRequired"`
	// Volumes on fixed disks that were judged; null, as the six counts after it, when the list of volumes may lack some.
	Volumes *int64 `json:"volumes"`
	// Volumes that hold data encrypted by software.
	SoftwareEncrypted *int64 `json:"softwareEncrypted"`
	// Volumes that hold data encrypted by the drive or a processor's engine.
	HardwareEncrypted *int64 `json:"hardwareEncrypted"`
	// Volumes that are known not to be encrypted by BitLocker.
	NotEncrypted *int64 `json:"notEncrypted"`
	// Volumes that hold encrypted data and are known not to be protected.
	Unprotected *int64 `json:"unprotected"`
	// Volumes whose state is not known, locked ones included.
	UnknownVolumes *int64 `json:"unknownVolumes"`
	// Volumes that are being encrypted or decrypted, paused or not.
	Converting *int64 `json:"converting"`
	// Findings of severity critical.
	CriticalFindings int64 `json:"criticalFindings"`
	// Findings of severity warning.
	WarningFindings int64 `json:"warningFindings"`
	// Id of the worst finding; null when there is none.
	WorstFinding *string `json:"worstFinding"`
	// Problems of level error.
	Errors int64 `json:"errors"`
	// Codes of the problems of level error that are about this computer or volume, each once, separated by spaces.
	ErrorCodes string `json:"errorCodes"`
}

// Place names the volume that a record is about.
type Place struct {
	// Where the volume is mounted first, such as "C:", else its id.
	Volume *string `json:"volume"`
	// Id of the volume within its document.
	VolumeID *string `json:"volumeId"`
}

// DiskFacts tell which disk a record is about; they are null when there are several, or none is known.
type DiskFacts struct {
	// Id of the disk within its document.
	DiskID *string `json:"diskId"`
	// Model of the disk.
	DiskModel *string `json:"diskModel"`
	// Revision of its firmware.
	DiskFirmware *string `json:"diskFirmware"`
	// What it is attached to, such as NVMe or SATA.
	DiskBus *string `json:"diskBus"`
	// What it stores data on: SSD, HDD, SCM, Unspecified.
	DiskMedia *string `json:"diskMedia"`
}

// CipherFacts tell how far, how and by what a volume is encrypted.
type CipherFacts struct {
	// How far the data is encrypted by BitLocker: FullyDecrypted, FullyEncrypted, EncryptionInProgress, DecryptionInProgress, EncryptionPaused, DecryptionPaused.
	Conversion *string `json:"conversion"`
	// The cipher, such as XtsAes128.
	Method *string `json:"method"`
	// What does the encrypting: none, software, drive, soc.
	Engine *string `json:"engine"`
}

// Volume is the record of one volume.
type Volume struct {
	Origin
	Place
	// Every place where the volume is mounted, separated by " | "; empty when it is mounted nowhere.
	MountPoints string `json:"mountPoints"`
	// Label of the file system.
	VolumeLabel *string `json:"volumeLabel"`
	// What the volume is to BitLocker: OperatingSystem, Data, Removable.
	VolumeType *string `json:"volumeType"`
	// File system as it names itself.
	FileSystem *string `json:"fileSystem"`
	// Size of the file system's clusters, in bytes.
	ClusterBytes *int64 `json:"clusterBytes"`
	// Size of the volume, in bytes.
	SizeBytes *int64 `json:"sizeBytes"`
	// Space left in the file system, in bytes.
	FreeBytes *int64 `json:"freeBytes"`
	CipherFacts
	// Part of the volume that is encrypted, 0 to 100.
	EncryptedPercent *Decimal `json:"encryptedPercent"`
	// Whether only the space in use was encrypted.
	UsedSpaceOnly *bool `json:"usedSpaceOnly"`
	// Whether the volume's key is kept from a thief: On, Off, Unknown.
	Protection *string `json:"protection"`
	// Why protection is what it is: protected, suspended, waiting-for-activation, converting, locked, decrypted.
	ProtectionReason *string `json:"protectionReason"`
	// Whether the volume's content can be reached: Unlocked, Locked.
	Lock *string `json:"lock"`
	// Types of the key protectors, each once, separated by spaces; empty when there are none.
	ProtectorTypes *string `json:"protectorTypes"`
	// Whether a key is stored in the clear beside the data.
	ClearKey *bool `json:"clearKey"`
	// When encryption began, UTC.
	EncryptedAt *time.Time `json:"encryptedAt"`
	// Disks that the volume lies on; null when it is not known on how many.
	DiskCount *int64 `json:"diskCount"`
	DiskFacts
	// Whether the disk speaks NVMe.
	DiskNvme *bool `json:"diskNvme"`
	// Capacity of the disk, in bytes.
	DiskSizeBytes *int64 `json:"diskSizeBytes"`
	// False when the disk itself warns of failure.
	DiskHealthy *bool `json:"diskHealthy"`
	// Whether the disk's write cache is on.
	WriteCacheEnabled *bool `json:"writeCacheEnabled"`
	// Codes of the problems of level error that are about this computer or volume, each once, separated by spaces.
	ErrorCodes string `json:"errorCodes"`
}

// Finding is the record of one finding.
type Finding struct {
	Origin
	// Id of the rule, such as software-encryption.
	FindingID string `json:"findingId"`
	// How much it matters: info, notice, warning, critical.
	Severity string `json:"severity"`
	// The severity as a number, to sort by: 0 info, 1 notice, 2 warning, 3 critical.
	SeverityRank int64 `json:"severityRank"`
	// What it is about: machine, or the id of a volume or disk.
	FindingTarget *string `json:"findingTarget"`
	Place
	DiskFacts
	// The finding in one line.
	FindingTitle string `json:"findingTitle"`
	// The facts that it rests on.
	FindingEvidence string `json:"findingEvidence"`
	// What to do.
	FindingAdvice string `json:"findingAdvice"`
	// Page or advisory that it rests on; empty when there is none.
	FindingReference string `json:"findingReference"`
}

// Skipped is the record of one file that could not be used, so that it is not missing unseen.
type Skipped struct {
	Origin
	// Stable id of the reason.
	SkipCode string `json:"skipCode"`
	// The reason and the way out.
	SkipText string `json:"skipText"`
}
