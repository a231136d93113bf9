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
	// Where in the stack the I/O enters: "file system", or the kind of block device as in the status document's layers, such as "crypt", "loop", "partition", "volume", "disk".
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
