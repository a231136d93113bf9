package audit

import (
	"slices"
	"testing"

	"diskaudit/core/contract"
)

func ptr[T any](v T) *T { return &v }

// plain is a desktop computer that everything is known of and nothing is to be said about:
// unmanaged, decrypted, prevented from encrypting, healthy, aligned.
func plain() contract.Status {
	return contract.Status{
		Header: contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindStatus, Complete: true},
		Machine: contract.Machine{
			Source: contract.SourceWindows, OS: ptr("Windows 11 Pro"), Build: ptr("26100.4061"), Edition: ptr("Professional"),
			Architecture: ptr("amd64"), Elevated: ptr(true),
			VirtualMachine: contract.VirtualMachine{Detected: ptr(false)},
			Power:          contract.Power{Source: ptr(contract.PowerAC), Portable: ptr(false), Plan: ptr("Balanced"), Saver: ptr(false)},
			CPU:            contract.CPU{Name: ptr("Test CPU"), Cores: ptr(uint64(8)), LogicalProcessors: ptr(uint64(16)), AES: ptr(true)},
			TPM:            contract.TPM{Present: ptr(true), Ready: ptr(true), Version: ptr("2.0")},
			SecureBoot:     ptr(true),
			Join:           contract.Join{Domain: ptr(false), Entra: ptr(false), MDM: ptr(false)},
		},
		BitLocker: contract.Provider{Available: ptr(true), Provider: ptr("wmi")},
		Policy: contract.Policy{
			PreventDeviceEncryption: ptr(true), RequireDeviceEncryption: ptr(false),
			DenyWriteFixed: ptr(false), DenyWriteRemovable: ptr(false), FIPS: ptr(false),
			EncryptionMethods:  contract.PolicyMethods{OperatingSystem: ptr(contract.XtsAes256), Fixed: ptr(contract.XtsAes256), Removable: ptr(contract.Aes128)},
			HardwareEncryption: contract.PolicyHardware{OperatingSystem: ptr(false), Fixed: ptr(false), Removable: ptr(false)},
		},
		Disks: contract.List[contract.Disk]{{
			ID: "PhysicalDrive0", Model: ptr("Samsung SSD 990 PRO 2TB"), Firmware: ptr("4B2QJXD7"), Bus: ptr(contract.BusNVMe), NVMe: ptr(true),
			Media: ptr(contract.MediaSSD), Removable: ptr(false), PartitionTable: ptr("gpt"), SizeBytes: ptr(uint64(2_000_398_934_016)),
			LogicalSectorBytes: ptr(uint64(512)), PhysicalSectorBytes: ptr(uint64(4096)),
			Driver:         contract.Driver{Name: ptr("stornvme"), Version: ptr("10.0.26100.1")},
			WriteCache:     contract.WriteCache{Type: ptr(contract.WriteBack), Enabled: ptr(true), PowerProtected: ptr(false), StoredEnabled: ptr(true), StoredPowerProtected: ptr(false)},
			SelfEncrypting: contract.SelfEncrypting{Supported: ptr(false)},
			Health:         contract.Health{OK: ptr(true), CriticalWarning: ptr(uint64(0)), TemperatureCelsius: ptr(41.0), PercentUsed: ptr(3.0), AvailableSparePercent: ptr(100.0), SpareThresholdPercent: ptr(10.0), MediaErrors: ptr(uint64(0))},
		}},
		Volumes: contract.List[contract.Volume]{
			decrypted(volumeC, "C:", contract.OperatingSystem, 1<<20),
			decrypted(volumeD, "D:", contract.Data, 1<<40),
		},
	}
}

const (
	volumeC = `\\?\Volume{11111111-1111-4111-8111-111111111111}\`
	volumeD = `\\?\Volume{22222222-2222-4222-8222-222222222222}\`
)

func decrypted(id, mountPoint string, kind contract.VolumeType, offset uint64) contract.Volume {
	return contract.Volume{
		ID: id, MountPoints: contract.List[string]{mountPoint}, Label: ptr("Disk"), FileSystem: ptr("NTFS"), ClusterBytes: ptr(uint64(4096)),
		SizeBytes: ptr(uint64(900_000_000_000)), FreeBytes: ptr(uint64(400_000_000_000)), Type: ptr(kind),
		Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", OffsetBytes: offset, LengthBytes: 900_000_000_000}},
		Encryption: contract.Encryption{
			Format: ptr("none"), Conversion: ptr(contract.FullyDecrypted), Percent: ptr(0.0), UsedSpaceOnly: ptr(false), Wiping: ptr(contract.NotWiped),
			Method: ptr(contract.MethodNone), Engine: ptr(contract.EngineNone), Protection: ptr(contract.ProtectionOff), ProtectionReason: ptr(contract.ReasonDecrypted),
			Lock: ptr(contract.Unlocked), Protectors: []contract.Protector{}, ClearKey: ptr(false), AutoUnlock: ptr(false),
		},
	}
}

// encrypt makes a volume encrypted by software and protected, with nothing missing.
func encrypt(v *contract.Volume) {
	v.Encryption = contract.Encryption{
		Format: ptr("bitlocker"), Conversion: ptr(contract.FullyEncrypted), Percent: ptr(100.0), UsedSpaceOnly: ptr(false), Wiping: ptr(contract.NotWiped),
		Method: ptr(contract.XtsAes256), Engine: ptr(contract.EngineSoftware), Protection: ptr(contract.ProtectionOn), ProtectionReason: ptr(contract.ReasonProtected),
		Lock: ptr(contract.Unlocked), ClearKey: ptr(false), AutoUnlock: ptr(false),
		Protectors: []contract.Protector{{ID: "a", Type: contract.Tpm}, {ID: "b", Type: contract.RecoveryPassword}},
	}
}

// disarm turns a volume's protection off for a reason, which may be unknown.
func disarm(v *contract.Volume, reason *contract.ProtectionReason) {
	v.Encryption.Protection = ptr(contract.ProtectionOff)
	v.Encryption.ProtectionReason = reason
}

// lock makes a volume locked: what it holds is unknown.
func lock(v *contract.Volume) {
	v.Encryption = contract.Encryption{
		Format: ptr("bitlocker"), Method: ptr(contract.XtsAes256), Engine: ptr(contract.EngineSoftware), Protection: ptr(contract.ProtectionUnknown),
		ProtectionReason: ptr(contract.ReasonLocked), Lock: ptr(contract.Locked), Protectors: []contract.Protector{{ID: "a", Type: contract.Password}},
	}
	v.Label, v.FileSystem, v.ClusterBytes, v.FreeBytes = nil, nil, nil, nil
}

// with returns the plain computer after changes.
func with(changes ...func(*contract.Status)) contract.Status {
	status := plain()
	for _, change := range changes {
		change(&status)
	}
	return status
}

func find(findings []contract.Finding, id, target string) *contract.Finding {
	for i, finding := range findings {
		if finding.ID == id && finding.Target == target {
			return &findings[i]
		}
	}
	return nil
}

// idsOf lists the ids of the findings about a target, sorted.
func idsOf(findings []contract.Finding, target string) []string {
	ids := []string{}
	for _, finding := range findings {
		if finding.Target == target {
			ids = append(ids, finding.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func mustFind(t *testing.T, status contract.Status, id, target string) contract.Finding {
	t.Helper()
	finding := find(Findings(status), id, target)
	if finding == nil {
		t.Fatalf("no finding %s about %s; there are %v", id, target, idsOf(Findings(status), target))
	}
	return *finding
}

func mustNotFind(t *testing.T, status contract.Status, id string) {
	t.Helper()
	for _, finding := range Findings(status) {
		if finding.ID == id {
			t.Fatalf("finding %s about %s: %s (%s)", id, finding.Target, finding.Title, finding.Evidence)
		}
	}
}
