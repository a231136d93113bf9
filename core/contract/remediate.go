package contract

import "time"

// Remediation answers "diskaudit remediate": what would be changed, what stands against it, what
// the computer would be like afterwards, and, with --apply, what became of it.
type Remediation struct {
	Header
	// What is to be changed, and whether anything stands against it.
	Plan Plan `json:"plan"`
	// The computer as it is to be after the plan; null when its facts were not gathered.
	Projected *Status `json:"projected"`
	// True when the plan was to be carried out and nothing stood against it; steps tell how far that went.
	Applied bool `json:"applied"`
	// What became of the plan's steps, in their order; empty for a plan that was not carried out.
	Steps List[StepResult] `json:"steps"`
	// Conversions that were still under way at the end of the run.
	Running List[Running] `json:"running"`
	// File that records every change before it was made; null when nothing was changed.
	Journal *string `json:"journal"`
}

// Action is what a remediation is to bring about.
type Action string

// The actions.
const (
	ActionDecrypt Action = "decrypt"
	ActionPrevent Action = "prevent"
	ActionPause   Action = "pause"
	ActionResume  Action = "resume"
	ActionUndo    Action = "undo"
)

// Actions lists the actions.
func Actions() []Action {
	return []Action{ActionDecrypt, ActionPrevent, ActionPause, ActionResume, ActionUndo}
}

// MarshalText writes the action; the zero value is decrypt, the default.
func (a Action) MarshalText() ([]byte, error) {
	if a == "" {
		return []byte(ActionDecrypt), nil
	}
	return []byte(a), nil
}

// Plan is what is to be changed. It is empty when there is nothing to do.
type Plan struct {
	// Identifies the plan and the facts that it rests on: another state of the computer gives another id.
	ID string `json:"id"`
	// What the plan is to bring about.
	Action Action `json:"action"`
	// What is done, in this order.
	Steps List[PlanStep] `json:"steps"`
	// What was looked at before anything may be changed; one that refuses, or cannot tell, stops everything.
	Guards List[Guard] `json:"guards"`
	// Commands to be run by hand for what this program does not change itself, in this order; empty when there are none.
	Commands List[string] `json:"commands"`
}

// Change is the kind of a step.
type Change string

// The kinds of steps.
const (
	// ChangePrevent writes PreventDeviceEncryption.
	ChangePrevent Change = "set-prevent-device-encryption"
	// ChangeDecrypt starts the decryption of a volume.
	ChangeDecrypt Change = "decrypt"
	// ChangeWait waits until a volume's conversion has ended. It changes nothing.
	ChangeWait Change = "wait"
	// ChangeVerify reads everything afresh. It changes nothing.
	ChangeVerify Change = "verify"
	// ChangeClearAutoUnlock removes the keys by which data volumes unlock with the operating system's.
	ChangeClearAutoUnlock Change = "clear-auto-unlock-keys"
	// ChangePause pauses a volume's conversion.
	ChangePause Change = "pause-conversion"
	// ChangeResume resumes a volume's conversion.
	ChangeResume Change = "resume-conversion"
	// ChangeFlushing turns the flushing of a disk's write cache off or on.
	ChangeFlushing Change = "set-cache-flushing"
)

// Changes lists the kinds of steps.
func Changes() []Change {
	return []Change{ChangePrevent, ChangeDecrypt, ChangeWait, ChangeVerify, ChangeClearAutoUnlock, ChangePause, ChangeResume, ChangeFlushing}
}

// MarshalText writes the change; the zero value is verify, which changes nothing.
func (c Change) MarshalText() ([]byte, error) {
	if c == "" {
		return []byte(ChangeVerify), nil
	}
	return []byte(c), nil
}

// PlanStep is one step of a plan.
type PlanStep struct {
	// Id within the plan: its number and its change.
	ID string `json:"id"`
	// Id of the volume or disk; the registry value's path; "machine" for the computer.
	Target string `json:"target"`
	// What it does.
	Change Change `json:"change"`
	// What it does, for people.
	Text string `json:"text"`
	// State that it expects: a conversion's name; "absent" or a number for a registry value; "on" or "off" for flushing; "stored" or "not-stored" for keys.
	Before string `json:"before"`
	// State that it leads to, in the same words.
	After string `json:"after"`
	// Whether --action undo can take it back.
	Undoable bool `json:"undoable"`
	// How it is taken back, or why it cannot be.
	Undo string `json:"undo"`
	// How long it may take, in seconds; null when that cannot be told.
	EstimatedSeconds *float64 `json:"estimatedSeconds"`
	// What the estimate rests on; null when there is none.
	Estimate *Estimate `json:"estimate"`
}

// Estimate is what an expected duration rests on.
type Estimate struct {
	// Bytes that have to be rewritten.
	Bytes uint64 `json:"bytes"`
	// Bytes per second at which that is expected to go.
	BytesPerSecond float64 `json:"bytesPerSecond"`
	// Where the rate comes from: measured on this volume, or assumed by the kind of disk.
	Basis EstimateBasis `json:"basis"`
}

// EstimateBasis tells where a rate comes from.
type EstimateBasis string

// The bases of estimates.
const (
	BasisMeasured EstimateBasis = "measured"
	BasisAssumed  EstimateBasis = "assumed"
)

// MarshalText writes the basis; the zero value is assumed.
func (b EstimateBasis) MarshalText() ([]byte, error) {
	if b == "" {
		return []byte(BasisAssumed), nil
	}
	return []byte(b), nil
}

// Guard is one thing that was looked at before anything may be changed.
type Guard struct {
	// Stable kebab-case id.
	ID string `json:"id"`
	// Id of the volume, disk, policy or setting that it is about; "machine" for the computer.
	Target string `json:"target"`
	// Whether it lets the plan be carried out.
	Result GuardResult `json:"result"`
	// The fact, the risk and the way round it.
	Text string `json:"text"`
	// Option that overrides it, such as "--override portable"; null when nothing does.
	Override *string `json:"override"`
}

// GuardResult is what a guard says.
type GuardResult string

// The results of guards. Unknown refuses as refuse does.
const (
	GuardAllow      GuardResult = "allow"
	GuardRefuse     GuardResult = "refuse"
	GuardUnknown    GuardResult = "unknown"
	GuardOverridden GuardResult = "overridden"
)

// GuardResults lists the results of guards.
func GuardResults() []GuardResult {
	return []GuardResult{GuardAllow, GuardRefuse, GuardUnknown, GuardOverridden}
}

// MarshalText writes the result; the zero value is unknown, which refuses.
func (r GuardResult) MarshalText() ([]byte, error) {
	if r == "" {
		return []byte(GuardUnknown), nil
	}
	return []byte(r), nil
}

// Refuses tells whether a plan with such a guard must not be carried out.
func (r GuardResult) Refuses() bool { return r != GuardAllow && r != GuardOverridden }

// StepResult is what became of a step.
type StepResult struct {
	// Id of the step in the plan.
	ID string `json:"id"`
	// How it ended.
	Result StepOutcome `json:"result"`
	// When it began, UTC; null when it was not begun.
	StartedAt *time.Time `json:"startedAt"`
	// When it ended, UTC; null when it was not begun or goes on.
	EndedAt *time.Time `json:"endedAt"`
	// Why it did not end well; null when it did.
	Problem *Problem `json:"problem"`
}

// StepOutcome is how a step ended.
type StepOutcome string

// The outcomes of steps.
const (
	// StepDone: it was done, and a fresh look confirmed it.
	StepDone StepOutcome = "done"
	// StepAlready: it had been done before, so nothing was changed.
	StepAlready StepOutcome = "already-done"
	// StepRunning: it was begun and goes on without this program.
	StepRunning StepOutcome = "running"
	// StepFailed: it was tried, and the problem says what happened.
	StepFailed StepOutcome = "failed"
	// StepNotStarted: an earlier step kept it from being begun.
	StepNotStarted StepOutcome = "not-started"
)

// StepOutcomes lists the outcomes of steps.
func StepOutcomes() []StepOutcome {
	return []StepOutcome{StepDone, StepAlready, StepRunning, StepFailed, StepNotStarted}
}

// MarshalText writes the outcome; the zero value is not-started.
func (o StepOutcome) MarshalText() ([]byte, error) {
	if o == "" {
		return []byte(StepNotStarted), nil
	}
	return []byte(o), nil
}

// Running is a conversion that goes on after the run.
type Running struct {
	// Id of the volume.
	VolumeID string `json:"volumeId"`
	// Its state.
	Conversion *Conversion `json:"conversion"`
	// Part of the volume that is encrypted, 0 to 100.
	Percent *float64 `json:"percent"`
	// How fast that changes, in percent per hour; null when it was not watched for long enough.
	PercentPerHour *float64 `json:"percentPerHour"`
	// Seconds that are left at that rate.
	ETASeconds *float64 `json:"etaSeconds"`
	// Command that shows how far it is.
	Watch string `json:"watch"`
}
