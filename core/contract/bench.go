package contract

import "time"

// Bench answers "diskaudit bench": how fast the disk is, what the encryption layer adds here, and
// what the answers rest on.
type Bench struct {
	Header
	// What was measured.
	Target BenchTarget `json:"target"`
	// The tests that were asked for, with every option explicit.
	Profile BenchProfile `json:"profile"`
	// What did the measuring.
	Engine BenchEngine `json:"engine"`
	// What can bias the figures.
	Context BenchContext `json:"context"`
	// The figures, test by test, in the order of the profile.
	Tests List[BenchTest] `json:"tests"`
	// What the encryption layer adds to an I/O on this machine.
	Penalty Penalty `json:"penalty"`
	// What the penalty means.
	Verdict Verdict `json:"verdict"`
	// Figures predicted for this disk without the encryption layer; empty without a valid penalty.
	Headroom List[Headroom] `json:"headroom"`
	// Comparison with an older result; null when none was asked for.
	Comparison *Comparison `json:"comparison"`
}

// TargetKind tells what was measured.
type TargetKind string

// The kinds of targets.
const (
	// TargetFile is a new file that was written for the measurement and removed after it.
	TargetFile TargetKind = "file"
	// TargetExistingFile is a file that was there before; it is only read.
	TargetExistingFile TargetKind = "existing-file"
	// TargetDevice is a block device, a volume or a disk; it is only read.
	TargetDevice TargetKind = "device"
)

// BenchTarget is what was measured.
type BenchTarget struct {
	// Path as it was opened.
	Path string `json:"path"`
	// file (written for this run and removed after it), existing-file or device (both only read); null when nothing was opened.
	Kind *TargetKind `json:"kind"`
	// Id of the volume, as in the status document; null when the target is not on a known volume.
	VolumeID *string `json:"volumeId"`
	// Id of the disk; null when the volume lies on several or the disk is not known.
	DiskID *string `json:"diskId"`
	// Where in the stack the I/O enters: "file system", or the kind of block device as in the status document's layers, such as "crypt", "loop", "partition", "disk".
	Layer *string `json:"layer"`
	// Bytes of the target that the tests use.
	SizeBytes *uint64 `json:"sizeBytes"`
	// Bytes written in all: to make the file, and by the tests. 0 when nothing was written.
	BytesWritten uint64 `json:"bytesWritten"`
	// File system that holds the target, as it names itself; null for a device or when unknown.
	FileSystem *string `json:"fileSystem"`
	// Unit to which unbuffered I/O on the target has to be aligned, in bytes.
	AlignmentBytes *uint64 `json:"alignmentBytes"`
	// How it was verified that the target's bytes are on the disk; null when nothing was verified.
	Proof *TargetProof `json:"proof"`
}

// TargetProof is what was looked at before timing, so that a hole or a cache is not measured.
type TargetProof struct {
	// Bytes of the target that the file system says are allocated and written; null when it does not say.
	AllocatedBytes *uint64 `json:"allocatedBytes"`
	// Whether the file system compresses, deduplicates inline or encrypts the file; null when it does not say.
	Transformed *bool `json:"transformed"`
	// Blocks read back, past any cache that can be bypassed, and compared with what was written.
	SampledBlocks uint64 `json:"sampledBlocks"`
	// Those of the sampled blocks that were not what was written.
	WrongBlocks uint64 `json:"wrongBlocks"`
	// Times in which one block was read a second and third time, median in ns: time of a cache in front of the disk if it is that short; null when not tried.
	RepeatReadNs *float64 `json:"repeatReadNs"`
	// Time to copy as many bytes in memory, median in ns, to compare that with; null when not tried.
	MemoryCopyNs *float64 `json:"memoryCopyNs"`
}

// Operation is the direction of a test's I/O.
type Operation string

// The operations.
const (
	OperationRead  Operation = "read"
	OperationWrite Operation = "write"
)

// MarshalText writes the operation; the zero value is read.
func (o Operation) MarshalText() ([]byte, error) {
	if o == "" {
		return []byte(OperationRead), nil
	}
	return []byte(o), nil
}

// AccessPattern is the order of a test's blocks.
type AccessPattern string

// The access patterns.
const (
	PatternRandom     AccessPattern = "random"
	PatternSequential AccessPattern = "sequential"
)

// MarshalText writes the pattern; the zero value is random.
func (p AccessPattern) MarshalText() ([]byte, error) {
	if p == "" {
		return []byte(PatternRandom), nil
	}
	return []byte(p), nil
}

// Durability says when a write counts as done. Figures of different durability are never mixed.
type Durability string

// The durabilities.
const (
	// DurabilityDeviceCache ends a write when the device has it, if only in its volatile cache: FILE_FLAG_NO_BUFFERING, O_DIRECT.
	DurabilityDeviceCache Durability = "device-cache"
	// DurabilityWriteThrough ends a write when the device says it is stored: with FILE_FLAG_WRITE_THROUGH, O_DSYNC.
	DurabilityWriteThrough Durability = "write-through"
	// DurabilityFlush flushes after each write and counts the flush: FlushFileBuffers, fdatasync.
	DurabilityFlush Durability = "flush"
)

// BenchProfile is the list of tests that were asked for.
type BenchProfile struct {
	// Name of the profile.
	Name string `json:"name"`
	// What it is for.
	Purpose string `json:"purpose"`
	// Its tests with every option.
	Tests List[TestSpec] `json:"tests"`
}

// ProfilesDocument answers "diskaudit bench --list-profiles".
type ProfilesDocument struct {
	Header
	// The profiles, in the order in which they are named in the help.
	Profiles List[BenchProfile] `json:"profiles"`
}

// TestSpec is one test with every option explicit.
type TestSpec struct {
	// Id such as "RND4K-Q1T1-read".
	ID string `json:"id"`
	// read or write.
	Operation Operation `json:"operation"`
	// Bytes of one I/O.
	BlockBytes uint64 `json:"blockBytes"`
	// random (no block twice until all were used) or sequential.
	Pattern AccessPattern `json:"pattern"`
	// I/Os that each thread keeps in flight.
	QueueDepth uint64 `json:"queueDepth"`
	// Threads, each with a handle of its own.
	Threads uint64 `json:"threads"`
	// When a write counts as done; null for reads.
	Durability *Durability `json:"durability"`
	// Bytes of the target that the test uses, from its beginning.
	SpanBytes uint64 `json:"spanBytes"`
	// Time from the start of one I/O to the start of the next, in ms; 0 is back to back.
	SpacingMs float64 `json:"spacingMs"`
	// Rounds that are measured; a test's rounds take turns with those of its partner in the other direction.
	Rounds uint64 `json:"rounds"`
	// Length of a round, in ms.
	RoundMs float64 `json:"roundMs"`
	// I/Os after which a round ends before its time; 0 is no limit.
	RoundOps uint64 `json:"roundOps"`
	// Length of the warm-up before the first round, whose figures are discarded, in ms.
	WarmupMs float64 `json:"warmupMs"`
	// Bytes that the test may write in all, warm-up included; 0 is no limit.
	MaxWrittenBytes uint64 `json:"maxWrittenBytes"`
	// The same test as a command line of diskspd; null when it cannot express it.
	Diskspd *string `json:"diskspd"`
	// The same test as a command line of fio on Linux.
	Fio *string `json:"fio"`
}

// BenchEngine is what did the measuring.
type BenchEngine struct {
	// Calls that did the I/O of the first test: "pread/pwrite", "io_uring", "ReadFile/WriteFile", "IOCP"; each test names its own.
	API *string `json:"api"`
	// The clock.
	Clock BenchClock `json:"clock"`
	// First number that the order of blocks and the data were derived from; the same number gives the same order.
	Seed uint64 `json:"seed"`
}

// BenchClock is the clock that timed each I/O.
type BenchClock struct {
	// Which clock: "CLOCK_MONOTONIC" or "QueryPerformanceCounter".
	Source *string `json:"source"`
	// Smallest step seen between two different readings, in ns.
	ResolutionNs *float64 `json:"resolutionNs"`
	// Time that one reading takes, in ns, median. It is part of every latency.
	OverheadNs *float64 `json:"overheadNs"`
}

// BenchContext is what can bias the figures.
type BenchContext struct {
	// The computer; null when it was not asked.
	Machine *Machine `json:"machine"`
	// The volume that was measured; null when it is not known.
	Volume *Volume `json:"volume"`
	// The disk that was measured; null when it is not known.
	Disk *Disk `json:"disk"`
	// State before the first test.
	Before BenchState `json:"before"`
	// State after the last test.
	After BenchState `json:"after"`
}

// BenchState is what changes in the course of a run.
type BenchState struct {
	// When it was looked at; null when it was not.
	TakenAt *time.Time `json:"takenAt"`
	// ac or battery.
	PowerSource *PowerSource `json:"powerSource"`
	// Name of the power plan on Windows; scaling governor of the processor on Linux.
	PowerPlan *string `json:"powerPlan"`
	// Temperature of the disk in degrees Celsius.
	TemperatureCelsius *float64 `json:"temperatureCelsius"`
	// How far the volume is encrypted by BitLocker.
	Conversion *Conversion `json:"conversion"`
	// Part of the volume that is encrypted, 0 to 100.
	ConversionPercent *float64 `json:"conversionPercent"`
	// Space left in the file system, in bytes.
	FreeBytes *uint64 `json:"freeBytes"`
	// Part of all processors' time that other work took while this program waited a moment before the first test, 0 to 100; null after the tests.
	BusyPercent *float64 `json:"busyPercent"`
}

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

// EvidenceKind names what a penalty rests on, best first.
type EvidenceKind string

// The kinds of evidence.
const (
	// EvidencePaired reads the same volume above and below the encryption layer, in turns.
	EvidencePaired EvidenceKind = "paired"
	// EvidenceTwin measures an encrypted and a plain volume on one disk.
	EvidenceTwin EvidenceKind = "twin"
	// EvidenceBeforeAfter compares with a saved result from the other state.
	EvidenceBeforeAfter EvidenceKind = "before-after"
	// EvidenceNone is no evidence; the reason says how to get some.
	EvidenceNone EvidenceKind = "none"
)

// MarshalText writes the evidence; the zero value is none.
func (e EvidenceKind) MarshalText() ([]byte, error) {
	if e == "" {
		return []byte(EvidenceNone), nil
	}
	return []byte(e), nil
}

// Penalty is what the encryption layer adds to an I/O on this machine.
type Penalty struct {
	// paired, twin, before-after or none.
	Evidence EvidenceKind `json:"evidence"`
	// False when the figures do not tell what the layer costs.
	Valid bool `json:"valid"`
	// Why there is no valid figure, and how to get one; null when there is one.
	Reason *InvalidReason `json:"reason"`
	// The two paths that were compared; null when there were none.
	Paths *PenaltyPaths `json:"paths"`
	// The test that was done on both: such as a random 4 KiB read at queue depth 1.
	Operation *Operation `json:"operation"`
	// Bytes of one I/O.
	BlockBytes *uint64 `json:"blockBytes"`
	// Median latency without the layer, in ns.
	BareNs *float64 `json:"bareNs"`
	// Median latency with the layer, in ns.
	LayeredNs *float64 `json:"layeredNs"`
	// What the layer adds to one I/O, in ns, with a 95 % interval; the control is subtracted.
	AddedNs *Range `json:"addedNs"`
	// The same in percent of the latency without the layer.
	AddedPercent *Range `json:"addedPercent"`
	// The same method where there is no encryption, which should give 0; null when it was not done.
	Control *PenaltyControl `json:"control"`
	// Pairs of reads that the estimate rests on.
	Pairs uint64 `json:"pairs"`
	// Processor time that the layer adds to one I/O, in ns, over the whole computer; null when the clock of the processors is too coarse.
	CPUNsPerIO *float64 `json:"cpuNsPerIo"`
	// Proof that the paths are what they are taken for; null when it was not tried.
	Proof *PathProof `json:"proof"`
	// Why measuring ended: "precise" (the interval was narrow enough for a verdict), "time", "blocks" (none left), "interrupted"; null when it did not begin.
	Ended *string `json:"ended"`
}

// PenaltyPaths are the two paths that a penalty compares.
type PenaltyPaths struct {
	// Path with the layer, such as a mapped device or a volume.
	Upper string `json:"upper"`
	// Path below the layer, such as the backing device or the physical disk.
	Lower string `json:"lower"`
	// Where the upper path's first byte lies in the lower one, in bytes.
	LowerOffsetBytes uint64 `json:"lowerOffsetBytes"`
	// Bytes that the pairs were drawn from.
	SpanBytes uint64 `json:"spanBytes"`
	// What tells which bytes are in use: "ntfs-bitmap", "ext4-bitmap", "file-extents", "content" (blocks of zeros are left out).
	Extents string `json:"extents"`
}

// PenaltyControl is the result of the same method where there is no encryption.
type PenaltyControl struct {
	// What was compared: "same-path" (the lower path against itself) or "plain-region".
	Kind string `json:"kind"`
	// The difference that it found, in ns, with a 95 % interval.
	AddedNs Range `json:"addedNs"`
	// Pairs.
	Pairs uint64 `json:"pairs"`
}

// PathProof tells whether the two paths lead to the same place, one through a cipher.
type PathProof struct {
	// Blocks that were read through both paths and compared.
	Blocks uint64 `json:"blocks"`
	// Those that were the same through both.
	Same uint64 `json:"same"`
	// Those that the lower path shows as random as ciphertext is.
	LowerRandom uint64 `json:"lowerRandom"`
	// Those that the upper path shows as random as ciphertext is.
	UpperRandom uint64 `json:"upperRandom"`
	// What follows: "encrypted" (different bytes, ciphertext below), "same" (no cipher between), "unrelated" or "inconclusive".
	Result string `json:"result"`
}

// VerdictResult is what a penalty means.
type VerdictResult string

// The verdicts.
const (
	// VerdictMaterial is a penalty above the threshold.
	VerdictMaterial VerdictResult = "material"
	// VerdictNegligible is a penalty below the threshold.
	VerdictNegligible VerdictResult = "negligible"
	// VerdictUndecided is no valid penalty, or one whose interval holds the threshold.
	VerdictUndecided VerdictResult = "undecided"
)

// MarshalText writes the verdict; the zero value is undecided.
func (v VerdictResult) MarshalText() ([]byte, error) {
	if v == "" {
		return []byte(VerdictUndecided), nil
	}
	return []byte(v), nil
}

// Verdict says what a penalty means.
type Verdict struct {
	// material, negligible or undecided.
	Result VerdictResult `json:"result"`
	// One or two sentences for people, with the figures.
	Text string `json:"text"`
	// Penalty from which it is material, in percent of the latency without the layer.
	ThresholdPercent float64 `json:"thresholdPercent"`
}

// Headroom is a figure predicted for the disk without the encryption layer.
type Headroom struct {
	// Id of the test.
	TestID string `json:"testId"`
	// Which figure: "p50Ns" or "iops".
	Metric string `json:"metric"`
	// As measured, with the layer.
	Measured float64 `json:"measured"`
	// As predicted without it, with the ends that follow from the penalty's interval.
	Predicted Range `json:"predicted"`
}

// BaselineFormat says which program wrote a baseline.
type BaselineFormat string

// The formats of baselines.
const (
	BaselineDiskaudit       BaselineFormat = "diskaudit"
	BaselineCrystalDiskMark BaselineFormat = "crystaldiskmark"
	BaselineDiskspd         BaselineFormat = "diskspd"
	BaselineFio             BaselineFormat = "fio"
)

// Comparison compares with an older result.
type Comparison struct {
	// The older result.
	Baseline Baseline `json:"baseline"`
	// False when nothing could be compared.
	Comparable bool `json:"comparable"`
	// Why the whole baseline, or a test of it, was not compared.
	Refusals List[Refusal] `json:"refusals"`
	// What differs between the runs without forbidding the comparison, such as the version of the tool.
	Notes List[InvalidReason] `json:"notes"`
	// The compared figures.
	Tests List[TestComparison] `json:"tests"`
	// True when a test is slower by more than chance and the threshold.
	Regression bool `json:"regression"`
	// Change below which a difference is not called one, in percent.
	ThresholdPercent float64 `json:"thresholdPercent"`
}

// Baseline is the older result of a comparison.
type Baseline struct {
	// The file.
	Path string `json:"path"`
	// diskaudit, crystaldiskmark, diskspd or fio; null when the file is none of them.
	Format *BaselineFormat `json:"format"`
	// Version of the program that wrote it.
	Version *string `json:"version"`
	// When it was measured, as far as the file says.
	CollectedAt *time.Time `json:"collectedAt"`
}

// Refusal says why something was not compared.
type Refusal struct {
	// Stable kebab-case id.
	Code string `json:"code"`
	// Id of the test; empty for the whole baseline.
	TestID string `json:"testId"`
	// The reason and the way out, for people.
	Text string `json:"text"`
}

// ChangeResult is what a comparison of one figure says.
type ChangeResult string

// The results of comparing.
const (
	ChangeFaster    ChangeResult = "faster"
	ChangeSlower    ChangeResult = "slower"
	ChangeSame      ChangeResult = "same"
	ChangeUndecided ChangeResult = "undecided"
)

// MarshalText writes the result; the zero value is undecided.
func (c ChangeResult) MarshalText() ([]byte, error) {
	if c == "" {
		return []byte(ChangeUndecided), nil
	}
	return []byte(c), nil
}

// TestComparison compares one figure of one test.
type TestComparison struct {
	// Id of the test.
	TestID string `json:"testId"`
	// Which figure: "p50Ns", "meanNs", "iops", "mbPerSecond".
	Metric string `json:"metric"`
	// In the baseline.
	Baseline float64 `json:"baseline"`
	// In this run.
	Current float64 `json:"current"`
	// Change from the baseline, in percent of it; positive is more.
	ChangePercent float64 `json:"changePercent"`
	// The change with a 95 % interval, in percent; null when the baseline does not have its rounds.
	Interval *Range `json:"interval"`
	// Probability of such a difference by chance (Mann-Whitney U over the rounds); null when the baseline does not have its rounds.
	PValue *float64 `json:"pValue"`
	// faster, slower, same or undecided.
	Result ChangeResult `json:"result"`
}
