package nvme

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/audit"
	"diskaudit/core/contract"
	"diskaudit/core/machine/nvme/nvmetest"
)

func TestDecodeSMART(t *testing.T) {
	got, err := DecodeSMART(nvmetest.SMARTPage())
	if err != nil {
		t.Fatal(err)
	}
	n, f := contract.Ptr[uint64], contract.Ptr[float64]
	want := contract.Health{
		OK: contract.Ptr(true), CriticalWarning: n(0), TemperatureCelsius: f(38), PercentUsed: f(3),
		AvailableSparePercent: f(100), SpareThresholdPercent: f(10), MediaErrors: n(1), PowerOnHours: n(4321),
		UnsafeShutdowns: n(12), ReadBytes: n(1_024_000), WrittenBytes: n(512_000_000_000),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected health (-want +got):\n%s", diff)
	}
}

func TestDecodeSMARTEdges(t *testing.T) {
	page := nvmetest.SMARTPage()
	page[0] = 0x09                              // spare low, read-only
	binary.LittleEndian.PutUint16(page[1:], 0)  // no temperature
	page[5] = 255                               // far beyond its rating
	page[40] = 1                                // reads: above 64 bits
	binary.LittleEndian.PutUint64(page[48:], 0) // writes are not counted
	binary.LittleEndian.PutUint64(page[160:], ^uint64(0))
	got, err := DecodeSMART(page)
	if err != nil {
		t.Fatal(err)
	}
	if *got.OK || *got.CriticalWarning != 9 {
		t.Errorf("ok %t with the warning %d, want false and 9", *got.OK, *got.CriticalWarning)
	}
	if got.TemperatureCelsius != nil || got.WrittenBytes != nil {
		t.Errorf("temperature %s and written bytes %s, want both null", show(got.TemperatureCelsius), show(got.WrittenBytes))
	}
	if *got.PercentUsed != 255 || *got.ReadBytes != math.MaxUint64 || *got.MediaErrors != math.MaxUint64 {
		t.Errorf("used %v, read %d, media errors %d", *got.PercentUsed, *got.ReadBytes, *got.MediaErrors)
	}
	binary.LittleEndian.PutUint64(page[48:], math.MaxUint64/1000)
	if got, _ := DecodeSMART(page); *got.WrittenBytes != math.MaxUint64 {
		t.Errorf("written bytes %d, want the largest number", *got.WrittenBytes)
	}
	if _, err := DecodeSMART(make([]byte, 512)); !errors.Is(err, ErrNotSupported) {
		t.Errorf("a page of zeros: %v, want that it is not supported", err)
	}
	if _, err := DecodeSMART(page[:511]); err == nil {
		t.Error("a short page was taken")
	}
}

// The disk's verdict and what the audit makes of it agree: heat is a warning and no failure.
func TestCriticalWarnings(t *testing.T) {
	for _, test := range []struct {
		name     string
		warning  byte
		ok       string
		severity contract.Severity // of disk-health; empty when it is silent
	}{
		{"none", 0, "true", ""},
		{"spare below the threshold", 1 << 0, "false", contract.SeverityCritical},
		{"temperature out of range", 1 << 1, "true", contract.SeverityWarning},
		{"reliability degraded", 1 << 2, "false", contract.SeverityCritical},
		{"read-only", 1 << 3, "false", contract.SeverityCritical},
		{"backup of volatile memory failed", 1 << 4, "false", contract.SeverityCritical},
		{"persistent memory region", 1 << 5, "false", contract.SeverityCritical},
		{"reserved", 1 << 7, "null", contract.SeverityCritical},
		{"hot and read-only", 1<<1 | 1<<3, "false", contract.SeverityCritical},
	} {
		t.Run(test.name, func(t *testing.T) {
			page := nvmetest.SMARTPage()
			page[0] = test.warning
			binary.LittleEndian.PutUint64(page[160:], 0) // errors are a warning of their own
			health, err := DecodeSMART(page)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(health.OK); got != test.ok || *health.CriticalWarning != uint64(test.warning) {
				t.Errorf("ok %s with the warning %d, want %s", got, *health.CriticalWarning, test.ok)
			}
			var severity contract.Severity
			for _, finding := range audit.Findings(contract.Status{Disks: contract.List[contract.Disk]{{ID: "/dev/nvme0n1", Health: health}}}) {
				if finding.ID == "disk-health" {
					severity = finding.Severity
				}
			}
			if severity != test.severity {
				t.Errorf("the audit calls it %q, want %q", severity, test.severity)
			}
		})
	}
}

func FuzzDecodeSMART(f *testing.F) {
	f.Add(nvmetest.SMARTPage())
	f.Add(make([]byte, 512))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, page []byte) {
		health, err := DecodeSMART(page)
		// Bits 0 and 2 to 5 are failures, bit 1 is heat, 6 and 7 are reserved.
		if failing := err == nil && page[0]&0b00111101 != 0; failing != (health.OK != nil && !*health.OK) {
			t.Errorf("ok %s with the warning %d", show(health.OK), page[0])
		}
		if err != nil && health.OK != nil {
			t.Error("an answer beside an error")
		}
	})
}

func show(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
