package flat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
)

// lines writes documents and returns each line with its values.
func lines(t *testing.T, write func(*NDJSON) error) (texts []string, values []map[string]any) {
	t.Helper()
	var buffer bytes.Buffer
	out := NewNDJSON(&buffer)
	if err := errors.Join(write(out), out.Close()); err != nil {
		t.Fatal(err)
	}
	if buffer.Len() > 0 && !strings.HasSuffix(buffer.String(), "\n") {
		t.Error("the last line does not end")
	}
	for text := range strings.Lines(buffer.String()) {
		var value map[string]any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		texts, values = append(texts, text), append(values, value)
	}
	return texts, values
}

var when = time.Date(2026, 11, 3, 5, 6, 7, 999, time.FixedZone("", 3600))

func laptop() contract.Status {
	return contract.Status{
		Header: contract.Header{CollectedAt: when, Complete: false, Tool: contract.Tool{Version: "1.2.3"}, Problems: contract.List[contract.Problem]{
			{Code: "needs-elevation", Level: contract.LevelError}, {Code: "needs-elevation"}, {Code: "firmware-unknown", Level: contract.LevelInfo},
		}},
		Machine: contract.Machine{Source: contract.SourceWindows, OS: contract.Ptr("Windows 11 Pro"), Elevated: contract.Ptr(false)},
		Disks: contract.List[contract.Disk]{
			{ID: "PhysicalDrive0", Model: contract.Ptr("Fast One"), Bus: contract.Ptr(contract.BusNVMe), SizeBytes: contract.Ptr(uint64(1_000_204_886_016))},
			{ID: "PhysicalDrive1", Model: contract.Ptr("Other")},
		},
		Volumes: contract.List[contract.Volume]{
			{
				ID: "vol-c", MountPoints: []string{"C:", `D:\mnt`}, Label: contract.Ptr(""), Type: contract.Ptr(contract.OperatingSystem), SizeBytes: contract.Ptr(uint64(99)),
				Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0"}, {DiskID: "PhysicalDrive0"}},
				Encryption: contract.Encryption{
					Conversion: contract.Ptr(contract.FullyEncrypted), Percent: contract.Ptr(100.0), Method: contract.Ptr(contract.XtsAes128), Engine: contract.Ptr(contract.EngineSoftware),
					Protection: contract.Ptr(contract.ProtectionOn), ProtectionReason: contract.Ptr(contract.ReasonProtected), Lock: contract.Ptr(contract.Unlocked),
					Protectors: []contract.Protector{{Type: contract.Tpm}, {Type: contract.RecoveryPassword}, {Type: contract.RecoveryPassword}},
				},
			},
			{ID: "vol-span", Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0"}, {DiskID: "PhysicalDrive1"}}, Encryption: contract.Encryption{Protectors: []contract.Protector{}}},
			{ID: "vol-nowhere"},
		},
		Findings: contract.List[contract.Finding]{
			{ID: "disk-health", Severity: contract.SeverityCritical, Target: "PhysicalDrive1", Title: "Failing", Evidence: "e", Advice: "a", Reference: "r"},
			{ID: "software-encryption", Severity: contract.SeverityNotice, Target: "vol-c"},
			{ID: "power-saver", Target: "machine"},
		},
		Summary: &contract.Summary{State: contract.ComputerSoftwareEncrypted, Volumes: contract.Ptr(uint64(2))},
	}
}

// What a line says of a document, name by name, for the names that an administrator asks for.
func TestStatusBecomesRecords(t *testing.T) {
	t.Parallel()
	_, got := lines(t, func(out *NDJSON) error { return out.Status(`\\server\fleet$\PC-7.status.json`, laptop()) })
	kinds := map[string]int{}
	for _, record := range got {
		kinds[record["record"].(string)]++
		if record["computer"] != "PC-7" || record["collectedAt"] != "2026-11-03T04:06:07Z" || record["toolVersion"] != "1.2.3" || record["file"] != `\\server\fleet$\PC-7.status.json` {
			t.Errorf("a record does not tell where it is from: %v", record)
		}
	}
	if diff := cmp.Diff(map[string]int{"computer": 1, "volume": 3, "finding": 3}, kinds); diff != "" {
		t.Fatal(diff)
	}
	for _, want := range []struct {
		line   int
		values map[string]any
	}{
		{0, map[string]any{
			"state": "software-encrypted", "complete": false, "factsFrom": "windows", "osName": "Windows 11 Pro", "osBuild": nil, "elevated": false, "portable": nil, "volumes": 2.0, "unprotected": nil,
			"criticalFindings": 1.0, "warningFindings": 0.0, "worstFinding": "disk-health", "errors": 2.0, "errorCodes": "needs-elevation",
		}},
		{1, map[string]any{
			"volume": "C:", "volumeId": "vol-c", "mountPoints": `C: | D:\mnt`, "volumeLabel": "", "volumeType": "OperatingSystem", "conversion": "FullyEncrypted", "encryptedPercent": 100.0,
			"method": "XtsAes128", "engine": "software", "protection": "On", "protectionReason": "protected", "lock": "Unlocked", "protectorTypes": "Tpm RecoveryPassword", "sizeBytes": 99.0, "freeBytes": nil,
			"diskCount": 1.0, "diskId": "PhysicalDrive0", "diskModel": "Fast One", "diskBus": "NVMe", "diskSizeBytes": 1_000_204_886_016.0, "diskHealthy": nil,
		}},
		{2, map[string]any{"volume": "vol-span", "mountPoints": "", "volumeLabel": nil, "conversion": nil, "protectorTypes": "", "diskCount": 2.0, "diskId": nil, "diskModel": nil}},
		{3, map[string]any{"volume": "vol-nowhere", "protectorTypes": nil, "diskCount": nil, "diskId": nil}},
		{4, map[string]any{
			"findingId": "disk-health", "severity": "critical", "severityRank": 3.0, "findingTarget": "PhysicalDrive1", "volume": nil, "diskId": "PhysicalDrive1", "diskModel": "Other",
			"findingTitle": "Failing", "findingEvidence": "e", "findingAdvice": "a", "findingReference": "r",
		}},
		{5, map[string]any{"severity": "notice", "severityRank": 1.0, "volume": "C:", "volumeId": "vol-c", "diskModel": "Fast One"}},
		{6, map[string]any{"severity": "info", "severityRank": 0.0, "findingTarget": "machine", "volume": nil, "diskId": nil}},
	} {
		expect(t, got[want.line], want.values)
	}
}

func expect(t *testing.T, record, want map[string]any) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value, there := record[name]
		if !there || value != want[name] {
			t.Errorf("%v: %s is %v, want %v", record["record"], name, value, want[name])
		}
	}
}

func TestBenchBecomesRecords(t *testing.T) {
	t.Parallel()
	status := laptop()
	bench := contract.Bench{
		Header:  contract.Header{CollectedAt: when, Tool: contract.Tool{Version: "1.2.3"}},
		Target:  contract.BenchTarget{Path: `C:\test`, Layer: contract.Ptr("file system"), VolumeID: contract.Ptr("vol-c"), DiskID: contract.Ptr("PhysicalDrive0")},
		Profile: contract.BenchProfile{Name: "quick"},
		Context: contract.BenchContext{Machine: &contract.Machine{ComputerName: contract.Ptr("NAMED")}, Volume: &status.Volumes[0], Disk: &status.Disks[0]},
		Tests: contract.List[contract.BenchTest]{
			{
				ID: "RND4K-Q1T1-write", Operation: contract.OperationWrite, BlockBytes: 4096, QueueDepth: 1, Threads: 1, Durability: contract.Ptr(contract.DurabilityFlush), Valid: true,
				Rounds: make(contract.List[contract.BenchRound], 6), Ops: 1000, IOPS: contract.Ptr(20000.0), LatencyNs: contract.Latency{P50: contract.Ptr(48000.5)},
				Interval: &contract.TestInterval{IOPS: contract.Range{Low: 19000, High: 21000}}, Drift: &contract.Drift{Percent: -2.5}, Notes: contract.List[contract.InvalidReason]{{Code: "busy-computer"}},
			},
			{ID: "SEQ1M-Q8T1-read", InvalidReasons: contract.List[contract.InvalidReason]{{Code: "cached", Text: "A cache."}, {Code: "on-battery", Text: "Battery."}}},
		},
		Penalty: contract.Penalty{
			Evidence: contract.EvidencePaired, Valid: true, Operation: contract.Ptr(contract.OperationRead), BlockBytes: contract.Ptr(uint64(4096)), BareNs: contract.Ptr(50000.0), LayeredNs: contract.Ptr(70000.0),
			AddedNs: &contract.Range{Low: 18000, Estimate: 20000, High: 22000}, AddedPercent: &contract.Range{Low: 36, Estimate: 40, High: 44}, Pairs: 5000,
		},
		Verdict: contract.Verdict{Result: contract.VerdictMaterial, ThresholdPercent: 10},
	}
	_, got := lines(t, func(out *NDJSON) error { return out.Bench("x.bench.json", bench) })
	if len(got) != 3 {
		t.Fatalf("%d records", len(got))
	}
	where := map[string]any{"computer": "NAMED", "profile": "quick", "targetPath": `C:\test`, "targetLayer": "file system", "volume": "C:", "volumeId": "vol-c", "method": "XtsAes128", "engine": "software", "diskModel": "Fast One"}
	for _, record := range got {
		expect(t, record, where)
	}
	expect(t, got[0], map[string]any{
		"record": "test", "testId": "RND4K-Q1T1-write", "operation": "write", "blockBytes": 4096.0, "pattern": "random", "durability": "flush", "rounds": 6.0, "ios": 1000.0, "iops": 20000.0, "iopsLow": 19000.0,
		"iopsHigh": 21000.0, "latencyP50Ns": 48000.5, "latencyP99Ns": nil, "driftPercent": -2.5, "testValid": true, "invalidCodes": "", "noteCodes": "busy-computer",
	})
	expect(t, got[1], map[string]any{"operation": "read", "durability": nil, "iops": nil, "testValid": false, "invalidCodes": "cached on-battery", "invalidText": "A cache. Battery."})
	expect(t, got[2], map[string]any{
		"record": "penalty", "penaltyEvidence": "paired", "penaltyValid": true, "penaltyReasonCode": nil, "penaltyReasonText": nil, "bareNs": 50000.0, "layeredNs": 70000.0, "addedNs": 20000.0, "addedNsLow": 18000.0,
		"addedNsHigh": 22000.0, "addedPercent": 40.0, "addedPercentLow": 36.0, "addedPercentHigh": 44.0, "pairs": 5000.0, "verdict": "material", "thresholdPercent": 10.0,
	})

	// Nothing known: one record that says so, and no figure.
	_, got = lines(t, func(out *NDJSON) error {
		return out.Bench("y.json", contract.Bench{Penalty: contract.Penalty{Reason: &contract.InvalidReason{Code: "needs-elevation", Text: "Run it as administrator."}}})
	})
	if len(got) != 1 {
		t.Fatalf("%d records of a bench document without tests", len(got))
	}
	expect(t, got[0], map[string]any{
		"record": "penalty", "computer": "y", "collectedAt": nil, "penaltyEvidence": "none", "penaltyValid": false, "penaltyReasonCode": "needs-elevation", "penaltyReasonText": "Run it as administrator.",
		"addedNs": nil, "addedPercent": nil, "verdict": "undecided", "volume": nil, "diskModel": nil, "engine": nil,
	})
}

func TestSkippedBecomesARecord(t *testing.T) {
	t.Parallel()
	_, got := lines(t, func(out *NDJSON) error { return out.Skipped("/data/PC-9.json", "not-json", "It is cut off.") })
	want := map[string]any{"record": "skipped", "computer": "PC-9", "file": "/data/PC-9.json", "collectedAt": nil, "toolVersion": nil, "skipCode": "not-json", "skipText": "It is cut off."}
	if diff := cmp.Diff([]map[string]any{want}, got); diff != "" {
		t.Error(diff)
	}
}

// A document that nobody judged, or of which nothing is known, is not taken for one in order.
func TestUnknownStaysUnknown(t *testing.T) {
	t.Parallel()
	_, got := lines(t, func(out *NDJSON) error {
		return out.Status("a.json", contract.Status{Volumes: contract.List[contract.Volume]{{}}})
	})
	for name, value := range got[0] {
		switch name {
		case "record", "computer", "file", "errorCodes":
		case "state":
			if value != "unknown" {
				t.Errorf("state is %v", value)
			}
		case "factsFrom":
			if value != "none" {
				t.Errorf("factsFrom is %v", value)
			}
		case "complete":
			if value != false {
				t.Errorf("complete is %v", value)
			}
		case "criticalFindings", "warningFindings", "errors":
			if value != 0.0 {
				t.Errorf("%s is %v", name, value)
			}
		default:
			if value != nil {
				t.Errorf("computer: %s is %v", name, value)
			}
		}
	}
	for name, value := range got[1] {
		if !slices.Contains([]string{"record", "computer", "file", "mountPoints", "errorCodes"}, name) && value != nil {
			t.Errorf("volume: %s is %v", name, value)
		}
	}
}

func TestComputerIsNamedByDocumentOrFile(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"PC-1.status.json": "PC-1", "dir/PC-1.bench.json": "PC-1", `C:\Fleet\PC-1.STATUS.JSON`: "PC-1", "PC-1.json": "PC-1", "pc.contoso.com.status.json": "pc.contoso.com",
		"pc.contoso.com.jsonl": "pc.contoso.com", "no-ending": "no-ending", ".json": ".json", "all.ndjson:12": "all.ndjson:12", "x.status.json.txt": "x.status.json.txt",
	} {
		if got := computerOf(place{path: path}, nil); got == nil || *got != want {
			t.Errorf("%s is named %v, want %s", path, got, want)
		}
	}
	if got := computerOf(place{path: "PC-1.json", before: 3}, contract.Ptr("REAL")); *got != "REAL" {
		t.Errorf("the document's name does not win: %s", *got)
	}
	if got := computerOf(place{path: "PC-1.json"}, contract.Ptr(" ")); *got != "PC-1" {
		t.Errorf("a blank name wins: %q", *got)
	}
	if got := computerOf(place{before: 3}, nil); got != nil {
		t.Errorf("a name out of nothing: %q", *got)
	}
}

// Documents without a name in one file stay apart, and a test of a computer stays with its status.
func TestDocumentsOfOneFileStayApart(t *testing.T) {
	t.Parallel()
	_, got := lines(t, func(out *NDJSON) error {
		named := contract.Status{Machine: contract.Machine{ComputerName: contract.Ptr("NAMED")}}
		return errors.Join(
			out.Status("all.ndjson", contract.Status{}), out.Bench("all.ndjson", contract.Bench{}), out.Status("all.ndjson", contract.Status{}), out.Status("all.ndjson", named),
			out.Bench("all.ndjson", contract.Bench{}), out.Status("other.json", contract.Status{}))
	})
	var computers []string
	for _, record := range got {
		computers = append(computers, record["computer"].(string))
	}
	if diff := cmp.Diff([]string{"all", "all", "all #2", "NAMED", "all #2", "other"}, computers); diff != "" {
		t.Error(diff)
	}
}

// Whatever a document holds: each line is flat JSON of ASCII, below 10,000 bytes, with all names of its
// record and one type for each name.
func TestHostileDocumentsStayLines(t *testing.T) {
	t.Parallel()
	names, types := map[string]string{}, map[string]string{}
	for seed := range 60 {
		path := hostileTexts[seed%len(hostileTexts)]
		texts, values := lines(t, func(out *NDJSON) error {
			return errors.Join(out.Status(path, hostileStatus(seed)), out.Bench(path, hostileBench(seed)), out.Skipped(path, path, path))
		})
		// A line of a document that is read again holds no line end.
		if want := 1 + 3 + 3 + 3 + 1 + 1; len(texts) != want {
			t.Fatalf("seed %d: %d lines, want %d", seed, len(texts), want)
		}
		for i, text := range texts {
			if len(text) >= 10_000 {
				t.Errorf("seed %d: a %s has %d bytes", seed, values[i]["record"], len(text))
			}
			for _, b := range []byte(strings.TrimSuffix(text, "\n")) {
				if b < 0x20 || b > 0x7e {
					t.Fatalf("seed %d: byte %#x in %s", seed, b, text)
				}
			}
			record := values[i]["record"].(string)
			all := strings.Join(slices.Sorted(maps.Keys(values[i])), " ")
			if known, there := names[record]; there && known != all {
				t.Errorf("a %s has other names than before: %s", record, all)
			}
			names[record] = all
			for name, value := range values[i] {
				if value == nil {
					continue
				}
				kind := fmt.Sprintf("%T", value)
				if known, there := types[name]; there && known != kind {
					t.Errorf("%s is %s here and %s elsewhere", name, kind, known)
				}
				types[name] = kind
				if s, ok := value.(string); ok && strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x202e || r == 0x2028 }) {
					t.Errorf("%s holds characters that are not seen: %.40q", name, s)
				}
			}
		}
	}
}

func TestLongTextsAreCutWithAMark(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("x", 5000), strings.Repeat(`\`, 5000), strings.Repeat("\u00e9", 5000), strings.Repeat("\U0001F4BE", 5000)} {
		cut := within(text, 100)
		data, err := contract.Encode(cut)
		if err != nil {
			t.Fatal(err)
		}
		written := contract.ASCII(data)
		if len(written)-2 > 100 || len(written)-2 < 80 || !strings.HasSuffix(cut, " [cut]") || !strings.HasPrefix(text, strings.TrimSuffix(cut, " [cut]")) {
			t.Errorf("cut to %d bytes: %s", len(written)-2, written)
		}
	}
	for _, text := range []string{"", strings.Repeat("x", 100), strings.Repeat("\u00e9", 16)} {
		if got := within(text, 100); got != text {
			t.Errorf("%q became %q although it fits", text, got)
		}
	}
}

// A number reads back as itself, and never like an integer.
func TestDecimalsKeepTheirValueAndLookLikeDecimals(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]string{0: "0.0", 100: "100.0", -3: "-3.0", 0.1: "0.1", 12345.678: "12345.678", 1e21: "1e+21", 1e-9: "1e-09", 1e14: "100000000000000.0", 123456789012345680: "1.2345678901234568e+17"} {
		got := Decimal(value).String()
		var back float64
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != value || got != want {
			t.Errorf("%v is written %s and read %v (%v), want %s", value, got, back, err, want)
		}
	}
}

// failing refuses to be written to.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestErrorsOfWritingAreTold(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]interface {
		Skipped(path, code, text string) error
		Close() error
	}{"NDJSON": NewNDJSON(failing{}), "CSV": NewCSV(failing{})} {
		err := errors.Join(out.Skipped("a", "b", "c"), out.Close())
		if err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
