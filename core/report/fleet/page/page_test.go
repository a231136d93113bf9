package page

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/report/fleet"
	"diskaudit/core/report/fleet/documents"
)

var (
	styleOf  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scriptOf = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
)

// allPages are the pages, which take a second to make.
var allPages map[string]string

// pages are one of each kind, with as little and as much in them as there can be.
func pages(t *testing.T) map[string]string {
	t.Helper()
	if allPages != nil {
		return allPages
	}
	pages := map[string]string{}
	add := func(name string, page []byte, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pages[name] = string(page)
	}
	page, err := Fleet(contract.Report{Computers: contract.ReportComputers{States: contract.List[contract.ReportState]{{}}}})
	add("empty fleet", page, err)
	page, err = Computer(contract.Report{}, fleet.Portrait{Status: &documents.Document{Status: &contract.Status{Summary: &contract.Summary{}}}})
	add("empty computer", page, err)
	page, err = Computer(contract.Report{}, fleet.Portrait{Benches: []documents.Document{{Bench: &contract.Bench{}}}})
	add("empty measurement", page, err)
	report, portrait := fullest()
	page, err = Fleet(report)
	add("full fleet", page, err)
	page, err = Computer(report, portrait)
	add("full computer", page, err)
	allPages = pages
	return pages
}

// fullest is as much as a report and a computer can hold, with texts that take most room.
func fullest() (contract.Report, fleet.Portrait) {
	long := strings.Repeat(`"`, 5000)
	name := strings.Repeat("\U0001F6B8", 5000)
	when := time.Unix(1_700_000_000, 0)
	quantiles := &contract.Quantiles{Count: 9, Min: -1e15, P5: 1, P25: 1e3, P50: 1e4, P75: 1e5, P95: 1e6, Max: 1e15}
	penalty := contract.ReportPenalty{Measured: 9, Valid: 8, Material: 3, Negligible: 3, Undecided: 2, Invalid: 1, AddedNs: quantiles, AddedPercent: quantiles}
	place := contract.ReportPlace{ComputerName: &long, Path: long, Line: 3, CollectedAt: when}
	state := contract.ComputerSoftwareEncrypted
	report := contract.Report{Penalty: penalty, SoftwarePenalty: penalty, Inputs: contract.ReportInputs{Files: 1, Skipped: 100, Superseded: 1, Duplicates: 1, Oldest: &when, Newest: &when}}
	report.Computers.Total, report.Computers.SoftwareEncrypted = 3000, 2999
	for _, known := range contract.ComputerStates() {
		report.Computers.States = append(report.Computers.States, contract.ReportState{State: known, Computers: 3})
	}
	for i := range 201 {
		group := contract.ReportGroup{Name: &long, Rest: i == 200, Computers: 3, Count: 4, Penalty: penalty}
		report.Models = append(report.Models, group)
		if i < 12 {
			// Of these there are no more by the contract.
			report.Methods, report.Engines = append(report.Methods, group), append(report.Engines, group)
		}
		report.Findings = append(report.Findings, contract.ReportFinding{ID: long, Severity: contract.SeverityCritical, Title: long, Count: 1, Computers: 1})
		report.Combinations = append(report.Combinations, contract.ReportCombination{Model: &long, Method: &long, Engine: &long, Rest: i == 200, Penalty: penalty})
		report.Tests = append(report.Tests, contract.ReportTest{TestID: long, Durability: contract.Ptr(contract.DurabilityFlush), Engine: &long, Valid: 1, P50Ns: quantiles, P99Ns: quantiles, IOPS: quantiles})
		report.Unknowns = append(report.Unknowns, contract.ReportUnknown{Kind: contract.UnknownPenalty, Code: long, Text: long, Documents: 1})
	}
	for range 500 {
		report.Worst = append(report.Worst, contract.ReportMeasurement{
			Place: place, Volume: long, Model: &long, Method: &long, Engine: &long, ThresholdPercent: 10, AddedNs: contract.Range{Low: 1, Estimate: 2, High: 3}, AddedPercent: &contract.Range{Low: 1, Estimate: 2, High: 3},
			State: &state, Critical: contract.Ptr[uint64](3), Warnings: contract.Ptr[uint64](3), WorstFinding: &long,
		})
		report.Attention = append(report.Attention, contract.ReportAttention{Place: place, State: state, Model: &long, Method: &long, Engine: &long, Protection: &long, WorstFinding: &long})
	}
	for range 100 {
		report.Problems = append(report.Problems, contract.Problem{Code: long, Target: long, Text: long})
	}
	report.AddedNs = contract.List[contract.ReportClass]{{To: contract.Ptr(0.0), Material: 1}, {From: contract.Ptr(0.0), To: contract.Ptr(500.0), Negligible: 70}, {From: contract.Ptr(500.0), Undecided: math.MaxUint32}}
	report.AddedPercent = report.AddedNs

	status := &contract.Status{Header: contract.Header{Complete: true}, Summary: &contract.Summary{}}
	for i := range 1000 {
		status.Disks = append(status.Disks, contract.Disk{ID: name, Model: &name, Firmware: &name, Driver: contract.Driver{Name: &name, Version: &name}})
		status.Volumes = append(status.Volumes, contract.Volume{ID: name + fmt.Sprint(i), MountPoints: contract.List[string]{name}, Label: &name, FileSystem: &name})
		status.Findings = append(status.Findings, contract.Finding{ID: name, Severity: contract.SeverityCritical, Title: name, Target: name, Evidence: name, Advice: name, Reference: name})
		status.Problems = append(status.Problems, contract.Problem{Code: name, Target: name, Text: name})
	}
	portrait := fleet.Portrait{Status: &documents.Document{Status: status}, Named: true}
	bench := contract.Bench{Penalty: contract.Penalty{Valid: true, AddedNs: &contract.Range{Low: 1, Estimate: 2, High: 3}, AddedPercent: &contract.Range{Low: 1, Estimate: 2, High: 3}}, Comparison: &contract.Comparison{}}
	for range 100 {
		test := contract.BenchTest{ID: name, Valid: true, Ops: 1, LatencyNs: contract.Latency{P50: contract.Ptr(1e5), P99: contract.Ptr(2e5), P999: contract.Ptr(3e5)}, InvalidReasons: contract.List[contract.InvalidReason]{{Code: name, Text: name}}}
		for ns := uint64(1000); ns < 1e9; ns = ns*9/8 + 1 {
			test.Histogram = append(test.Histogram, contract.HistogramClass{FromNs: ns, ToNs: ns*9/8 + 1, Count: ns % 1237})
		}
		bench.Tests = append(bench.Tests, test)
		bench.Comparison.Tests = append(bench.Comparison.Tests, contract.TestComparison{TestID: name, Metric: name})
		bench.Headroom = append(bench.Headroom, contract.Headroom{TestID: name})
	}
	for range 12 {
		portrait.Benches = append(portrait.Benches, documents.Document{Bench: &bench})
	}
	for range 200 {
		portrait.Earlier = append(portrait.Earlier, fleet.Earlier{Place: place, Volume: name, Profile: name})
	}
	return report, portrait
}

// What the policy allows is exactly what is in the page.
func TestPolicyNamesScriptAndStyle(t *testing.T) {
	for name, page := range pages(t) {
		for kind, found := range map[string][][]string{"style": styleOf.FindAllStringSubmatch(page, -1), "script": scriptOf.FindAllStringSubmatch(page, -1)} {
			if len(found) != 1 {
				t.Fatalf("%s: %d elements %s", name, len(found), kind)
			}
			sum := sha256.Sum256([]byte(found[0][1]))
			// In an attribute of HTML a plus sign is written as a character reference.
			want := strings.ReplaceAll(kind+"-src &#39;sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"&#39;", "+", "&#43;")
			if !strings.Contains(page, want) {
				t.Errorf("%s: the policy does not name the %s that is there: %s", name, kind, want)
			}
		}
		if !strings.Contains(page, "default-src &#39;none&#39;") {
			t.Errorf("%s: the policy allows more than it names", name)
		}
		if strings.Contains(page, " style=") || strings.Contains(page, "ZgotmplZ") {
			t.Errorf("%s: an attribute that the policy forbids, or an address that was refused", name)
		}
	}
}

// Tags are nested as they should be, ids are there once, and what refers to an id finds it.
func TestPagesAreWellFormed(t *testing.T) {
	for name, page := range pages(t) {
		if len(page) > MostBytes {
			t.Errorf("%s has %d bytes", name, len(page))
		}
		t.Logf("%s: %d bytes", name, len(page))
		page = scriptOf.ReplaceAllString(styleOf.ReplaceAllString(page, ""), "")
		decoder := xml.NewDecoder(strings.NewReader(page))
		decoder.Strict, decoder.AutoClose, decoder.Entity = false, []string{"meta"}, xml.HTMLEntity
		ids, references, headings := map[string]bool{}, []string{}, 0
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			element, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			if element.Name.Local == "h1" {
				headings++
			}
			for _, attribute := range element.Attr {
				switch attribute.Name.Local {
				case "id":
					if ids[attribute.Value] {
						t.Errorf("%s: the id %q is there twice", name, attribute.Value)
					}
					ids[attribute.Value] = true
				case "aria-labelledby":
					references = append(references, attribute.Value)
				case "href":
					if inside, ok := strings.CutPrefix(attribute.Value, "#"); ok {
						references = append(references, inside)
					}
				}
			}
		}
		for _, reference := range references {
			if !ids[reference] {
				t.Errorf("%s: nothing has the id %q", name, reference)
			}
		}
		if headings != 1 {
			t.Errorf("%s: %d headings of the first level", name, headings)
		}
		if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") && !strings.Contains(page, "Information") {
			t.Errorf("%s: a number that is none", name)
		}
	}
}

// Text has a contrast of 4.5 to 1 with what is behind it, marks have 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11).
func TestContrast(t *testing.T) {
	style, err := files.ReadFile("style.css")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(string(style), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d sets of colours", len(blocks))
	}
	for i, block := range blocks {
		colours := map[string]string{}
		for _, found := range regexp.MustCompile(`--(\w+): (#[0-9a-f]{6})`).FindAllStringSubmatch(block[1], -1) {
			colours[found[1]] = found[2]
		}
		check := func(front, back string, least float64) {
			t.Helper()
			if ratio := contrast(t, colours[front], colours[back]); ratio < least {
				t.Errorf("set %d: %s on %s has %.2f, less than %g", i, front, back, ratio, least)
			}
		}
		for _, text := range []string{"ink", "soft", "link", "material", "negligible", "undecided"} {
			check(text, "back", 4.5)
		}
		check("ink", "panel", 4.5)
		check("soft", "panel", 4.5)
		for _, mark := range []string{"software", "hardware", "plain", "moving", "unknown"} {
			check(mark, "back", 3)
		}
	}
}

// contrast is the ratio of WCAG 2.2 (www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light := func(colour string) float64 {
		if len(colour) != 7 {
			t.Fatalf("no colour: %q", colour)
		}
		total := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			part, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			x := float64(part) / 255
			if x <= 0.04045 {
				x /= 12.92
			} else {
				x = math.Pow((x+0.055)/1.055, 2.4)
			}
			total += weight * x
		}
		return total
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"1,234,567": count(1_234_567), "999": count(999), "0": count(0),
		"1 computer": things(1, "computer", "computers"), "2 computers": things(2, "computer", "computers"),
		// What is not all is never 100 %, what is something never 0 %.
		"<1\u00a0%": share(1, 1000), ">99\u00a0%": share(999, 1000), "100\u00a0%": share(7, 7), "0\u00a0%": share(0, 7), "–": share(0, 0),
		"12.3\u00a0µs": micros(12_345), "0.99\u00a0µs": micros(990), "1,234\u00a0µs": micros(1_234_000), "−0.25\u00a0µs": micros(-250),
		"28\u00a0%": percentage(28.1), "9.96\u00a0%": percentage(9.96), "−12\u00a0%": percentage(-12), "0.00\u00a0%": percentage(-0.001),
		"1\u00a0µs": shortNumber("1.00\u00a0µs"), "0.5\u00a0µs": shortNumber("0.50\u00a0µs"), "100\u00a0µs": shortTime(1e5), "1\u00a0ms": shortTime(1e6), "2\u00a0s": shortTime(2e9), "500\u00a0ns": shortTime(500),
		"953.8\u00a0GiB": size(contract.Ptr[uint64](1_024_209_543_168)), "512\u00a0B": size(contract.Ptr[uint64](512)), unknown: size(nil),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAddressesThatAreFollowed(t *testing.T) {
	// Each page that a finding of this program can rest on.
	source, err := os.ReadFile("../../../audit/references.go")
	if err != nil {
		t.Fatal(err)
	}
	rules := regexp.MustCompile(`"(https://[^"]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(rules) < 5 {
		t.Fatalf("%d addresses of rules", len(rules))
	}
	good := []string{"https://learn.microsoft.com/windows"}
	for _, found := range rules {
		good = append(good, found[1])
	}
	for _, good := range good {
		if address(good) != good {
			t.Errorf("%s is no link", good)
		}
	}
	for _, bad := range []string{"https://evil.example/", "https://learn.microsoft.com.evil.example/", "https://learn.microsoft.com:8443/", "https://learn.microsoft.com@evil.example/", "javascript:alert(1)", "http://example.com", "https://", "https://user@example.com", "https://user:word@example.com", "//example.com", "data:text/html,x", " https://example.com\x00", ""} {
		if address(bad) != "" {
			t.Errorf("%q is a link", bad)
		}
	}
}

func TestScales(t *testing.T) {
	s := snug(37, 4100, 0, 100)
	if s.low != 20 || s.high != 5000 {
		t.Errorf("from %g to %g", s.low, s.high)
	}
	if ticks := s.rounds(); len(ticks) == 0 || len(ticks) > 8 || !slices.IsSorted(ticks) {
		t.Errorf("%v", ticks)
	}
	for _, x := range []float64{-1, 0, 20, 300, 5000, math.MaxFloat64, math.Inf(1)} {
		if at := s.at(x); math.IsNaN(at) || at < 0 || at > 100 {
			t.Errorf("%g is at %g", x, at)
		}
	}
	for _, length := range []float64{0, -1, math.Inf(1), math.NaN(), 1e-9, 3, 1e300} {
		if step := tickStep(length); !(step > 0) || math.IsInf(step, 0) {
			t.Errorf("%g is divided by %g", length, step)
		}
	}
}

// A percentile's mark stands above the latencies that it is of.
func TestHistogramIsDrawnTrue(t *testing.T) {
	bars, scale, most := bin([]contract.HistogramClass{{FromNs: 1000, ToNs: 1100, Count: 10}, {FromNs: 4000, ToNs: 4500, Count: 30}}, 440)
	total := 0.0
	highest := 0
	for i, bar := range bars {
		total += bar
		if bar == most {
			highest = i
		}
	}
	if math.Abs(total-40) > 1e-6 {
		t.Errorf("%g I/Os of 40 are drawn", total)
	}
	at := (scale.at(4200) - scale.from) / (scale.to - scale.from) * columns
	if math.Abs(at-float64(highest)) > 8 {
		t.Errorf("the highest bar is %d, most I/Os are at %g", highest, at)
	}
	if _, _, most := bin(nil, 440); most != 0 {
		t.Error("nothing is drawn as something")
	}
	if histogram(contract.BenchTest{}) != nil {
		t.Error("a withheld test is drawn")
	}
}

// No two states look the same, on paper neither: each has a pattern of its own, one none.
func TestStatesLookDifferent(t *testing.T) {
	template, err := files.ReadFile("page.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]contract.ComputerState{}
	for state, look := range stateLooks {
		fill := look.Fill
		if other, taken := seen[fill]; taken {
			t.Errorf("%s and %s are both drawn with %s", state, other, fill)
		}
		seen[fill] = state
		pattern := strings.TrimSuffix(strings.TrimPrefix(fill, "url(#"), ")")
		if fill != "" && !strings.Contains(string(template), `<pattern id="`+pattern+`"`) {
			t.Errorf("%s: the page has no pattern %s", state, pattern)
		}
	}
}
