package contract

import "time"

// Report answers "diskaudit report": what many status and bench documents say together.
type Report struct {
	Header
	// html, ndjson, csv or json.
	Format ReportFormat `json:"format"`
	// The page or file that was written; null when there is none but this document.
	Output *ReportOutput `json:"output"`
	// What was read.
	Inputs ReportInputs `json:"inputs"`
	// The computers that status documents are of, by state.
	Computers ReportComputers `json:"computers"`
	// Disks by model, the most frequent first, the rest in one group at the end.
	Models List[ReportGroup] `json:"models"`
	// Volumes on fixed disks by cipher.
	Methods List[ReportGroup] `json:"methods"`
	// Volumes on fixed disks by what encrypts them.
	Engines List[ReportGroup] `json:"engines"`
	// Findings by rule, worst severity first.
	Findings List[ReportFinding] `json:"findings"`
	// Measured volumes of all kinds. Those without encryption are among them, so it has no figures of added latency.
	Penalty ReportPenalty `json:"penalty"`
	// What encryption was measured to add on volumes that are known to be encrypted by software.
	SoftwarePenalty ReportPenalty `json:"softwarePenalty"`
	// Added latency of the valid ones of these, counted in classes.
	AddedNs List[ReportClass] `json:"addedNs"`
	// The same in percent of the latency without encryption.
	AddedPercent List[ReportClass] `json:"addedPercent"`
	// What encryption was measured to add, by disk model and cipher.
	Combinations List[ReportCombination] `json:"combinations"`
	// Latencies by test and by what encrypts the volume that was measured.
	Tests List[ReportTest] `json:"tests"`
	// The measured volumes that pay most, worst first, at most 500.
	Worst List[ReportMeasurement] `json:"worst"`
	// The computers that need most attention, at most 500.
	Attention List[ReportAttention] `json:"attention"`
	// Why something is not known: problems, reasons and counts, the most frequent first.
	Unknowns List[ReportUnknown] `json:"unknowns"`
}

// ReportFormat is what a report is written as.
type ReportFormat string

// The formats of reports.
const (
	ReportHTML   ReportFormat = "html"
	ReportNDJSON ReportFormat = "ndjson"
	ReportCSV    ReportFormat = "csv"
	ReportJSON   ReportFormat = "json"
)

// ReportFormats lists the formats in the order of the help.
func ReportFormats() []ReportFormat {
	return []ReportFormat{ReportHTML, ReportNDJSON, ReportCSV, ReportJSON}
}

// MarshalText writes the format; the zero value is json, that of this document.
func (f ReportFormat) MarshalText() ([]byte, error) {
	if f == "" {
		return []byte(ReportJSON), nil
	}
	return []byte(f), nil
}

// PageKind is what a page shows.
type PageKind string

// The kinds of pages.
const (
	// PageFleet compares computers.
	PageFleet PageKind = "fleet"
	// PageComputer shows one computer.
	PageComputer PageKind = "computer"
)

// ReportOutput is a file that was written.
type ReportOutput struct {
	// Path of the file.
	Path string `json:"path"`
	// Its size in bytes.
	SizeBytes uint64 `json:"sizeBytes"`
	// What the page shows: fleet or computer; null for a file that is no page.
	Page *PageKind `json:"page"`
}

// ReportInputs counts what was read.
type ReportInputs struct {
	// Files that were opened.
	Files uint64 `json:"files"`
	// Status documents that count.
	Statuses uint64 `json:"statuses"`
	// Bench documents that count.
	Benches uint64 `json:"benches"`
	// Documents that do not count, since the same computer has a newer one: known only of documents that were written with --identify.
	Superseded uint64 `json:"superseded"`
	// Documents that are the same byte by byte as another, which counts.
	Duplicates uint64 `json:"duplicates"`
	// Files and documents that were passed over; the first 100 are among the problems.
	Skipped uint64 `json:"skipped"`
	// When the oldest document that counts was written; null when none counts.
	Oldest *time.Time `json:"oldest"`
	// When the newest document that counts was written; null when none counts.
	Newest *time.Time `json:"newest"`
}

// ReportComputers counts computers that status documents are of. A document without a computer's name
// counts as one computer.
type ReportComputers struct {
	// All of them.
	Total uint64 `json:"total"`
	// Those whose documents have the computer's name.
	Named uint64 `json:"named"`
	// Computers by state, in the order of priority; every state is there.
	States List[ReportState] `json:"states"`
	// Computers with a volume that is known to hold data encrypted by software, whatever their state is.
	SoftwareEncrypted uint64 `json:"softwareEncrypted"`
	// Computers with an encrypted volume that is known not to be protected.
	Unprotected uint64 `json:"unprotected"`
	// Computers with a critical finding.
	Critical uint64 `json:"critical"`
}

// ReportState counts the computers in one state.
type ReportState struct {
	// The state.
	State ComputerState `json:"state"`
	// Computers.
	Computers uint64 `json:"computers"`
}

// ReportGroup counts what has one disk model, cipher or engine.
type ReportGroup struct {
	// Model, cipher or engine; null for those of which it is not known, and for the rest.
	Name *string `json:"name"`
	// True for the group that holds what is in none of the others.
	Rest bool `json:"rest"`
	// Computers that have it, by their status documents; in the rest, one with several groups counts for each of them, at most all.
	Computers uint64 `json:"computers"`
	// Disks of the model, or volumes with the cipher or engine.
	Count uint64 `json:"count"`
	// Computers that hold data encrypted by software there.
	SoftwareEncrypted uint64 `json:"softwareEncrypted"`
	// What encryption was measured to add there, by bench documents.
	Penalty ReportPenalty `json:"penalty"`
}

// ReportFinding counts the findings of one rule.
type ReportFinding struct {
	// Id of the rule.
	ID string `json:"id"`
	// The worst severity with which it was found.
	Severity Severity `json:"severity"`
	// Title of the first of them, which can name its volume.
	Title string `json:"title"`
	// Findings.
	Count uint64 `json:"count"`
	// Computers with at least one; in the rest, one with several ids counts for each of them, at most all.
	Computers uint64 `json:"computers"`
}

// ReportPenalty says what encryption was measured to add. Figures are those of valid measurements alone.
type ReportPenalty struct {
	// Measured volumes: bench documents that count.
	Measured uint64 `json:"measured"`
	// Those with a valid penalty.
	Valid uint64 `json:"valid"`
	// Of the valid ones, those whose penalty is material.
	Material uint64 `json:"material"`
	// Of the valid ones, those whose penalty is negligible.
	Negligible uint64 `json:"negligible"`
	// Of the valid ones, those whose interval holds the threshold.
	Undecided uint64 `json:"undecided"`
	// Those without a valid penalty; the reasons are among the unknowns.
	Invalid uint64 `json:"invalid"`
	// Added latency in ns; null without a valid penalty.
	AddedNs *Quantiles `json:"addedNs"`
	// Added latency in percent of the latency without encryption; null without a valid penalty that tells it.
	AddedPercent *Quantiles `json:"addedPercent"`
}

// Quantiles describe figures of several computers, each counted once, to within 0.5 percent of the value.
type Quantiles struct {
	// Figures.
	Count uint64 `json:"count"`
	// Smallest.
	Min float64 `json:"min"`
	// 5th percentile.
	P5 float64 `json:"p5"`
	// First quartile.
	P25 float64 `json:"p25"`
	// Median.
	P50 float64 `json:"p50"`
	// Third quartile.
	P75 float64 `json:"p75"`
	// 95th percentile.
	P95 float64 `json:"p95"`
	// Largest.
	Max float64 `json:"max"`
}

// ReportClass counts the valid measurements whose penalty lies from its lower to below its upper end.
type ReportClass struct {
	// Lower end, included; null for the lowest class, which has none.
	From *float64 `json:"from"`
	// Upper end, not included; null for the highest class, which has none.
	To *float64 `json:"to"`
	// Measurements whose penalty is material.
	Material uint64 `json:"material"`
	// Measurements whose penalty is negligible.
	Negligible uint64 `json:"negligible"`
	// Measurements of which that is undecided.
	Undecided uint64 `json:"undecided"`
}

// ReportCombination says what encryption adds on one disk model with one cipher.
type ReportCombination struct {
	// Model of the disk; null when it is not known, and for the rest.
	Model *string `json:"model"`
	// The cipher; null when it is not known, and for the rest.
	Method *string `json:"method"`
	// What encrypts; null when it is not known, and for the rest.
	Engine *string `json:"engine"`
	// True for the group that holds what is in none of the others.
	Rest bool `json:"rest"`
	// What was measured.
	Penalty ReportPenalty `json:"penalty"`
}

// ReportTest describes the figures of one test on volumes that are encrypted alike. Different disks are
// among them: it tells how they are spread, not what encryption costs.
type ReportTest struct {
	// Id of the test; empty for the rest.
	TestID string `json:"testId"`
	// When a write counted as done; null for reads.
	Durability *Durability `json:"durability"`
	// What encrypts the volumes that were measured; null when it is not known.
	Engine *string `json:"engine"`
	// Valid results.
	Valid uint64 `json:"valid"`
	// Results that do not tell the speed of the disk.
	Invalid uint64 `json:"invalid"`
	// The valid results' median latencies in ns.
	P50Ns *Quantiles `json:"p50Ns"`
	// Their 99th percentiles in ns.
	P99Ns *Quantiles `json:"p99Ns"`
	// Their I/Os per second.
	IOPS *Quantiles `json:"iops"`
}

// ReportPlace is where a document was found.
type ReportPlace struct {
	// Name of the computer; null when its document does not have it.
	ComputerName *string `json:"computerName"`
	// The file.
	Path string `json:"path"`
	// Line of the file on which the document begins, from 1.
	Line uint64 `json:"line"`
	// When the document was written.
	CollectedAt time.Time `json:"collectedAt"`
}

// ReportMeasurement is one measured volume.
type ReportMeasurement struct {
	// The bench document.
	Place ReportPlace `json:"place"`
	// Where the volume is mounted, or its path.
	Volume string `json:"volume"`
	// Model of the disk.
	Model *string `json:"model"`
	// The cipher.
	Method *string `json:"method"`
	// What encrypts.
	Engine *string `json:"engine"`
	// What the penalty rests on.
	Evidence EvidenceKind `json:"evidence"`
	// What it means.
	Verdict VerdictResult `json:"verdict"`
	// Penalty from which it is material, in percent of the latency without encryption.
	ThresholdPercent float64 `json:"thresholdPercent"`
	// What encryption adds to one I/O, in ns, with a 95 % interval.
	AddedNs Range `json:"addedNs"`
	// The same in percent of the latency without encryption; null when it was not told.
	AddedPercent *Range `json:"addedPercent"`
	// State of the computer by its status document; null when there is none that is known to be of this computer.
	State *ComputerState `json:"state"`
	// Its critical findings; null without such a document.
	Critical *uint64 `json:"critical"`
	// Its warnings; null without such a document.
	Warnings *uint64 `json:"warnings"`
	// Its worst finding; null without such a document or finding.
	WorstFinding *string `json:"worstFinding"`
}

// ReportAttention is one computer by its status document.
type ReportAttention struct {
	// The status document.
	Place ReportPlace `json:"place"`
	// Its state.
	State ComputerState `json:"state"`
	// Model of the disk that holds the operating system; null when it is not known.
	Model *string `json:"model"`
	// Cipher of the operating system volume; null when it is not known.
	Method *string `json:"method"`
	// What encrypts it; null when it is not known.
	Engine *string `json:"engine"`
	// Whether its key is kept from a thief; null when it is not known.
	Protection *string `json:"protection"`
	// Findings of severity critical.
	Critical uint64 `json:"critical"`
	// Findings of severity warning.
	Warnings uint64 `json:"warnings"`
	// Id of the worst finding; null when there is none.
	WorstFinding *string `json:"worstFinding"`
}

// UnknownKind tells what is not known.
type UnknownKind string

// What can be unknown.
const (
	// UnknownFact is a problem of level error of a status or bench document.
	UnknownFact UnknownKind = "fact"
	// UnknownPenalty is a reason for which a penalty is not valid.
	UnknownPenalty UnknownKind = "penalty"
	// UnknownTest is a reason for which a test is not valid.
	UnknownTest UnknownKind = "test"
)

// MarshalText writes the kind; the zero value is fact.
func (k UnknownKind) MarshalText() ([]byte, error) {
	if k == "" {
		return []byte(UnknownFact), nil
	}
	return []byte(k), nil
}

// ReportUnknown counts the times that one reason left something unknown.
type ReportUnknown struct {
	// fact, penalty or test.
	Kind UnknownKind `json:"kind"`
	// Code of the problem or the reason; empty for the rest.
	Code string `json:"code"`
	// Documents that have it.
	Documents uint64 `json:"documents"`
	// Text of the first of them, which can name its volume.
	Text string `json:"text"`
}
