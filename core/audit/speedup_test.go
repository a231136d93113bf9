package audit

import (
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

const speedUpJournal = `C:\ProgramData\BitLockerDiskAudit\journal\20261130T223000.000000Z-0badcafe.jsonl`

// speedUp leaves a disk as a remediation leaves it that turned its flushing off.
func speedUp(d *contract.Disk) {
	d.WriteCache.PowerProtected, d.WriteCache.SpeedUpJournal = ptr(true), ptr(speedUpJournal)
}

// decrypting sets a volume on its way.
func decrypting(v *contract.Volume) {
	v.Encryption.Conversion, v.Encryption.Percent = ptr(contract.DecryptionInProgress), ptr(61.5)
	disarm(v, ptr(contract.ReasonConverting))
}

// How bad it is follows from whether something still needs it, and from what Windows says of the disk.
func TestSpeedUpThatWasLeftBehind(t *testing.T) {
	converts := func(s *contract.Status) { encrypt(volD(s)); decrypting(volD(s)) }
	state := func(conversion contract.Conversion) change {
		return func(s *contract.Status) { encrypt(volD(s)); volD(s).Encryption.Conversion = ptr(conversion) }
	}
	for what, test := range map[string]struct {
		change   change
		want     contract.Severity
		evidence string
		advice   string
	}{
		"a volume is being decrypted":  {converts, contract.SeverityWarning, "converting D:", "it goes on without"},
		"a volume is being encrypted":  {state(contract.EncryptionInProgress), contract.SeverityWarning, "converting D:", "it goes on without"},
		"it has ended":                 {func(*contract.Status) {}, contract.SeverityCritical, "", "nothing needs it any more"},
		"it was turned round and done": {state(contract.FullyEncrypted), contract.SeverityCritical, "", "nothing needs it any more"},
		"it is paused":                 {state(contract.DecryptionPaused), contract.SeverityCritical, "", "nothing needs it any more"},
		"its volume is locked":         {func(s *contract.Status) { lock(volD(s)) }, contract.SeverityCritical, "", "nothing needs it any more"},
		"a volume on another disk converts": {func(s *contract.Status) {
			converts(s)
			volD(s).Extents[0].DiskID = "PhysicalDrive1"
		}, contract.SeverityCritical, "", "nothing needs it any more"},
		"a partition that BitLocker does not know": {func(s *contract.Status) {
			volD(s).Encryption = contract.Encryption{}
			volD(s).Problems = contract.List[contract.Problem]{{Code: "not-encryptable", Level: contract.LevelInfo, Stage: "volumes", Target: volumeD, Text: "It is an EFI system partition."}}
		}, contract.SeverityCritical, "", "nothing needs it any more"},
		"a state is not known":     {func(s *contract.Status) { volD(s).Encryption = contract.Encryption{} }, contract.SeverityWarning, "", "is not known"},
		"a place is not known":     {func(s *contract.Status) { converts(s); volD(s).Extents = nil }, contract.SeverityWarning, "", "is not known"},
		"no volume could be asked": {func(s *contract.Status) { s.Volumes = nil }, contract.SeverityWarning, "", "is not known"},
		"whether it is off is not known": {func(s *contract.Status) {
			converts(s)
			s.Disks[0].WriteCache.PowerProtected = nil
		}, contract.SeverityWarning, "converting D:", "it goes on without"},
		"it comes with the next start": {func(s *contract.Status) {
			s.Disks[0].WriteCache.PowerProtected, s.Disks[0].WriteCache.StoredPowerProtected = ptr(false), ptr(true)
		}, contract.SeverityCritical, "stored powerProtected true", "nothing needs it any more"},
		"Windows flushes it": {func(s *contract.Status) {
			s.Disks[0].WriteCache.PowerProtected, s.Disks[0].WriteCache.StoredPowerProtected = ptr(false), nil
		}, contract.SeverityNotice, "powerProtected false", "numbers of the disks have changed"},
	} {
		t.Run(what, func(t *testing.T) {
			findings := Findings(with(func(s *contract.Status) { speedUp(&s.Disks[0]) }, test.change))
			checkTexts(t, findings)
			finding := find(findings, "conversion-speed-up", "PhysicalDrive0")
			if finding == nil {
				t.Fatalf("findings %v", findings)
			}
			if finding.Severity != test.want {
				t.Errorf("severity %s, want %s: %s", finding.Severity, test.want, finding.Title)
			}
			for _, part := range []string{"PhysicalDrive0", speedUpJournal, test.evidence} {
				if !strings.Contains(finding.Evidence, part) {
					t.Errorf("evidence without %q: %s", part, finding.Evidence)
				}
			}
			for _, part := range []string{"diskaudit remediate --action undo --apply", test.advice} {
				if !strings.Contains(finding.Advice, part) {
					t.Errorf("advice without %q: %s", part, finding.Advice)
				}
			}
			if loses := strings.Contains(finding.Advice, "a power cut can lose data"); loses == (test.want == contract.SeverityNotice) {
				t.Errorf("it says that data can be lost: %v: %s", loses, finding.Advice)
			}
		})
	}
}

// Who turned the flushing off decides which of the two rules speaks, and only one does: the general one
// sends people to Device Manager, where what this program does next would surprise them.
func TestOneStoryOfAFlushThatIsOff(t *testing.T) {
	for what, test := range map[string]struct {
		journal *string
		want    string
	}{
		"a person":     {nil, "cache-flush-disabled"},
		"this program": {ptr(speedUpJournal), "conversion-speed-up"},
	} {
		status := with(func(s *contract.Status) {
			speedUp(&s.Disks[0])
			s.Disks[0].WriteCache.StoredPowerProtected = ptr(true)
			s.Disks[0].WriteCache.SpeedUpJournal = test.journal
		})
		if got := idsOf(Findings(status), "PhysicalDrive0"); !slices.Equal(got, []string{test.want}) {
			t.Errorf("%s turned it off: %v, want %s alone", what, got, test.want)
		}
	}
}
