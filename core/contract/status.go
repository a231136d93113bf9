package contract

// Status answers "diskaudit status": what is encrypted, how, by whom, what is wrong, what to do.
type Status struct {
	Header
	// The computer that the facts are of.
	Machine Machine `json:"machine"`
	// Whether BitLocker could be asked, and how.
	BitLocker Provider `json:"bitLocker"`
	// Policies that decide what Windows does with encryption.
	Policy Policy `json:"policy"`
	// Physical disks, virtual disks and disk images.
	Disks List[Disk] `json:"disks"`
	// Volumes, those without a drive letter included.
	Volumes List[Volume] `json:"volumes"`
	// What the facts mean: worst first, then in the order of the rules.
	Findings List[Finding] `json:"findings"`
	// The whole computer in one state and a few counts; null in a recording, which holds facts alone.
	Summary *Summary `json:"summary"`
}

// Provider tells whether BitLocker's state could be asked for at all. An unavailable provider
// says nothing about the volumes: they are unknown, not decrypted.
type Provider struct {
	// True when BitLocker's state could be read; null when that was not found out.
	Available *bool `json:"available"`
	// What answered: "wmi" (Win32_EncryptableVolume), "shell" (without elevation) or "on-disk" (the metadata on the volume).
	Provider *string `json:"provider"`
	// Why it is not available; null when it is.
	Reason *string `json:"reason"`
}

// Finding is one conclusion from the facts.
type Finding struct {
	// Stable kebab-case id of the rule.
	ID string `json:"id"`
	// How much it matters.
	Severity Severity `json:"severity"`
	// Id of the volume or disk that it is about; "machine" for the computer.
	Target string `json:"target"`
	// One line for people.
	Title string `json:"title"`
	// The facts that it rests on.
	Evidence string `json:"evidence"`
	// What to do: what to run, what it costs, what it risks.
	Advice string `json:"advice"`
	// Page or advisory that it rests on; empty when there is none.
	Reference string `json:"reference"`
	// The title and the advice in the language that was asked for; null when that is English.
	Localized *Localized `json:"localized"`
}

// Localized is what a finding says, in another language than English. Commands, names and numbers are
// those of the English texts.
type Localized struct {
	// The language: "de" (German) or "zh" (Chinese, simplified).
	Language string `json:"language"`
	// One line for people.
	Title string `json:"title"`
	// What to do.
	Advice string `json:"advice"`
}

// Severity ranks findings.
type Severity string

// The severities, least first.
const (
	SeverityInfo     Severity = "info"
	SeverityNotice   Severity = "notice"
	SeverityWarning  Severity = "warning"
	SeverityCritical Severity = "critical"
)

// Severities lists the severities, least first.
func Severities() []Severity {
	return []Severity{SeverityInfo, SeverityNotice, SeverityWarning, SeverityCritical}
}

// Rank is the severity's place, 0 for info; -1 for a severity that does not exist.
func (s Severity) Rank() int {
	for rank, severity := range Severities() {
		if severity == s {
			return rank
		}
	}
	return -1
}

// MarshalText writes the severity; the zero value is info.
func (s Severity) MarshalText() ([]byte, error) {
	if s == "" {
		return []byte(SeverityInfo), nil
	}
	return []byte(s), nil
}
