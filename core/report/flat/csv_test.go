package flat

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// table writes documents as CSV and returns the lines after the header, each by column.
func table(t *testing.T, write func(*CSV) error) (text string, rows []map[string]string) {
	t.Helper()
	var buffer bytes.Buffer
	out := NewCSV(&buffer)
	if err := errors.Join(write(out), out.Close()); err != nil {
		t.Fatal(err)
	}
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(buffer.String(), "\ufeff")))
	all, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return buffer.String(), rows
}

func check(t *testing.T, row, want map[string]string) {
	t.Helper()
	for name, value := range want {
		got, there := row[name]
		if !there || got != value {
			t.Errorf("%s is %q (%v), want %q", name, got, there, value)
		}
	}
}

func TestCSVHasALineForEachVolume(t *testing.T) {
	t.Parallel()
	status := laptop()
	text, rows := table(t, func(out *CSV) error { return out.Status("PC-7.status.json", status) })
	if !strings.HasPrefix(text, "\ufeffdocument,computer,collectedAt,state,volume,") {
		t.Errorf("it begins with %.60q", text)
	}
	if strings.Count(text, "\n") != strings.Count(text, "\r\n") || !strings.HasSuffix(text, "\r\n") {
		t.Error("lines do not end in CRLF")
	}
	if len(rows) != 3 {
		t.Fatalf("%d lines", len(rows))
	}
	check(t, rows[0], map[string]string{
		"document": "status", "computer": "PC-7", "collectedAt": "2026-11-03T04:06:07Z", "state": "software-encrypted", "volume": "C:", "volumeLabel": "", "volumeType": "OperatingSystem", "sizeBytes": "99",
		"conversion": "FullyEncrypted", "encryptedPercent": "100.0", "method": "XtsAes128", "engine": "software", "protection": "On", "protectionReason": "protected", "diskModel": "Fast One", "diskFirmware": "unknown", "diskBus": "NVMe",
		"addedNs": "", "verdict": "", "criticalFindings": "1", "warningFindings": "0", "worstFinding": "disk-health", "computerErrors": "needs-elevation", "reason": "", "file": "PC-7.status.json",
	})
	check(t, rows[1], map[string]string{"volume": "vol-span", "volumeLabel": "unknown", "conversion": "unknown", "sizeBytes": "", "encryptedPercent": "", "diskModel": "2 disks", "diskBus": ""})
	check(t, rows[2], map[string]string{"volume": "vol-nowhere", "diskModel": "unknown"})
}

// A computer of which no volume is known, a measurement, and a file that was passed over have a line each:
// none is missing unseen.
func TestCSVLeavesNothingOut(t *testing.T) {
	t.Parallel()
	status := laptop()
	valid := contract.Bench{
		Context: contract.BenchContext{Volume: &status.Volumes[0], Disk: &status.Disks[0]},
		Penalty: contract.Penalty{Valid: true, AddedNs: &contract.Range{Low: -1500, Estimate: -250.5, High: 1000}, AddedPercent: &contract.Range{Low: -3, Estimate: -0.5, High: 2}},
		Verdict: contract.Verdict{Result: contract.VerdictNegligible},
	}
	invalid := valid
	invalid.Penalty.Valid, invalid.Penalty.Reason = false, &contract.InvalidReason{Code: "needs-elevation"}
	_, rows := table(t, func(out *CSV) error {
		return errors.Join(
			out.Status("PC-1.json", contract.Status{Header: contract.Header{Problems: contract.List[contract.Problem]{{Code: "provider-hangs"}}}}),
			out.Bench("PC-2.bench.json", valid), out.Bench("PC-3.bench.json", invalid), out.Skipped("PC-4.json", "not-json", "It is cut off."))
	})
	if len(rows) != 4 {
		t.Fatalf("%d lines", len(rows))
	}
	check(t, rows[0], map[string]string{"document": "status", "computer": "PC-1", "state": "unknown", "volume": "", "computerErrors": "provider-hangs", "criticalFindings": "0"})
	// Negative numbers are numbers, not formulas.
	check(t, rows[1], map[string]string{
		"document": "bench", "computer": "PC-2", "state": "", "volume": "C:", "method": "XtsAes128", "diskModel": "Fast One", "verdict": "negligible", "criticalFindings": "",
		"addedNs": "-250.5", "addedNsLow": "-1500.0", "addedNsHigh": "1000.0", "addedPercent": "-0.5", "addedPercentLow": "-3.0", "addedPercentHigh": "2.0",
	})
	check(t, rows[2], map[string]string{"document": "bench", "computer": "PC-3", "addedNs": "", "addedPercent": "", "addedPercentHigh": "", "reason": "needs-elevation"})
	check(t, rows[3], map[string]string{"document": "skipped", "computer": "PC-4", "reason": "not-json: It is cut off.", "file": "PC-4.json", "verdict": ""})
}

func TestCSVWithoutDocumentsHasAHeader(t *testing.T) {
	t.Parallel()
	text, rows := table(t, func(*CSV) error { return nil })
	if len(rows) != 0 || strings.Count(text, "\r\n") != 1 {
		t.Errorf("%q", text)
	}
}

// No cell can become a formula (owasp.org/www-community/attacks/CSV_Injection), and every document is as
// many lines as it has things.
func TestCSVRunsNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "  =1": "'  =1", "\uff1d1": "'\uff1d1", "a=1": "a=1", "": "", "C:": "C:", "'=1": "'=1",
	} {
		if got := harmless(text); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
	for seed := range 60 {
		path := hostileTexts[seed%len(hostileTexts)]
		text, rows := table(t, func(out *CSV) error {
			return errors.Join(out.Status(path, hostileStatus(seed)), out.Bench(path, hostileBench(seed)), out.Skipped(path, path, path))
		})
		if len(rows) != 3+1+1 || strings.Count(text, "\n") != 6 {
			t.Fatalf("seed %d: %d lines in %d", seed, len(rows), strings.Count(text, "\n"))
		}
		for _, row := range rows {
			for name, value := range row {
				numeric := slices.Contains([]string{"sizeBytes", "encryptedPercent", "addedNs", "addedNsLow", "addedNsHigh", "addedPercent", "addedPercentLow", "addedPercentHigh", "criticalFindings", "warningFindings"}, name)
				if numeric && strings.Trim(value, "-+.e0123456789") != "" {
					t.Errorf("seed %d: %s is %q", seed, name, value)
				}
				if !numeric && strings.IndexAny(strings.TrimLeft(value, " \t\r\n"), "=+-@\uff1d\uff0b\uff0d\uff20") == 0 {
					t.Errorf("seed %d: %s is the formula %.40q", seed, name, value)
				}
			}
		}
	}
}
