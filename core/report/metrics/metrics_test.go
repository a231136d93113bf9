package metrics

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
)

// samples are the lines of a document's metrics that are no comments.
func samples(t *testing.T, status contract.Status) []string {
	t.Helper()
	var buffer bytes.Buffer
	if err := Write(&buffer, status); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(buffer.String(), "\n") {
		t.Error("the last line does not end: windows_exporter needs that")
	}
	var lines []string
	for line := range strings.Lines(buffer.String()) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

func laptop() contract.Status {
	return contract.Status{
		Header: contract.Header{CollectedAt: time.Unix(1_700_000_000, 0), Complete: true, Tool: contract.Tool{Version: "1.2.3"}, Problems: contract.List[contract.Problem]{
			{Code: "a", Level: contract.LevelInfo}, {Code: "b"},
		}},
		Machine:   contract.Machine{Source: contract.SourceWindows, OS: contract.Ptr("Windows 11 Pro"), Elevated: contract.Ptr(true), ComputerName: contract.Ptr("SECRET-NAME")},
		BitLocker: contract.Provider{Available: contract.Ptr(true)},
		Disks: contract.List[contract.Disk]{{
			ID: "PhysicalDrive0", Model: contract.Ptr("Fast One"), Serial: contract.Ptr("SECRET-SERIAL"), Bus: contract.Ptr(contract.BusNVMe), SizeBytes: contract.Ptr(uint64(1 << 40)),
			Health:     contract.Health{OK: contract.Ptr(true), PercentUsed: contract.Ptr(3.0), PowerOnHours: contract.Ptr(uint64(10))},
			WriteCache: contract.WriteCache{Enabled: contract.Ptr(true), PowerProtected: contract.Ptr(false)},
		}},
		Volumes: contract.List[contract.Volume]{{
			ID: "vol-c", MountPoints: []string{"C:"}, Label: contract.Ptr("SECRET-LABEL"), Type: contract.Ptr(contract.OperatingSystem), SizeBytes: contract.Ptr(uint64(4096)),
			Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0"}},
			Encryption: contract.Encryption{
				Conversion: contract.Ptr(contract.EncryptionInProgress), Percent: contract.Ptr(12.5), Method: contract.Ptr(contract.XtsAes128), Engine: contract.Ptr(contract.EngineSoftware),
				Protection: contract.Ptr(contract.ProtectionOff), ProtectionReason: contract.Ptr(contract.ReasonConverting), Lock: contract.Ptr(contract.Unlocked),
			},
		}},
		Findings: contract.List[contract.Finding]{{ID: "disk-health", Severity: contract.SeverityCritical, Target: "PhysicalDrive0"}, {ID: "conversion-running", Severity: contract.SeverityNotice, Target: "vol-c"}, {ID: "power-saver", Target: "machine"}},
		Summary:  &contract.Summary{State: contract.ComputerEncrypting, Volumes: contract.Ptr(uint64(1)), Unprotected: contract.Ptr(uint64(1))},
	}
}

func TestFactsBecomeSamplesInBaseUnits(t *testing.T) {
	t.Parallel()
	got := samples(t, laptop())
	for _, want := range []string{
		`diskaudit_info{version="1.2.3",source="windows",os="Windows 11 Pro"} 1`,
		`diskaudit_up 1`,
		`diskaudit_complete 1`,
		`diskaudit_collected_timestamp_seconds 1.7e+09`,
		`diskaudit_elevated 1`,
		`diskaudit_bitlocker_available 1`,
		`diskaudit_computer_state{state="encrypting"} 1`,
		`diskaudit_computer_state{state="not-encrypted"} 0`,
		`diskaudit_volumes 1`,
		`diskaudit_volumes_unprotected 1`,
		`diskaudit_problems{level="info"} 1`,
		`diskaudit_problems{level="error"} 1`,
		`diskaudit_volume_info{volume="C:",type="OperatingSystem",method="XtsAes128",disk="PhysicalDrive0",model="Fast One"} 1`,
		`diskaudit_volume_size_bytes{volume="C:"} 4096`,
		`diskaudit_volume_encrypted_ratio{volume="C:"} 0.125`,
		`diskaudit_volume_conversion{volume="C:",state="EncryptionInProgress"} 1`,
		`diskaudit_volume_conversion{volume="C:",state="FullyEncrypted"} 0`,
		`diskaudit_volume_conversion{volume="C:",state="Unknown"} 0`,
		`diskaudit_volume_engine{volume="C:",engine="software"} 1`,
		`diskaudit_volume_protection{volume="C:",state="Off"} 1`,
		`diskaudit_volume_protection{volume="C:",state="On"} 0`,
		`diskaudit_volume_protection_reason{volume="C:",reason="converting"} 1`,
		`diskaudit_volume_locked{volume="C:"} 0`,
		`diskaudit_disk_info{disk="PhysicalDrive0",model="Fast One",bus="NVMe"} 1`,
		`diskaudit_disk_healthy{disk="PhysicalDrive0"} 1`,
		`diskaudit_disk_endurance_used_ratio{disk="PhysicalDrive0"} 0.03`,
		`diskaudit_disk_power_on_seconds_total{disk="PhysicalDrive0"} 36000`,
		`diskaudit_disk_flushing_disabled{disk="PhysicalDrive0"} 0`,
		`diskaudit_findings{severity="critical"} 1`,
		`diskaudit_findings{severity="warning"} 0`,
		`diskaudit_finding{id="disk-health",severity="critical",disk="PhysicalDrive0"} 1`,
		`diskaudit_finding{id="conversion-running",severity="notice",volume="C:"} 1`,
		`diskaudit_finding{id="power-saver",severity="info"} 1`,
		`diskaudit_unknown_facts{scope="computer"} 5`,
		`diskaudit_unknown_facts{scope="volumes"} 0`,
		`diskaudit_unknown_facts{scope="disks"} 0`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("missing: %s", want)
		}
	}
	all := strings.Join(got, "\n")
	for _, absent := range []string{"SECRET", "diskaudit_volumes_not_encrypted", "diskaudit_volume_free_bytes", "diskaudit_disk_temperature_celsius", "diskaudit_encryption_prevented", "diskaudit_volume_clear_key"} {
		if strings.Contains(all, absent) {
			t.Errorf("%s is there", absent)
		}
	}
	if again := samples(t, laptop()); !slices.Equal(got, again) {
		t.Error("the same document gives another file")
	}
}

// What is not known has no sample but that of the state "Unknown": above all none that says 0.
func TestUnknownHasNoSample(t *testing.T) {
	t.Parallel()
	got := samples(t, contract.Status{Disks: contract.List[contract.Disk]{{ID: "d"}}, Volumes: contract.List[contract.Volume]{{ID: "v", Encryption: contract.Encryption{
		Conversion: contract.Ptr(contract.Conversion(77)), Lock: contract.Ptr(contract.Lock(9)), Protection: contract.Ptr(contract.ProtectionUnknown), Percent: contract.Ptr(math.NaN()),
	}}}})
	for _, line := range got {
		name, _, _ := strings.Cut(line, "{")
		name, _, _ = strings.Cut(name, " ")
		switch name {
		case "diskaudit_volume_conversion", "diskaudit_volume_engine", "diskaudit_volume_protection", "diskaudit_volume_protection_reason":
			if strings.Contains(line, `"Unknown"`) != strings.HasSuffix(line, " 1") {
				t.Errorf("not known, but %s", line)
			}
		case "diskaudit_computer_state":
			if strings.Contains(line, `"unknown"`) != strings.HasSuffix(line, " 1") {
				t.Errorf("not known, but %s", line)
			}
		case "diskaudit_info", "diskaudit_volume_info", "diskaudit_disk_info", "diskaudit_up", "diskaudit_complete", "diskaudit_problems", "diskaudit_findings", "diskaudit_unknown_facts", "diskaudit_collected_timestamp_seconds":
		default:
			t.Errorf("not known, but %s", line)
		}
	}
	for _, want := range []string{`diskaudit_unknown_facts{scope="volumes"} 5`, `diskaudit_unknown_facts{scope="disks"} 3`, `diskaudit_complete 0`} {
		if !slices.Contains(got, want) {
			t.Errorf("missing: %s in %v", want, got)
		}
	}
}

func TestNothingFoundIsSaid(t *testing.T) {
	t.Parallel()
	got := samples(t, contract.Status{Header: contract.Header{Problems: contract.List[contract.Problem]{{Code: "timeout"}}}})
	for _, want := range []string{`diskaudit_up 0`, `diskaudit_complete 0`, `diskaudit_computer_state{state="unknown"} 1`, `diskaudit_problems{level="error"} 1`} {
		if !slices.Contains(got, want) {
			t.Errorf("missing: %s", want)
		}
	}
}

// An empty drive has no state of encryption, and nothing about it is missing.
func TestVolumesOutsideOfBitLockerAreNotUnknown(t *testing.T) {
	t.Parallel()
	got := samples(t, contract.Status{Volumes: contract.List[contract.Volume]{{ID: "E", MountPoints: []string{"E:"}, Problems: contract.List[contract.Problem]{{Code: "no-medium", Level: contract.LevelInfo}}}}})
	for _, line := range got {
		if strings.Contains(line, `"E:"`) && line != `diskaudit_volume_info{volume="E:"} 1` {
			t.Error(line)
		}
	}
	if !slices.Contains(got, `diskaudit_unknown_facts{scope="volumes"} 0`) {
		t.Errorf("something about it is missing: %v", got)
	}
}

// Two volumes or disks of one name, which would be one series and make windows_exporter drop the file,
// stay two; hostile names stay one line each.
func TestNamesStayApart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\u4e2d", 500)
	hostile := []string{"C:", "C:", "C:", "a\rb", "ab", "a\nb", "a b", `q"uo\te`, "\xff", "\ufffd", "", "\x00", " ", "C: #2", `x"} 1 1395066363000` + "\n# TYPE x counter\nx 5", long, long + "x", "\u202eevil"}
	var status contract.Status
	for i, name := range hostile {
		status.Volumes = append(status.Volumes, contract.Volume{ID: hostile[len(hostile)-1-i], MountPoints: []string{name}, SizeBytes: contract.Ptr(uint64(1))})
		status.Disks = append(status.Disks, contract.Disk{ID: name, SizeBytes: contract.Ptr(uint64(1)), Model: &name})
		status.Findings = append(status.Findings, contract.Finding{ID: name, Target: name})
	}
	sample := regexp.MustCompile(`^[a-z_]+(\{[a-z_]+="([^"\\\n]|\\["\\n])*"(,[a-z_]+="([^"\\\n]|\\["\\n])*")*\})? [-+.e0-9]+$`)
	seen := map[string]bool{}
	counts := map[string]int{}
	for _, line := range samples(t, status) {
		if !sample.MatchString(line) {
			t.Errorf("not a sample: %s", line)
		}
		if len(line) > 1500 {
			t.Errorf("a line of %d bytes", len(line))
		}
		series := line[:strings.LastIndexByte(line, ' ')]
		if seen[series] || seen[strings.ReplaceAll(series, "\r", "")] {
			t.Errorf("twice: %s", series)
		}
		seen[series] = true
		family, _, _ := strings.Cut(series, "{")
		counts[family]++
	}
	if counts["diskaudit_volume_size_bytes"] != len(hostile) || counts["diskaudit_disk_size_bytes"] != len(hostile) {
		t.Errorf("%d volumes and %d disks of %d are left", counts["diskaudit_volume_size_bytes"], counts["diskaudit_disk_size_bytes"], len(hostile))
	}
}

// Many things of one name are named in time that grows with their number.
func TestManyOfOneNameAreNamed(t *testing.T) {
	t.Parallel()
	taken := names{}
	for i := range 50_000 {
		name := taken.choose([]string{"same"}, "volume")
		if want := fmt.Sprintf("same #%d", i+1); i > 0 && name != want {
			t.Fatalf("number %d is %s", i, name)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestErrorOfWritingIsTold(t *testing.T) {
	t.Parallel()
	if err := Write(failing{}, laptop()); err == nil {
		t.Error("nothing was said")
	}
}
