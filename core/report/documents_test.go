package report

import (
	"fmt"

	"diskaudit/core/contract"
)

// documents are the statuses that the golden files show.
func documents() map[string]contract.Status {
	return map[string]contract.Status{
		"empty":   {Header: contract.Header{Complete: true}},
		"laptop":  laptop(),
		"many":    twentySixVolumes(),
		"unknown": unknownEverything(),
		"unicode": unicodeTexts(),
		"hostile": hostileTexts(),
		"linux":   linuxVolumes(),
	}
}

func p[T any](v T) *T { return &v }

func laptop() contract.Status {
	return contract.Status{
		Header: contract.Header{Problems: contract.List[contract.Problem]{
			{Code: "volume-locked", Level: contract.LevelError, Stage: "volumes", Target: `\\?\Volume{55555555-0000-0000-0000-000000000005}\`,
				Text:    "The volume is locked. Unlock it, then run this again.",
				HResult: p("0x80310000"), HResultName: p("FVE_E_LOCKED_VOLUME")},
			{Code: "bitlocker-busy", Level: contract.LevelWarning, Stage: "volumes", Target: "D:",
				Text: "BitLocker was busy (0x80310009).", HResult: p("0x80310009"), Retryable: true},
			{Code: "tpm-unread", Level: contract.LevelWarning, Stage: "host", Text: "The TPM was not asked."},
			{Code: "no-serial", Level: contract.LevelInfo, Stage: "disks", Text: "Serial numbers are left out."},
		}},
		Machine: contract.Machine{
			Source: contract.SourceWindows, OS: p("Windows 11 Pro"), Build: p("26100.4652"), Architecture: p("amd64"),
			Elevated: p(true), VirtualMachine: contract.VirtualMachine{Detected: p(false)},
		},
		BitLocker: contract.Provider{Available: p(true), Provider: p("wmi")},
		Disks: contract.List[contract.Disk]{
			{ID: "PhysicalDrive0", Model: p("Samsung SSD 990 PRO 2TB"), Bus: p(contract.BusNVMe), NVMe: p(true), Media: p(contract.MediaSSD),
				SizeBytes: p[uint64](2_000_398_934_016), LogicalSectorBytes: p[uint64](512), PhysicalSectorBytes: p[uint64](4096),
				WriteCache: contract.WriteCache{Type: p(contract.WriteBack), Enabled: p(true), PowerProtected: p(true)},
				Health:     contract.Health{OK: p(true), CriticalWarning: p[uint64](0), MediaErrors: p[uint64](0)}},
			{ID: "PhysicalDrive1", Model: p("Old Disk"), Bus: p(contract.BusRAID), Media: p(contract.MediaHDD),
				SizeBytes: p[uint64](500_107_862_016), LogicalSectorBytes: p[uint64](512),
				WriteCache: contract.WriteCache{Enabled: p(false)},
				Health:     contract.Health{OK: p(false), CriticalWarning: p[uint64](4), MediaErrors: p[uint64](1)}},
		},
		Volumes: contract.List[contract.Volume]{
			{ID: `\\?\Volume{11111111-0000-0000-0000-000000000001}\`, MountPoints: contract.List[string]{"C:"}, Label: p("Windows"),
				Type: p(contract.OperatingSystem), FileSystem: p("NTFS"), SizeBytes: p[uint64](1_998_694_907_904),
				Encryption: contract.Encryption{Conversion: p(contract.FullyEncrypted), Percent: p(100.0), UsedSpaceOnly: p(true),
					Method: p(contract.XtsAes128), Engine: p(contract.EngineSoftware), Protection: p(contract.ProtectionOn),
					ProtectionReason: p(contract.ReasonProtected), Lock: p(contract.Unlocked),
					Protectors: []contract.Protector{{Type: contract.Tpm}, {Type: contract.RecoveryPassword}, {Type: contract.RecoveryPassword}}}},
			{ID: `\\?\Volume{22222222-0000-0000-0000-000000000002}\`, MountPoints: contract.List[string]{"D:", `C:\mnt\data`}, Label: p("Data"),
				Type: p(contract.Data), FileSystem: p("NTFS"), SizeBytes: p[uint64](107_374_182_400),
				Encryption: contract.Encryption{Conversion: p(contract.DecryptionInProgress), Percent: p(43.58),
					Method: p(contract.XtsAes128), Engine: p(contract.EngineSoftware), Protection: p(contract.ProtectionOff),
					ProtectionReason: p(contract.ReasonConverting), Lock: p(contract.Unlocked), Protectors: []contract.Protector{}}},
			{ID: `\\?\Volume{33333333-0000-0000-0000-000000000003}\`, Label: p(""), Type: p(contract.Data), FileSystem: p("NTFS"),
				SizeBytes: p[uint64](734_003_200),
				Encryption: contract.Encryption{Conversion: p(contract.FullyDecrypted), Percent: p(0.0), Method: p(contract.MethodNone),
					Engine: p(contract.EngineNone), Protection: p(contract.ProtectionOff), ProtectionReason: p(contract.ReasonDecrypted),
					Lock: p(contract.Unlocked), Protectors: []contract.Protector{}}},
			{ID: `\\?\Volume{55555555-0000-0000-0000-000000000005}\`, MountPoints: contract.List[string]{"E:"}, Type: p(contract.Removable),
				SizeBytes: p[uint64](64_000_000_000),
				Encryption: contract.Encryption{Protection: p(contract.ProtectionUnknown), ProtectionReason: p(contract.ReasonLocked),
					Lock: p(contract.Locked), Protectors: []contract.Protector{{Type: contract.Password}}}},
		},
		Findings: contract.List[contract.Finding]{
			{ID: "disk-health", Severity: contract.SeverityCritical, Target: "PhysicalDrive1", Title: "Disk PhysicalDrive1 says that it is failing",
				Evidence: "ok=false, criticalWarning=4, mediaErrors=1", Advice: "Save the data from this disk now and replace it; start no conversion on it before."},
			{ID: "software-encryption", Severity: contract.SeverityNotice, Target: `\\?\Volume{11111111-0000-0000-0000-000000000001}\`,
				Title:     "Volume C: is encrypted by software",
				Evidence:  "conversion=FullyEncrypted, method=XtsAes128, engine=software",
				Advice:    "Measure what it costs here with diskaudit bench before deciding anything.",
				Reference: "https://learn.microsoft.com/windows/security/operating-system-security/data-protection/bitlocker/"},
			{ID: "power-saver", Severity: contract.SeverityInfo, Target: "machine", Title: "The power plan trades speed for power", Evidence: "plan=Power saver"},
		},
	}
}

func twentySixVolumes() contract.Status {
	status := contract.Status{
		Header:    contract.Header{Complete: true},
		Machine:   contract.Machine{Source: contract.SourceWindows, OS: p("Windows Server 2025 Standard"), Build: p("26100.1"), Architecture: p("amd64"), Elevated: p(true), VirtualMachine: contract.VirtualMachine{Detected: p(true), Hypervisor: p("Hyper-V")}},
		BitLocker: contract.Provider{Available: p(true), Provider: p("wmi")},
	}
	for letter := 'A'; letter <= 'Z'; letter++ {
		status.Volumes = append(status.Volumes, contract.Volume{
			ID: fmt.Sprintf(`\\?\Volume{%08d-0000-0000-0000-000000000000}\`, letter), MountPoints: contract.List[string]{string(letter) + ":"},
			Label: p("Vol " + string(letter)), Type: p(contract.Data), FileSystem: p("ReFS"), SizeBytes: p(uint64(1) << 40),
			Encryption: contract.Encryption{Conversion: p(contract.FullyDecrypted), Percent: p(0.0), Method: p(contract.MethodNone),
				Engine: p(contract.EngineNone), Protection: p(contract.ProtectionOff), ProtectionReason: p(contract.ReasonDecrypted),
				Protectors: []contract.Protector{}},
		})
	}
	return status
}

func unknownEverything() contract.Status {
	return contract.Status{
		Header: contract.Header{Problems: contract.List[contract.Problem]{
			{Code: "needs-elevation", Level: contract.LevelError, Stage: "volumes", Text: "Windows tells the state of BitLocker to administrators only."},
		}},
		Disks:   contract.List[contract.Disk]{{ID: "PhysicalDrive0"}},
		Volumes: contract.List[contract.Volume]{{ID: "C:"}, {ID: "D:", Encryption: contract.Encryption{Conversion: p(contract.Conversion(17)), Method: p(contract.Method(12)), Protection: p(contract.Protection(9))}}},
	}
}

func unicodeTexts() contract.Status {
	volume := func(mount, label string) contract.Volume {
		return contract.Volume{ID: mount, MountPoints: contract.List[string]{mount}, Label: p(label), Type: p(contract.Data), FileSystem: p("NTFS"),
			SizeBytes: p[uint64](1 << 30), Encryption: contract.Encryption{Conversion: p(contract.FullyEncrypted), Method: p(contract.Aes256),
				Engine: p(contract.EngineSoftware), Protection: p(contract.ProtectionOn), Protectors: []contract.Protector{{Type: contract.Password}}}}
	}
	status := contract.Status{
		Header:    contract.Header{Complete: true},
		Machine:   contract.Machine{OS: p("Windows 11 Pro"), Build: p("26100.1"), Architecture: p("arm64"), Elevated: p(false), VirtualMachine: contract.VirtualMachine{Detected: p(false)}},
		BitLocker: contract.Provider{Available: p(true), Provider: p("shell")},
		Volumes: contract.List[contract.Volume]{
			volume("C:", "Größe"), volume("D:", "生命保険データ"), volume("E:", "데이터"), volume("F:", "\U0001F4BE backup"),
			volume("G:", "\U0001F468\u200D\U0001F469\u200D\U0001F467"), volume("H:", "e\u0301te\u0301"),
		},
	}
	status.Findings = contract.List[contract.Finding]{{ID: "software-encryption", Severity: contract.SeverityNotice, Target: "D:",
		Title: "ボリューム D: はソフトウェアで暗号化されています。これは長い文なので折り返しが必要になります。", Evidence: "label=生命保険データ", Advice: "–"}}
	return status
}

func hostileTexts() contract.Status {
	evil := "\x1b[2J\x1b]0;owned\x07A\r\nB\u202Egnp.exe\u2066\u0085\u009b31m\u200b\ufeff\xff"
	return contract.Status{
		Header: contract.Header{Problems: contract.List[contract.Problem]{
			{Code: evil, Level: contract.Level(evil), Stage: evil, Target: evil, Text: evil, HResult: p(evil), HResultName: p(evil)},
		}},
		Machine:   contract.Machine{OS: p(evil), Build: p(evil), Architecture: p(evil), ComputerName: p(evil), VirtualMachine: contract.VirtualMachine{Detected: p(true), Hypervisor: p(evil)}},
		BitLocker: contract.Provider{Available: p(false), Reason: p(evil)},
		Disks:     contract.List[contract.Disk]{{ID: evil, Model: p(evil)}},
		Volumes: contract.List[contract.Volume]{
			{ID: evil, Label: p(evil), FileSystem: p(evil), Encryption: contract.Encryption{Engine: p(contract.Engine(evil)), ProtectionReason: p(contract.ProtectionReason(evil))}},
			{ID: "C:", MountPoints: contract.List[string]{"C:\nVolume Z: is fine"}, Label: p("Z\u0337\u0351\u0300\u0301\u0302\u0303algo\n\n   Protection: On")},
		},
		Findings: contract.List[contract.Finding]{{ID: evil, Severity: contract.Severity(evil), Target: evil, Title: evil, Evidence: evil, Advice: evil, Reference: evil}},
	}
}

func linuxVolumes() contract.Status {
	return contract.Status{
		Header:    contract.Header{Complete: true},
		Machine:   contract.Machine{Source: contract.SourceLinux, OS: p("Debian GNU/Linux 12 (bookworm)"), Build: p("6.1.0-18-amd64"), Architecture: p("amd64"), Elevated: p(true), VirtualMachine: contract.VirtualMachine{Detected: p(true)}},
		BitLocker: contract.Provider{Available: p(true), Provider: p("on-disk")},
		Disks: contract.List[contract.Disk]{
			{ID: "/dev/nvme0n1", Model: p("WD_BLACK SN850X"), Bus: p(contract.BusNVMe), Media: p(contract.MediaSSD), SizeBytes: p[uint64](1_000_204_886_016), LogicalSectorBytes: p[uint64](512), PhysicalSectorBytes: p[uint64](512), Health: contract.Health{OK: p(true)}},
			{ID: "/srv/images/machine-17.vhdx", Container: p("vhdx"), SizeBytes: p[uint64](137_438_953_472), LogicalSectorBytes: p[uint64](512), PhysicalSectorBytes: p[uint64](4096)},
		},
		Volumes: contract.List[contract.Volume]{
			{ID: "/dev/nvme0n1p1", MountPoints: contract.List[string]{"/"}, Label: p("root"), FileSystem: p("ext4"), SizeBytes: p[uint64](100_000_000_000), Encryption: contract.Encryption{Format: p("none")}},
			{ID: "/dev/nvme0n1p2", FileSystem: nil, SizeBytes: p[uint64](200_000_000_000), Encryption: contract.Encryption{Format: p("luks")}},
			{ID: "/srv/images/machine-17.vhdx#partition3", SizeBytes: p[uint64](136_000_000_000), Encryption: contract.Encryption{Format: p("bitlocker"),
				Conversion: p(contract.FullyEncrypted), Method: p(contract.XtsAes256), Engine: p(contract.EngineSoftware), Protection: p(contract.ProtectionOff),
				ProtectionReason: p(contract.ReasonWaitingForActivation), ClearKey: p(true), Protectors: []contract.Protector{{Type: contract.ClearKey}, {Type: contract.OnDiskProtector + 0x42}}}},
			{ID: "/dev/sdb1", Encryption: contract.Encryption{}},
		},
	}
}
