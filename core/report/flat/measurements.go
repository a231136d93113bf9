package flat

// Measured opens the records of a bench document: what was measured.
type Measured struct {
	// Name of the profile that was run.
	Profile *string `json:"profile"`
	// Path that was measured.
	TargetPath *string `json:"targetPath"`
	// Where in the stack the I/O entered: "file system", or the kind of block device.
	TargetLayer *string `json:"targetLayer"`
	Place
	CipherFacts
	DiskFacts
}

// Test is the record of one test of a bench document. Figures that have nothing to do with the disk
// are null there and here.
type Test struct {
	Origin
	Measured
	// Id such as RND4K-Q1T1-read.
	TestID string `json:"testId"`
	// Direction of the I/O: read, write.
	Operation *string `json:"operation"`
	// Bytes of one I/O.
	BlockBytes *int64 `json:"blockBytes"`
	// Order of the blocks: random, sequential.
	Pattern string `json:"pattern"`
	// I/Os that each thread kept in flight.
	QueueDepth *int64 `json:"queueDepth"`
	// Threads.
	Threads *int64 `json:"threads"`
	// When a write counted as done: device-cache, write-through, flush; null for reads.
	Durability *string `json:"durability"`
	// Rounds that were measured.
	Rounds int64 `json:"rounds"`
	// I/Os in all rounds.
	Ios *int64 `json:"ios"`
	// I/Os per second: median of the rounds.
	Iops *Decimal `json:"iops"`
	// Lower end of the 95 % interval of iops.
	IopsLow *Decimal `json:"iopsLow"`
	// Upper end of the 95 % interval of iops.
	IopsHigh *Decimal `json:"iopsHigh"`
	// Megabytes of 10^6 bytes per second: median of the rounds.
	MbPerSecond *Decimal `json:"mbPerSecond"`
	// Shortest latency, in ns.
	LatencyMinNs *Decimal `json:"latencyMinNs"`
	// Mean latency, in ns.
	LatencyMeanNs *Decimal `json:"latencyMeanNs"`
	// Median latency, in ns.
	LatencyP50Ns *Decimal `json:"latencyP50Ns"`
	// 90th percentile of the latency, in ns.
	LatencyP90Ns *Decimal `json:"latencyP90Ns"`
	// 99th percentile of the latency, in ns.
	LatencyP99Ns *Decimal `json:"latencyP99Ns"`
	// 99.9th percentile of the latency, in ns.
	LatencyP999Ns *Decimal `json:"latencyP999Ns"`
	// Longest latency, in ns.
	LatencyMaxNs *Decimal `json:"latencyMaxNs"`
	// Processor time of the measuring threads per I/O, in ns.
	CPUNsPerIo *Decimal `json:"cpuNsPerIo"`
	// Change of the latency from the first to the last round, in percent.
	DriftPercent *Decimal `json:"driftPercent"`
	// False when the figures do not tell the speed of the disk.
	TestValid bool `json:"testValid"`
	// Codes of the reasons for that, each once, separated by spaces; empty when it is valid.
	InvalidCodes string `json:"invalidCodes"`
	// The reasons with their evidence, separated by spaces.
	InvalidText string `json:"invalidText"`
	// Codes of what to know about the figures, each once, separated by spaces.
	NoteCodes string `json:"noteCodes"`
}

// Penalty is the record of what encryption adds, one for each bench document, also where that is not known.
type Penalty struct {
	Origin
	Measured
	// What the penalty rests on: paired, twin, before-after, none.
	PenaltyEvidence string `json:"penaltyEvidence"`
	// False when the figures do not tell what encryption costs; use none of them then.
	PenaltyValid bool `json:"penaltyValid"`
	// Code of the reason for that; null when it is valid.
	PenaltyReasonCode *string `json:"penaltyReasonCode"`
	// The reason, and how to get a figure; null when it is valid.
	PenaltyReasonText *string `json:"penaltyReasonText"`
	// Direction of the I/O: read, write.
	Operation *string `json:"operation"`
	// Bytes of one I/O.
	BlockBytes *int64 `json:"blockBytes"`
	// Median latency without the encryption, in ns.
	BareNs *Decimal `json:"bareNs"`
	// Median latency with it, in ns.
	LayeredNs *Decimal `json:"layeredNs"`
	// What encryption adds to one I/O, in ns.
	AddedNs *Decimal `json:"addedNs"`
	// Lower end of the 95 % interval of addedNs.
	AddedNsLow *Decimal `json:"addedNsLow"`
	// Upper end of the 95 % interval of addedNs.
	AddedNsHigh *Decimal `json:"addedNsHigh"`
	// The same in percent of the latency without encryption.
	AddedPercent *Decimal `json:"addedPercent"`
	// Lower end of the 95 % interval of addedPercent.
	AddedPercentLow *Decimal `json:"addedPercentLow"`
	// Upper end of the 95 % interval of addedPercent.
	AddedPercentHigh *Decimal `json:"addedPercentHigh"`
	// Pairs of reads that the estimate rests on.
	Pairs *int64 `json:"pairs"`
	// Processor time that encryption adds to one I/O, in ns.
	AddedCPUNs *Decimal `json:"addedCpuNs"`
	// What the penalty means: material, negligible, undecided.
	Verdict string `json:"verdict"`
	// Penalty from which it is material, in percent.
	ThresholdPercent *Decimal `json:"thresholdPercent"`
}
