package comparison

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"diskaudit/core/bench/profile"
	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

// Output of fio 3.33 as it is, of a job file with a global section, stonewalls and a group.
func TestFioJobs(t *testing.T) {
	read := mustRead(t, testdata(t, "fio-3.33-jobs.json"))
	wantTests(t, read, map[string]figures{
		"RND4K-Q1T1-read":  {5088, 15418.727595, 59179.82018, 59179.82018 * 4096 / 1e6},
		"RND4K-Q32T2-read": {207872, 679216.307974, 91865.403789, 91865.403789 * 4096 / 1e6},
		"SEQ1M-Q8T1-read":  {1630208, 3956009.115642, 1641.358641, 1641.358641 * 1048576 / 1e6},
	})
	if *read.Baseline.Format != contract.BaselineFio || *read.Baseline.Version != "3.33" || read.Baseline.CollectedAt.Unix() != 1796056418 {
		t.Errorf("%+v", read.Baseline)
	}
	if len(read.Refusals) != 0 || noteCodes(read.Notes) != "fio-completion-latency" {
		t.Errorf("refusals %v, notes %v", read.Refusals, read.Notes)
	}
	if *read.Tests[0].SpanBytes != 256<<20 {
		t.Errorf("span %d", *read.Tests[0].SpanBytes)
	}
}

// fio warns on stdout before its JSON; json+ adds the classes of the latencies. The engine psync
// has no queue, whatever iodepth says (case P23).
func TestFioWarning(t *testing.T) {
	read := mustRead(t, testdata(t, "fio-3.33-warning.json"))
	if codesOf(read.Refusals) != "achieved-depth-differs/RND4K-Q8T1-read" || noteCodes(read.Notes) != "text-around-result" {
		t.Errorf("refusals %v, notes %v", read.Refusals, read.Notes)
	}
}

// fioJSON is a result of one job with these options; latency is the block of its direction.
func fioJSON(version string, options map[string]string, latency string) string {
	text, _ := json.Marshal(options)
	direction := "read"
	if strings.HasSuffix(options["rw"], "write") {
		direction = "write"
	}
	return fmt.Sprintf(`{
  "fio version" : "%s",
  "timestamp" : 1772442672,
  "jobs" : [
    { "jobname" : "job", "groupid" : 0, "error" : 0, "job options" : %s,
      "%s" : { "io_bytes" : 819200000, "iops" : 20000.5, "runtime" : 10000, "total_ios" : 200005, %s },
      "trim" : { "iops" : 0.0 }, "iodepth_level" : { "1" : 0.1, "8" : 99.9 } }
  ]
}`, version, text, direction, latency)
}

const (
	fioNs = `"lat_ns" : { "mean" : 50500.5, "N" : 200005 }, "clat_ns" : { "min" : 1000, "max" : 9000000, "mean" : 50000.5, "N" : 200005, "percentile" : { "50.000000" : 49408, "99.990000" : 98816 } }`
	fioUs = `"lat" : { "mean" : 50.50 }, "clat" : { "min" : 1, "max" : 9000, "mean" : 50.00, "percentile" : { "50.000000" : 49, "0.00" : 0 } }`
)

func fioOptionsOf(pairs ...string) map[string]string {
	options := map[string]string{"rw": "randread", "bs": "4k", "direct": "1", "size": "1g", "filename": "/dev/sdz"}
	for i := 0; i < len(pairs); i += 2 {
		if options[pairs[i]] = pairs[i+1]; pairs[i+1] == "-" {
			delete(options, pairs[i])
		}
	}
	return options
}

// Case P29: fio 2 counts in us, fio 3 in ns; a version and a unit that do not go together give no time.
func TestFioUnits(t *testing.T) {
	for name, test := range map[string]struct {
		version, latency string
		want             figures
	}{
		"fio 3":                 {"fio-3.38", fioNs, figures{49408, 50000.5, 20000.5, 81.922048}},
		"fio 2":                 {"fio-2.21", fioUs, figures{49_000, 50_000, 20000.5, 81.922048}},
		"fio 2.99 in ns":        {"fio-2.99", fioNs, figures{49408, 50000.5, 20000.5, 81.922048}},
		"fio 3 in us":           {"fio-3.1", fioUs, figures{-1, -1, 20000.5, 81.922048}},
		"whole I/O":             {"fio-3.38", strings.Replace(fioNs, `"mean" : 50500.5,`, `"mean" : 50500.5, "percentile" : { "50.000000" : 50432 },`, 1), figures{50432, 50500.5, 20000.5, 81.922048}},
		"no latencies":          {"fio-3.38", `"bw" : 1`, figures{-1, -1, 20000.5, 81.922048}},
		"without percentiles":   {"fio-3.38", `"clat_ns" : { "mean" : 50000.5, "N" : 200005 }`, figures{-1, 50000.5, 20000.5, 81.922048}},
		"with a build's suffix": {"fio-3.38-12-gabcdef-dirty", fioNs, figures{49408, 50000.5, 20000.5, 81.922048}},
	} {
		t.Run(name, func(t *testing.T) {
			read := mustRead(t, fioJSON(test.version, fioOptionsOf(), test.latency))
			wantTests(t, read, map[string]figures{"RND4K-Q1T1-read": test.want})
			if want := map[bool]string{true: "fio-no-latency"}[test.want.mean < 0]; noteCodes(read.Notes) != want {
				t.Errorf("notes %v", read.Notes)
			}
		})
	}
}

func TestFioOptions(t *testing.T) {
	for name, test := range map[string]struct {
		options map[string]string
		want    string
	}{
		"defaults of depth and jobs":  {fioOptionsOf(), "RND4K-Q1T1-read"},
		"names of older fio":          {map[string]string{"readwrite": "read", "blocksize": "128KiB", "direct": "1", "iodepth": "8"}, "SEQ128K-Q8T1-read"},
		"the default block":           {fioOptionsOf("bs", "-"), "RND4K-Q1T1-read"},
		"a block for each direction":  {fioOptionsOf("bs", "8k,8k"), "RND8K-Q1T1-read"},
		"bytes":                       {fioOptionsOf("bs", "512"), "RND512B-Q1T1-read"},
		"buffered=0":                  {fioOptionsOf("direct", "-", "buffered", "0"), "RND4K-Q1T1-read"},
		"write":                       {fioOptionsOf("rw", "write", "bs", "1m", "iodepth", "8"), "SEQ1M-Q8T1-write"},
		"write, O_SYNC":               {fioOptionsOf("rw", "randwrite", "sync", "1"), "RND4K-Q1T1-write-through"},
		"write, O_DSYNC":              {fioOptionsOf("rw", "randwrite", "sync", "dsync"), "RND4K-Q1T1-write-through"},
		"write, flushed":              {fioOptionsOf("rw", "randwrite", "fdatasync", "1"), "RND4K-Q1T1-write-flush"},
		"spaced":                      {fioOptionsOf("thinktime", "500ms"), "RND4K-Q1T1-read-spaced"},
		"group of threads":            {fioOptionsOf("numjobs", "4", "iodepth", "8"), "RND4K-Q8T4-read"},
		"threads, each its stretch":   {fioOptionsOf("numjobs", "2", "rw", "read", "offset_increment", "512m"), "SEQ4K-Q1T2-read"},
		"threads, each its own file":  {fioOptionsOf("numjobs", "2", "rw", "read", "filename", "-"), "SEQ4K-Q1T2-read"},
		"rate limits that limit not":  {fioOptionsOf("rate", "0", "thinktime", "0"), "RND4K-Q1T1-read"},
		"mixed":                       {fioOptionsOf("rw", "randrw"), "mixed-operation/job"},
		"trim":                        {fioOptionsOf("rw", "randtrim"), "mixed-operation/job"},
		"cached":                      {fioOptionsOf("direct", "0"), "cached/RND4K-Q1T1-read"},
		"cached by default":           {fioOptionsOf("direct", "-"), "cached/RND4K-Q1T1-read"},
		"mapped":                      {fioOptionsOf("ioengine", "mmap"), "cached/RND4K-Q1T1-read"},
		"rate limit":                  {fioOptionsOf("rate_iops", "1000"), "rate-limited/RND4K-Q1T1-read"},
		"several blocks":              {fioOptionsOf("bs", "4k,8k"), "options-unknown/job"},
		"a range of blocks":           {fioOptionsOf("bsrange", "4k-8k"), "options-differ/RND4K-Q1T1-read"},
		"other kilobytes":             {fioOptionsOf("kb_base", "1000"), "options-unknown/RND4K-Q1T1-read"},
		"a block in words":            {fioOptionsOf("bs", "big"), "options-unknown/job"},
		"a depth in words":            {fioOptionsOf("iodepth", "deep"), "options-unknown/job"},
		"hot spots":                   {fioOptionsOf("random_distribution", "zipf:1.2"), "options-differ/RND4K-Q1T1-read"},
		"flushes now and then":        {fioOptionsOf("rw", "randwrite", "fsync", "32"), "options-differ/job"},
		"zeros":                       {fioOptionsOf("rw", "randwrite", "zero_buffers", "1"), "data-differs/RND4K-Q1T1-write"},
		"pauses in words":             {fioOptionsOf("thinktime", "soon"), "options-unknown/job"},
		"threads on the same blocks":  {fioOptionsOf("numjobs", "2", "rw", "read"), "options-differ/SEQ4K-Q1T2-read"},
		"options that are not told":   {nil, "options-unknown/job"},
		"more entries than the group": {fioOptionsOf("numjobs", "0"), "options-unknown/job"},
	} {
		t.Run(name, func(t *testing.T) {
			read := mustRead(t, fioJSON("fio-3.38", test.options, fioNs))
			got := codesOf(read.Refusals)
			for _, one := range read.Tests {
				got += one.ID
			}
			if got != test.want {
				t.Errorf("got %s, refusals %v", got, read.Refusals)
			}
		})
	}
}

func TestFioSpan(t *testing.T) {
	for name, test := range map[string]struct {
		options map[string]string
		want    uint64
	}{
		"size":                  {fioOptionsOf(), 1 << 30},
		"a stretch per thread":  {fioOptionsOf("numjobs", "4", "offset_increment", "1g"), 4 << 30},
		"a file per thread":     {fioOptionsOf("numjobs", "4", "filename", "-"), 4 << 30},
		"a part of the device":  {fioOptionsOf("size", "50%"), 0},
		"not told":              {fioOptionsOf("size", "-"), 0},
		"one file, two threads": {fioOptionsOf("numjobs", "2"), 1 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			span := mustRead(t, fioJSON("fio-3.38", test.options, fioNs)).Tests[0].SpanBytes
			if test.want == 0 && span != nil || test.want != 0 && (span == nil || *span != test.want) {
				t.Errorf("span %v, want %d", span, test.want)
			}
		})
	}
}

// The command lines of fio that stand beside each test of each profile are read as that test.
func TestFioEquivalentsOfTheProfiles(t *testing.T) {
	for _, p := range profile.All() {
		for _, want := range p.Tests {
			options := fioOptions{}
			for _, word := range strings.Fields(*want.Fio) {
				if name, value, ok := strings.Cut(strings.TrimPrefix(word, "--"), "="); ok {
					options.merge(map[string]string{name: value})
				}
			}
			test, wrong := options.test()
			if wrong != nil {
				t.Errorf("%s of %s: %s\n%s", want.ID, p.Name, wrong.reason, *want.Fio)
				continue
			}
			if test.ID != want.ID || test.SpanBytes == nil || *test.SpanBytes != want.SpanBytes/want.Threads*want.Threads || test.SpacingMs != want.SpacingMs {
				t.Errorf("%s of %s is read as %s, span %v, spacing %g", want.ID, p.Name, test.ID, test.SpanBytes, test.SpacingMs)
			}
		}
	}
}

// A flushed write is timed apart from its flush, so only its rate tells the whole.
func TestFioFlush(t *testing.T) {
	read := mustRead(t, fioJSON("fio-3.38", fioOptionsOf("rw", "randwrite", "fdatasync", "1"), fioNs))
	wantTests(t, read, map[string]figures{"RND4K-Q1T1-write-flush": {-1, -1, 20000.5, 81.922048}})
	if noteCodes(read.Notes) != "fio-flush" {
		t.Errorf("notes %v", read.Notes)
	}
}

// Threads that fio lists one by one are one test: rates add up, means are weighed, percentiles
// cannot be put together.
func TestFioEntriesOfOneJob(t *testing.T) {
	entry := func(iops, mean float64, n int) string {
		return fmt.Sprintf(`{"jobname": "j", "groupid": 0, "error": 0, "read": {"iops": %g, "runtime": 1000, "clat_ns": {"mean": %g, "N": %d, "percentile": {"50.000000": 1}}}}`, iops, mean, n)
	}
	text := `{"fio version": "fio-3.38", "global options": {"rw": "randread", "direct": "1", "numjobs": "2"}, "jobs": [` +
		entry(1000, 100, 3000) + "," + entry(3000, 200, 1000) + "]}"
	wantTests(t, mustRead(t, text), map[string]figures{"RND4K-Q1T2-read": {-1, 125, 4000, 4000 * 4096 / 1e6}})
	text = strings.Replace(text, `"numjobs": "2"`, `"numjobs": "3"`, 1)
	if read := mustRead(t, text); codesOf(read.Refusals) != "options-unknown/RND4K-Q1T3-read" {
		t.Errorf("an entry that lacks: %v", read.Refusals)
	}
}

func TestFioRefusals(t *testing.T) {
	good := fioJSON("fio-3.38", fioOptionsOf(), fioNs)
	const id = "/RND4K-Q1T1-read"
	for name, test := range map[string]struct{ old, new, refusals string }{
		"an error":               {`"error" : 0`, `"error" : 5`, "job-failed" + id},
		"errors that went on":    {`"error" : 0`, `"error" : 0, "total_err" : 3, "first_error" : 5`, "job-failed" + id},
		"short I/Os":             {`"total_ios"`, `"short_ios" : 2, "total_ios"`, "job-failed" + id},
		"no I/O":                 {`"iops" : 20000.5`, `"iops" : 0`, "no-figure" + id},
		"no time":                {`"runtime" : 10000`, `"runtime" : 0`, "no-figure" + id},
		"less than none":         {`"iops" : 20000.5`, `"iops" : -1`, "no-figure" + id},
		"writes beside":          {`"trim"`, `"write" : { "iops" : 3 }, "trim"`, "mixed-operation" + id},
		"one figure for both":    {`"trim"`, `"mixed" : { "iops" : 3 }, "trim"`, "mixed-operation" + id},
		"another job beside it":  {`"jobs" : [`, `"jobs" : [ { "jobname" : "other", "groupid" : 0, "job options" : { "rw" : "read" } },`, "cached/SEQ4K-Q1T1-read ran-together" + id},
		"others in its figure":   {`"trim"`, `"job_runtime" : 30000, "trim"`, "ran-together" + id},
		"the other direction's":  {`"read" :`, `"write" :`, "no-figure" + id},
		"a job in another group": {`"jobs" : [`, `"jobs" : [ { "jobname" : "other", "groupid" : 1, "job options" : { "rw" : "read", "direct" : "1" } },`, "no-figure/SEQ4K-Q1T1-read"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(good, test.old) {
				t.Fatalf("%s is not in the output", test.old)
			}
			read := mustRead(t, strings.Replace(good, test.old, test.new, 1))
			if codesOf(read.Refusals) != test.refusals {
				t.Errorf("refusals %v", read.Refusals)
			}
			for _, refusal := range read.Refusals {
				if !strings.HasSuffix(refusal.Text, ".") || !strings.Contains(refusal.Text, "job") {
					t.Errorf("%q", refusal.Text)
				}
			}
		})
	}
}

func TestFioFaults(t *testing.T) {
	good := fioJSON("fio-3.38", fioOptionsOf(), fioNs)
	for name, test := range map[string]struct {
		text, code, place string
		words             []string
	}{
		"cut off":               {good[:len(good)-4], CodeDamaged, "line 8", []string{"cut off", "--output=FILE"}},
		"cut off after noise":   {"note: x\n" + good[:60], CodeDamaged, fmt.Sprintf("line %d", 2+strings.Count(good[:60], "\n")), []string{"cut off"}},
		"not JSON":              {"note: x\n" + strings.Replace(good, `"error" : 0`, `"error" : none`, 1), CodeDamaged, "line 6", []string{"JSON"}},
		"a rate in words":       {strings.Replace(good, "20000.5", `"many"`, 1), CodeDamaged, "job 1", []string{"iops"}},
		"two results":           {good + "\n" + good, CodeSeveral, "line 9", []string{"one result in a file"}},
		"no version":            {strings.Replace(good, "fio-3.38", "3.38", 1), CodeVersion, "line 1", []string{"3.38", "unit"}},
		"fio 1":                 {strings.Replace(good, "fio-3.38", "fio-1.60", 1), CodeVersion, "line 1", []string{"fio-1.60"}},
		"fio 4":                 {strings.Replace(good, "fio-3.38", "fio-4.0", 1), CodeVersion, "line 1", []string{"fio-4.0"}},
		"no jobs":               {`{"fio version": "fio-3.38", "jobs": []}`, CodeNoResult, "line 1", []string{"0 jobs"}},
		"thousands of jobs":     {`{"fio version": "fio-3.38", "jobs": [` + strings.Repeat("{},", 2000) + "{}]}", CodeNoResult, "line 1", []string{"2001 jobs"}},
		"not the first member":  {`{"x": 1, "fio version": "fio-3.38"}`, CodeDamaged, "line 1", []string{"first member"}},
		"millions of values":    {`{"fio version": "fio-3.38", "jobs": [` + strings.Repeat("{},", 1_000_000) + "{}]}", CodeTooLarge, "", []string{"values"}},
		"more than a number is": {strings.Replace(good, "20000.5", "1e999", 1), CodeDamaged, "job 1", []string{"1e999"}},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, test.text, test.code, test.place, test.words...) })
	}
}

// Compared with fio, one run against another says nothing below a quarter.
func TestCompareWithFio(t *testing.T) {
	baseline := mustRead(t, fioJSON("fio-3.38", fioOptionsOf(), fioNs))
	now := result(spec(contract.OperationRead), around(49_408*1.5)...)
	now.IOPS = contract.Ptr(20000.5 * 0.8)
	c := Compare(baseline, document(now), 5)
	valid(t, c)
	if results(c) != "RND4K-Q1T1-read p50Ns slower; RND4K-Q1T1-read iops undecided" || !c.Regression {
		t.Errorf("%s, refusals %v", results(c), c.Refusals)
	}
	now.Rounds[2].P50Ns = contract.Ptr(49_000.0)
	if c := Compare(baseline, document(now), 5); c.Regression {
		t.Errorf("a round of this run is as fast as the baseline, and yet: %s", results(c))
	}
	now.BlockBytes = 1 << 62
	if c := Compare(baseline, document(now), 5); c.Comparable {
		t.Errorf("%s", results(c))
	}
}

// The installed fio writes what is read here, whatever its version: its engine null needs no disk.
func TestInstalledFio(t *testing.T) {
	fio := require.Tool(t, "fio")
	for _, format := range []string{"json", "json+"} {
		command := exec.Command(fio, "--output-format="+format, "--ioengine=null", "--direct=1", "--size=64m", "--bs=4k",
			"--name=reads", "--rw=randread", "--iodepth=1", "--stonewall", "--name=writes", "--rw=write", "--bs=128k", "--stonewall")
		command.Dir = t.TempDir()
		data, err := command.Output()
		if err != nil {
			t.Fatalf("%v: %v", command, err)
		}
		read, err := Read("fio.json", data)
		if err != nil {
			t.Fatal(err)
		}
		ids := ""
		for _, test := range read.Tests {
			if ids += test.ID + " "; test.IOPS == nil || test.LatencyNs.Mean == nil {
				t.Errorf("%s: %+v", test.ID, figuresOf(test))
			}
		}
		if ids != "RND4K-Q1T1-read SEQ128K-Q1T1-write " {
			t.Errorf("%s: tests %s, refusals %v", format, ids, read.Refusals)
		}
	}
}
