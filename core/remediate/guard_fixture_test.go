package remediate

import "diskaudit/core/contract"

// Ids of what the sound computer has.
const (
	soundC    = `\\?\Volume{c0000000-0000-4000-8000-00000000000c}\`
	soundD    = `\\?\Volume{c0000000-0000-4000-8000-00000000000d}\`
	soundESP  = `\\?\Volume{c0000000-0000-4000-8000-0000000000e5}\`
	soundNVMe = "PhysicalDrive0"
	soundHDD  = "PhysicalDrive1"
)

// soundComputer is a desktop computer that is encrypted by software and of which everything is known:
// no guard stands against decrypting it. C: is the operating system's volume, on an NVMe disk, D: a
// data volume on a hard disk that does not unlock by itself; the third is the one that starts the
// computer, which BitLocker does not have in its list.
func soundComputer() contract.Status {
	return contract.Status{
		Header: contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindStatus, Complete: true},
		Machine: contract.Machine{
			Source: contract.SourceWindows, OS: contract.Ptr("Windows 11 Pro"), Build: contract.Ptr("26100.4061"),
			Edition: contract.Ptr("Professional"), Architecture: contract.Ptr("amd64"), ProgramArchitecture: contract.Ptr("amd64"),
			RebootPending: contract.Ptr(false), Elevated: contract.Ptr(true),
			VirtualMachine: contract.VirtualMachine{Detected: contract.Ptr(false)},
			Power: contract.Power{
				Source: contract.Ptr(contract.PowerAC), Portable: contract.Ptr(false), Plan: contract.Ptr("Balanced"), Saver: contract.Ptr(false),
			},
			TPM:        contract.TPM{Present: contract.Ptr(true), Ready: contract.Ptr(true), Version: contract.Ptr("2.0")},
			SecureBoot: contract.Ptr(true),
			Join:       contract.Join{Domain: contract.Ptr(false), Entra: contract.Ptr(false), MDM: contract.Ptr(false)},
		},
		BitLocker: contract.Provider{Available: contract.Ptr(true), Provider: contract.Ptr("wmi")},
		Policy: contract.Policy{
			PreventDeviceEncryption: contract.Ptr(false), RequireDeviceEncryption: contract.Ptr(false),
			DenyWriteFixed: contract.Ptr(false), DenyWriteRemovable: contract.Ptr(false),
			FIPS: contract.Ptr(false), ManagementEnforces: contract.Ptr(false),
		},
		Disks: contract.List[contract.Disk]{soundNVMeDisk(), soundHardDisk()},
		Volumes: contract.List[contract.Volume]{
			soundSystemVolume(), soundDataVolume(), soundStartVolume(),
		},
	}
}

func soundNVMeDisk() contract.Disk {
	return contract.Disk{
		ID: soundNVMe, Model: contract.Ptr("Example NVMe 1TB"), Bus: contract.Ptr(contract.BusNVMe), NVMe: contract.Ptr(true),
		Media: contract.Ptr(contract.MediaSSD), Removable: contract.Ptr(false), SizeBytes: contract.Ptr(uint64(1_000_204_886_016)),
		WriteCache: soundCache(),
		Health: contract.Health{
			OK: contract.Ptr(true), CriticalWarning: contract.Ptr(uint64(0)), MediaErrors: contract.Ptr(uint64(0)),
			AvailableSparePercent: contract.Ptr(100.0), SpareThresholdPercent: contract.Ptr(10.0),
		},
	}
}

// soundHardDisk tells of its health no more than its own verdict, as disks that are not NVMe do.
func soundHardDisk() contract.Disk {
	return contract.Disk{
		ID: soundHDD, Model: contract.Ptr("Example HDD 4TB"), Bus: contract.Ptr(contract.BusSATA), NVMe: contract.Ptr(false),
		Media: contract.Ptr(contract.MediaHDD), Removable: contract.Ptr(false), SizeBytes: contract.Ptr(uint64(4_000_787_030_016)),
		WriteCache: soundCache(), Health: contract.Health{OK: contract.Ptr(true)},
	}
}

func soundCache() contract.WriteCache {
	return contract.WriteCache{Type: contract.Ptr(contract.WriteBack), Enabled: contract.Ptr(true), PowerProtected: contract.Ptr(false)}
}

func soundSystemVolume() contract.Volume {
	volume := contract.Volume{
		ID: soundC, MountPoints: contract.List[string]{"C:"}, Label: contract.Ptr("Windows"), FileSystem: contract.Ptr("NTFS"),
		SizeBytes: contract.Ptr(uint64(900_000_000_000)), FreeBytes: contract.Ptr(uint64(400_000_000_000)),
		FileSystemDirty: contract.Ptr(false), Type: contract.Ptr(contract.OperatingSystem),
		Extents:    contract.List[contract.Extent]{{DiskID: soundNVMe, OffsetBytes: 1 << 30, LengthBytes: 900_000_000_000}},
		Encryption: soundEncryption(contract.Tpm, contract.RecoveryPassword),
		Problems: contract.List[contract.Problem]{{
			Code: "auto-unlock-not-applicable", Level: contract.LevelInfo, Stage: "volumes", Target: soundC, Text: "Automatic unlocking is for data volumes.",
		}},
	}
	volume.Encryption.AutoUnlockKeysStored = contract.Ptr(false)
	volume.Encryption.HardwareTest = contract.Ptr(contract.HardwareTestNone)
	return volume
}

func soundDataVolume() contract.Volume {
	volume := contract.Volume{
		ID: soundD, MountPoints: contract.List[string]{"D:"}, Label: contract.Ptr("Data"), FileSystem: contract.Ptr("NTFS"),
		SizeBytes: contract.Ptr(uint64(4_000_000_000_000)), FreeBytes: contract.Ptr(uint64(3_000_000_000_000)),
		FileSystemDirty: contract.Ptr(false), Type: contract.Ptr(contract.Data),
		Extents:    contract.List[contract.Extent]{{DiskID: soundHDD, OffsetBytes: 1 << 20, LengthBytes: 4_000_000_000_000}},
		Encryption: soundEncryption(contract.Password, contract.RecoveryPassword),
	}
	volume.Encryption.AutoUnlock = contract.Ptr(false)
	return volume
}

// soundStartVolume is the EFI system partition: Windows tells nothing of BitLocker about it.
func soundStartVolume() contract.Volume {
	return contract.Volume{
		ID: soundESP, FileSystem: contract.Ptr("FAT32"), SizeBytes: contract.Ptr(uint64(104_857_600)),
		Extents: contract.List[contract.Extent]{{DiskID: soundNVMe, OffsetBytes: 1 << 20, LengthBytes: 104_857_600}},
		Problems: contract.List[contract.Problem]{{
			Code: "not-encryptable", Level: contract.LevelInfo, Stage: "volumes", Target: soundESP, Text: "BitLocker does not list it, so it has no state there.",
		}},
	}
}

// soundEncryption is that of a volume that software encrypts completely, unlocked and protected.
func soundEncryption(protectors ...contract.ProtectorType) contract.Encryption {
	encryption := contract.Encryption{
		Format: contract.Ptr("bitlocker"), Conversion: contract.Ptr(contract.FullyEncrypted), Percent: contract.Ptr(100.0),
		UsedSpaceOnly: contract.Ptr(false), Wiping: contract.Ptr(contract.NotWiped),
		Method: contract.Ptr(contract.XtsAes128), Engine: contract.Ptr(contract.EngineSoftware),
		Protection: contract.Ptr(contract.ProtectionOn), ProtectionReason: contract.Ptr(contract.ReasonProtected),
		Lock: contract.Ptr(contract.Unlocked), ClearKey: contract.Ptr(false),
	}
	for i, kind := range protectors {
		encryption.Protectors = append(encryption.Protectors, contract.Protector{ID: string(rune('a' + i)), Type: kind})
	}
	return encryption
}
