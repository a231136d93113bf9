package contract

// BenchTest is the result of one test.
type BenchTest struct {
	// Id such as "RND4K-Q1T1-read".
	ID string `json:"id"`
	// read or write.
	Operation Operation `json:"operation"`
	// Bytes of one I/O.
	BlockBytes uint64 `json:"blockBytes"`
	// random or sequential.
	Pattern AccessPattern `json:"pattern"`
	// I/Os that each thread kept in flight.
	QueueDepth uint64 `json:"queueDepth"`
	// Threads.
	Threads uint64 `json:"threads"`
	// When a write counted as done; null for reads.
	Durability *Durability `json:"durability"`
	// Calls that did the I/O: "pread/pwrite", "io_uring", "ReadFile/WriteFile", "IOCP".
	API *string `json:"api"`
	// Why the engine did not use its first choice of calls; null when it did.
	APIFallback *string `json:"apiFallback"`
	// Logical processors that the threads were bound to, in order; empty when they were not bound.
	Processors List[uint64] `json:"processors"`
	// The measured rounds, in order; empty where the figures have nothing to do with the disk, and so are withheld.
	Rounds List[BenchRound] `json:"rounds"`
	// I/Os in all rounds, those of rounds whose figures are withheld included.
	Ops uint64 `json:"ops"`
	// Bytes in all rounds, those of rounds whose figures are withheld included.
	Bytes uint64 `json:"bytes"`
	// Different blocks that were touched; null when not counted.
	DistinctBlocks *uint64 `json:"distinctBlocks"`
	// I/Os in flight on average, over all threads; null when nothing was measured.
	AchievedDepth *float64 `json:"achievedDepth"`
	// Flushes that were done; equals ops where durability is flush.
	Flushes uint64 `json:"flushes"`
	// I/Os per second: median of the rounds.
	IOPS *float64 `json:"iops"`
	// Megabytes of 10^6 bytes per second: median of the rounds.
	MBPerSecond *float64 `json:"mbPerSecond"`
	// Mebibytes of 2^20 bytes per second: median of the rounds.
	MiBPerSecond *float64 `json:"mibPerSecond"`
	// Latency over all rounds, exact, in ns.
	LatencyNs Latency `json:"latencyNs"`
	// Latencies counted in classes of growing width.
	Histogram List[HistogramClass] `json:"histogram"`
	// Processor time of the measuring threads per I/O, in ns.
	CPUNsPerIO *float64 `json:"cpuNsPerIo"`
	// Processor time of the whole computer per I/O, in ns, what else was running included: drivers and encryption work in threads of their own.
	SystemCPUNsPerIO *float64 `json:"systemCpuNsPerIo"`
	// Busy part of one processor, per measuring thread, 0 to 100; close to 100 means that the processor was the limit, not the disk.
	CPUPercent *float64 `json:"cpuPercent"`
	// How sure the medians over the rounds are; null below 6 rounds.
	Interval *TestInterval `json:"interval"`
	// How the latency changed over the rounds; null below 6 rounds.
	Drift *Drift `json:"drift"`
	// False when the figures do not tell the speed of the disk; invalidReasons say why.
	Valid bool `json:"valid"`
	// Why they do not.
	InvalidReasons List[InvalidReason] `json:"invalidReasons"`
	// What to know when reading the figures; they are valid all the same.
	Notes List[InvalidReason] `json:"notes"`
}

// InvalidReason says why a figure does not tell the speed of the disk, or what to know about it.
type InvalidReason struct {
	// Stable kebab-case id.
	Code string `json:"code"`
	// The evidence and the way out, for people.
	Text string `json:"text"`
}

// BenchRound is one measured round.
type BenchRound struct {
	// When it began, after the start of the first round of the run, in ms.
	StartedMs float64 `json:"startedMs"`
	// How long it took, in ms.
	ElapsedMs float64 `json:"elapsedMs"`
	// I/Os.
	Ops uint64 `json:"ops"`
	// Bytes.
	Bytes uint64 `json:"bytes"`
	// I/Os per second.
	IOPS float64 `json:"iops"`
	// Megabytes of 10^6 bytes per second.
	MBPerSecond float64 `json:"mbPerSecond"`
	// Mean latency in ns; null when there was no I/O.
	MeanNs *float64 `json:"meanNs"`
	// Median latency in ns; null when there was no I/O.
	P50Ns *float64 `json:"p50Ns"`
	// 99th percentile of the latency in ns; null when the round has too few I/Os for it.
	P99Ns *float64 `json:"p99Ns"`
	// Processor time of the measuring threads per I/O, in ns.
	CPUNsPerIO *float64 `json:"cpuNsPerIo"`
}

// Latency describes latencies in ns. A percentile that the number of I/Os does not carry is null.
type Latency struct {
	// Shortest.
	Min *float64 `json:"min"`
	// Mean.
	Mean *float64 `json:"mean"`
	// Median.
	P50 *float64 `json:"p50"`
	// 90th percentile.
	P90 *float64 `json:"p90"`
	// 95th percentile.
	P95 *float64 `json:"p95"`
	// 99th percentile.
	P99 *float64 `json:"p99"`
	// 99.9th percentile.
	P999 *float64 `json:"p999"`
	// 99.99th percentile.
	P9999 *float64 `json:"p9999"`
	// Longest.
	Max *float64 `json:"max"`
}

// HistogramClass counts the latencies from its lower to below its upper end.
type HistogramClass struct {
	// Lower end in ns, included.
	FromNs uint64 `json:"fromNs"`
	// Upper end in ns, not included.
	ToNs uint64 `json:"toNs"`
	// I/Os.
	Count uint64 `json:"count"`
}

// Range is an estimate with the ends of its interval.
type Range struct {
	// Lower end.
	Low float64 `json:"low"`
	// The estimate.
	Estimate float64 `json:"estimate"`
	// Upper end.
	High float64 `json:"high"`
}

// TestInterval tells how sure the medians over the rounds are.
type TestInterval struct {
	// Probability that the interval covers the true value: 0.95.
	Confidence float64 `json:"confidence"`
	// The rounds' median latencies in ns.
	P50Ns Range `json:"p50Ns"`
	// The rounds' I/Os per second.
	IOPS Range `json:"iops"`
}

// Drift tells how the rounds' median latency changed in the course of a test.
type Drift struct {
	// Change from the first to the last round, by the median slope, in percent of the median.
	Percent float64 `json:"percent"`
	// Probability of such an order of rounds if nothing changed (Kendall's tau, exact).
	PValue float64 `json:"pValue"`
	// True when the change is unlikely to be chance: the disk was not in a steady state.
	Significant bool `json:"significant"`
}
