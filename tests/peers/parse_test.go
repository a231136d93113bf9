//go:build linux

package main

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
)

// fioReport is what fio 3 prints for one job (fio.readthedocs.io, "JSON output").
const fioReport = `{"fio version":"fio-3.33","timestamp":1,"jobs":[{"jobname":"d","groupid":0,"error":0,"elapsed":2,
"job options":{"name":"d","filename":"/dev/x","rw":"randread","bs":"8192","size":"1073741824","direct":"1","iodepth":"8","numjobs":"8","ioengine":"io_uring"},
"read":{"io_bytes":81920000,"iops":5000.5,"runtime":2000,"total_ios":10000,
  "slat_ns":{"min":0,"max":0,"mean":0.0,"N":0},
  "clat_ns":{"min":1,"max":9,"mean":5.0,"N":10000},
  "lat_ns":{"min":1,"max":9,"mean":5.0,"N":10000,"percentile":{"50.000000":120320,"99.000000":309248}}},
"write":{"total_ios":0,"iops":0.0},
"job_runtime":16000,"usr_cpu":10.0,"sys_cpu":15.0}]}`

// fioWriteReport is of a job at queue depth 1, whose options come from a job file, behind a
// warning that fio prints on the same stream.
const fioWriteReport = `fio: this platform is noted
{"fio version":"fio-3.36","global options":{"rw":"randwrite","bs":"4096","ioengine":"psync","size":"268435456"},"jobs":[{"jobname":"b","error":0,
"job options":{"name":"b"},
"read":{"total_ios":0,"iops":0},
"write":{"iops":100000,"total_ios":50000,"clat_ns":{"N":50000,"percentile":{"50.000000":9000,"99.000000":20000}}},
"job_runtime":500,"usr_cpu":20,"sys_cpu":60}]}`

func TestParseFio(t *testing.T) {
	deep, err := parseFio([]byte(fioReport))
	if err != nil {
		t.Fatal(err)
	}
	want := work{BlockBytes: 8192, QueueDepth: 8, Threads: 8, SpanBytes: 1 << 30}
	if difference := want.differs(deep.Work); difference != "" {
		t.Errorf("the work: %s", difference)
	}
	// A quarter of 16 s of threads' time went into 10000 I/Os: 400 us each.
	if deep.Ops != 10000 || deep.IOPS != 5000.5 || deep.P50Ns != 120320 || deep.P99Ns != 309248 || math.Abs(deep.CPUNsPerIO-400_000) > 1 {
		t.Errorf("figures: %+v", deep)
	}
	if deep.How != "fio-3.33 io_uring, lat" {
		t.Errorf("how: %s", deep.How)
	}
	write, err := parseFio([]byte(fioWriteReport))
	if err != nil {
		t.Fatal(err)
	}
	want = work{BlockBytes: 4096, QueueDepth: 1, Threads: 1, SpanBytes: 256 << 20, Write: true}
	if difference := want.differs(write.Work); difference != "" {
		t.Errorf("the work of the write: %s", difference)
	}
	if write.Ops != 50000 || write.P50Ns != 9000 || math.Abs(write.CPUNsPerIO-8000) > 1 || write.How != "fio-3.36 psync, clat" {
		t.Errorf("figures of the write: %+v", write)
	}
}

func TestParseFioRefuses(t *testing.T) {
	for about, c := range map[string]struct{ report, want string }{
		"nothing":   {"", "no JSON"},
		"half":      {fioReport[:300], "reading fio's JSON"},
		"no job":    {`{"jobs":[]}`, "0 jobs"},
		"two jobs":  {`{"jobs":[{},{}]}`, "2 jobs"},
		"error":     {strings.Replace(fioReport, `"error":0`, `"error":5`, 1), "error 5"},
		"no I/O":    {strings.Replace(fioReport, `"total_ios":10000`, `"total_ios":0`, 1), "no I/O"},
		"wrong way": {strings.Replace(fioReport, `"rw":"randread"`, `"rw":"randwrite"`, 1), "no I/O"},
	} {
		if got, err := parseFio([]byte(c.report)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want an error with %q", about, got, err, c.want)
		}
	}
}

// fio's classes: 64 for each power of two, so 1/64 of the power at most.
func TestFioStep(t *testing.T) {
	for ns, want := range map[float64]float64{0: 0, 100: 1, 128: 2, 255: 2, 3152: 32, 4640: 64, 120320: 1024} {
		if got := fioStep(ns); got != want {
			t.Errorf("a percentile of %v ns is known to %v ns, want %v", ns, got, want)
		}
	}
}

func oursDocument(change func(*contract.Bench)) contract.Bench {
	document := contract.Bench{Header: contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindBench, CollectedAt: time.Unix(1, 0).UTC()}}
	document.Profile.Tests = contract.List[contract.TestSpec]{{ID: "RND4K-Q1T1-read", BlockBytes: 4096, QueueDepth: 1, Threads: 1, SpanBytes: 1 << 30}}
	document.Tests = contract.List[contract.BenchTest]{{
		ID: "RND4K-Q1T1-read", BlockBytes: 4096, QueueDepth: 1, Threads: 1, Ops: 1000, IOPS: contract.Ptr(250000.0),
		API: contract.Ptr("pread/pwrite"), CPUNsPerIO: contract.Ptr(3000.0), Processors: contract.List[uint64]{1},
		LatencyNs: contract.Latency{P50: contract.Ptr(3100.0), P99: contract.Ptr(5000.0)},
		Notes:     contract.List[contract.InvalidReason]{{Code: "in-memory", Text: "The disk is memory."}},
	}}
	if change != nil {
		change(&document)
	}
	return document
}

func TestParseOurs(t *testing.T) {
	text, err := contract.Encode(oursDocument(nil))
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseOurs(text)
	if err != nil {
		t.Fatal(err)
	}
	want := work{BlockBytes: 4096, QueueDepth: 1, Threads: 1, SpanBytes: 1 << 30}
	if difference := want.differs(got.Work); difference != "" {
		t.Errorf("the work: %s", difference)
	}
	if got.Ops != 1000 || got.IOPS != 250000 || got.P50Ns != 3100 || got.P99Ns != 5000 || got.CPUNsPerIO != 3000 ||
		got.How != "pread/pwrite" || len(got.Processors) != 1 || got.Processors[0] != 1 || strings.Join(got.Notes, " ") != "in-memory" {
		t.Errorf("figures: %+v", got)
	}
	for about, c := range map[string]struct {
		change func(*contract.Bench)
		want   string
	}{
		"no test": {func(b *contract.Bench) {
			b.Tests = nil
			b.Problems = contract.List[contract.Problem]{{Code: "no-space", Text: "The disk is full.", Level: contract.LevelError}}
		}, "The disk is full."},
		"no figures": {func(b *contract.Bench) { b.Tests[0].IOPS = nil }, "no figures"},
	} {
		text, err := contract.Encode(oursDocument(c.change))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := parseOurs(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want an error with %q", about, got, err, c.want)
		}
	}
	if _, err := parseOurs([]byte("{}")); err == nil {
		t.Error("a document that is none was read")
	}
}

func TestParseLoop(t *testing.T) {
	got, err := parseLoop("1000 4000000 3900\n")
	if err != nil || got != (loopFigures{Ops: 1000, NsPerIO: 4000, P50Ns: 3900}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"", "1000", "0 0 0", "x y z"} {
		if got, err := parseLoop(text); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   *spread
	}{
		{nil, nil},
		{[]float64{2}, &spread{2, 2, 2}},
		{[]float64{3, 1, 2}, &spread{2, 1, 3}},
		{[]float64{4, 1, 3, 2}, &spread{2.5, 1, 4}},
	} {
		got := spreadOf(c.values)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}

// A ratio is of one run's two figures; a run in which one is unknown does not count.
func TestRatio(t *testing.T) {
	runs := []pair{
		{Ours: figures{IOPS: 10}, Fio: figures{IOPS: 20}},
		{Ours: figures{IOPS: 30}, Fio: figures{IOPS: 20}},
		{Ours: figures{IOPS: 0}, Fio: figures{IOPS: 20}},
		{Ours: figures{IOPS: 22}, Fio: figures{IOPS: 20}},
	}
	got := ratioOf(runs, func(p pair) float64 { return p.Ours.IOPS }, func(p pair) float64 { return p.Fio.IOPS })
	if got == nil || *got != (spread{1.1, 0.5, 1.5}) {
		t.Errorf("%v, want 1.1 of 0.5, 1.1 and 1.5", got)
	}
	if text := disturbed(15, got); text == "" {
		t.Error("a spread of 91 % is not called disturbed")
	}
	if text := disturbed(100, got, nil); text != "" {
		t.Errorf("below the tolerance: %s", text)
	}
}

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{"--size", "64M", "--runs", "7", "--only", "a,f"}, t.Output())
	if err != nil || o.size != 64<<20 || o.runs != 7 || len(o.only) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{"--size", "5"}, {"--size", "M"}, {"--size", "99999999999G"}, {"--runs", "0"}, {"--seconds", "-1"}, {"--only", "x"}, {"--only", "ab"}, {"stray"}} {
		if o, err := parseOptions(args, t.Output()); err == nil {
			t.Errorf("%q: taken as %+v", args, o)
		}
	}
}

func TestWineOptions(t *testing.T) {
	t.Setenv(fioExeVariable, "")
	for _, args := range [][]string{{"--wine"}, {"--wine", "--fio-exe", "fio.exe", "--only", "a,f"}, {"--wine", "--fio-exe", "fio.exe", "--only", "b"}} {
		if o, err := parseOptions(args, io.Discard); err == nil {
			t.Errorf("%v: %+v", args, o)
		}
	}
	o, err := parseOptions([]string{"--wine", "--fio-exe", "fio.exe"}, io.Discard)
	if err != nil || !slices.Equal(o.only, []string{"a", "c"}) || o.fio != "fio.exe" {
		t.Errorf("%+v, %v", o, err)
	}
	t.Setenv(fioExeVariable, "/there/fio.exe")
	if o, err := parseOptions([]string{"--wine", "--only", "c"}, io.Discard); err != nil || !slices.Equal(o.only, []string{"c"}) || o.fio != "/there/fio.exe" {
		t.Errorf("%+v, %v", o, err)
	}
	// Without --wine fio's Windows program changes nothing.
	if o, err := parseOptions(nil, io.Discard); err != nil || o.fio != "fio" || len(o.only) > 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

// Under Wine fio is asked for the same work by the calls of Windows, and by no others.
func TestFioWineArgs(t *testing.T) {
	for depth, gone := range map[int64][]string{1: {"psync"}, 32: {"io_uring", "fixedbufs", "registerfiles"}} {
		w := work{Letter: "a", BlockBytes: 4096, QueueDepth: depth, Threads: 1, SpanBytes: 1 << 20}
		args := fioWineArgs(w, "/folder/file.dat", 2, 0.5)
		for _, want := range []string{`--filename=Z\:\folder\file.dat`, "--ioengine=windowsaio", "--no_completion_thread=1", "--direct=1", "--rw=randread", "--readonly", "--lat_percentiles=1"} {
			if !slices.Contains(args, want) {
				t.Errorf("depth %d: %v lacks %s", depth, args, want)
			}
		}
		for _, word := range gone {
			if strings.Contains(strings.Join(args, " "), word) {
				t.Errorf("depth %d: %v has %s", depth, args, word)
			}
		}
	}
}
