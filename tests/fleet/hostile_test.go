package fleet_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// hostileTexts are what a label, a model or a reference can hold.
var hostileTexts = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'"--></style></script><svg onload=alert(1)>`, `javascript:alert(1)`,
	`https://example.invalid/"onmouseover="alert(1)`, `https://user@example.invalid/`, `data:text/html,<script>alert(1)</script>`, `{{.Title}}`, "${alert(1)}",
	"two\nlines\r\nand\ttabs", "\u202egnp.exe\u202c \u2066right to left", "null\x00and \x1b[31mescape", strings.Repeat("W", 3000), strings.Repeat("\u0300", 500), "\ufeff\u200b\u2028",
	`=cmd|' /C calc'!A0`, `</title><base href="https://example.invalid/">`, `<meta http-equiv=refresh content="0;url=https://example.invalid/">`, "`+alert(1)+`", strings.Repeat(`"`, 400), "שלום עולם",
}

// hostileComputer fills every text of a computer's documents with a hostile one, and its numbers with the
// ends of their ranges.
func hostileComputer(number int, named bool) (contract.Status, contract.Bench) {
	g := generate(number)
	word := func(i int) string { return hostileTexts[(number+i)%len(hostileTexts)] }
	status, bench := g.status(), g.bench()
	machine := g.machine()
	machine.ComputerName, machine.OS, machine.CPU.Name = nil, contract.Ptr(word(1)), contract.Ptr(word(2))
	if named {
		machine.ComputerName = contract.Ptr("PC" + word(0))
	}
	disk, volume := g.disk(), g.volume()
	disk.ID, disk.Model, disk.Firmware, disk.Driver.Name = word(3), contract.Ptr(word(4)), contract.Ptr(word(5)), contract.Ptr(word(6))
	volume.MountPoints, volume.Label, volume.FileSystem = contract.List[string]{word(7), word(8)}, contract.Ptr(word(9)), contract.Ptr(word(10))
	volume.Extents[0].DiskID = disk.ID
	volume.Encryption.Percent = contract.Ptr(-1e300)
	problem := contract.Problem{Code: word(11), Level: contract.LevelError, Stage: word(12), Target: word(13), Text: word(14)}
	status.Machine, status.Disks, status.Volumes = machine, contract.List[contract.Disk]{disk}, contract.List[contract.Volume]{volume}
	status.Problems, status.Tool.Version = contract.List[contract.Problem]{problem}, word(15)
	status.Findings = nil
	for i := range hostileTexts {
		status.Findings = append(status.Findings, contract.Finding{ID: word(i), Severity: contract.SeverityCritical, Target: word(i + 1), Title: word(i + 2), Evidence: word(i + 3), Advice: word(i + 4), Reference: word(i + 5)})
	}
	status.Summary.WorstFinding, status.Summary.OSMethod, status.Summary.OSProtection = contract.Ptr(word(16)), contract.Ptr(word(17)), contract.Ptr(word(18))
	bench.Context.Machine, bench.Context.Disk, bench.Context.Volume = &machine, &disk, &volume
	bench.Target.Path, bench.Profile.Name, bench.Verdict.Text = word(1), word(2), word(3)
	bench.Problems = contract.List[contract.Problem]{problem}
	huge := contract.Range{Low: -math.MaxFloat64, Estimate: math.MaxFloat64, High: math.MaxFloat64}
	bench.Penalty.Valid, bench.Penalty.AddedNs, bench.Penalty.AddedPercent, bench.Verdict.ThresholdPercent = true, &huge, &huge, math.MaxFloat64
	for i := range bench.Tests {
		test := &bench.Tests[i]
		test.ID, test.API = word(i), contract.Ptr(word(i+1))
		test.InvalidReasons = contract.List[contract.InvalidReason]{{Code: word(i + 2), Text: word(i + 3)}}
		test.LatencyNs.P99, test.IOPS = contract.Ptr(math.MaxFloat64), contract.Ptr(-math.MaxFloat64)
		test.Histogram = append(test.Histogram, contract.HistogramClass{FromNs: math.MaxUint64, ToNs: 0, Count: math.MaxUint64})
	}
	bench.Comparison = &contract.Comparison{Baseline: contract.Baseline{Path: word(5)}, Refusals: contract.List[contract.Refusal]{{Code: word(6), TestID: word(7), Text: word(8)}}}
	bench.Headroom = contract.List[contract.Headroom]{{TestID: word(9), Metric: word(10), Measured: math.MaxFloat64, Predicted: huge}}
	return status, bench
}

// checkHostilePages opens pages of documents whose texts want to be markup, script or addresses.
func checkHostilePages(t *testing.T, b *browser) {
	t.Helper()
	fleet, computer := t.TempDir(), t.TempDir()
	for number := range 2 * len(hostileTexts) {
		status, bench := hostileComputer(number, number%2 == 0)
		writeDocument(t, filepath.Join(fleet, fmt.Sprintf("%d<img src=x onerror=alert(1)>.json", number)), status)
		writeDocument(t, filepath.Join(fleet, fmt.Sprintf("%d\u202e'\".json", number)), bench)
	}
	if err := os.WriteFile(filepath.Join(fleet, `"><script>alert(1)<.json`), []byte(`<script>alert(1)</script>`), 0o600); err != nil {
		t.Fatal(err)
	}
	status, bench := hostileComputer(4, true)
	writeDocument(t, filepath.Join(computer, "s.json"), status)
	writeDocument(t, filepath.Join(computer, "b.json"), bench)
	for folder, kind := range map[string]contract.PageKind{fleet: contract.PageFleet, computer: contract.PageComputer} {
		path := filepath.Join(t.TempDir(), string(kind)+".html")
		if document := report(t, folder, "--output", path); *document.Output.Page != kind {
			t.Fatalf("%+v instead of %s", document.Output, kind)
		}
		b.open(path)
		var found []string
		b.evaluate(`var found = [];
if (document.scripts.length !== 1) { found.push(document.scripts.length + " scripts"); }
if (document.querySelector("img, base, iframe, object, embed, form, link")) { found.push("elements that the page has not"); }
if (document.querySelectorAll("meta[http-equiv]").length !== 1) { found.push("more than one policy"); }
document.querySelectorAll("a[href]").forEach(function (a) { if (!/^(#|https:\/\/[^@]*$)/.test(a.getAttribute("href"))) { found.push("a link to " + a.href); } });
document.querySelectorAll("*").forEach(function (e) { Array.from(e.attributes).forEach(function (a) { if (/^on/i.test(a.name)) { found.push(e.tagName + " with " + a.name); } }); });
document.querySelectorAll("svg *").forEach(function (e) { Array.from(e.attributes).forEach(function (a) { if (/NaN|Infinity|undefined/.test(a.value)) { found.push(e.tagName + " at " + a.value); } }); });
return found;`, &found)
		if len(found) > 0 {
			t.Errorf("%s: %q", kind, found)
		}
		b.harmless(path)
		b.fits(1280)
		b.fits(400)
		b.picture("hostile-"+string(kind), 1280)
	}
}
