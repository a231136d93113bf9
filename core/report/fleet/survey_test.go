package fleet

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/audit"
	"diskaudit/core/bench/profile"
	"diskaudit/core/contract"
	"diskaudit/core/report/fleet/documents"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// statusOf is a computer with one volume; the name may be empty.
func statusOf(name string, day int, engine contract.Engine) contract.Status {
	s := contract.Status{
		Header: contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindStatus, CollectedAt: start.AddDate(0, 0, day), Complete: true},
		Disks:  contract.List[contract.Disk]{{ID: "PhysicalDrive0", Model: contract.Ptr("Model A"), SizeBytes: contract.Ptr[uint64](1000)}},
		Volumes: contract.List[contract.Volume]{{
			ID: `\\?\Volume{1}\`, MountPoints: contract.List[string]{"C:"}, Type: contract.Ptr(contract.OperatingSystem), Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0"}},
			Encryption: contract.Encryption{Conversion: contract.Ptr(contract.FullyEncrypted), Engine: &engine, Method: contract.Ptr(contract.XtsAes128)},
		}},
		BitLocker: contract.Provider{Available: contract.Ptr(true), Provider: contract.Ptr("wmi")},
		Machine:   contract.Machine{Source: contract.SourceWindows, Elevated: contract.Ptr(true), OS: contract.Ptr("Windows"), CPU: contract.CPU{Name: contract.Ptr("CPU")}},
	}
	switch e := &s.Volumes[0].Encryption; engine {
	case contract.EngineNone:
		e.Conversion, e.Method = contract.Ptr(contract.FullyDecrypted), contract.Ptr(contract.MethodNone)
	case contract.EngineDrive:
		e.Method = contract.Ptr(contract.MethodHardware)
	}
	if name != "" {
		s.Machine.ComputerName = &name
	}
	s.Summary = audit.Summarize(s)
	return s
}

// benchOf is a measurement of such a computer; a NaN is no valid penalty.
func benchOf(name, target string, day int, addedNs float64) contract.Bench {
	s := statusOf(name, day, contract.EngineSoftware)
	b := contract.Bench{
		Header:  contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindBench, CollectedAt: s.CollectedAt, Complete: true},
		Target:  contract.BenchTarget{Path: target},
		Context: contract.BenchContext{Machine: &s.Machine, Disk: &s.Disks[0], Volume: &s.Volumes[0]},
		Verdict: contract.Verdict{Result: contract.VerdictUndecided, ThresholdPercent: 10},
		Penalty: contract.Penalty{Evidence: contract.EvidenceNone, Reason: &contract.InvalidReason{Code: "needs-elevation", Text: "Run as administrator."}},
	}
	if math.IsNaN(addedNs) {
		return b
	}
	percent := addedNs / 500
	b.Penalty = contract.Penalty{
		Evidence: contract.EvidencePaired, Valid: true,
		AddedNs:      &contract.Range{Low: addedNs - 100, Estimate: addedNs, High: addedNs + 100},
		AddedPercent: &contract.Range{Low: percent - 0.2, Estimate: percent, High: percent + 0.2},
	}
	switch {
	case percent > 10.2:
		b.Verdict.Result = contract.VerdictMaterial
	case percent < 9.8:
		b.Verdict.Result = contract.VerdictNegligible
	}
	return b
}

func put(t *testing.T, folder, name string, documents ...any) {
	t.Helper()
	var text strings.Builder
	for _, document := range documents {
		data, err := contract.Encode(document)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(data, '\n'))
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func surveyOf(t *testing.T, folder string) *Survey {
	t.Helper()
	survey, err := Read(context.Background(), []string{folder}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return survey
}

// A computer counts once, by its newest document, in whatever order they are read.
func TestNewestDocumentCounts(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "1.json", statusOf("PC-1", 5, contract.EngineNone))
	put(t, folder, "2.ndjson", statusOf("pc-1", 9, contract.EngineSoftware), statusOf("PC-1", 1, contract.EngineDrive))
	put(t, folder, "3.json", statusOf("PC-2", 2, contract.EngineDrive))
	// Without a name each is a computer of its own; an exact copy is not.
	put(t, folder, "4.ndjson", statusOf("", 1, contract.EngineSoftware), statusOf("", 2, contract.EngineSoftware), statusOf("", 1, contract.EngineSoftware))
	// The newest of each target; one that is not valid counts too, and as that.
	put(t, folder, "5.ndjson", benchOf("PC-1", "C:", 1, 9000), benchOf("PC-1", "C:", 3, 7000), benchOf("PC-1", "D:", 2, 4000), benchOf("PC-2", "C:", 1, 4000), benchOf("PC-2", "C:", 8, math.NaN()))
	// A newer document that is damaged supersedes nothing.
	if err := os.WriteFile(filepath.Join(folder, "6.json"), []byte(`{"schemaVersion":"1.0","kind":"status","machine":{"computerName":"PC-1"},"collectedAt":"2030-01-01T00:00:00Z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	report := surveyOf(t, folder).Report
	oldest, newest := start.AddDate(0, 0, 1), start.AddDate(0, 0, 9)
	want := contract.ReportInputs{Files: 6, Statuses: 4, Benches: 3, Superseded: 4, Duplicates: 1, Skipped: 1, Oldest: &oldest, Newest: &newest}
	if diff := cmp.Diff(want, report.Inputs); diff != "" {
		t.Error(diff)
	}
	if report.Computers.Total != 4 || report.Computers.Named != 2 || report.Computers.SoftwareEncrypted != 3 {
		t.Errorf("%+v", report.Computers)
	}
	if p := report.Penalty; p.Measured != 3 || p.Valid != 2 || p.Invalid != 1 || p.Material != 1 || p.Negligible != 1 {
		t.Errorf("%+v", p)
	}
	if report.Complete || len(report.Problems) != 1 || report.Problems[0].Code != "schema" {
		t.Errorf("%v %+v", report.Complete, report.Problems)
	}
	// The worst comes first and knows the state of its computer.
	if len(report.Worst) != 2 || report.Worst[0].AddedNs.Estimate != 7000 || report.Worst[0].State == nil || *report.Worst[0].State != contract.ComputerSoftwareEncrypted {
		t.Errorf("%+v", report.Worst)
	}
	if len(report.Unknowns) != 1 || report.Unknowns[0].Code != "needs-elevation" || report.Unknowns[0].Kind != contract.UnknownPenalty {
		t.Errorf("%+v", report.Unknowns)
	}
}

// Figures of volumes without encryption are not put together with those of encrypted ones.
func TestFiguresAreOfLikeThings(t *testing.T) {
	folder := t.TempDir()
	var documents []any
	for i := range 30 {
		b := benchOf(fmt.Sprintf("PC-%d", i), "C:", 0, float64(5000+100*i))
		if i >= 20 {
			b.Context.Volume.Encryption.Engine, b.Context.Volume.Encryption.Method = contract.Ptr(contract.EngineNone), contract.Ptr(contract.MethodNone)
		}
		documents = append(documents, b)
	}
	put(t, folder, "all.ndjson", documents...)
	report := surveyOf(t, folder).Report
	if report.Penalty.AddedNs != nil || report.Penalty.Valid != 30 || report.SoftwarePenalty.Valid != 20 {
		t.Errorf("%+v, %+v", report.Penalty, report.SoftwarePenalty)
	}
	q := report.SoftwarePenalty.AddedNs
	if q == nil || q.Count != 20 || q.Min != 5000 || q.Max != 6900 || math.Abs(q.P50-5950) > 0.005*5950 {
		t.Errorf("%+v", q)
	}
	counted := uint64(0)
	for _, class := range report.AddedNs {
		counted += class.Material + class.Negligible + class.Undecided
	}
	if counted != 20 || len(report.Combinations) != 2 {
		t.Errorf("%d in the classes, %d combinations", counted, len(report.Combinations))
	}
}

// Quantiles agree with those of the figures themselves, to half a percent of each.
func TestQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{1, 2, 3, 10, 999} {
		var s spread
		var figures []float64
		for range n {
			x := 10_000 * math.Exp(2*random.NormFloat64())
			if random.IntN(4) == 0 {
				x = -x / 50
			}
			figures = append(figures, x)
			s.add(x)
		}
		slices.Sort(figures)
		at := func(part float64) float64 {
			position := part * float64(n-1)
			low, high := figures[int(position)], figures[min(int(position)+1, n-1)]
			return low + (high-low)*(position-math.Floor(position))
		}
		q := s.quantiles()
		for part, got := range map[float64]float64{0: q.Min, 0.05: q.P5, 0.25: q.P25, 0.5: q.P50, 0.75: q.P75, 0.95: q.P95, 1: q.Max} {
			want := at(part)
			if math.Abs(got-want) > 0.006*math.Abs(want)+0.001 {
				t.Errorf("n = %d: quantile %g is %g, want %g", n, part, got, want)
			}
		}
	}
	var s spread
	s.add(math.NaN())
	if s.quantiles() != nil {
		t.Error("no figure has quantiles")
	}
	for _, x := range []float64{0, math.MaxFloat64, -math.MaxFloat64, 1e-300, math.Inf(1)} {
		s.add(x)
	}
	if q := s.quantiles(); q.Count != 5 || math.IsNaN(q.P50) {
		t.Errorf("%+v", q)
	}
	// Two that are as far apart as can be still make numbers that JSON has.
	var far spread
	far.add(-math.MaxFloat64)
	far.add(math.MaxFloat64)
	if q := far.quantiles(); !(math.Abs(q.P25) <= largest && math.Abs(q.P50) <= largest && q.Min == -largest && q.Max == largest) {
		t.Errorf("%+v", q)
	}
}

// What there are many of is counted together at the end, and nothing is lost.
func TestGroupsAreBounded(t *testing.T) {
	folder := t.TempDir()
	var documents []any
	for i := range mostGroups + 50 {
		s := statusOf("", i, contract.EngineSoftware)
		s.Disks[0].Model = contract.Ptr(fmt.Sprintf("Model %d", i))
		s.Findings = contract.List[contract.Finding]{{ID: fmt.Sprintf("rule-%d", i), Title: "x"}}
		s.Problems = contract.List[contract.Problem]{{Code: fmt.Sprintf("code-%d", i), Text: "x"}}
		b := benchOf("", fmt.Sprint(i), i, 6000)
		b.Context.Disk.Model = s.Disks[0].Model
		b.Tests = contract.List[contract.BenchTest]{{ID: fmt.Sprintf("test-%d", i), Valid: true, LatencyNs: contract.Latency{P50: contract.Ptr(1.0)}}}
		documents = append(documents, s, b)
	}
	put(t, folder, "all.ndjson", documents...)
	report := surveyOf(t, folder).Report
	rest := report.Models[len(report.Models)-1]
	if len(report.Models) != mostGroups+1 || !rest.Rest || rest.Name != nil || rest.Count != 50 || rest.Computers != 50 || rest.Penalty.Valid != 50 {
		t.Errorf("%d groups, the rest %+v", len(report.Models), rest)
	}
	last := report.Findings[len(report.Findings)-1]
	if len(report.Findings) != mostGroups+1 || last.ID != "" || last.Count != 50 {
		t.Errorf("%d findings, the rest %+v", len(report.Findings), last)
	}
	missing := report.Unknowns[len(report.Unknowns)-1]
	if len(report.Unknowns) != mostGroups+1 || missing.Code != "" || missing.Documents != 50 {
		t.Errorf("%d reasons, the rest %+v", len(report.Unknowns), missing)
	}
	combined := report.Combinations[len(report.Combinations)-1]
	if len(report.Combinations) != mostGroups+1 || !combined.Rest || combined.Penalty.Valid != 50 {
		t.Errorf("%d combinations, the rest %+v", len(report.Combinations), combined)
	}
	// Figures of different tests are not put together.
	test := report.Tests[len(report.Tests)-1]
	if len(report.Tests) != mostGroups+1 || test.TestID != "" || test.Valid != 50 || test.P50Ns != nil {
		t.Errorf("%d tests, the rest %+v", len(report.Tests), test)
	}
}

// What the first documents say does not decide what is listed: the most frequent is, and what this program
// knows itself.
func TestMostFrequentAreListed(t *testing.T) {
	folder := t.TempDir()
	var documents []any
	for i := range 6 {
		s, b := statusOf("", i, contract.EngineSoftware), benchOf("", fmt.Sprint(i), i, 6000)
		for j := range 90 {
			s.Findings = append(s.Findings, contract.Finding{ID: fmt.Sprintf("made-up-%d-%d", i, j), Severity: contract.SeverityCritical, Title: "x"})
			s.Disks = append(s.Disks, contract.Disk{ID: fmt.Sprint(j), Model: contract.Ptr(fmt.Sprintf("Made up %d %d", i, j))})
			b.Tests = append(b.Tests, contract.BenchTest{ID: fmt.Sprintf("MADE-UP-%d-%d", i, j), Valid: true})
		}
		documents = append(documents, s, b)
	}
	put(t, folder, "0.ndjson", documents...)
	one, measured := statusOf("", 9, contract.EngineSoftware), benchOf("", "z", 9, 6000)
	one.Findings = contract.List[contract.Finding]{{ID: audit.IDs()[0], Severity: contract.SeverityInfo, Title: "real"}}
	measured.Tests = contract.List[contract.BenchTest]{{ID: profile.All()[0].Tests[0].ID, Valid: true}}
	documents = []any{one, measured}
	for i := range 3 {
		s := statusOf("", 20+i, contract.EngineSoftware)
		s.Disks[0].Model = contract.Ptr("Many have this")
		documents = append(documents, s)
	}
	put(t, folder, "1.ndjson", documents...)
	report := surveyOf(t, folder).Report
	if model := report.Models[1]; len(report.Models) != mostGroups+1 || model.Name == nil || *model.Name != "Many have this" || model.Count != 3 {
		t.Errorf("%d models, the second %+v", len(report.Models), model)
	}
	total := uint64(0)
	for _, model := range report.Models {
		total += model.Count
	}
	if want := uint64(6*91 + 1 + 3); total != want || report.Models[mostGroups].Computers > report.Computers.Total {
		t.Errorf("%d disks in the groups of %d; the rest %+v", total, want, report.Models[mostGroups])
	}
	if !slices.ContainsFunc(report.Findings, func(f contract.ReportFinding) bool { return f.ID == audit.IDs()[0] && f.Count == 1 }) {
		t.Error("a rule of this program is among the rest")
	}
	if !slices.ContainsFunc(report.Tests, func(test contract.ReportTest) bool { return test.TestID == measured.Tests[0].ID && test.Valid == 1 }) {
		t.Error("a test of a profile is among the rest")
	}
	// One document cannot take all places.
	g := newGroups[int](mergeFindings, nil)
	for range 2 {
		g.next()
		for range mostKept {
			g.get(len(g.of)).Count++
		}
	}
	if len(g.of) != 2*mostNew || g.rest.Count != 2*(mostKept-mostNew) {
		t.Errorf("%d groups, the rest %+v", len(g.of), g.rest)
	}
}

// Of two documents of the same second the later counts; of the same moment, the state that needs more.
func TestNewestOfTheSameSecond(t *testing.T) {
	early, late := statusOf("PC-1", 0, contract.EngineSoftware), statusOf("pc-1", 0, contract.EngineDrive)
	early.CollectedAt, late.CollectedAt = start.Add(100*time.Millisecond), start.Add(900*time.Millisecond)
	worse := statusOf("PC-1", 0, contract.EngineSoftware)
	worse.CollectedAt = late.CollectedAt
	worse.Volumes[0].Encryption.Conversion = nil
	for name, c := range map[string]struct {
		documents []any
		want      contract.ComputerState
	}{
		"late first":  {[]any{late, early}, contract.ComputerHardwareEncrypted},
		"late last":   {[]any{early, late}, contract.ComputerHardwareEncrypted},
		"worse first": {[]any{worse, late}, contract.ComputerUnknown},
		"worse last":  {[]any{late, worse}, contract.ComputerUnknown},
	} {
		folder := t.TempDir()
		put(t, folder, "all.ndjson", c.documents...)
		survey := surveyOf(t, folder)
		if got := survey.Report.Attention; len(got) != 1 || got[0].State != c.want || survey.Portrait.Status.Status.Summary.State != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

// Where more is passed over than is named, that is said, and what explains missing computers is named.
func TestProblemsThatAreNotNamed(t *testing.T) {
	s := &survey{tally: newTally(), changed: &contract.Problem{Code: "changed-while-reading"}}
	for i := range mostProblems + 7 {
		if err := s.skipped(documents.Skipped{Path: fmt.Sprint(i), Code: "not-json", Text: "x", Lost: i%2 == 0}); err != nil {
			t.Fatal(err)
		}
	}
	problems := s.report().Problems
	if len(problems) != mostProblems+2 || problems[mostProblems].Level != contract.LevelError || !strings.HasPrefix(problems[mostProblems].Text, "7 more ") || problems[mostProblems+1].Code != "changed-while-reading" {
		t.Errorf("%d problems, the last %+v", len(problems), problems[len(problems)-2:])
	}
}

// The list of the worst is the same whatever the order, and bounded.
func TestWorst(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	w := &worst[int]{before: func(a, b int) bool { return a < b }}
	for _, x := range random.Perm(5000) {
		w.add(x)
	}
	got := w.sorted()
	if len(got) != mostWorst || got[0] != 0 || got[mostWorst-1] != mostWorst-1 || !slices.IsSorted(got) {
		t.Errorf("%d kept, from %d to %d", len(got), got[0], got[len(got)-1])
	}
}

// Documents of one computer make a portrait; what is not known to be the same computer does not.
func TestPortrait(t *testing.T) {
	other := statusOf("", 3, contract.EngineSoftware)
	other.Machine.CPU.Name = contract.Ptr("another")
	elsewhere := benchOf("", "C:", 2, 6000)
	elsewhere.Context.Volume.ID = `\\?\Volume{2}\`
	device := benchOf("", "/dev/sda", 2, 6000)
	device.Context.Volume.ID = "/dev/sda1"
	device2 := benchOf("", "/dev/sda", 3, 6000)
	device2.Context.Volume.ID = "/dev/sda1"
	bare := benchOf("", "C:", 4, 6000)
	bare.Context = contract.BenchContext{}
	for name, c := range map[string]struct {
		documents []any
		portrait  bool
		named     bool
	}{
		"one status":                   {[]any{statusOf("", 1, contract.EngineNone)}, true, false},
		"one measurement":              {[]any{bare}, true, false},
		"named, several of each":       {[]any{statusOf("a", 1, contract.EngineNone), statusOf("A", 2, contract.EngineNone), benchOf("a", "C:", 1, 1), benchOf("a", "D:", 1, 1)}, true, true},
		"two names":                    {[]any{statusOf("a", 1, contract.EngineNone), statusOf("b", 1, contract.EngineNone)}, false, false},
		"no name, the same volume":     {[]any{statusOf("", 1, contract.EngineNone), benchOf("", "C:", 1, 1), benchOf("", "C:", 2, 1)}, true, false},
		"no name, another volume":      {[]any{statusOf("", 1, contract.EngineNone), elsewhere}, false, false},
		"no name, another processor":   {[]any{benchOf("", "C:", 1, 1), other}, false, false},
		"two statuses without a name":  {[]any{statusOf("", 1, contract.EngineNone), statusOf("", 2, contract.EngineNone)}, false, false},
		"a device's name is no GUID":   {[]any{device, device2}, false, false},
		"nothing known of where it is": {[]any{statusOf("", 1, contract.EngineNone), bare}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			put(t, folder, "all.ndjson", c.documents...)
			portrait := surveyOf(t, folder).Portrait
			if (portrait != nil) != c.portrait || portrait != nil && portrait.Named != c.named {
				t.Errorf("%+v", portrait)
			}
		})
	}
	folder := t.TempDir()
	var many []any
	for day := range mostBenches + mostEarlier + 5 {
		many = append(many, benchOf("a", "C:", day, 6000))
	}
	put(t, folder, "all.ndjson", many...)
	portrait := surveyOf(t, folder).Portrait
	if len(portrait.Benches) != mostBenches || len(portrait.Earlier) != mostEarlier || portrait.MoreEarlier != 5 ||
		!portrait.Benches[0].Bench.CollectedAt.Equal(start.AddDate(0, 0, mostBenches+mostEarlier+4)) || !portrait.Earlier[0].Place.CollectedAt.Equal(start.AddDate(0, 0, mostEarlier+4)) {
		t.Errorf("%d benches, %d earlier and %d more", len(portrait.Benches), len(portrait.Earlier), portrait.MoreEarlier)
	}
}
