package audit

import (
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// What findings say about decrypting, preventing, pausing and resuming; the ids are those of public
// bug reports, as in the other cases.

func TestB34_PreventingNeitherDecryptsNorHinders(t *testing.T) {
	advice := mustFind(t, with(examples["prevented-but-encrypted"].positive), "prevented-but-encrypted", volumeC).Advice
	if !strings.Contains(advice, "decrypts nothing") || !strings.Contains(advice, "hinders no decryption") {
		t.Errorf("advice: %s", advice)
	}
	advice = mustFind(t, with(examples["device-encryption-not-prevented"].positive), "device-encryption-not-prevented", machineTarget).Advice
	if !strings.Contains(advice, "decrypts nothing") || !strings.Contains(advice, "run diskaudit remediate --action prevent --apply.") {
		t.Errorf("advice: %s", advice)
	}
}

func TestB37_ConversionWarnsBeforeHarm(t *testing.T) {
	for _, conversion := range []contract.Conversion{contract.EncryptionInProgress, contract.DecryptionInProgress} {
		status := with(examples["conversion-running"].positive, func(s *contract.Status) { encC(s).Conversion = ptr(conversion) })
		advice := mustFind(t, status, "conversion-running", volumeC).Advice
		for _, part := range []string{"rewriting the volume", "Do not reinstall, repartition or format", "diskaudit remediate --action pause --apply --volume C: ", "diskaudit remediate --action resume --apply --volume C: ", "diskaudit status"} {
			if !strings.Contains(advice, part) {
				t.Errorf("%s: advice without %q: %s", conversion, part, advice)
			}
		}
	}
	advice := mustFind(t, with(examples["software-encryption"].positive), "software-encryption", volumeC).Advice
	if !strings.Contains(advice, "do not reinstall or repartition until") {
		t.Errorf("decrypting is advised without the warning: %s", advice)
	}
}

func TestB53_PausedConversionIsNotIgnored(t *testing.T) {
	for _, conversion := range []contract.Conversion{contract.EncryptionPaused, contract.DecryptionPaused} {
		status := with(func(s *contract.Status) { encrypt(volC(s)); encC(s).Conversion = ptr(conversion) })
		finding := mustFind(t, status, "conversion-paused", volumeC)
		if finding.Severity != contract.SeverityWarning || !strings.Contains(finding.Advice, "run diskaudit remediate --action resume --apply --volume C:.") {
			t.Errorf("%s: %+v", conversion, finding)
		}
	}
}

func TestManagedComputersAreNotToldToDecrypt(t *testing.T) {
	for join, change := range map[string]change{
		"domain": func(s *contract.Status) { s.Machine.Join.Domain = ptr(true) },
		"Entra":  func(s *contract.Status) { s.Machine.Join.Entra = ptr(true) },
		"MDM":    func(s *contract.Status) { s.Machine.Join.MDM = ptr(true) },
	} {
		for id, e := range examples {
			for _, finding := range Findings(with(e.positive, change)) {
				for _, command := range remediateCommand.FindAllString(finding.Advice, -1) {
					if !strings.Contains(command, "--action pause") && !strings.Contains(command, "--action resume") && !strings.Contains(command, "--action undo") && finding.ID != "conversion-speed-up" {
						t.Errorf("%s, example %s: %s advises %s: %s", join, id, finding.ID, command, finding.Advice)
					}
				}
				if strings.Contains(finding.Advice, "Disable-BitLocker") {
					t.Errorf("%s, example %s: %s advises to decrypt: %s", join, id, finding.ID, finding.Advice)
				}
			}
		}
	}
}

func TestDecryptingNamesAutoUnlockedVolumesFirst(t *testing.T) {
	status := with(func(s *contract.Status) {
		encrypt(volC(s))
		encrypt(volD(s))
		volD(s).Encryption.AutoUnlock = ptr(true)
	})
	if advice := mustFind(t, status, "software-encryption", volumeC).Advice; !strings.Contains(advice, "(D:)") || !strings.Contains(advice, "0x80310029") ||
		!strings.Contains(advice, "diskaudit remediate --volume D: --volume C:, which") {
		t.Errorf("advice: %s", advice)
	}
	if advice := mustFind(t, status, "software-encryption", volumeD).Advice; strings.Contains(advice, "0x80310029") {
		t.Errorf("the data volume itself may be decrypted at any time: %s", advice)
	}
}

// B32, B33: what waits for an account that never comes, and what was encrypted although it was
// prevented, names the command that ends it.
func TestB32_B33_TheWayOutIsNamed(t *testing.T) {
	waiting := with(examples["waiting-for-activation"].positive)
	for id, part := range map[string]string{
		"waiting-for-activation":  "To decrypt, run diskaudit remediate --volume C:, which shows the plan and what stands against it, and changes nothing.",
		"prevented-but-encrypted": "diskaudit remediate --volume C: shows the plan to decrypt",
	} {
		if advice := mustFind(t, waiting, id, volumeC).Advice; !strings.Contains(advice, part) {
			t.Errorf("%s: advice without %q: %s", id, part, advice)
		}
	}
	unprevented := with(examples["waiting-for-activation"].positive, func(s *contract.Status) { s.Policy.PreventDeviceEncryption = ptr(false) })
	if advice := mustFind(t, unprevented, "waiting-for-activation", volumeC).Advice; !strings.Contains(advice, "keeps Windows from encrypting by itself again") {
		t.Errorf("the advice does not say that the plan also prevents: %s", advice)
	}
	open := mustFind(t, with(examples["encrypted-unprotected"].positive), "encrypted-unprotected", volumeC)
	if !strings.Contains(open.Advice, "diskaudit remediate --volume C: shows the plan that removes it, and with --apply removes it") {
		t.Errorf("advice: %s", open.Advice)
	}
}

// B35: the setting is there, and Windows encrypts all the same, or has stopped half-way. B36: so it does
// on a stick that Windows itself runs from.
func TestB35_B36_EncryptingDespiteTheSetting(t *testing.T) {
	for what, test := range map[string]struct {
		change change
		id     string
		part   string
	}{
		"B35: still encrypting": {func(s *contract.Status) { encC(s).Conversion = ptr(contract.EncryptionInProgress) },
			"conversion-running", "diskaudit remediate --volume C: shows the plan that turns it round and decrypts what is done so far; with --override conversion-running --apply it does so."},
		"B35: stopped half-way": {func(s *contract.Status) { encC(s).Conversion = ptr(contract.EncryptionPaused) },
			"conversion-paused", "To go back instead, diskaudit remediate --volume C: shows the plan"},
		"B36: on a stick": {func(s *contract.Status) { s.Disks[0].Removable, s.Disks[0].Bus = ptr(true), ptr(contract.BusUSB) },
			"software-encryption", "To decrypt, run diskaudit remediate --volume C:, which"},
	} {
		status := with(func(s *contract.Status) {
			encrypt(volC(s))
			disarm(volC(s), nil)
			s.Policy.PreventDeviceEncryption = ptr(true)
		}, test.change)
		if advice := mustFind(t, status, test.id, volumeC).Advice; !strings.Contains(advice, test.part) {
			t.Errorf("%s: advice of %s without %q: %s", what, test.id, test.part, advice)
		}
		if advice := mustFind(t, status, "prevented-but-encrypted", volumeC).Advice; !strings.Contains(advice, "decrypts nothing") || !strings.Contains(advice, "diskaudit remediate --volume C:") {
			t.Errorf("%s: %s", what, advice)
		}
	}
}

// This program decrypts what software encrypts; the rest is left to those who mean it.
func TestOnlySoftwareEncryptionIsDecryptedByPlan(t *testing.T) {
	for what, test := range map[string]struct {
		change change
		byPlan bool
	}{
		"software": {func(*contract.Status) {}, true},
		"the drive": {func(s *contract.Status) {
			encC(s).Method, encC(s).Engine = ptr(contract.MethodHardware), ptr(contract.EngineDrive)
		}, false},
		"the processor": {func(s *contract.Status) { encC(s).Engine = ptr(contract.EngineSoC) }, false},
		"nobody knows":  {func(s *contract.Status) { encC(s).Engine = nil }, false},
	} {
		advice := mustFind(t, with(examples["waiting-for-activation"].positive, test.change), "waiting-for-activation", volumeC).Advice
		byPlan, byHand := strings.Contains(advice, "run diskaudit remediate --volume C:"), strings.Contains(advice, "Disable-BitLocker -MountPoint 'C:'")
		if byPlan != test.byPlan || byHand == test.byPlan {
			t.Errorf("%s encrypts: by plan %v, by hand %v: %s", what, byPlan, byHand, advice)
		}
	}
}

// A failed test leaves a volume that looks as if nobody had ever wanted it encrypted.
func TestFailedHardwareTest(t *testing.T) {
	failed := examples["hardware-test-failed"].positive
	finding := mustFind(t, with(failed), "hardware-test-failed", volumeC)
	for _, part := range []string{"nothing is encrypted or protected", "find the cause first", "Enable-BitLocker -MountPoint 'C:' -TpmProtector", "nothing to decrypt"} {
		if !strings.Contains(finding.Advice, part) {
			t.Errorf("advice without %q: %s", part, finding.Advice)
		}
	}
	managed := mustFind(t, with(failed, func(s *contract.Status) { s.Machine.Join.Domain = ptr(true) }), "hardware-test-failed", volumeC)
	if strings.Contains(managed.Advice, "Enable-BitLocker") || !strings.Contains(managed.Advice, "administrator") {
		t.Errorf("on a managed computer: %s", managed.Advice)
	}
}

// What is read from an image or on Linux cannot be changed there.
func TestCommandsElsewhere(t *testing.T) {
	status := with(func(s *contract.Status) { encrypt(volC(s)) }, func(s *contract.Status) { s.Machine = contract.Machine{Source: contract.SourceImage} })
	advice := mustFind(t, status, "software-encryption", volumeC).Advice
	if !strings.Contains(advice, "run diskaudit remediate for this volume, on a Windows computer that it is attached to, which shows") || strings.Contains(advice, "--volume") {
		t.Errorf("advice: %s", advice)
	}
}

func TestVolumesAreNamedSoThatShellsPassThemOn(t *testing.T) {
	f := newFacts(plain())
	for mountPoint, want := range map[string]string{
		`C:`:              `C:`,
		`C:\`:             `C:`,
		`D:\Data`:         `D:\Data`,
		`D:\Data Files\`:  `"D:\Data Files"`,
		`D:\a;b`:          `"D:\a;b"`,
		`D:\Anna's $data`: `"` + strings.TrimSuffix(volumeC, `\`) + `"`,
		`D:\100%`:         `"` + strings.TrimSuffix(volumeC, `\`) + `"`,
		"":                `"` + strings.TrimSuffix(volumeC, `\`) + `"`,
	} {
		v := contract.Volume{ID: volumeC}
		if mountPoint != "" {
			v.MountPoints = contract.List[string]{mountPoint}
		}
		if got, want := f.remediate("--action resume --apply", v).String(), "diskaudit remediate --action resume --apply --volume "+want; got != want {
			t.Errorf("%s: %s, want %s", mountPoint, got, want)
		}
	}
}
