package cli_test

import (
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/hive/hivetest"
)

const (
	systemVolume = `\\?\Volume{00000000-0000-4000-8000-00000000000c}\`
	dataVolume   = `\\?\Volume{00000000-0000-4000-8000-00000000000d}\`
)

// traits make a computer another than the desktop computer whose C: is encrypted by software and
// against whose decryption nothing stands.
var traits = map[string]func(*contract.Status){
	"decrypted": func(s *contract.Status) {
		e := &s.Volumes[0].Encryption
		*e = contract.Encryption{Conversion: contract.Ptr(contract.FullyDecrypted), Percent: contract.Ptr(0.0), UsedSpaceOnly: contract.Ptr(false),
			Wiping: contract.Ptr(contract.NotWiped), Method: contract.Ptr(contract.MethodNone), Engine: contract.Ptr(contract.EngineNone),
			Protection: contract.Ptr(contract.ProtectionOff), ProtectionReason: contract.Ptr(contract.ReasonDecrypted), Lock: contract.Ptr(contract.Unlocked),
			Protectors: []contract.Protector{}, ClearKey: contract.Ptr(false), AutoUnlockKeysStored: contract.Ptr(false)}
	},
	"paused": func(s *contract.Status) {
		e := &s.Volumes[0].Encryption
		e.Conversion, e.Percent = contract.Ptr(contract.DecryptionPaused), contract.Ptr(40.0)
		e.Protection, e.ProtectionReason = contract.Ptr(contract.ProtectionOff), contract.Ptr(contract.ReasonConverting)
	},
	"prevented":        func(s *contract.Status) { s.Policy.PreventDeviceEncryption = contract.Ptr(true) },
	"portable":         func(s *contract.Status) { s.Machine.Power.Portable = contract.Ptr(true) },
	"portable-unknown": func(s *contract.Status) { s.Machine.Power.Portable = nil },
	"battery":          func(s *contract.Status) { s.Machine.Power.Source = contract.Ptr(contract.PowerBattery) },
	"managed": func(s *contract.Status) {
		s.Machine.Join.MDM, s.Machine.Join.MDMProvider = contract.Ptr(true), contract.Ptr("MS DM Server")
	},
	"without-bitlocker": func(s *contract.Status) {
		s.BitLocker = contract.Provider{Available: contract.Ptr(false), Reason: contract.Ptr("Windows has no BitLocker here.")}
		s.Volumes[0].Encryption = contract.Encryption{}
		s.Complete = false
		s.Problems = contract.List[contract.Problem]{{Code: "provider-unavailable", Level: contract.LevelError, Stage: "volumes", Text: "Windows has no BitLocker here."}}
	},
	// A data volume that is locked, and that nothing more is known of.
	"locked": func(s *contract.Status) {
		s.Volumes = append(s.Volumes, contract.Volume{
			ID: dataVolume, MountPoints: contract.List[string]{"D:"}, Type: contract.Ptr(contract.Data), SizeBytes: contract.Ptr[uint64](100 << 30),
			Extents:    contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", OffsetBytes: 300 << 30, LengthBytes: 100 << 30}},
			Encryption: contract.Encryption{Lock: contract.Ptr(contract.Locked), ProtectionReason: contract.Ptr(contract.ReasonLocked)},
		})
	},
	"label": func(s *contract.Status) {
		s.Volumes[0].MountPoints = append(s.Volumes[0].MountPoints, `C:\Grüße\`+"\x1b[31m")
	},
}

// makeComputer writes the recording of a computer: "makecomputer FILE [TRAIT...]".
func makeComputer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: makecomputer FILE [TRAIT...]")
	}
	status := desktop()
	for _, word := range args[1:] {
		trait, known := traits[word]
		if !known {
			ts.Fatalf("unknown trait %q", word)
		}
		trait(&status)
	}
	data, err := contract.Encode(status)
	ts.Check(err)
	ts.Check(contract.Validate(contract.KindStatus, data))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

// desktop is a computer of which everything is known that a guard asks for.
func desktop() contract.Status {
	no := func() *bool { return contract.Ptr(false) }
	return contract.Status{
		Header: contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindStatus, Complete: true,
			Tool: contract.Tool{Name: "diskaudit", Version: "0.0.0-dev"}, CollectedAt: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)},
		Machine: contract.Machine{
			Source: contract.SourceWindows, OS: contract.Ptr("Windows 11 Pro"), Build: contract.Ptr("26100.4652"), Edition: contract.Ptr("Professional"),
			Architecture: contract.Ptr("amd64"), Elevated: contract.Ptr(true), RebootPending: no(),
			VirtualMachine: contract.VirtualMachine{Detected: no()},
			Power:          contract.Power{Source: contract.Ptr(contract.PowerAC), Portable: no()},
			Join:           contract.Join{Domain: no(), Entra: no(), MDM: no()},
		},
		BitLocker: contract.Provider{Available: contract.Ptr(true), Provider: contract.Ptr("wmi")},
		Policy: contract.Policy{PreventDeviceEncryption: no(), RequireDeviceEncryption: no(), DenyWriteFixed: no(), DenyWriteRemovable: no(),
			FIPS: no(), ManagementEnforces: no()},
		Disks: contract.List[contract.Disk]{{
			ID: "PhysicalDrive0", Model: contract.Ptr("NVMe Disk"), Bus: contract.Ptr(contract.BusNVMe), NVMe: contract.Ptr(true), Media: contract.Ptr(contract.MediaSSD),
			SizeBytes: contract.Ptr[uint64](512 << 30), LogicalSectorBytes: contract.Ptr[uint64](512), PhysicalSectorBytes: contract.Ptr[uint64](4096),
			WriteCache: contract.WriteCache{Type: contract.Ptr(contract.WriteBack), Enabled: contract.Ptr(true), PowerProtected: no()},
			Health: contract.Health{OK: contract.Ptr(true), CriticalWarning: contract.Ptr[uint64](0), MediaErrors: contract.Ptr[uint64](0),
				AvailableSparePercent: contract.Ptr(100.0), SpareThresholdPercent: contract.Ptr(10.0)},
		}},
		Volumes: contract.List[contract.Volume]{{
			ID: systemVolume, MountPoints: contract.List[string]{"C:"}, Label: contract.Ptr("Windows"), FileSystem: contract.Ptr("NTFS"), FileSystemDirty: no(),
			Type: contract.Ptr(contract.OperatingSystem), SizeBytes: contract.Ptr[uint64](200 << 30), FreeBytes: contract.Ptr[uint64](120 << 30),
			Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", OffsetBytes: 1 << 20, LengthBytes: 200 << 30}},
			Encryption: contract.Encryption{Format: contract.Ptr("bitlocker"), Conversion: contract.Ptr(contract.FullyEncrypted), Percent: contract.Ptr(100.0),
				UsedSpaceOnly: no(), Wiping: contract.Ptr(contract.NotWiped), Method: contract.Ptr(contract.XtsAes128), Engine: contract.Ptr(contract.EngineSoftware),
				Protection: contract.Ptr(contract.ProtectionOn), ProtectionReason: contract.Ptr(contract.ReasonProtected), Lock: contract.Ptr(contract.Unlocked),
				Protectors: []contract.Protector{{ID: "00000000-0000-4000-8000-0000000000aa", Type: contract.Tpm}, {ID: "00000000-0000-4000-8000-0000000000ab", Type: contract.RecoveryPassword}},
				ClearKey:   no(), AutoUnlockKeysStored: no(), HardwareTest: contract.Ptr(contract.HardwareTestNone)},
		}},
	}
}

// makeHive writes a SYSTEM hive: makehive FILE. Its second control set is the current one, its first the default.
func makeHive(script *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) != 1 {
		script.Fatalf("usage: makehive FILE")
	}
	hive := hivetest.Hive(hivetest.System(2, 1, hivetest.ControlSet("ControlSet001"), hivetest.ControlSet("ControlSet002")))
	script.Check(os.WriteFile(script.MkAbs(arguments[0]), hive, 0o600))
}
