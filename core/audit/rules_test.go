package audit

import (
	"slices"
	"testing"

	"diskaudit/core/contract"
)

type change = func(*contract.Status)

// example shows when a rule speaks and when it does not. Positive turns the plain computer into
// one that calls for the finding; each negative and unknown is applied after it.
type example struct {
	target   string
	severity contract.Severity
	positive change
	// Facts that are known and say that there is nothing to find.
	negative map[string]change
	// Facts that the finding needs, taken away.
	unknown map[string]change
}

func volC(s *contract.Status) *contract.Volume { return &s.Volumes[0] }
func volD(s *contract.Status) *contract.Volume { return &s.Volumes[1] }
func encC(s *contract.Status) *contract.Encryption {
	return &s.Volumes[0].Encryption
}

var examples = map[string]example{
	"software-encryption": {
		target: volumeC, severity: contract.SeverityNotice,
		positive: func(s *contract.Status) { encrypt(volC(s)) },
		negative: map[string]change{
			"the drive encrypts":   func(s *contract.Status) { encC(s).Engine = ptr(contract.EngineDrive) },
			"the SoC encrypts":     func(s *contract.Status) { encC(s).Engine = ptr(contract.EngineSoC) },
			"is locked":            func(s *contract.Status) { encC(s).Lock = ptr(contract.Locked) },
			"is decrypted":         func(s *contract.Status) { encC(s).Conversion = ptr(contract.FullyDecrypted) },
			"is being decrypted":   func(s *contract.Status) { encC(s).Conversion = ptr(contract.DecryptionInProgress) },
			"decryption is paused": func(s *contract.Status) { encC(s).Conversion = ptr(contract.DecryptionPaused) },
		},
		unknown: map[string]change{
			"engine":                  func(s *contract.Status) { encC(s).Engine = nil },
			"conversion":              func(s *contract.Status) { encC(s).Conversion = nil },
			"unrecognized conversion": func(s *contract.Status) { encC(s).Conversion = ptr(contract.Conversion(17)) },
		},
	},
	"encrypted-unprotected": {
		target: volumeC, severity: contract.SeverityWarning,
		positive: func(s *contract.Status) { encrypt(volC(s)); disarm(volC(s), nil) },
		negative: map[string]change{
			"is protected":            func(s *contract.Status) { encC(s).Protection = ptr(contract.ProtectionOn) },
			"is suspended":            func(s *contract.Status) { encC(s).ProtectionReason = ptr(contract.ReasonSuspended) },
			"waits for activation":    func(s *contract.Status) { encC(s).ProtectionReason = ptr(contract.ReasonWaitingForActivation) },
			"encryption is under way": func(s *contract.Status) { encC(s).Conversion = ptr(contract.EncryptionInProgress) },
		},
		unknown: map[string]change{
			"protection":         func(s *contract.Status) { encC(s).Protection = nil },
			"protection of 2":    func(s *contract.Status) { encC(s).Protection = ptr(contract.ProtectionUnknown) },
			"conversion":         func(s *contract.Status) { encC(s).Conversion = nil },
			"everything, locked": func(s *contract.Status) { lock(volC(s)) },
		},
	},
	"waiting-for-activation": {
		target: volumeC, severity: contract.SeverityWarning,
		positive: func(s *contract.Status) {
			encrypt(volC(s))
			disarm(volC(s), ptr(contract.ReasonWaitingForActivation))
			encC(s).Protectors, encC(s).ClearKey = []contract.Protector{}, ptr(true)
		},
		negative: map[string]change{"is suspended": func(s *contract.Status) { encC(s).ProtectionReason = ptr(contract.ReasonSuspended) }},
		unknown:  map[string]change{"reason": func(s *contract.Status) { encC(s).ProtectionReason = nil }},
	},
	"protection-suspended": {
		target: volumeC, severity: contract.SeverityWarning,
		positive: func(s *contract.Status) {
			encrypt(volC(s))
			disarm(volC(s), ptr(contract.ReasonSuspended))
			encC(s).SuspendCount = ptr(uint64(0))
		},
		negative: map[string]change{"is protected": func(s *contract.Status) { encrypt(volC(s)) }},
		unknown:  map[string]change{"reason": func(s *contract.Status) { encC(s).ProtectionReason = nil }},
	},
	"conversion-running": {
		target: volumeC, severity: contract.SeverityNotice,
		positive: func(s *contract.Status) {
			encrypt(volC(s))
			encC(s).Conversion, encC(s).Percent = ptr(contract.EncryptionInProgress), ptr(37.4)
			disarm(volC(s), ptr(contract.ReasonConverting))
		},
		negative: map[string]change{
			"is encrypted": func(s *contract.Status) { encC(s).Conversion = ptr(contract.FullyEncrypted) },
			"is paused":    func(s *contract.Status) { encC(s).Conversion = ptr(contract.EncryptionPaused) },
		},
		unknown: map[string]change{"conversion": func(s *contract.Status) { encC(s).Conversion = nil }},
	},
	"conversion-paused": {
		target: volumeC, severity: contract.SeverityWarning,
		positive: func(s *contract.Status) { encrypt(volC(s)); encC(s).Conversion = ptr(contract.EncryptionPaused) },
		negative: map[string]change{"is running": func(s *contract.Status) { encC(s).Conversion = ptr(contract.EncryptionInProgress) }},
		unknown:  map[string]change{"conversion": func(s *contract.Status) { encC(s).Conversion = nil }},
	},
	"hardware-test-pending": {
		target: volumeC, severity: contract.SeverityNotice,
		positive: func(s *contract.Status) { encC(s).HardwareTest = ptr(contract.HardwareTestPending) },
		negative: map[string]change{
			"no test":              func(s *contract.Status) { encC(s).HardwareTest = ptr(contract.HardwareTestNone) },
			"the test failed":      func(s *contract.Status) { encC(s).HardwareTest = ptr(contract.HardwareTestFailed) },
			"encryption has begun": func(s *contract.Status) { encC(s).Conversion = ptr(contract.EncryptionInProgress) },
		},
		unknown: map[string]change{
			"test":              func(s *contract.Status) { encC(s).HardwareTest = nil },
			"unrecognized test": func(s *contract.Status) { encC(s).HardwareTest = ptr(contract.HardwareTest(3)) },
			"conversion":        func(s *contract.Status) { encC(s).Conversion = nil },
		},
	},
	"hardware-test-failed": {
		target: volumeC, severity: contract.SeverityWarning,
		positive: func(s *contract.Status) { encC(s).HardwareTest = ptr(contract.HardwareTestFailed) },
		negative: map[string]change{
			"no test":                        func(s *contract.Status) { encC(s).HardwareTest = ptr(contract.HardwareTestNone) },
			"the next restart tests":         func(s *contract.Status) { encC(s).HardwareTest = ptr(contract.HardwareTestPending) },
			"it was encrypted all the same":  func(s *contract.Status) { encC(s).Conversion = ptr(contract.FullyEncrypted) },
			"it is encrypted without a test": func(s *contract.Status) { encC(s).Conversion = ptr(contract.EncryptionInProgress) },
		},
		unknown: map[string]change{
			"test":              func(s *contract.Status) { encC(s).HardwareTest = nil },
			"unrecognized test": func(s *contract.Status) { encC(s).HardwareTest = ptr(contract.HardwareTest(3)) },
			"conversion":        func(s *contract.Status) { encC(s).Conversion = nil },
		},
	},
	"used-space-only": {
		target: volumeC, severity: contract.SeverityInfo,
		positive: func(s *contract.Status) { encrypt(volC(s)); encC(s).UsedSpaceOnly = ptr(true) },
		negative: map[string]change{
			"all of it":            func(s *contract.Status) { encC(s).UsedSpaceOnly = ptr(false) },
			"free space was wiped": func(s *contract.Status) { encC(s).Wiping = ptr(contract.Wiped) },
			"is decrypted":         func(s *contract.Status) { encC(s).Conversion = ptr(contract.FullyDecrypted) },
		},
		unknown: map[string]change{
			"used space": func(s *contract.Status) { encC(s).UsedSpaceOnly = nil },
			"wiping":     func(s *contract.Status) { encC(s).Wiping = nil },
			"conversion": func(s *contract.Status) { encC(s).Conversion = nil },
		},
	},
	"legacy-cipher": {
		target: volumeC, severity: contract.SeverityNotice,
		positive: func(s *contract.Status) { encrypt(volC(s)); encC(s).Method = ptr(contract.Aes256) },
		negative: map[string]change{
			"XTS":       func(s *contract.Status) { encC(s).Method = ptr(contract.XtsAes128) },
			"the drive": func(s *contract.Status) { encC(s).Method = ptr(contract.MethodHardware) },
		},
		unknown: map[string]change{
			"method":              func(s *contract.Status) { encC(s).Method = nil },
			"method of -1":        func(s *contract.Status) { encC(s).Method = ptr(contract.MethodUnknown) },
			"unrecognized method": func(s *contract.Status) { encC(s).Method = ptr(contract.Method(8)) },
			"conversion":          func(s *contract.Status) { encC(s).Conversion = nil },
		},
	},
	"hardware-encryption-advisory": {
		target: volumeC, severity: contract.SeverityNotice,
		positive: func(s *contract.Status) {
			encrypt(volC(s))
			encC(s).Method, encC(s).Engine = ptr(contract.MethodHardware), ptr(contract.EngineDrive)
		},
		negative: map[string]change{"software": func(s *contract.Status) { encrypt(volC(s)) }},
		unknown: map[string]change{
			"method and engine": func(s *contract.Status) { encC(s).Method, encC(s).Engine = nil, nil },
			"conversion":        func(s *contract.Status) { encC(s).Conversion = nil },
		},
	},
	"hardware-offload-available": {
		target: volumeC, severity: contract.SeverityInfo,
		positive: func(s *contract.Status) {
			encrypt(volC(s))
			s.Disks[0].SelfEncrypting = contract.SelfEncrypting{Supported: ptr(true), Standard: ptr("Opal 2"), LockingEnabled: ptr(false)}
		},
		negative: map[string]change{
			"the drive encrypts already":      func(s *contract.Status) { encC(s).Engine = ptr(contract.EngineDrive) },
			"the drive cannot":                func(s *contract.Status) { s.Disks[0].SelfEncrypting.Supported = ptr(false) },
			"Pyrite locks without encrypting": func(s *contract.Status) { s.Disks[0].SelfEncrypting.Standard = ptr("Pyrite") },
			"is decrypted":                    func(s *contract.Status) { encC(s).Conversion = ptr(contract.FullyDecrypted) },
			"only one of its two disks can do": func(s *contract.Status) {
				s.Disks = append(s.Disks, contract.Disk{ID: "PhysicalDrive1", SelfEncrypting: contract.SelfEncrypting{Supported: ptr(false)}})
				volC(s).Extents = append(volC(s).Extents, contract.Extent{DiskID: "PhysicalDrive1"})
			},
		},
		unknown: map[string]change{
			"ability":  func(s *contract.Status) { s.Disks[0].SelfEncrypting.Supported = nil },
			"standard": func(s *contract.Status) { s.Disks[0].SelfEncrypting.Standard = nil },
			"engine":   func(s *contract.Status) { encC(s).Engine = nil },
			"extents":  func(s *contract.Status) { volC(s).Extents = nil },
			"the disk": func(s *contract.Status) { s.Disks = nil },
		},
	},
	"policy-blocks-offload": {
		target: machineTarget, severity: contract.SeverityInfo,
		positive: func(s *contract.Status) {
			encrypt(volC(s))
			s.Policy.EncryptionMethods.OperatingSystem = ptr(contract.XtsAes128)
		},
		negative: map[string]change{
			"XTS-AES-256": func(s *contract.Status) { s.Policy.EncryptionMethods.OperatingSystem = ptr(contract.XtsAes256) },
			"policy for data volumes only": func(s *contract.Status) {
				s.Policy.EncryptionMethods = contract.PolicyMethods{OperatingSystem: ptr(contract.XtsAes256), Fixed: ptr(contract.XtsAes128)}
			},
			"the SoC does it already": func(s *contract.Status) { encC(s).Engine = ptr(contract.EngineSoC) },
			"an older Windows":        func(s *contract.Status) { s.Machine.Build = ptr("22631.3880") },
			"a server":                func(s *contract.Status) { s.Machine.OS = ptr("Windows Server 2025 Standard") },
			"not NVMe":                func(s *contract.Status) { s.Disks[0].NVMe = ptr(false) },
		},
		unknown: map[string]change{
			"policy":           func(s *contract.Status) { s.Policy.EncryptionMethods.OperatingSystem = nil },
			"build":            func(s *contract.Status) { s.Machine.Build = nil },
			"unreadable build": func(s *contract.Status) { s.Machine.Build = ptr("rolling") },
			"system":           func(s *contract.Status) { s.Machine.OS = nil },
			"NVMe":             func(s *contract.Status) { s.Disks[0].NVMe = nil },
			"type":             func(s *contract.Status) { volC(s).Type = nil },
			"engine":           func(s *contract.Status) { encC(s).Engine = nil },
		},
	},
	"policy-reencrypts": {
		target: machineTarget, severity: contract.SeverityInfo,
		positive: func(s *contract.Status) { s.Policy.RequireDeviceEncryption = ptr(true) },
		negative: map[string]change{
			"not required": func(s *contract.Status) { s.Policy.RequireDeviceEncryption = ptr(false) },
			"managed, but not made to encrypt": func(s *contract.Status) {
				s.Policy.RequireDeviceEncryption, s.Policy.ManagementEnforces = ptr(false), ptr(false)
			},
		},
		unknown: map[string]change{"policy": func(s *contract.Status) { s.Policy.RequireDeviceEncryption = nil }},
	},
	"policy-denies-write-if-decrypted": {
		target: volumeD, severity: contract.SeverityInfo,
		positive: func(s *contract.Status) { encrypt(volD(s)); s.Policy.DenyWriteFixed = ptr(true) },
		negative: map[string]change{
			"policy off":                     func(s *contract.Status) { s.Policy.DenyWriteFixed = ptr(false) },
			"the policy is about removables": func(s *contract.Status) { volD(s).Type = ptr(contract.Removable) },
			"the operating system volume":    func(s *contract.Status) { volD(s).Type = ptr(contract.OperatingSystem) },
			"decrypted, but mounted nowhere": func(s *contract.Status) {
				volD(s).Encryption.Conversion = ptr(contract.FullyDecrypted)
				volC(s).MountPoints, volD(s).MountPoints = nil, nil
			},
		},
		unknown: map[string]change{
			"policy":     func(s *contract.Status) { s.Policy.DenyWriteFixed = nil },
			"type":       func(s *contract.Status) { volD(s).Type = nil },
			"conversion": func(s *contract.Status) { volD(s).Encryption.Conversion = nil },
		},
	},
	"device-encryption-not-prevented": {
		target: machineTarget, severity: contract.SeverityInfo,
		positive: func(s *contract.Status) { s.Policy.PreventDeviceEncryption = ptr(false) },
		negative: map[string]change{
			"prevented":        func(s *contract.Status) { s.Policy.PreventDeviceEncryption = ptr(true) },
			"managed":          func(s *contract.Status) { s.Machine.Join.MDM = ptr(true) },
			"an older Windows": func(s *contract.Status) { s.Machine.Build = ptr("19045.4529") },
			"a server":         func(s *contract.Status) { s.Machine.OS = ptr("Windows Server 2025 Datacenter") },
			"no TPM":           func(s *contract.Status) { s.Machine.TPM.Present = ptr(false) },
			"no Secure Boot":   func(s *contract.Status) { s.Machine.SecureBoot = ptr(false) },
			"protected":        func(s *contract.Status) { encrypt(volC(s)) },
		},
		unknown: map[string]change{
			"policy":      func(s *contract.Status) { s.Policy.PreventDeviceEncryption = nil },
			"management":  func(s *contract.Status) { s.Machine.Join.Entra = nil },
			"build":       func(s *contract.Status) { s.Machine.Build = nil },
			"TPM":         func(s *contract.Status) { s.Machine.TPM.Present = nil },
			"Secure Boot": func(s *contract.Status) { s.Machine.SecureBoot = nil },
			"conversion":  func(s *contract.Status) { encC(s).Conversion = nil },
			"no volumes":  func(s *contract.Status) { s.Volumes = nil },
		},
	},
	"prevented-but-encrypted": {
		target: volumeC, severity: contract.SeverityInfo,
		positive: func(s *contract.Status) { encrypt(volC(s)) },
		negative: map[string]change{
			"not prevented": func(s *contract.Status) { s.Policy.PreventDeviceEncryption = ptr(false) },
			"decrypted":     func(s *contract.Status) { encC(s).Conversion = ptr(contract.FullyDecrypted) },
			"removable":     func(s *contract.Status) { volC(s).Type = ptr(contract.Removable) },
		},
		unknown: map[string]change{
			"policy":     func(s *contract.Status) { s.Policy.PreventDeviceEncryption = nil },
			"conversion": func(s *contract.Status) { encC(s).Conversion = nil },
			"type":       func(s *contract.Status) { volC(s).Type = nil },
		},
	},
	"no-recovery-protector": {
		target: volumeC, severity: contract.SeverityWarning,
		positive: func(s *contract.Status) {
			encrypt(volC(s))
			encC(s).Protectors = []contract.Protector{{ID: "a", Type: contract.Tpm}}
		},
		negative: map[string]change{
			"has one": func(s *contract.Status) { encrypt(volC(s)) },
			"the key lies in the clear": func(s *contract.Status) {
				disarm(volC(s), nil)
				encC(s).ClearKey = ptr(true)
			},
			"none at all is another finding": func(s *contract.Status) { encC(s).Protectors = []contract.Protector{} },
		},
		unknown: map[string]change{
			"protectors":          func(s *contract.Status) { encC(s).Protectors = nil },
			"protection":          func(s *contract.Status) { encC(s).Protection, encC(s).ClearKey = nil, nil },
			"conversion":          func(s *contract.Status) { encC(s).Conversion = nil },
			"type of a protector": func(s *contract.Status) { encC(s).Protectors[0].Type = contract.ProtectorUnknown },
			"unlisted protector":  func(s *contract.Status) { encC(s).Protectors[0].Type = contract.OnDiskProtector + 0x1000 },
		},
	},
	"volume-locked": {
		target: volumeD, severity: contract.SeverityNotice,
		positive: func(s *contract.Status) { lock(volD(s)) },
		negative: map[string]change{"unlocked": func(s *contract.Status) { volD(s).Encryption.Lock = ptr(contract.Unlocked) }},
		unknown:  map[string]change{"lock": func(s *contract.Status) { volD(s).Encryption.Lock = nil }},
	},
	"metadata-damaged": {
		target: volumeD, severity: contract.SeverityCritical,
		positive: func(s *contract.Status) {
			s.Problems = append(s.Problems, contract.Problem{Code: "metadata-damaged", Level: contract.LevelError, Stage: "volumes", Target: volumeD, Text: "All three copies of the metadata are unreadable."})
		},
		negative: map[string]change{"another problem": func(s *contract.Status) { s.Problems[0].Code = "read-failed" }},
		unknown:  map[string]change{"no problem, though all facts are missing": func(s *contract.Status) { s.Problems = nil; volD(s).Encryption = contract.Encryption{} }},
	},
	"conversion-speed-up": {
		target: "PhysicalDrive0", severity: contract.SeverityWarning,
		positive: func(s *contract.Status) { encrypt(volD(s)); decrypting(volD(s)); speedUp(&s.Disks[0]) },
		negative: map[string]change{
			"it was turned on again": func(s *contract.Status) {
				s.Disks[0].WriteCache.SpeedUpJournal, s.Disks[0].WriteCache.PowerProtected = nil, ptr(false)
			},
		},
		unknown: map[string]change{
			"journal":             func(s *contract.Status) { s.Disks[0].WriteCache.SpeedUpJournal = nil },
			"all about the cache": func(s *contract.Status) { s.Disks[0].WriteCache = contract.WriteCache{} },
		},
	},
	"cache-flush-disabled": {
		target: "PhysicalDrive0", severity: contract.SeverityWarning,
		positive: func(s *contract.Status) {
			s.Disks[0].WriteCache.PowerProtected, s.Disks[0].WriteCache.StoredPowerProtected = ptr(true), ptr(true)
		},
		negative: map[string]change{"flushed": func(s *contract.Status) {
			s.Disks[0].WriteCache.PowerProtected, s.Disks[0].WriteCache.StoredPowerProtected = ptr(false), ptr(false)
		}},
		unknown: map[string]change{"both settings": func(s *contract.Status) { s.Disks[0].WriteCache = contract.WriteCache{} }},
	},
	"partition-misaligned": {
		target: volumeD, severity: contract.SeverityNotice,
		positive: func(s *contract.Status) { volD(s).Extents[0].OffsetBytes = 63 * 512 },
		negative: map[string]change{
			"aligned to 1 MiB": func(s *contract.Status) { volD(s).Extents[0].OffsetBytes = 1 << 20 },
			"a hard disk with sectors of 512 bytes": func(s *contract.Status) {
				s.Disks[0].PhysicalSectorBytes, s.Disks[0].Media = ptr(uint64(512)), ptr(contract.MediaHDD)
			},
		},
		unknown: map[string]change{
			"physical sector":              func(s *contract.Status) { s.Disks[0].PhysicalSectorBytes = nil },
			"physical sector of 0":         func(s *contract.Status) { s.Disks[0].PhysicalSectorBytes = ptr(uint64(0)) },
			"media beside a sector of 512": func(s *contract.Status) { s.Disks[0].PhysicalSectorBytes, s.Disks[0].Media = ptr(uint64(512)), nil },
			"the disk":                     func(s *contract.Status) { s.Disks = nil },
			"where it lies":                func(s *contract.Status) { volD(s).Extents = nil },
		},
	},
	"small-cluster-for-database": {
		target: volumeD, severity: contract.SeverityInfo,
		positive: func(s *contract.Status) {
			s.Machine.OS, s.Machine.Edition = ptr("Windows Server 2022 Standard"), ptr("ServerStandard")
		},
		negative: map[string]change{
			"a client":                   func(s *contract.Status) { s.Machine.Edition = ptr("Professional") },
			"a client for several users": func(s *contract.Status) { s.Machine.Edition = ptr("ServerRdsh") },
			"64 KiB":                     func(s *contract.Status) { volD(s).ClusterBytes = ptr(uint64(65536)) },
			"too small to matter":        func(s *contract.Status) { volD(s).SizeBytes = ptr(uint64(50_000_000_000)) },
			"another file system":        func(s *contract.Status) { volD(s).FileSystem = ptr("exFAT") },
			"the operating system":       func(s *contract.Status) { volD(s).Type = ptr(contract.OperatingSystem) },
		},
		unknown: map[string]change{
			"edition":     func(s *contract.Status) { s.Machine.Edition = nil },
			"cluster":     func(s *contract.Status) { volD(s).ClusterBytes = nil },
			"size":        func(s *contract.Status) { volD(s).SizeBytes = nil },
			"type":        func(s *contract.Status) { volD(s).Type = nil },
			"file system": func(s *contract.Status) { volD(s).FileSystem = nil },
		},
	},
	"nested-encryption": {
		target: volumeC, severity: contract.SeverityInfo,
		positive: func(s *contract.Status) {
			encrypt(volC(s))
			s.Machine.VirtualMachine = contract.VirtualMachine{Detected: ptr(true), Hypervisor: ptr("Hyper-V")}
		},
		negative: map[string]change{
			"real hardware": func(s *contract.Status) { s.Machine.VirtualMachine.Detected = ptr(false) },
			"decrypted":     func(s *contract.Status) { encC(s).Conversion = ptr(contract.FullyDecrypted) },
		},
		unknown: map[string]change{
			"whether it is a guest": func(s *contract.Status) { s.Machine.VirtualMachine = contract.VirtualMachine{} },
			"engine":                func(s *contract.Status) { encC(s).Engine = nil },
			"conversion":            func(s *contract.Status) { encC(s).Conversion = nil },
		},
	},
	"power-saver": {
		target: machineTarget, severity: contract.SeverityNotice,
		positive: func(s *contract.Status) { s.Machine.Power.Saver, s.Machine.Power.Plan = ptr(true), ptr("Power saver") },
		negative: map[string]change{"balanced": func(s *contract.Status) { s.Machine.Power.Saver = ptr(false) }},
		unknown:  map[string]change{"whether it saves": func(s *contract.Status) { s.Machine.Power.Saver = nil }},
	},
	"disk-health": {
		target: "PhysicalDrive0", severity: contract.SeverityCritical,
		positive: func(s *contract.Status) { s.Disks[0].Health.OK = ptr(false) },
		negative: map[string]change{"well": func(s *contract.Status) { s.Disks[0].Health.OK = ptr(true) }},
		unknown:  map[string]change{"nothing reported": func(s *contract.Status) { s.Disks[0].Health = contract.Health{} }},
	},
	"provider-unavailable": {
		target: machineTarget, severity: contract.SeverityWarning,
		positive: func(s *contract.Status) {
			s.BitLocker = contract.Provider{Available: ptr(false), Reason: ptr("the WMI namespace does not exist")}
		},
		negative: map[string]change{"available": func(s *contract.Status) { s.BitLocker.Available = ptr(true) }},
		unknown:  map[string]change{"not found out": func(s *contract.Status) { s.BitLocker = contract.Provider{} }},
	},
	"needs-elevation": {
		target: machineTarget, severity: contract.SeverityWarning,
		positive: func(s *contract.Status) {
			s.Problems = append(s.Problems, contract.Problem{Code: "needs-elevation", Level: contract.LevelError, Stage: "volumes", Target: volumeC, Text: "Access was denied."})
		},
		negative: map[string]change{"another problem": func(s *contract.Status) { s.Problems[0].Code = "read-failed" }},
		unknown:  map[string]change{"no problem, though it is not known whether it is elevated": func(s *contract.Status) { s.Problems = nil; s.Machine.Elevated = nil }},
	},
}

func TestPlainComputerHasNoFindings(t *testing.T) {
	if findings := Findings(plain()); findings == nil || len(findings) != 0 {
		t.Errorf("findings about a computer that nothing is to be said about: %v", findings)
	}
}

func TestNothingKnownMakesNoFindings(t *testing.T) {
	status := contract.Status{
		Disks:   contract.List[contract.Disk]{{ID: "PhysicalDrive0"}},
		Volumes: contract.List[contract.Volume]{{ID: volumeC, Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", OffsetBytes: 63 * 512}}}},
	}
	if findings := Findings(status); len(findings) != 0 {
		t.Errorf("findings from unknown facts: %v", findings)
	}
}

func TestEveryRuleHasExamples(t *testing.T) {
	var ids []string
	for _, rule := range rules {
		ids = append(ids, rule.id)
		e, ok := examples[rule.id]
		if !ok || e.positive == nil || len(e.negative) == 0 || len(e.unknown) == 0 {
			t.Errorf("rule %s lacks a positive, a negative or an unknown example", rule.id)
		}
		checks := 0
		for _, set := range []bool{rule.volume != nil, rule.disk != nil, rule.machine != nil, rule.problem != nil} {
			if set {
				checks++
			}
		}
		if checks != 1 {
			t.Errorf("rule %s has %d checks", rule.id, checks)
		}
	}
	for id := range examples {
		if !slices.Contains(ids, id) {
			t.Errorf("examples for %s, which is no rule", id)
		}
	}
	published := []string{
		"software-encryption", "encrypted-unprotected", "waiting-for-activation", "protection-suspended", "conversion-running",
		"conversion-paused", "hardware-test-pending", "hardware-test-failed", "used-space-only", "legacy-cipher", "hardware-encryption-advisory", "hardware-offload-available",
		"policy-blocks-offload", "policy-reencrypts", "policy-denies-write-if-decrypted", "device-encryption-not-prevented",
		"prevented-but-encrypted", "no-recovery-protector", "volume-locked", "metadata-damaged", "conversion-speed-up", "cache-flush-disabled",
		"partition-misaligned", "small-cluster-for-database", "nested-encryption", "power-saver", "disk-health",
		"provider-unavailable", "needs-elevation",
	}
	if !slices.Equal(ids, published) {
		t.Errorf("the rules are %v, published are %v", ids, published)
	}
}

func TestRules(t *testing.T) {
	for _, rule := range rules {
		e := examples[rule.id]
		t.Run(rule.id, func(t *testing.T) {
			finding := mustFind(t, with(e.positive), rule.id, e.target)
			if finding.Severity != e.severity {
				t.Errorf("severity %s, want %s", finding.Severity, e.severity)
			}
			for what, negative := range e.negative {
				t.Run("silent when "+what, func(t *testing.T) { mustNotFind(t, with(e.positive, negative), rule.id) })
			}
			for what, unknown := range e.unknown {
				t.Run("silent on unknown "+what, func(t *testing.T) { mustNotFind(t, with(e.positive, unknown), rule.id) })
			}
		})
	}
}
