package audit

import (
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// Windows encrypts by itself only operating system and fixed data volumes of clients, and what it
// began on a data volume cannot be told from what somebody began without a protector.
func TestWaitingForActivationClaimsWhatIsKnown(t *testing.T) {
	waiting := func(v *contract.Volume) {
		encrypt(v)
		disarm(v, ptr(contract.ReasonWaitingForActivation))
		v.Encryption.Protectors, v.Encryption.ClearKey = []contract.Protector{}, ptr(true)
	}
	type says struct{ byItself, mayBe bool }
	for what, test := range map[string]struct {
		change change
		want   says
	}{
		"operating system of a client": {func(*contract.Status) {}, says{byItself: true}},
		"fixed data volume":            {func(s *contract.Status) { volC(s).Type = ptr(contract.Data) }, says{mayBe: true}},
		"type unknown":                 {func(s *contract.Status) { volC(s).Type = nil }, says{mayBe: true}},
		"system unknown":               {func(s *contract.Status) { s.Machine.OS, s.Machine.Edition = nil, nil }, says{mayBe: true}},
		"an image":                     {func(s *contract.Status) { s.Machine = contract.Machine{Source: contract.SourceImage} }, says{mayBe: true}},
		"removable volume":             {func(s *contract.Status) { volC(s).Type = ptr(contract.Removable) }, says{}},
		"server by its edition": {func(s *contract.Status) {
			s.Machine.OS, s.Machine.Edition = ptr("Windows Server 2022 Standard"), ptr("ServerStandard")
		}, says{}},
		"server by its name alone": {func(s *contract.Status) { s.Machine.OS, s.Machine.Edition = ptr("Windows Server 2025 Datacenter"), nil }, says{}},
		"client for several users": {func(s *contract.Status) {
			s.Machine.OS, s.Machine.Edition = ptr("Windows 11 Enterprise multi-session"), ptr("ServerRdsh")
		}, says{byItself: true}},
	} {
		t.Run(what, func(t *testing.T) {
			status := with(func(s *contract.Status) { waiting(volC(s)) }, test.change)
			finding := mustFind(t, status, "waiting-for-activation", volumeC)
			got := says{strings.Contains(finding.Advice, "encrypted it by itself"), strings.Contains(finding.Advice, "Device encryption of Windows leaves")}
			if got != test.want || strings.Contains(finding.Advice, "sign in") != test.want.byItself {
				t.Errorf("it says %+v: %s", got, finding.Advice)
			}
			if way := strings.Contains(finding.Advice, "-RecoveryPasswordProtector") && strings.Contains(finding.Advice, "Resume-BitLocker"); way == test.want.byItself {
				t.Errorf("adding a protector and resuming is advised: %v: %s", way, finding.Advice)
			}
			checkTexts(t, Findings(status))
		})
	}
}

// A drive that encrypts and is always unlocked protects nothing, whoever made it.
func TestDriveThatNeverLocks(t *testing.T) {
	for what, change := range map[string]change{
		"as it is":       func(*contract.Status) {},
		"advisory model": func(s *contract.Status) { s.Disks[0].Model = ptr("Samsung SSD 850 EVO 500GB") },
		"managed":        func(s *contract.Status) { s.Machine.Join.Domain = ptr(true) },
		"elsewhere":      func(s *contract.Status) { s.Machine = contract.Machine{Source: contract.SourceImage} },
	} {
		status := with(func(s *contract.Status) {
			encC(s).Method, encC(s).Engine = ptr(contract.MethodHardware), ptr(contract.EngineDrive)
		}, change)
		finding := mustFind(t, status, "hardware-encryption-advisory", volumeC)
		if finding.Severity != contract.SeverityInfo || strings.Contains(finding.Title, "relies on") || strings.Contains(finding.Advice, "Disable-BitLocker") ||
			!strings.Contains(finding.Title, "nothing protects") || !strings.Contains(finding.Evidence, "FullyDecrypted") {
			t.Errorf("%s: %+v", what, finding)
		}
		checkTexts(t, Findings(status))
	}
	locked := with(func(s *contract.Status) {
		lock(volC(s))
		encC(s).Method, encC(s).Engine = ptr(contract.MethodHardware), ptr(contract.EngineDrive)
	})
	if finding := mustFind(t, locked, "hardware-encryption-advisory", volumeC); !strings.Contains(finding.Title, "relies on") {
		t.Errorf("a locked volume: %+v", finding)
	}
}

// The policy alone shows what will be; that a volume is read-only, only Windows' own word does.
func TestReadOnlyRestsOnWhatWindowsSays(t *testing.T) {
	readOnly := func(s *contract.Status) {
		volD(s).Problems = append(volD(s).Problems, contract.Problem{Code: "volume-read-only", Level: contract.LevelWarning, Stage: "volumes", Target: volumeD, Text: "It is read-only."})
	}
	denied := func(s *contract.Status) { s.Policy.DenyWriteFixed = ptr(true) }
	removable := func(s *contract.Status) {
		volD(s).Type, s.Policy.DenyWriteRemovable = ptr(contract.Removable), ptr(true)
	}
	for what, kind := range map[string]change{"fixed": denied, "removable": removable} {
		now := mustFind(t, with(kind, readOnly), "policy-denies-write-if-decrypted", volumeD)
		if now.Severity != contract.SeverityWarning || !strings.Contains(now.Title, "is mounted read-only") || !strings.Contains(now.Evidence, "volume-read-only") {
			t.Errorf("%s, read-only: %+v", what, now)
		}
		next := mustFind(t, with(kind), "policy-denies-write-if-decrypted", volumeD)
		if next.Severity != contract.SeverityNotice || !strings.Contains(next.Title, "when it is mounted the next time") || strings.Contains(next.Title, "is mounted read-only") {
			t.Errorf("%s, not read-only yet: %+v", what, next)
		}
		checkTexts(t, []contract.Finding{now, next})
	}
	// A medium with a switch is read-only without any policy.
	mustNotFind(t, with(readOnly), "policy-denies-write-if-decrypted")
}
