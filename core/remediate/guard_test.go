package remediate

import (
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// edit changes a request for a plan on the sound computer.
type edit func(*Request)

func requestWith(edits ...edit) Request {
	request := Request{Action: contract.ActionDecrypt, Status: soundComputer()}
	for _, change := range edits {
		change(&request)
	}
	return request
}

// withAction asks for something else than decrypting.
func withAction(action contract.Action) edit { return func(r *Request) { r.Action = action } }

// withFacts changes the computer.
func withFacts(change func(*contract.Status)) edit { return func(r *Request) { change(&r.Status) } }

// onVolume changes one of its volumes, onDisk a disk.
func onVolume(id string, change func(*contract.Volume)) edit {
	return withFacts(func(s *contract.Status) {
		for i := range s.Volumes {
			if s.Volumes[i].ID == id {
				change(&s.Volumes[i])
			}
		}
	})
}

func onDisk(id string, change func(*contract.Disk)) edit {
	return withFacts(func(s *contract.Status) {
		for i := range s.Disks {
			if s.Disks[i].ID == id {
				change(&s.Disks[i])
			}
		}
	})
}

func inState(id string, state contract.Conversion) edit {
	return onVolume(id, func(v *contract.Volume) { v.Encryption.Conversion = &state })
}

func withSetting(key, name, data string) edit {
	return withFacts(func(s *contract.Status) {
		s.Policy.Settings = append(s.Policy.Settings, contract.PolicySetting{Name: name, Key: key, Data: data, Meaning: "a setting"})
	})
}

func together(edits ...edit) edit {
	return func(r *Request) {
		for _, change := range edits {
			change(r)
		}
	}
}

// autoUnlocking makes D: unlock by a key on C:, with these protectors, and lets the key be removed;
// D: itself is not to be decrypted.
func autoUnlocking(protectors ...contract.ProtectorType) edit {
	return together(
		onVolume(soundC, func(v *contract.Volume) { v.Encryption.AutoUnlockKeysStored = contract.Ptr(true) }),
		onVolume(soundD, func(v *contract.Volume) {
			v.Encryption.AutoUnlock = contract.Ptr(true)
			v.Encryption.Protectors = soundEncryption(protectors...).Protectors
		}),
		func(r *Request) { r.ClearAutoUnlock, r.Volumes = true, []string{soundC} },
	)
}

// keysStored says whether C: holds keys by which others unlock.
func keysStored(stored bool) edit {
	return onVolume(soundC, func(v *contract.Volume) { v.Encryption.AutoUnlockKeysStored = &stored })
}

// aStick makes D: removable, and asks for it by name.
func aStick(r *Request) {
	onVolume(soundD, func(v *contract.Volume) { v.Type = contract.Ptr(contract.Removable) })(r)
	r.Volumes = []string{soundD}
}

// withProblem adds a problem with the reading of policies.
func withProblem(code, target string) edit {
	return withFacts(func(s *contract.Status) {
		s.Problems = append(s.Problems, contract.Problem{Code: code, Level: contract.LevelError, Stage: "policy", Target: target, Text: "Something about it."})
	})
}

// unusablePrevention sets PreventDeviceEncryption to what it must not be.
func unusablePrevention(data string) edit {
	at := strings.LastIndex(PreventionTarget, `\`)
	return together(withSetting(PreventionTarget[:at], PreventionTarget[at+1:], data), withProblem("policy-value-unusable", PreventionTarget),
		withFacts(func(s *contract.Status) { s.Policy.PreventDeviceEncryption = nil }))
}

// onHardDisk speeds up the decryption of D: alone, which lies on a hard disk.
func onHardDisk(r *Request) { r.SpeedUp, r.Volumes = true, []string{soundD} }

func asItIs(*Request) {}

const (
	requireTarget  = `HKLM\SOFTWARE\Microsoft\PolicyManager\current\device\BitLocker\RequireDeviceEncryption`
	enforcesTarget = `HKLM\SOFTWARE\Policies\Microsoft\FVE\MDOPBitLockerManagement\ShouldEncryptOSDrive`
	fixedTarget    = `HKLM\SOFTWARE\Policies\Microsoft\FVE\MDOPBitLockerManagement\ShouldEncryptFixedDataDrive`
)

// guardCase is a request and what one guard says of it; says are words of its text.
type guardCase struct {
	name          string
	guard, target string
	edit          edit
	want          contract.GuardResult
	says          []string
}

// guardCases have, for each guard, what refuses, what allows and what is unknown.
var guardCases = []guardCase{
	{"locked", guardLocked, soundD, onVolume(soundD, func(v *contract.Volume) { v.Encryption = contract.Encryption{Lock: contract.Ptr(contract.Locked)} }),
		contract.GuardRefuse, []string{"D: is locked", "decrypted", "Unlock-BitLocker", "left out"}},
	// Case B4: a state that could not be read is no decrypted volume.
	{"nothing was read", guardState, soundD, onVolume(soundD, func(v *contract.Volume) { v.Encryption = contract.Encryption{} }),
		contract.GuardUnknown, []string{"D:", "conversion is not known", "lock is not known", "not decrypted", "diskaudit status"}},
	{"a state without a name", guardState, soundC, inState(soundC, 9), contract.GuardUnknown, []string{"C:", "unlisted number 9"}},
	{"damaged metadata", guardDamaged, soundD, onVolume(soundD, func(v *contract.Volume) {
		v.Problems = append(v.Problems, contract.Problem{Code: "metadata-copy-damaged", Level: contract.LevelWarning, Text: "Copy 2 is not sound."})
	}), contract.GuardRefuse, []string{"D:", "Copy 2 is not sound", "unreadable", "Copy the data"}},
	{"a cluster", guardCluster, soundD, onVolume(soundD, func(v *contract.Volume) { v.FileSystem = contract.Ptr("CSVFS") }),
		contract.GuardRefuse, []string{"D:", "CSVFS", "lose data", "cluster's own tools"}},

	{"software", guardHardware, soundC, asItIs, contract.GuardAllow, []string{"C:", "software"}},
	{"the drive", guardHardware, soundD, together(onVolume(soundD, func(v *contract.Volume) { v.Encryption.Engine = contract.Ptr(contract.EngineDrive) }),
		func(r *Request) { r.Volumes = []string{soundD} }), contract.GuardRefuse, []string{"D:", "drive itself", "lie open"}},
	{"the processor's engine", guardHardware, soundC, together(onVolume(soundC, func(v *contract.Volume) { v.Encryption.Engine = contract.Ptr(contract.EngineSoC) }),
		func(r *Request) { r.Volumes = []string{soundC} }), contract.GuardRefuse, []string{"C:", "engine soc", "lie open"}},

	{"nobody's computer", guardManaged, machineTarget, asItIs, contract.GuardAllow, []string{"no domain"}},
	// Case C39: also what another device management has left behind is named, with where it is set.
	{"Intune", guardManaged, machineTarget, together(withFacts(func(s *contract.Status) {
		s.Machine.Join.MDM, s.Machine.Join.Domain = contract.Ptr(true), nil
		s.Machine.Join.MDMProvider = contract.Ptr("MS DM Server")
		s.Policy.Origins = contract.List[string]{"Intune"}
	}), withSetting(managerKey, "EncryptionMethodByDriveType", "<enabled/>")),
		contract.GuardRefuse, []string{"mdm", "MS DM Server", "Intune", "EncryptionMethodByDriveType = <enabled/>", managerKey, "encrypt it again"}},
	{"a domain", guardManaged, machineTarget, withFacts(func(s *contract.Status) { s.Machine.Join.Domain = contract.Ptr(true) }), contract.GuardRefuse, []string{"Active Directory"}},
	{"Entra ID, and only to prevent", guardManaged, machineTarget, together(withAction(contract.ActionPrevent), withFacts(func(s *contract.Status) { s.Machine.Join.Entra = contract.Ptr(true) })),
		contract.GuardRefuse, []string{"Entra"}},
	{"an encryption that is paused", guardManaged, machineTarget, together(withAction(contract.ActionPause), inState(soundC, contract.EncryptionInProgress),
		withFacts(func(s *contract.Status) { s.Machine.Join.MDM = contract.Ptr(true) })), contract.GuardRefuse, []string{"mdm"}},
	{"membership unknown", guardManaged, machineTarget, withFacts(func(s *contract.Status) { s.Machine.Join.Entra = nil }), contract.GuardUnknown, []string{"Entra", "not known", "encrypt it again"}},

	{"nothing demanded", guardReencrypts, requireTarget, asItIs, contract.GuardAllow, []string{"RequireDeviceEncryption"}},
	{"RequireDeviceEncryption", guardReencrypts, requireTarget, together(withSetting(managerKey, "RequireDeviceEncryption", "1"),
		withFacts(func(s *contract.Status) {
			s.Policy.RequireDeviceEncryption = contract.Ptr(true)
			s.Policy.Origins = contract.List[string]{"Intune"}
		})),
		contract.GuardRefuse, []string{"RequireDeviceEncryption = 1 in " + managerKey, "Intune", "encrypted again", "withdrawn"}},
	{"RequireDeviceEncryption unknown", guardReencrypts, requireTarget, withFacts(func(s *contract.Status) { s.Policy.RequireDeviceEncryption = nil }),
		contract.GuardUnknown, []string{"RequireDeviceEncryption", "not known", "encrypted again"}},
	{"MBAM, and only to prevent", guardReencrypts, enforcesTarget, together(withAction(contract.ActionPrevent), withFacts(func(s *contract.Status) { s.Policy.ManagementEnforces = contract.Ptr(true) })),
		contract.GuardRefuse, []string{"ShouldEncryptOSDrive", managementKey, "encrypted again"}},
	{"MBAM unknown", guardReencrypts, enforcesTarget, withFacts(func(s *contract.Status) { s.Policy.ManagementEnforces = nil }), contract.GuardUnknown, []string{"ShouldEncryptOSDrive"}},
	{"MBAM for data volumes", guardReencrypts, fixedTarget, withSetting(managementKey, "ShouldEncryptFixedDataDrive", "1"), contract.GuardRefuse, []string{"ShouldEncryptFixedDataDrive = 1"}},
	{"MBAM for data volumes off", guardReencrypts, fixedTarget, withSetting(managementKey, "ShouldEncryptFixedDataDrive", "0"), contract.GuardAllow, []string{"ShouldEncryptFixedDataDrive"}},
	{"MBAM for data volumes senseless", guardReencrypts, fixedTarget, withSetting(managementKey, "ShouldEncryptFixedDataDrive", "yes"), contract.GuardUnknown, []string{"ShouldEncryptFixedDataDrive = yes"}},

	{"writing allowed", guardWriteDenied, soundD, asItIs, contract.GuardAllow, []string{"fixed data volumes"}},
	// Case B57: the policy lies at a place of its own.
	{"FDVDenyWriteAccess", guardWriteDenied, soundD, together(withSetting(denyKey, "FDVDenyWriteAccess", "1"), withFacts(func(s *contract.Status) { s.Policy.DenyWriteFixed = contract.Ptr(true) })),
		contract.GuardRefuse, []string{`FDVDenyWriteAccess = 1 in HKLM\SYSTEM\CurrentControlSet\Policies\Microsoft\FVE`, "D:", "read-only", "leave the volume out"}},
	{"FixedDrivesRequireEncryption", guardWriteDenied, soundD, together(withSetting(managerKey, "FixedDrivesRequireEncryption", "<enabled/>"), withFacts(func(s *contract.Status) { s.Policy.DenyWriteFixed = contract.Ptr(true) })),
		contract.GuardRefuse, []string{"FixedDrivesRequireEncryption = <enabled/> in " + managerKey, "read-only"}},
	{"write access unknown", guardWriteDenied, soundD, withFacts(func(s *contract.Status) { s.Policy.DenyWriteFixed = nil }), contract.GuardUnknown, []string{"FDVDenyWriteAccess", denyKey, "read-only"}},
	{"a stick", guardWriteDenied, soundD, together(withFacts(func(s *contract.Status) { s.Policy.DenyWriteRemovable = contract.Ptr(true) }),
		onVolume(soundD, func(v *contract.Volume) { v.Type = contract.Ptr(contract.Removable) }), func(r *Request) { r.Volumes = []string{soundD} }),
		contract.GuardRefuse, []string{"RDVDenyWriteAccess", "removable", "read-only"}},

	{"a stick that may be decrypted", guardForbids, soundD, aStick, contract.GuardAllow, []string{"removable"}},
	{"RDVDisableBDE of 1", guardForbids, soundD, together(aStick, withSetting(policyKey, "RDVDisableBDE", "1")), contract.GuardAllow, []string{"removable"}},
	{"RDVDisableBDE", guardForbids, soundD, together(aStick, withSetting(policyKey, "RDVDisableBDE", "0"), withFacts(func(s *contract.Status) { s.Policy.Origins = contract.List[string]{"Intune"} })),
		contract.GuardRefuse, []string{`RDVDisableBDE = 0 in HKLM\SOFTWARE\Policies\Microsoft\FVE`, "Intune", "D:", "refuse to decrypt", "withdrawn", "leave the volume out"}},
	{"RDVDisableBDE of a number not listed", guardForbids, soundD, together(aStick, withSetting(policyKey, "RDVDisableBDE", "3")), contract.GuardUnknown, []string{"RDVDisableBDE = 3", "not known", "corrected"}},
	// A text is no number, whatever it reads.
	{"RDVDisableBDE of another kind", guardForbids, soundD, together(aStick, withSetting(policyKey, "RDVDisableBDE", "1"), withProblem("policy-value-unusable", policyKey+`\RDVDisableBDE`)),
		contract.GuardUnknown, []string{"RDVDisableBDE = 1", "is not the number 0 or 1"}},
	{"RDVDisableBDE unread", guardForbids, soundD, together(aStick, withProblem("policy-unreadable", policyKey)), contract.GuardUnknown, []string{"RDVDisableBDE", policyKey, "not known", "diskaudit status"}},
	{"no policy read at all", guardForbids, soundD, together(aStick, withProblem("timeout", "")), contract.GuardUnknown, []string{"RDVDisableBDE", "not known"}},
	{"other policies unread", guardForbids, soundD, together(aStick, withProblem("policy-unreadable", managementKey)), contract.GuardAllow, nil},

	{"a desktop", guardPortable, machineTarget, asItIs, contract.GuardAllow, []string{"not portable"}},
	{"a laptop", guardPortable, machineTarget, withFacts(func(s *contract.Status) { s.Machine.Power.Portable = contract.Ptr(true) }), contract.GuardRefuse, []string{"portable", "thief", "Keep the encryption"}},
	{"a laptop whose encryption is paused", guardPortable, machineTarget, together(withAction(contract.ActionPause), inState(soundC, contract.EncryptionInProgress),
		withFacts(func(s *contract.Status) { s.Machine.Power.Portable = contract.Ptr(true) })), contract.GuardRefuse, []string{"portable"}},
	{"portable or not", guardPortable, machineTarget, withFacts(func(s *contract.Status) { s.Machine.Power.Portable = nil }), contract.GuardUnknown, []string{"not known", "thief"}},

	{"mains", guardBattery, machineTarget, asItIs, contract.GuardAllow, []string{"mains"}},
	{"battery", guardBattery, machineTarget, withFacts(func(s *contract.Status) {
		s.Machine.Power.Source, s.Machine.Power.BatteryPercent = contract.Ptr(contract.PowerBattery), contract.Ptr(37.0)
	}), contract.GuardRefuse, []string{"battery", "37 %", "goes on where it stopped", "programs have not saved", "lost", "mains"}},
	{"battery, without flushing", guardBattery, machineTarget, together(onHardDisk, withFacts(func(s *contract.Status) {
		s.Machine.Power.Source = contract.Ptr(contract.PowerBattery)
	})), contract.GuardRefuse, []string{"--speed-up-conversion", "hold for written", "lost"}},
	{"battery, to resume", guardBattery, machineTarget, together(withAction(contract.ActionResume), inState(soundC, contract.DecryptionPaused),
		withFacts(func(s *contract.Status) { s.Machine.Power.Source = contract.Ptr(contract.PowerBattery) })), contract.GuardRefuse, []string{"battery"}},
	{"power unknown", guardBattery, machineTarget, withFacts(func(s *contract.Status) { s.Machine.Power.Source = nil }), contract.GuardUnknown, []string{"not known", "lost"}},
	{"power of another kind", guardBattery, machineTarget, withFacts(func(s *contract.Status) { s.Machine.Power.Source = contract.Ptr(contract.PowerSource("sun")) }), contract.GuardUnknown, []string{`"sun"`}},

	{"healthy", guardHealth, soundNVMe, asItIs, contract.GuardAllow, []string{soundNVMe}},
	{"failing", guardHealth, soundHDD, onDisk(soundHDD, func(d *contract.Disk) { d.Health.OK = contract.Ptr(false) }), contract.GuardRefuse, []string{soundHDD, "failure", "rescue", "Copy the data"}},
	{"critical warning", guardHealth, soundNVMe, onDisk(soundNVMe, func(d *contract.Disk) { d.Health.CriticalWarning = contract.Ptr(uint64(4)) }), contract.GuardRefuse, []string{"0x04"}},
	{"media errors", guardHealth, soundNVMe, onDisk(soundNVMe, func(d *contract.Disk) { d.Health.MediaErrors = contract.Ptr(uint64(12)) }), contract.GuardRefuse, []string{"12 errors"}},
	{"spare blocks", guardHealth, soundNVMe, onDisk(soundNVMe, func(d *contract.Disk) { d.Health.AvailableSparePercent = contract.Ptr(9.0) }), contract.GuardRefuse, []string{"9 %", "10 %"}},
	{"as many spare blocks as the threshold", guardHealth, soundNVMe, onDisk(soundNVMe, func(d *contract.Disk) { d.Health.AvailableSparePercent = contract.Ptr(10.0) }), contract.GuardAllow, nil},
	{"a disk that tells nothing", guardHealth, soundHDD, onDisk(soundHDD, func(d *contract.Disk) { d.Health = contract.Health{} }), contract.GuardUnknown, []string{soundHDD, "does not tell", "rescue"}},
	{"on what disk", guardHealth, soundD, onVolume(soundD, func(v *contract.Volume) { v.Extents = nil }), contract.GuardUnknown, []string{"which disk D: lies", "rescue"}},
	{"on a disk that is not listed", guardHealth, soundD, onVolume(soundD, func(v *contract.Volume) { v.Extents[0].DiskID = "PhysicalDrive7" }), contract.GuardUnknown, []string{"PhysicalDrive7"}},

	{"at rest", guardRunning, soundC, asItIs, contract.GuardAllow, []string{"C:", "FullyEncrypted"}},
	// Case B39: a volume that Windows encrypts of its own accord.
	{"encrypting", guardRunning, soundC, inState(soundC, contract.EncryptionInProgress), contract.GuardRefuse, []string{"C:", "EncryptionInProgress", "begun", "decrypted all the same"}},
	{"encryption paused", guardRunning, soundC, inState(soundC, contract.EncryptionPaused), contract.GuardRefuse, []string{"EncryptionPaused"}},
	{"wiping", guardRunning, soundC, onVolume(soundC, func(v *contract.Volume) { v.Encryption.Wiping = contract.Ptr(contract.WipeInProgress) }), contract.GuardRefuse, []string{"WipeInProgress"}},
	{"wipe paused", guardRunning, soundC, onVolume(soundC, func(v *contract.Volume) { v.Encryption.Wiping = contract.Ptr(contract.WipePaused) }), contract.GuardRefuse, []string{"WipePaused"}},
	{"wipe unknown", guardRunning, soundC, onVolume(soundC, func(v *contract.Volume) { v.Encryption.Wiping = nil }), contract.GuardUnknown, []string{"C:", "not known"}},
	{"wipe unknown, but decrypting already", guardRunning, soundC, together(inState(soundC, contract.DecryptionPaused), onVolume(soundC, func(v *contract.Volume) { v.Encryption.Wiping = nil })),
		contract.GuardAllow, []string{"DecryptionPaused"}},

	{"no test", guardTest, soundC, asItIs, contract.GuardAllow, []string{"C:"}},
	{"test failed", guardTest, soundC, onVolume(soundC, func(v *contract.Volume) { v.Encryption.HardwareTest = contract.Ptr(contract.HardwareTestFailed) }), contract.GuardAllow, []string{"failed"}},
	{"test pending", guardTest, soundC, onVolume(soundC, func(v *contract.Volume) { v.Encryption.HardwareTest = contract.Ptr(contract.HardwareTestPending) }), contract.GuardRefuse, []string{"C:", "Pending", "before the restart", "begin to encrypt", "manage-bde -off C:", "begins its decryption"}},
	{"test pending on a volume that is still plain", guardTest, soundC, together(inState(soundC, contract.FullyDecrypted), onVolume(soundC, func(v *contract.Volume) {
		v.Encryption = contract.Encryption{Conversion: contract.Ptr(contract.FullyDecrypted), Lock: contract.Ptr(contract.Unlocked), HardwareTest: contract.Ptr(contract.HardwareTestPending)}
	})), contract.GuardRefuse, []string{"C:", "Pending", "begin to encrypt", "manage-bde -off C: (or Disable-BitLocker -MountPoint 'C:')"}},
	{"test unknown", guardTest, soundC, onVolume(soundC, func(v *contract.Volume) { v.Encryption.HardwareTest = nil }), contract.GuardUnknown, []string{"C:", "not known", "If one is", "diskaudit status", "manage-bde -off C:"}},

	{"no restart", guardReboot, machineTarget, asItIs, contract.GuardAllow, nil},
	{"restart pending", guardReboot, machineTarget, withFacts(func(s *contract.Status) { s.Machine.RebootPending = contract.Ptr(true) }), contract.GuardRefuse, []string{"restart", "conversion", "Restart the computer"}},
	{"restart unknown", guardReboot, machineTarget, withFacts(func(s *contract.Status) { s.Machine.RebootPending = nil }), contract.GuardUnknown, []string{"not known", "If it does", "diskaudit status"}},

	{"file system sound", guardFileSystem, soundD, asItIs, contract.GuardAllow, []string{"D:"}},
	{"file system not sound", guardFileSystem, soundD, onVolume(soundD, func(v *contract.Volume) { v.FileSystemDirty = contract.Ptr(true) }), contract.GuardRefuse, []string{"D:", "not sound", "lose data", "chkdsk"}},
	{"no file system known", guardFileSystem, soundD, onVolume(soundD, func(v *contract.Volume) { v.FileSystem = nil }), contract.GuardUnknown, []string{"What file system D: has", "cluster", "lose data"}},
	{"soundness unknown", guardFileSystem, soundD, onVolume(soundD, func(v *contract.Volume) { v.FileSystemDirty = nil }), contract.GuardUnknown, []string{"D:", "not known"}},

	{"no keys", guardKeys, soundC, asItIs, contract.GuardAllow, []string{"C:"}},
	{"keys for D:", guardKeys, soundC, together(autoUnlocking(contract.RecoveryPassword), func(r *Request) { r.ClearAutoUnlock = false }),
		contract.GuardRefuse, []string{"C:", "not connected now: D:", "not connected", "recovery password", "lost", "--clear-auto-unlock"}},
	{"keys for D:, which is decrypted before", guardKeys, soundC, together(autoUnlocking(contract.RecoveryPassword), func(r *Request) { r.ClearAutoUnlock, r.Volumes = false, nil }),
		contract.GuardRefuse, []string{"C:", "not connected", "--clear-auto-unlock"}},
	{"keys that may be removed", guardKeys, soundC, autoUnlocking(contract.RecoveryPassword), contract.GuardOverridden, []string{"D:", "It was overridden"}},
	{"keys that contradict", guardKeys, soundC, together(autoUnlocking(contract.RecoveryPassword), keysStored(false), func(r *Request) { r.ClearAutoUnlock = false }), contract.GuardUnknown, []string{"C:", "autoUnlockKeysStored false", "D:", "autoUnlock true", "Disable-BitLockerAutoUnlock"}},
	{"keys unknown", guardKeys, soundC, onVolume(soundC, func(v *contract.Volume) { v.Encryption.AutoUnlockKeysStored = nil }), contract.GuardUnknown, []string{"C:", "not known", "--clear-auto-unlock"}},

	{"another way in", guardOnlyKey, soundD, autoUnlocking(contract.ExternalKey, contract.RecoveryPassword), contract.GuardAllow, []string{"D:", "RecoveryPassword"}},
	{"the only way in", guardOnlyKey, soundD, autoUnlocking(contract.ExternalKey), contract.GuardRefuse, []string{"D:", "ExternalKey", "lost for good", "removed from C:", "Add-BitLockerKeyProtector", "all the same"}},
	{"no protector at all", guardOnlyKey, soundD, together(autoUnlocking(), onVolume(soundD, func(v *contract.Volume) { v.Encryption.Protectors = []contract.Protector{} })), contract.GuardRefuse, []string{"D:", "no protector"}},
	{"protectors unknown", guardOnlyKey, soundD, together(autoUnlocking(), onVolume(soundD, func(v *contract.Volume) { v.Encryption.Protectors = nil })), contract.GuardUnknown, []string{"D:", "not known", "lost for good"}},
	{"a protector of a new kind", guardOnlyKey, soundD, autoUnlocking(contract.ExternalKey, 77), contract.GuardUnknown, []string{"77"}},
	{"automatic unlocking unknown", guardOnlyKey, soundD, together(autoUnlocking(contract.ExternalKey), onVolume(soundD, func(v *contract.Volume) { v.Encryption.AutoUnlock = nil })), contract.GuardUnknown, []string{"D:", "may unlock"}},
	{"no automatic unlocking", guardOnlyKey, soundD, together(autoUnlocking(contract.ExternalKey), onVolume(soundD, func(v *contract.Volume) { v.Encryption.AutoUnlock = contract.Ptr(false) })), contract.GuardAllow, []string{"D:"}},
	{"a volume that is not known", guardOnlyKey, soundD, together(autoUnlocking(contract.ExternalKey), onVolume(soundD, func(v *contract.Volume) { v.Encryption = contract.Encryption{} })), contract.GuardUnknown, []string{"D:"}},

	{"a hard disk", guardSpeedUp, soundHDD, onHardDisk, contract.GuardAllow, []string{soundHDD}},
	{"an SSD", guardSpeedUp, soundNVMe, func(r *Request) { r.SpeedUp = true }, contract.GuardRefuse, []string{soundNVMe, "SSD", "loss of power", "--speed-up-conversion"}},
	{"media unspecified", guardSpeedUp, soundHDD, together(onHardDisk, onDisk(soundHDD, func(d *contract.Disk) { d.Media = contract.Ptr(contract.MediaUnspecified) })), contract.GuardUnknown, []string{"Unspecified"}},
	{"media unknown", guardSpeedUp, soundHDD, together(onHardDisk, onDisk(soundHDD, func(d *contract.Disk) { d.Media = nil })), contract.GuardUnknown, []string{"not known"}},
	{"no write cache", guardSpeedUp, soundHDD, together(onHardDisk, onDisk(soundHDD, func(d *contract.Disk) { d.WriteCache.Type = contract.Ptr(contract.WriteThrough) })), contract.GuardRefuse, []string{"WriteThrough"}},
	{"write cache off", guardSpeedUp, soundHDD, together(onHardDisk, onDisk(soundHDD, func(d *contract.Disk) { d.WriteCache.Enabled = contract.Ptr(false) })), contract.GuardRefuse, []string{"off"}},
	{"write cache unknown", guardSpeedUp, soundHDD, together(onHardDisk, onDisk(soundHDD, func(d *contract.Disk) { d.WriteCache.Type = nil })), contract.GuardUnknown, nil},
	{"flushing unknown", guardSpeedUp, soundHDD, together(onHardDisk, onDisk(soundHDD, func(d *contract.Disk) { d.WriteCache.PowerProtected = nil })), contract.GuardUnknown, []string{"flushed"}},
	{"flushing off already", guardSpeedUp, soundHDD, together(onHardDisk, onDisk(soundHDD, func(d *contract.Disk) { d.WriteCache.PowerProtected = contract.Ptr(true) })), contract.GuardAllow, []string{"left so"}},
	{"speed on battery", guardSpeedUp, soundHDD, together(onHardDisk, withFacts(func(s *contract.Status) { s.Machine.Power.Source = contract.Ptr(contract.PowerBattery) })), contract.GuardRefuse, []string{"this computer runs on its battery"}},
	{"speed with power unknown", guardSpeedUp, soundHDD, together(onHardDisk, withFacts(func(s *contract.Status) { s.Machine.Power.Source = nil })), contract.GuardUnknown, []string{"not known"}},
	{"speed on an unknown disk", guardSpeedUp, soundD, together(onHardDisk, onVolume(soundD, func(v *contract.Volume) { v.Extents = nil })), contract.GuardUnknown, []string{"--speed-up-conversion"}},

	{"prevention known", guardState, PreventionTarget, asItIs, contract.GuardAllow, []string{"PreventDeviceEncryption"}},
	{"prevention unknown", guardState, PreventionTarget, withFacts(func(s *contract.Status) { s.Policy.PreventDeviceEncryption = nil }), contract.GuardUnknown, []string{"PreventDeviceEncryption", "not known", "put back", "diskaudit status"}},
	{"prevention of another number", guardState, PreventionTarget, unusablePrevention("2"),
		contract.GuardUnknown, []string{`PreventDeviceEncryption is "2"`, "put back", `reg delete "HKLM\SYSTEM\CurrentControlSet\Control\BitLocker" /v PreventDeviceEncryption /f`, "Correct it"}},
	{"prevention that is a text", guardState, PreventionTarget, together(withAction(contract.ActionPrevent), unusablePrevention("yes")),
		contract.GuardUnknown, []string{`PreventDeviceEncryption is "yes"`, "reg delete"}},
}

// withoutOverride are guards that nothing overrides, by id or by target.
func withoutOverride(guard, target string) bool {
	return guard == guardSpeedUp || target == PreventionTarget
}

func TestGuards(t *testing.T) {
	for _, c := range guardCases {
		t.Run(c.guard+"/"+c.name, func(t *testing.T) {
			request := requestWith(c.edit)
			got := findGuard(t, Make(request).Plan.Guards, c.guard, c.target)
			if got.Result != c.want {
				t.Errorf("result %s, want %s: %s", got.Result, c.want, got.Text)
			}
			for _, word := range c.says {
				if !strings.Contains(got.Text, word) {
					t.Errorf("%q is missing in: %s", word, got.Text)
				}
			}
			if c.want == contract.GuardAllow && got.Override != nil {
				t.Errorf("something that is allowed is overridden by %s", *got.Override)
			}
			if c.name == "keys that contradict" && got.Override != nil {
				t.Errorf("nothing settles it, but the override is %s", *got.Override)
			}
			if c.guard == guardKeys || c.want == contract.GuardAllow {
				return
			}
			request.Overrides = []string{c.guard}
			checkOverride(t, got, findGuard(t, Make(request).Plan.Guards, c.guard, c.target))
		})
	}
}

func checkOverride(t *testing.T, refused, after contract.Guard) {
	t.Helper()
	if withoutOverride(refused.ID, refused.Target) {
		if refused.Override != nil || after.Result != refused.Result {
			t.Errorf("nothing overrides it, but it has the override %v and becomes %s", refused.Override, after.Result)
		}
		return
	}
	option := "--override " + refused.ID
	if refused.Override == nil || *refused.Override != option || !strings.Contains(refused.Text, "With "+option) {
		t.Errorf("override %v, text: %s", refused.Override, refused.Text)
	}
	if after.Result != contract.GuardOverridden || after.Text != refused.Text+" It was overridden." {
		t.Errorf("overridden it is %s: %s", after.Result, after.Text)
	}
}

// Every guard has its examples of each result.
func TestGuardsHaveExamples(t *testing.T) {
	// A volume in doubt is in doubt, and the others that leave a volume out are sure of it.
	expected := map[string][]contract.GuardResult{
		guardState: {contract.GuardUnknown}, guardLocked: {contract.GuardRefuse}, guardDamaged: {contract.GuardRefuse},
		guardCluster: {contract.GuardRefuse}, guardHardware: {contract.GuardRefuse, contract.GuardAllow},
	}
	for _, r := range rules {
		if expected[r.id] == nil {
			expected[r.id] = []contract.GuardResult{contract.GuardRefuse, contract.GuardAllow, contract.GuardUnknown}
		}
	}
	for id, results := range expected {
		for _, result := range results {
			if !slices.ContainsFunc(guardCases, func(c guardCase) bool { return c.guard == id && c.want == result }) {
				t.Errorf("no example of %s that is %s", id, result)
			}
		}
	}
}

func TestSoundComputerIsAllowed(t *testing.T) {
	made := Make(requestWith())
	if len(made.Plan.Steps) == 0 || Refuses(made.Plan.Guards) {
		t.Errorf("steps %d, guards %+v", len(made.Plan.Steps), made.Plan.Guards)
	}
	for _, g := range made.Plan.Guards {
		if g.Result != contract.GuardAllow {
			t.Errorf("%s of %s is %s: %s", g.ID, g.Target, g.Result, g.Text)
		}
	}
}

func findGuard(t *testing.T, guards []contract.Guard, id, target string) contract.Guard {
	t.Helper()
	var found []contract.Guard
	for _, g := range guards {
		if g.ID == id && g.Target == target {
			found = append(found, g)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d guards %s about %s among %+v", len(found), id, target, guards)
	}
	return found[0]
}
