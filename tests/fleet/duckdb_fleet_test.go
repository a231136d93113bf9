package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/report/flat"
)

// madeUp is a computer of the fleet that the queries are asked about.
type madeUp struct {
	name, model string
	state       contract.ComputerState
	conversion  *contract.Conversion
	method      *contract.Method
	protection  *contract.Protection
	critical    bool
	complete    bool
	penalty     *madeUpPenalty
}

// madeUpPenalty is what encryption adds there, or why that is not known.
type madeUpPenalty struct {
	microseconds, percent float64
	verdict               contract.VerdictResult
	reason                string
}

var collected = time.Date(2026, 11, 3, 4, 5, 6, 0, time.UTC)

// theFleet has two models with two methods each, five valid figures for each pair, and one computer for
// each thing that can be wrong.
func theFleet() []madeUp {
	var fleet []madeUp
	add := func(m madeUp) { fleet = append(fleet, m) }
	for g, group := range []struct {
		model   string
		method  contract.Method
		figures []float64
	}{
		{"Fast One 1TB", contract.XtsAes128, []float64{20, 24, 22, 28, 26}},
		{"Fast One 1TB", contract.XtsAes256, []float64{31, 35, 33, 39, 37}},
		{"Slow Two 500GB", contract.XtsAes128, []float64{4, 2, 3, 1, 5}},
		{"Slow Two 500GB", contract.Aes256, []float64{9.5, 9.1, 9.9, 9.3, 9.7}},
	} {
		for i, figure := range group.figures {
			verdict := contract.VerdictNegligible
			if figure >= 20 {
				verdict = contract.VerdictMaterial
			}
			add(madeUp{
				name: fmt.Sprintf("PC-%d%d", g, i), model: group.model, state: contract.ComputerSoftwareEncrypted, complete: true,
				conversion: contract.Ptr(contract.FullyEncrypted), method: contract.Ptr(group.method), protection: contract.Ptr(contract.ProtectionOn),
				penalty: &madeUpPenalty{microseconds: figure, percent: figure / 2, verdict: verdict},
			})
		}
	}
	soft := func(name string) madeUp {
		return madeUp{
			name: name, model: "Odd Three", state: contract.ComputerSoftwareEncrypted, complete: true,
			conversion: contract.Ptr(contract.FullyEncrypted), method: contract.Ptr(contract.XtsAes128), protection: contract.Ptr(contract.ProtectionOn),
		}
	}
	suspended := soft("PC-suspended")
	suspended.protection = contract.Ptr(contract.ProtectionOff)
	add(suspended)
	unsure := soft("PC-unsure")
	unsure.protection = nil
	add(unsure)
	plain := soft("PC-plain")
	plain.state, plain.conversion, plain.method, plain.protection = contract.ComputerNotEncrypted, contract.Ptr(contract.FullyDecrypted), contract.Ptr(contract.MethodNone), contract.Ptr(contract.ProtectionOff)
	add(plain)
	unknown := soft("PC-unknown")
	unknown.state, unknown.complete, unknown.conversion, unknown.method, unknown.protection = contract.ComputerUnknown, false, nil, nil, nil
	add(unknown)
	ill := soft("PC-ill")
	ill.critical = true
	add(ill)
	for i, reason := range []string{"needs-elevation", "needs-elevation", "several-extents"} {
		unmeasured := soft(fmt.Sprintf("PC-unmeasured%d", i))
		// The figure must never count: it is not valid.
		unmeasured.penalty = &madeUpPenalty{microseconds: 999, percent: 999, verdict: contract.VerdictUndecided, reason: reason}
		add(unmeasured)
	}
	return fleet
}

// status is the computer's status document.
func (m madeUp) status(at time.Time) contract.Status {
	s := contract.Status{
		Header: contract.Header{Kind: contract.KindStatus, CollectedAt: at, Complete: m.complete, Tool: contract.Tool{Version: "1.2.3"}},
		Disks:  contract.List[contract.Disk]{{ID: "PhysicalDrive0", Model: &m.model}},
		Volumes: contract.List[contract.Volume]{{
			ID: `\\?\Volume{1}\`, MountPoints: []string{"C:"}, Type: contract.Ptr(contract.OperatingSystem),
			Extents:    contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", LengthBytes: 1 << 30}},
			Encryption: contract.Encryption{Conversion: m.conversion, Method: m.method, Protection: m.protection, Engine: contract.Ptr(contract.EngineSoftware)},
		}},
		Findings: contract.List[contract.Finding]{{ID: "software-encryption", Severity: contract.SeverityNotice, Target: `\\?\Volume{1}\`, Title: "The processor encrypts"}},
		Summary:  &contract.Summary{State: m.state},
	}
	if m.critical {
		s.Findings = append(contract.List[contract.Finding]{{ID: "disk-health", Severity: contract.SeverityCritical, Target: "PhysicalDrive0", Title: "The disk is about to fail"}}, s.Findings...)
	}
	if !m.complete {
		s.Problems = contract.List[contract.Problem]{{Code: "needs-elevation", Level: contract.LevelError}}
	}
	return s
}

// bench is the computer's bench document.
func (m madeUp) bench(at time.Time) contract.Bench {
	p := m.penalty
	nanoseconds, percent := p.microseconds*1000, p.percent
	document := contract.Bench{
		Header:  contract.Header{Kind: contract.KindBench, CollectedAt: at, Complete: true, Tool: contract.Tool{Version: "1.2.3"}},
		Target:  contract.BenchTarget{Path: `C:\`, VolumeID: contract.Ptr(`\\?\Volume{1}\`), DiskID: contract.Ptr("PhysicalDrive0")},
		Profile: contract.BenchProfile{Name: "quick"},
		Context: contract.BenchContext{Volume: &m.status(at).Volumes[0], Disk: &m.status(at).Disks[0]},
		Tests:   contract.List[contract.BenchTest]{{ID: "RND4K-Q1T1-read", BlockBytes: 4096, QueueDepth: 1, Threads: 1, Valid: true, IOPS: contract.Ptr(12345.5)}},
		Penalty: contract.Penalty{
			Evidence: contract.EvidencePaired, Valid: p.reason == "",
			AddedNs:      &contract.Range{Low: nanoseconds - 500, Estimate: nanoseconds, High: nanoseconds + 500},
			AddedPercent: &contract.Range{Low: percent - 1, Estimate: percent, High: percent + 1},
		},
		Verdict: contract.Verdict{Result: p.verdict, ThresholdPercent: 10},
	}
	if p.reason != "" {
		document.Penalty.Reason = &contract.InvalidReason{Code: p.reason, Text: "Why: " + p.reason}
		document.Tests[0].Valid = false
		document.Tests[0].InvalidReasons = contract.List[contract.InvalidReason]{{Code: "on-battery", Text: "On battery."}, {Code: "thermal-throttling", Text: "Hot."}}
	}
	return document
}

// writeFleet writes the records of the fleet, the list of names and that of computers which did not
// answer into a folder.
func writeFleet(t *testing.T, folder string, fleet []madeUp) {
	t.Helper()
	file, err := os.Create(filepath.Join(folder, "fleet.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := flat.NewNDJSON(file)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"computer"}
	for i, m := range fleet {
		names = append(names, m.name)
		path := `documents\` + m.name
		newer := func() { check(out.Status(path+".status.json", m.status(collected))) }
		// What an older document says must not count, whether it comes before or after the newer one.
		old := m
		old.state, old.critical, old.protection = contract.ComputerPaused, true, contract.Ptr(contract.ProtectionOff)
		older := func() {
			check(out.Status(`older\`+m.name+".status.json", old.status(collected.Add(-24*time.Hour))))
		}
		order := []func(){newer, older}
		if i%2 == 0 {
			order = []func(){older, newer}
		}
		order[0]()
		order[1]()
		if m.penalty != nil {
			check(out.Bench(path+".bench.json", m.bench(collected)))
			oldPenalty := old
			oldPenalty.penalty = &madeUpPenalty{microseconds: 5000, percent: 5000, verdict: contract.VerdictMaterial}
			check(out.Bench(`older\`+m.name+".bench.json", oldPenalty.bench(collected.Add(-time.Hour))))
		}
	}
	check(out.Skipped(`documents\PC-broken.status.json`, "not-json", "It is cut off. Copy it again."))
	check(out.Close())
	names = append(names, "pc-broken", "PC-off", "PC-forgotten")
	check(os.WriteFile(filepath.Join(folder, "computers.csv"), []byte(strings.Join(names, "\r\n")+"\r\n"), 0o600))
	check(os.WriteFile(filepath.Join(folder, "unanswered.csv"), []byte("\ufeffcomputer,reason\r\n\"PC-OFF\",\"WinRM cannot complete the operation, \"\"really\"\".\"\r\n"), 0o600))
}
