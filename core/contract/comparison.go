package contract

import "time"

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
