package contract

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
	// What tells which bytes are in use: "volume-bitmap" (Windows' own), "ntfs-bitmap", "ext4-bitmap", "file-extents", "content" (blocks of zeros are left out).
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
