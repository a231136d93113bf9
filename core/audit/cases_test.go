package audit

import (
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// The ids in the names and comments are those of public bug reports about tools of this kind.

// One cause, one message: of the rules about missing protection exactly one speaks.
func TestOneMessagePerCause(t *testing.T) {
	about := []string{"encrypted-unprotected", "waiting-for-activation", "protection-suspended", "conversion-running", "conversion-paused"}
	for want, change := range map[string]change{
		"encrypted-unprotected":  func(s *contract.Status) { disarm(volC(s), nil) },
		"waiting-for-activation": func(s *contract.Status) { disarm(volC(s), ptr(contract.ReasonWaitingForActivation)) },
		"protection-suspended":   func(s *contract.Status) { disarm(volC(s), ptr(contract.ReasonSuspended)) },
		"conversion-running": func(s *contract.Status) {
			disarm(volC(s), ptr(contract.ReasonConverting))
			encC(s).Conversion = ptr(contract.EncryptionInProgress)
		},
		"conversion-paused": func(s *contract.Status) {
			disarm(volC(s), ptr(contract.ReasonConverting))
			encC(s).Conversion = ptr(contract.DecryptionPaused)
		},
	} {
		var got []string
		for _, id := range idsOf(Findings(with(func(s *contract.Status) { encrypt(volC(s)) }, change)), volumeC) {
			if slices.Contains(about, id) {
				got = append(got, id)
			}
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("want %s alone, got %v", want, got)
		}
	}
}

func TestB4_C34_UnknownIsNeverDecryptedNorEncrypted(t *testing.T) {
	status := with(func(s *contract.Status) {
		s.BitLocker = contract.Provider{Available: ptr(false), Reason: ptr("the namespace root\\CIMV2\\Security\\MicrosoftVolumeEncryption does not exist")}
		s.Policy = contract.Policy{}
		for i := range s.Volumes {
			s.Volumes[i].Encryption = contract.Encryption{}
		}
	})
	findings := Findings(status)
	if len(findings) != 1 || findings[0].ID != "provider-unavailable" {
		t.Fatalf("want provider-unavailable alone, got %v", findings)
	}
	if !strings.Contains(findings[0].Title, "unknown") || !strings.Contains(findings[0].Evidence, "MicrosoftVolumeEncryption") {
		t.Errorf("the finding must say that the state is unknown, and the provider's reason: %+v", findings[0])
	}
}

func TestB11_ServerWithoutTheFeature(t *testing.T) {
	status := with(func(s *contract.Status) {
		s.Machine.OS, s.Machine.Edition = ptr("Windows Server 2022 Standard"), ptr("ServerStandard")
		s.BitLocker = contract.Provider{Available: ptr(false), Reason: ptr("no namespace")}
	})
	finding := mustFind(t, status, "provider-unavailable", machineTarget)
	for _, part := range []string{"Install-WindowsFeature BitLocker", "restart"} {
		if !strings.Contains(finding.Advice, part) {
			t.Errorf("advice without %q: %s", part, finding.Advice)
		}
	}
	if finding.Reference != pageInstallServer {
		t.Errorf("reference %s", finding.Reference)
	}
}

func TestB3_B5_EncryptedOffOnlyRecoveryPassword(t *testing.T) {
	status := with(func(s *contract.Status) {
		encrypt(volC(s))
		disarm(volC(s), nil)
		encC(s).Protectors = []contract.Protector{{ID: "a", Type: contract.RecoveryPassword}}
		encC(s).SuspendCount = nil
	})
	finding := mustFind(t, status, "encrypted-unprotected", volumeC)
	if !strings.Contains(finding.Evidence, "protectors RecoveryPassword") {
		t.Errorf("evidence does not list the protectors: %s", finding.Evidence)
	}
	if !strings.Contains(finding.Advice, "Add-BitLockerKeyProtector -MountPoint 'C:' -TpmProtector") || !strings.Contains(finding.Advice, "Resume-BitLocker -MountPoint 'C:'") {
		t.Errorf("advice misses the TPM protector or the resume: %s", finding.Advice)
	}
	if strings.Contains(finding.Advice, "-RecoveryPasswordProtector") {
		t.Errorf("advice adds a recovery password that is there: %s", finding.Advice)
	}
}

func TestB5_SuspensionSaysHowLong(t *testing.T) {
	for _, test := range []struct {
		count    *uint64
		severity contract.Severity
		part     string
	}{
		{ptr(uint64(0)), contract.SeverityWarning, "until someone resumes it"},
		{ptr(uint64(2)), contract.SeverityNotice, "for 2 more restart(s)"},
		{nil, contract.SeverityWarning, "is suspended"},
	} {
		status := with(examples["protection-suspended"].positive, func(s *contract.Status) { encC(s).SuspendCount = test.count })
		finding := mustFind(t, status, "protection-suspended", volumeC)
		if finding.Severity != test.severity || !strings.Contains(finding.Title, test.part) {
			t.Errorf("count %v: %s %q", test.count, finding.Severity, finding.Title)
		}
	}
}

func TestB7_B20_C40_PercentageDecidesNothing(t *testing.T) {
	// 100 percent, yet still converting; 100 percent, yet decrypted; 0 percent, yet encrypted.
	running := with(examples["conversion-running"].positive, func(s *contract.Status) { encC(s).Percent = ptr(100.0) })
	mustFind(t, running, "conversion-running", volumeC)
	gone := with(func(s *contract.Status) { encC(s).Percent = ptr(100.0) })
	if findings := Findings(gone); len(findings) != 0 {
		t.Errorf("a decrypted volume at 100 percent: %v", findings)
	}
	empty := with(func(s *contract.Status) { encrypt(volC(s)); encC(s).Percent = ptr(0.0) })
	mustFind(t, empty, "software-encryption", volumeC)
}

func TestB7_RunningConversionShowsItsPercentage(t *testing.T) {
	finding := mustFind(t, with(examples["conversion-running"].positive), "conversion-running", volumeC)
	if !strings.Contains(finding.Title, "37.4 %") {
		t.Errorf("title without the percentage: %s", finding.Title)
	}
	unknown := with(examples["conversion-running"].positive, func(s *contract.Status) { encC(s).Percent = nil })
	if title := mustFind(t, unknown, "conversion-running", volumeC).Title; strings.Contains(title, "%") || strings.Contains(title, " 0") {
		t.Errorf("title invents a percentage: %s", title)
	}
}

func TestB8_B32_C37_WaitingForActivation(t *testing.T) {
	for what, protectors := range map[string][]contract.Protector{
		"B8: no protector":             {},
		"B32: a TPM protector already": {{ID: "a", Type: contract.Tpm}},
	} {
		status := with(examples["waiting-for-activation"].positive, func(s *contract.Status) { encC(s).Protectors = protectors })
		finding := mustFind(t, status, "waiting-for-activation", volumeC)
		if !strings.Contains(finding.Title, "encrypted") || !strings.Contains(finding.Title, "not protected") {
			t.Errorf("%s: title %q", what, finding.Title)
		}
		if !strings.Contains(finding.Advice, "cost of encryption without having its protection") {
			t.Errorf("%s: advice does not say that the cost is paid without protection: %s", what, finding.Advice)
		}
	}
}

func TestB9_B21_EveryVolumeIsLookedAt(t *testing.T) {
	const folder = `\\?\Volume{33333333-3333-4333-8333-333333333333}\`
	status := with(func(s *contract.Status) {
		extra := decrypted(folder, `D:\Databases\`, contract.Data, 1<<41)
		s.Volumes = append(s.Volumes, extra)
		for i := range s.Volumes {
			encrypt(&s.Volumes[i])
			disarm(&s.Volumes[i], nil)
		}
		s.Volumes[1].MountPoints = nil
	})
	for _, id := range []string{volumeC, volumeD, folder} {
		mustFind(t, status, "encrypted-unprotected", id)
	}
	if title := mustFind(t, status, "encrypted-unprotected", volumeD).Title; !strings.Contains(title, volumeD) {
		t.Errorf("a volume without letter must be named by its GUID path: %s", title)
	}
	if title := mustFind(t, status, "encrypted-unprotected", folder).Title; !strings.Contains(title, `D:\Databases\`) {
		t.Errorf("a volume in a folder must be named by the folder: %s", title)
	}
}

func TestB16_C36_MissingFactsDoNotSilenceTheRest(t *testing.T) {
	status := with(func(s *contract.Status) {
		encrypt(volC(s))
		disarm(volC(s), nil)
		encC(s).Method, encC(s).Engine, encC(s).Percent, encC(s).Protectors, encC(s).Lock = nil, nil, nil, nil, nil
		lock(volD(s))
	})
	finding := mustFind(t, status, "encrypted-unprotected", volumeC)
	if strings.Contains(finding.Evidence, "method") || strings.Contains(finding.Advice, "cost of encryption") {
		t.Errorf("the finding speaks of a method or a cost that is unknown: %+v", finding)
	}
	if got := idsOf(Findings(status), volumeD); !slices.Equal(got, []string{"volume-locked"}) {
		t.Errorf("about a locked volume: %v", got)
	}
}

func TestB19_RemovableIsNotFixed(t *testing.T) {
	status := with(func(s *contract.Status) {
		encrypt(volD(s))
		volD(s).Type = ptr(contract.Removable)
		volD(s).Encryption.Method = ptr(contract.Aes128)
		s.Policy.DenyWriteFixed = ptr(true)
		s.Policy.DenyWriteRemovable = ptr(false)
	})
	findings := Findings(status)
	if find(findings, "policy-denies-write-if-decrypted", volumeD) != nil {
		t.Error("a policy about fixed volumes was applied to a removable one")
	}
	for _, id := range []string{"legacy-cipher", "software-encryption"} {
		finding := mustFind(t, status, id, volumeD)
		if finding.Severity != contract.SeverityInfo {
			t.Errorf("%s about a removable volume is %s", id, finding.Severity)
		}
		if strings.Contains(finding.Advice, preventCommand) || strings.Contains(finding.Advice, "encrypting by itself again") {
			t.Errorf("%s: device encryption never takes removable volumes, but the advice prevents it: %s", id, finding.Advice)
		}
	}
}

func TestB33_PreventedYetEncryptedWithClearKey(t *testing.T) {
	status := with(examples["waiting-for-activation"].positive, func(s *contract.Status) {
		s.Policy.PreventDeviceEncryption = ptr(true)
		encC(s).UsedSpaceOnly = ptr(true)
	})
	finding := mustFind(t, status, "prevented-but-encrypted", volumeC)
	if finding.Severity != contract.SeverityNotice || !strings.Contains(finding.Advice, "decrypts nothing") {
		t.Errorf("%s: %s", finding.Severity, finding.Advice)
	}
	if strings.Contains(finding.Advice, "--action prevent") || strings.Contains(finding.Advice, "reg add") {
		t.Errorf("advice sets what is set already: %s", finding.Advice)
	}
	waiting := mustFind(t, status, "waiting-for-activation", volumeC)
	if !strings.Contains(waiting.Evidence, "protectors none") || !strings.Contains(waiting.Evidence, "clearKey true") {
		t.Errorf("evidence: %s", waiting.Evidence)
	}
}

func TestB33_ClearKeyOnAnImage(t *testing.T) {
	// What only a running Windows knows is null; the key in the clear was found on the volume.
	status := contract.Status{
		Machine: contract.Machine{Source: contract.SourceImage},
		Volumes: contract.List[contract.Volume]{{ID: "disk.vhdx#partition3", Encryption: contract.Encryption{
			Conversion: ptr(contract.FullyEncrypted), Method: ptr(contract.XtsAes128), ClearKey: ptr(true),
			Protectors: []contract.Protector{{ID: "a", Type: contract.ClearKey}},
		}}},
	}
	finding := mustFind(t, status, "encrypted-unprotected", "disk.vhdx#partition3")
	if !strings.Contains(finding.Title, "its key lies in the clear") || strings.Contains(finding.Title, "protection is off") {
		t.Errorf("title %q", finding.Title)
	}
	if strings.Contains(finding.Advice, "-MountPoint") {
		t.Errorf("the advice has a command that cannot be run on an image: %s", finding.Advice)
	}
}

func TestB57_P68_DeniedWriting(t *testing.T) {
	for _, test := range []struct {
		conversion contract.Conversion
		severity   contract.Severity
		part       string
	}{
		{contract.FullyEncrypted, contract.SeverityInfo, "would become read-only"},
		{contract.DecryptionInProgress, contract.SeverityWarning, "becomes read-only when"},
		{contract.FullyDecrypted, contract.SeverityNotice, "becomes read-only when it is mounted"},
	} {
		status := with(examples["policy-denies-write-if-decrypted"].positive, func(s *contract.Status) { volD(s).Encryption.Conversion = ptr(test.conversion) })
		finding := mustFind(t, status, "policy-denies-write-if-decrypted", volumeD)
		if finding.Severity != test.severity || !strings.Contains(finding.Title, test.part) {
			t.Errorf("%s: %s %q", test.conversion, finding.Severity, finding.Title)
		}
		// The setting lies below SYSTEM, unlike the other BitLocker policies.
		if !strings.Contains(finding.Advice, `HKLM\SYSTEM\CurrentControlSet\Policies\Microsoft\FVE`) || !strings.Contains(finding.Evidence, "FDVDenyWriteAccess") {
			t.Errorf("%s: advice or evidence does not name the setting: %+v", test.conversion, finding)
		}
	}
	removable := with(func(s *contract.Status) {
		encrypt(volD(s))
		volD(s).Type = ptr(contract.Removable)
		s.Policy.DenyWriteRemovable = ptr(true)
	})
	if finding := mustFind(t, removable, "policy-denies-write-if-decrypted", volumeD); !strings.Contains(finding.Evidence, "RDVDenyWriteAccess") {
		t.Errorf("evidence: %s", finding.Evidence)
	}
}

func TestB60_PolicyOriginsAreNamed(t *testing.T) {
	status := with(examples["policy-reencrypts"].positive, func(s *contract.Status) {
		s.Policy.Origins = contract.List[string]{"Intune", `HKLM\SOFTWARE\Policies\Microsoft\FVE`}
	})
	if finding := mustFind(t, status, "policy-reencrypts", machineTarget); !strings.Contains(finding.Evidence, `Intune, HKLM\SOFTWARE\Policies\Microsoft\FVE`) {
		t.Errorf("evidence: %s", finding.Evidence)
	}
}

func TestB64_UnknownNVMeIsNeitherYesNorNo(t *testing.T) {
	// NVMe behind VMD or RST says RAID and hides what it is.
	status := with(examples["policy-blocks-offload"].positive, func(s *contract.Status) {
		s.Disks[0].Bus, s.Disks[0].NVMe = ptr(contract.BusRAID), nil
	})
	mustNotFind(t, status, "policy-blocks-offload")
	mustFind(t, status, "software-encryption", volumeC)
}

func TestB75_PolicyBlocksOffload(t *testing.T) {
	for _, method := range []contract.Method{contract.Aes128, contract.Aes256, contract.XtsAes128} {
		status := with(examples["policy-blocks-offload"].positive, func(s *contract.Status) { s.Policy.EncryptionMethods.OperatingSystem = ptr(method) })
		finding := mustFind(t, status, "policy-blocks-offload", machineTarget)
		if !strings.Contains(finding.Evidence, method.String()) || !strings.Contains(finding.Evidence, "C:") {
			t.Errorf("%s: evidence %s", method, finding.Evidence)
		}
	}
	fips := with(func(s *contract.Status) { encrypt(volC(s)); s.Policy.FIPS = ptr(true) })
	if finding := mustFind(t, fips, "policy-blocks-offload", machineTarget); !strings.Contains(finding.Evidence, "FIPS mode on") {
		t.Errorf("evidence: %s", finding.Evidence)
	}
}

func TestP66_NoFixedPercentage(t *testing.T) {
	advice := mustFind(t, with(examples["software-encryption"].positive), "software-encryption", volumeC).Advice
	if strings.Contains(advice, "%") || !strings.Contains(advice, "Measure it on this computer") {
		t.Errorf("the cost must be measured, not claimed: %s", advice)
	}
}

func TestPortableComputersAreToldOfTheThief(t *testing.T) {
	status := with(examples["software-encryption"].positive, func(s *contract.Status) { s.Machine.Power.Portable = ptr(true) })
	finding := mustFind(t, status, "software-encryption", volumeC)
	if !strings.Contains(finding.Advice, "steals") || finding.Severity != contract.SeverityInfo {
		t.Errorf("%s: %s", finding.Severity, finding.Advice)
	}
	open := with(examples["encrypted-unprotected"].positive, func(s *contract.Status) { s.Machine.Power.Portable = ptr(true) })
	if severity := mustFind(t, open, "software-encryption", volumeC).Severity; severity != contract.SeverityNotice {
		t.Errorf("an unprotected volume of a portable computer has nothing to lose, yet severity is %s", severity)
	}
}

func TestAdvisoryNamesModels(t *testing.T) {
	for model, want := range map[string]contract.Severity{
		"Samsung SSD 850 EVO 500GB": contract.SeverityWarning,
		"Samsung SSD 840 EVO 120GB": contract.SeverityWarning,
		"Crucial_CT525MX300SSD1":    contract.SeverityWarning,
		"Samsung SSD 860 EVO 1TB":   contract.SeverityNotice,
		"Crucial_CT1000MX500SSD1":   contract.SeverityNotice,
	} {
		status := with(examples["hardware-encryption-advisory"].positive, func(s *contract.Status) { s.Disks[0].Model = ptr(model) })
		finding := mustFind(t, status, "hardware-encryption-advisory", volumeC)
		if finding.Severity != want {
			t.Errorf("%s: %s, want %s", model, finding.Severity, want)
		}
		if !strings.Contains(finding.Reference, "ADV180028") {
			t.Errorf("reference %s", finding.Reference)
		}
	}
}

func TestNeedsElevationSpeaksOnce(t *testing.T) {
	status := with(func(s *contract.Status) {
		for _, target := range []string{volumeC, volumeD, "PhysicalDrive0"} {
			s.Problems = append(s.Problems, contract.Problem{Code: "needs-elevation", Level: contract.LevelError, Stage: "volumes", Target: target})
		}
	})
	findings := Findings(status)
	if len(findings) != 1 {
		t.Fatalf("want one finding, got %v", findings)
	}
	for _, target := range []string{volumeC, volumeD, "PhysicalDrive0"} {
		if !strings.Contains(findings[0].Evidence, target) {
			t.Errorf("evidence does not name %s: %s", target, findings[0].Evidence)
		}
	}
	if !strings.Contains(findings[0].Advice, "Run as administrator") {
		t.Errorf("advice: %s", findings[0].Advice)
	}
	linux := with(func(s *contract.Status) {
		s.Machine = contract.Machine{Source: contract.SourceLinux, OS: ptr("Debian GNU/Linux 12 (bookworm)")}
		s.Policy = contract.Policy{}
		s.Problems = status.Problems
	})
	if finding := mustFind(t, linux, "needs-elevation", machineTarget); !strings.Contains(finding.Advice, "sudo") {
		t.Errorf("advice: %s", finding.Advice)
	}
}

func TestSortedWorstFirstThenByRuleThenByDocument(t *testing.T) {
	status := with(func(s *contract.Status) {
		encrypt(volC(s))
		encrypt(volD(s))
		disarm(volD(s), nil)
		disarm(volC(s), ptr(contract.ReasonSuspended))
		s.Disks[0].Health.OK = ptr(false)
		s.Machine.Power.Saver = ptr(true)
		s.Policy.PreventDeviceEncryption = ptr(false)
		s.Policy.RequireDeviceEncryption = ptr(true)
		s.Machine.Join.Entra = ptr(true)
	})
	var got [][2]string
	for _, finding := range Findings(status) {
		got = append(got, [2]string{finding.ID, finding.Target})
	}
	want := [][2]string{
		{"disk-health", "PhysicalDrive0"},
		{"encrypted-unprotected", volumeD},
		{"protection-suspended", volumeC},
		{"software-encryption", volumeC},
		{"software-encryption", volumeD},
		{"power-saver", "machine"},
		{"policy-reencrypts", "machine"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("order\n got %v\nwant %v", got, want)
	}
}

func TestFindingsDoNotChangeTheFacts(t *testing.T) {
	status := with(examples["metadata-damaged"].positive)
	before := len(status.Problems)
	first := Findings(status)
	if second := Findings(status); !slices.Equal(first, second) || len(status.Problems) != before {
		t.Error("the second look at the same facts found something else")
	}
}

// Management of Configuration Manager or MBAM encrypts again, too.
func TestManagementEnforcesEncryption(t *testing.T) {
	status := with(func(s *contract.Status) {
		s.Policy.RequireDeviceEncryption, s.Policy.ManagementEnforces = nil, ptr(true)
	})
	finding := mustFind(t, status, "policy-reencrypts", machineTarget)
	if !strings.Contains(finding.Evidence, "managementEnforces") || !strings.Contains(finding.Advice, "MBAM") {
		t.Errorf("it does not name what enforces: %s / %s", finding.Evidence, finding.Advice)
	}
}
