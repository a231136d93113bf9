package comparison

import (
	"fmt"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// diskspdRun is one time span of a result; change replaces parts of the text.
type diskspdRun struct {
	block, threads, requests, writes int
	cache, order, extra              string
	seconds                          string
	reads, written                   int
	latency                          string
	inner                            string
}

func oneRead() diskspdRun {
	return diskspdRun{
		block: 4096, threads: 1, requests: 1, cache: "<DisableOSCache>true</DisableOSCache>", order: "<Random>4096</Random>",
		seconds: "10.00", reads: 200_000, latency: diskspdLatency("Read", 0.049),
	}
}

// diskspdLatency has the percentiles that diskspd writes, all of one time and a longest of 5 ms.
func diskspdLatency(what string, ms float64) string {
	var text strings.Builder
	fmt.Fprintf(&text, "<Latency ReadHistoBuckets=\"5\"><Average%sMilliseconds>%.3f</Average%sMilliseconds>", what, ms+0.001, what)
	for _, percent := range []string{"0", "1", "50", "90", "95", "99", "99.9", "99.99", "99.999", "100"} {
		value := ms
		if percent == "100" {
			value = 5
		}
		fmt.Fprintf(&text, "<Bucket><Percentile>%s</Percentile><%sMilliseconds>%.3f</%sMilliseconds></Bucket>", percent, what, value, what)
	}
	return text.String() + "</Latency>"
}

func (r diskspdRun) profile() string {
	return fmt.Sprintf(`<TimeSpan><Duration>10</Duration><Warmup>5</Warmup><ThreadCount>0</ThreadCount><RequestCount>0</RequestCount>
<Affinity><AffinityGroupAssignment Group="0" Processor="1"/></Affinity><Targets><Target><Path>D:\disk speed.dat</Path><BlockSize>%d</BlockSize>
<BaseFileOffset>0</BaseFileOffset>%s<WriteBufferContent><Pattern>random</Pattern></WriteBufferContent><ParallelAsyncIO>false</ParallelAsyncIO>%s%s
<ThreadStride>0</ThreadStride><MaxFileSize>0</MaxFileSize><RequestCount>%d</RequestCount><WriteRatio>%d</WriteRatio><Throughput>0</Throughput>
<ThreadsPerFile>%d</ThreadsPerFile><IOPriority>3</IOPriority></Target></Targets></TimeSpan>`,
		r.block, r.cache, r.order, r.extra, r.requests, r.writes, r.threads)
}

func (r diskspdRun) result() string {
	var threads strings.Builder
	for i := range r.threads {
		fmt.Fprintf(&threads, `<Thread><Id>%d</Id><Target><Path>D:\disk speed.dat</Path><BytesCount>%d</BytesCount><FileSize>1073741824</FileSize><IOCount>%d</IOCount>
<ReadBytes>%d</ReadBytes><ReadCount>%d</ReadCount><WriteBytes>%d</WriteBytes><WriteCount>%d</WriteCount></Target></Thread>
`, i, (r.reads+r.written)*r.block, r.reads+r.written, r.reads*r.block, r.reads, r.written*r.block, r.written)
	}
	return fmt.Sprintf("<TimeSpan>\n<TestTimeSeconds>%s</TestTimeSeconds><ThreadCount>%d</ThreadCount><CpuUtilization><CPU><Id>0</Id></CPU></CpuUtilization>\n%s%s%s</TimeSpan>",
		r.seconds, r.threads, r.latency, r.inner, threads.String())
}

// diskspdXML is a result of time spans; none means one random read.
func diskspdXML(runs []diskspdRun) string {
	if runs == nil {
		runs = []diskspdRun{oneRead()}
	}
	var planned, done strings.Builder
	for _, r := range runs {
		planned.WriteString(r.profile())
		done.WriteString(r.result())
	}
	return "<Results>\n<System><ComputerName>host</ComputerName><Tool><Version>2.2.0</Version><VersionDate>2024/6/3</VersionDate></Tool>\n" +
		"<RunTime>2026/03/02 09:11:12 UTC</RunTime></System>\n<Profile><Progress>0</Progress><TimeSpans>" + planned.String() +
		"</TimeSpans></Profile>\n" + done.String() + "\n</Results>\n"
}

func TestDiskspd(t *testing.T) {
	write := oneRead()
	write.writes, write.reads, write.written, write.latency = 100, 0, 500_000, diskspdLatency("Write", 0.014)
	through := write
	through.cache += "<WriteThrough>true</WriteThrough>"
	old := write
	old.cache = "<DisableAllCache>true</DisableAllCache>"
	deep := oneRead()
	deep.threads, deep.requests = 4, 32
	sequential := oneRead()
	sequential.block, sequential.order, sequential.requests, sequential.reads = 1<<20, "<StrideSize>1048576</StrideSize><InterlockedSequential>false</InterlockedSequential>", 8, 30_000
	together := sequential
	together.threads, together.order = 2, "<StrideSize>1048576</StrideSize><InterlockedSequential>true</InterlockedSequential>"
	spaced := oneRead()
	spaced.extra, spaced.reads = "<BurstSize>1</BurstSize><ThinkTime>500</ThinkTime>", 20
	unmeasured := oneRead()
	unmeasured.latency = ""
	for name, test := range map[string]struct {
		run  diskspdRun
		id   string
		want figures
	}{
		"read":                    {oneRead(), "RND4K-Q1T1-read", figures{49_000, 50_000, 20_000, 81.92}},
		"write":                   {write, "RND4K-Q1T1-write", figures{14_000, 15_000, 50_000, 204.8}},
		"write-through":           {through, "RND4K-Q1T1-write-through", figures{14_000, 15_000, 50_000, 204.8}},
		"write-through of 2.0.15": {old, "RND4K-Q1T1-write-through", figures{14_000, 15_000, 50_000, 204.8}},
		"threads":                 {deep, "RND4K-Q32T4-read", figures{49_000, 50_000, 80_000, 327.68}},
		"sequential":              {sequential, "SEQ1M-Q8T1-read", figures{49_000, 50_000, 3000, 3145.728}},
		"sequential threads":      {together, "SEQ1M-Q8T2-read", figures{49_000, 50_000, 6000, 6291.456}},
		"spaced":                  {spaced, "RND4K-Q1T1-read-spaced", figures{49_000, 50_000, -1, -1}},
		"without -L":              {unmeasured, "RND4K-Q1T1-read", figures{-1, -1, 20_000, 81.92}},
	} {
		t.Run(name, func(t *testing.T) {
			read := mustRead(t, diskspdXML([]diskspdRun{test.run}))
			wantTests(t, read, map[string]figures{test.id: test.want})
			if len(read.Tests) == 1 && *read.Tests[0].SpanBytes != 1<<30 {
				t.Errorf("span %d", *read.Tests[0].SpanBytes)
			}
		})
	}
}

// Case P7: diskspd's ms are ns here, and a percentile that too few I/Os carry is left out: diskspd
// writes all of them.
func TestDiskspdPercentiles(t *testing.T) {
	few := oneRead()
	few.reads = 500
	latency := mustRead(t, diskspdXML([]diskspdRun{few})).Tests[0].LatencyNs
	if latency.P99 == nil || *latency.P99 != 49_000 || latency.P999 != nil || latency.P9999 != nil || *latency.Max != 5_000_000 {
		t.Errorf("%+v", latency)
	}
}

func TestDiskspdBaseline(t *testing.T) {
	read := mustRead(t, "WARNING: an earlier message\n<?xml version=\"1.0\" encoding=\"windows-1252\"?>\n"+diskspdXML(nil))
	if *read.Baseline.Format != contract.BaselineDiskspd || *read.Baseline.Version != "2.2.0" ||
		read.Baseline.CollectedAt.Format("2006-01-02T15:04:05Z07:00") != "2026-03-02T09:11:12Z" {
		t.Errorf("%+v", read.Baseline)
	}
}

// Several time spans are several tests; one of them that is unlike takes none of the others with it.
func TestDiskspdTimeSpans(t *testing.T) {
	write, mixed := oneRead(), oneRead()
	write.writes, write.reads, write.written, write.latency = 100, 0, 500_000, diskspdLatency("Write", 0.014)
	mixed.writes, mixed.written = 30, 1000
	read := mustRead(t, diskspdXML([]diskspdRun{oneRead(), mixed, write}))
	wantTests(t, read, map[string]figures{
		"RND4K-Q1T1-read": {49_000, 50_000, 20_000, 81.92}, "RND4K-Q1T1-write": {14_000, 15_000, 50_000, 204.8},
	})
	if codesOf(read.Refusals) != "mixed-operation/time span 2" {
		t.Errorf("refusals %v", read.Refusals)
	}
}

func TestDiskspdRefusals(t *testing.T) {
	good := diskspdXML(nil)
	const id = "/RND4K-Q1T1-read"
	for name, test := range map[string]struct{ old, new, refusals string }{
		"through the cache":    {"<DisableOSCache>true</DisableOSCache>", "", "cached" + id},
		"local cache only":     {"<DisableOSCache>true</DisableOSCache>", "<DisableLocalCache>true</DisableLocalCache>", "cached" + id},
		"mapped memory":        {"<Random>", "<MemoryMappedIo>true</MemoryMappedIo><Random>", "cached" + id},
		"rate limit":           {"<Throughput>0<", "<Throughput unit=\"IOPS\">1000<", "rate-limited" + id},
		"partly random":        {"</Random>", "</Random><RandomRatio>60</RandomRatio>", "options-differ" + id},
		"unevenly random":      {"</Random>", "</Random><Distribution><Percent><Range IO=\"90\">10</Range></Percent></Distribution>", "options-differ" + id},
		"low priority":         {"<IOPriority>3", "<IOPriority>1", "options-differ" + id},
		"mixed":                {"<WriteRatio>0<", "<WriteRatio>30<", "mixed-operation/time span 1"},
		"part of writes":       {"<WriteRatio>0<", "<WriteRatio><", "options-unknown/time span 1"},
		"block size":           {"<BlockSize>4096<", "<BlockSize>4K<", "options-unknown/time span 1"},
		"stride":               {"<Random>4096</Random>", "<StrideSize>65536</StrideSize>", "options-differ/SEQ4K-Q1T1-read"},
		"two targets":          {"<Targets>", "<Targets><Target></Target>", "ran-together/time span 1"},
		"interrupted":          {"<TestTimeSeconds>10.00</TestTimeSeconds>", "<Error>The test was interrupted</Error>", "job-failed" + id},
		"no I/O":               {"<ReadBytes>819200000</ReadBytes><ReadCount>200000<", "<ReadBytes>0</ReadBytes><ReadCount>0<", "no-figure" + id},
		"bursts":               {"</Random>", "</Random><BurstSize>10</BurstSize><ThinkTime>100</ThinkTime>", "rate-limited/RND4K-Q1T1-read-spaced"},
		"overlapping the same": {"<ParallelAsyncIO>false", "<ParallelAsyncIO>true", "options-differ" + id},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(good, test.old) {
				t.Fatalf("%s is not in the result", test.old)
			}
			read := mustRead(t, strings.Replace(good, test.old, test.new, 1))
			if codesOf(read.Refusals) != test.refusals || len(read.Tests) != 0 {
				t.Errorf("refusals %v, %d tests", read.Refusals, len(read.Tests))
			}
		})
	}
	threads := oneRead()
	threads.threads, threads.order = 2, "<StrideSize>4096</StrideSize>"
	if read := mustRead(t, diskspdXML([]diskspdRun{threads})); codesOf(read.Refusals) != "options-differ/SEQ4K-Q1T2-read" {
		t.Errorf("threads on the same blocks: %v", read.Refusals)
	}
}

// Case P6: data that a disk can compress is not ours; zeros are not compared at all.
func TestDiskspdWriteData(t *testing.T) {
	write := oneRead()
	write.writes, write.reads, write.written, write.latency = 100, 0, 500_000, diskspdLatency("Write", 0.014)
	text := diskspdXML([]diskspdRun{write})
	read := mustRead(t, strings.Replace(text, "<Pattern>random", "<Pattern>sequential", 1))
	if noteCodes(read.Notes) != "diskspd-figures data-compressible" || len(read.Tests) != 1 {
		t.Errorf("notes %v", read.Notes)
	}
	read = mustRead(t, strings.Replace(text, "<Pattern>random", "<Pattern>zero", 1))
	if codesOf(read.Refusals) != "data-differs/RND4K-Q1T1-write" || len(read.Tests) != 0 {
		t.Errorf("refusals %v", read.Refusals)
	}
}

func TestDiskspdFaults(t *testing.T) {
	good := diskspdXML(nil)
	bomb := "<!DOCTYPE Results [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n" + strings.Replace(good, "D:\\disk", "&b;", 1)
	for name, test := range map[string]struct {
		text, code, place string
		words             []string
	}{
		"P11 cut off":              {good[:len(good)/2], CodeDamaged, fmt.Sprintf("line %d", 1+strings.Count(good[:len(good)/2], "\n")), []string{"before </Results>", "-Rxml"}},
		"P12 only the start":       {"<Results>\n", CodeDamaged, "line 2", []string{"before </Results>"}},
		"two results":              {good + good, CodeSeveral, "line 14", []string{"one result in a file"}},
		"without the profile":      {strings.NewReplacer("<Profile>", "<Plan>", "</Profile>", "</Plan>").Replace(good), CodeDamaged, "line 1", []string{"<Profile>"}},
		"without time spans":       {good[:strings.Index(good, "<TimeSpan>\n")] + "</Results>", CodeNoResult, "line 1", []string{"<TimeSpan>"}},
		"time spans that lack":     {strings.Replace(good, "<TimeSpan>\n", "<TimeSpan><Error>x</Error></TimeSpan><TimeSpan>\n", 1), CodeDamaged, "line 1", []string{"1 time spans and the result 2"}},
		"time in words":            {strings.Replace(good, "10.00", "NaN", 1), CodeDamaged, "line 9", []string{"TestTimeSeconds", "NaN"}},
		"no time":                  {strings.Replace(good, "10.00", "0.00", 1), CodeDamaged, "line 9", []string{"TestTimeSeconds"}},
		"a count in words":         {strings.Replace(good, "<ReadCount>200000", "<ReadCount>-1", 1), CodeDamaged, "line 9", []string{"ReadCount", "-1"}},
		"bytes that do not fit":    {strings.Replace(good, "<ReadCount>200000", "<ReadCount>200001", 1), CodeDamaged, "line 9", []string{"do not make"}},
		"a latency in words":       {strings.Replace(good, "<ReadMilliseconds>0.049", "<ReadMilliseconds>fast", 1), CodeDamaged, "line 9", []string{"fast"}},
		"a latency that lacks":     {strings.Replace(good, "AverageReadMilliseconds", "x", 2), CodeDamaged, "line 9", []string{"AverageReadMilliseconds"}},
		"a thread that lacks":      {strings.Replace(good, "<ThreadsPerFile>1", "<ThreadsPerFile>2", 1), CodeDamaged, "line 9", []string{"1 <Thread> elements for 2"}},
		"writes among reads":       {strings.Replace(good, "<WriteCount>0", "<WriteCount>7", 1), CodeDamaged, "line 9", []string{"direction"}},
		"an entity bomb":           {bomb, CodeDamaged, "line 1", []string{"document type"}},
		"an entity without one":    {strings.Replace(good, "D:\\disk", "&b;", 1), CodeDamaged, "line 5", []string{"XML"}},
		"nested without end":       {"<Results>\n" + strings.Repeat("<a>", 100_000), CodeDamaged, "line 2", []string{"nested"}},
		"elements without end":     {"<Results>\n" + strings.Repeat("<a/>", 300_000), CodeTooLarge, "line 2", []string{"elements"}},
		"elements that cross over": {strings.Replace(good, "</Tool>", "</System>", 1), CodeDamaged, "line 2", []string{"XML"}},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, test.text, test.code, test.place, test.words...) })
	}
}

// A latency of a few us is written in steps of 1 us: a change of some steps is none.
func TestDiskspdResolution(t *testing.T) {
	run := oneRead()
	run.latency, run.reads = diskspdLatency("Read", 0.003), 2_000_000
	baseline := mustRead(t, diskspdXML([]diskspdRun{run}))
	now := result(spec(contract.OperationRead), around(3_900)...)
	now.IOPS = contract.Ptr(200_000.0)
	c := Compare(baseline, document(now), 5)
	if results(c) != "RND4K-Q1T1-read p50Ns undecided; RND4K-Q1T1-read iops undecided" {
		t.Errorf("%s, refusals %v", results(c), c.Refusals)
	}
}
