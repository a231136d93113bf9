package audit

import (
	"strings"
	"testing"

	"diskaudit/core/contract"
)

func TestMetadataDamage(t *testing.T) {
	copyDamaged := contract.Problem{Code: "metadata-copy-damaged", Level: contract.LevelWarning, Stage: "volumes", Target: volumeD, Text: "Copy 2 of 3 at offset 46256128 is damaged."}
	status := with(func(s *contract.Status) {
		// Collecting lists a volume's problem in the document as well: it is still one.
		volD(s).Problems = contract.List[contract.Problem]{copyDamaged}
		s.Problems = append(s.Problems, copyDamaged)
	})
	findings := Findings(status)
	if len(findings) != 1 || findings[0].Severity != contract.SeverityWarning || findings[0].Target != volumeD {
		t.Fatalf("want one warning about %s, got %v", volumeD, findings)
	}
	if !strings.Contains(findings[0].Evidence, "Copy 2 of 3") || !strings.Contains(findings[0].Advice, "Back up") {
		t.Errorf("%+v", findings[0])
	}
	critical := mustFind(t, with(examples["metadata-damaged"].positive), "metadata-damaged", volumeD)
	for _, part := range []string{"Write nothing", "repair-bde", "key package"} {
		if !strings.Contains(critical.Advice, part) {
			t.Errorf("advice without %q: %s", part, critical.Advice)
		}
	}
}

func TestCacheFlushLiveAndStored(t *testing.T) {
	for _, test := range []struct {
		live, stored *bool
		want         contract.Severity
		part         string
	}{
		{ptr(true), ptr(true), contract.SeverityWarning, "power"},
		{ptr(true), ptr(false), contract.SeverityWarning, "ends when the disk starts next"},
		{ptr(true), nil, contract.SeverityWarning, "power"},
		{ptr(false), ptr(true), contract.SeverityNotice, "takes effect when the disk starts next"},
		{nil, ptr(true), contract.SeverityNotice, "takes effect when the disk starts next"},
	} {
		status := with(func(s *contract.Status) {
			s.Disks[0].WriteCache.PowerProtected, s.Disks[0].WriteCache.StoredPowerProtected = test.live, test.stored
		})
		finding := mustFind(t, status, "cache-flush-disabled", "PhysicalDrive0")
		if finding.Severity != test.want || !strings.Contains(finding.Advice, test.part) {
			t.Errorf("live %v stored %v: %s %s", test.live, test.stored, finding.Severity, finding.Advice)
		}
	}
}

func TestDiskHealthTellsFailureFromWear(t *testing.T) {
	for what, test := range map[string]struct {
		health contract.Health
		want   contract.Severity
		part   string
	}{
		"own verdict":        {contract.Health{OK: ptr(false)}, contract.SeverityCritical, "own verdict"},
		"spare gone":         {contract.Health{AvailableSparePercent: ptr(3.0), SpareThresholdPercent: ptr(10.0)}, contract.SeverityCritical, "spare 3 %"},
		"read-only":          {contract.Health{OK: ptr(false), CriticalWarning: ptr(uint64(8))}, contract.SeverityCritical, "read-only"},
		"an unlisted bit":    {contract.Health{CriticalWarning: ptr(uint64(0x80))}, contract.SeverityCritical, "0x80"},
		"hot":                {contract.Health{OK: ptr(true), CriticalWarning: ptr(uint64(2))}, contract.SeverityWarning, "temperature"},
		"worn out":           {contract.Health{OK: ptr(true), PercentUsed: ptr(104.0)}, contract.SeverityWarning, "104 %"},
		"uncorrected errors": {contract.Health{MediaErrors: ptr(uint64(7))}, contract.SeverityWarning, "7 errors"},
	} {
		status := with(func(s *contract.Status) { s.Disks[0].Health = test.health })
		finding := mustFind(t, status, "disk-health", "PhysicalDrive0")
		if finding.Severity != test.want || !strings.Contains(finding.Evidence, test.part) {
			t.Errorf("%s: %s %s", what, finding.Severity, finding.Evidence)
		}
	}
}

func TestNestedLayers(t *testing.T) {
	layer := func(device, kind, below string) contract.Layer {
		if below == "" {
			return contract.Layer{Device: device, Kind: kind}
		}
		return contract.Layer{Device: device, Kind: kind, Below: ptr(below)}
	}
	for what, test := range map[string]struct {
		format *string
		layers contract.List[contract.Layer]
		want   bool
	}{
		"LUKS in LUKS": {ptr("none"), contract.List[contract.Layer]{
			layer("/dev/mapper/upper", "crypt", "/dev/mapper/lower"), layer("/dev/mapper/lower", "crypt", "/dev/sda3"),
			layer("/dev/sda3", "partition", "/dev/sda"), layer("/dev/sda", "disk", ""),
		}, true},
		"LUKS in LUKS with LVM between": {ptr("none"), contract.List[contract.Layer]{
			layer("/dev/mapper/upper", "crypt", "/dev/mapper/vg-lv"), layer("/dev/mapper/vg-lv", "lvm", "/dev/mapper/lower"), layer("/dev/mapper/lower", "crypt", "/dev/sda3"),
		}, true},
		"BitLocker in LUKS": {ptr("bitlocker"), contract.List[contract.Layer]{
			layer("/dev/mapper/lower", "crypt", "/dev/sda3"), layer("/dev/sda3", "partition", ""),
		}, true},
		"LUKS": {ptr("none"), contract.List[contract.Layer]{layer("/dev/mapper/only", "crypt", "/dev/sda3"), layer("/dev/sda3", "partition", "")}, false},
		"a logical volume over two LUKS devices side by side": {ptr("none"), contract.List[contract.Layer]{
			layer("/dev/mapper/vg-lv", "lvm", "/dev/mapper/one"), layer("/dev/mapper/vg-lv", "lvm", "/dev/mapper/two"),
			layer("/dev/mapper/one", "crypt", "/dev/sda3"), layer("/dev/mapper/two", "crypt", "/dev/sdb3"),
		}, false},
		"one layer, format not known":    {nil, contract.List[contract.Layer]{layer("/dev/mapper/only", "crypt", "/dev/sda3")}, false},
		"BitLocker on a plain partition": {ptr("bitlocker"), contract.List[contract.Layer]{layer("/dev/sda3", "partition", "/dev/sda")}, false},
		"a circle":                       {ptr("none"), contract.List[contract.Layer]{layer("/dev/dm-0", "crypt", "/dev/dm-1"), layer("/dev/dm-1", "lvm", "/dev/dm-0")}, false},
	} {
		status := contract.Status{Machine: contract.Machine{Source: contract.SourceLinux}, Volumes: contract.List[contract.Volume]{{
			ID: "/dev/mapper/v", Layers: test.layers, Encryption: contract.Encryption{Format: test.format},
		}}}
		finding := find(Findings(status), "nested-encryption", "/dev/mapper/v")
		if (finding != nil) != test.want {
			t.Errorf("%s: %v", what, finding)
		}
		if finding != nil && finding.Severity != contract.SeverityNotice {
			t.Errorf("%s: severity %s", what, finding.Severity)
		}
	}
}

// A volume whose first sector is damaged is no less in danger than one whose metadata is: it has a
// finding, and the same warnings.
func TestDamagedFirstSector(t *testing.T) {
	finding := mustFind(t, with(func(s *contract.Status) {
		s.Problems = append(s.Problems, contract.Problem{Code: "header-damaged", Level: contract.LevelError, Stage: "volumes", Target: volumeD, Text: "Its first sector is not sound."})
	}), "metadata-damaged", volumeD)
	if finding.Severity != contract.SeverityCritical || !strings.Contains(finding.Evidence, "header-damaged") || !strings.Contains(finding.Advice, "Write nothing") {
		t.Errorf("%+v", finding)
	}
}
