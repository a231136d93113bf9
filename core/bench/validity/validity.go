// Package validity judges whether a figure tells the speed of the disk. A result that cannot be
// true, or that tells the speed of something else, is invalid with its reason; what a reader has
// to know about a valid one is a note. Rules are a table; each is pure.
package validity

import (
	"slices"

	"diskaudit/core/contract"
)

// Evidence is what a test's figures are judged by.
type Evidence struct {
	Test contract.BenchTest
	// Backwards and Zero count clock readings that went backwards and latencies of 0.
	Backwards, Zero int
	// Failed is the error that ended the test; nil when none did.
	Failed error
	Target contract.BenchTarget
	// Facts about the target that the file system and the devices below it told.
	Facts   Facts
	Context contract.BenchContext
	// Activities are what BitLocker did on the target's disks when the computer was asked, before
	// and after the tests; one that lasted may be there twice.
	Activities []Activity
}

// inMemory tells whether the target is known to lie in memory. What is true of disks only is not
// asked of it: that it is memory says all.
func (e Evidence) inMemory() bool {
	return e.Facts.InMemory.Known && e.Facts.InMemory.True
}

// Facts are properties of a target that make figures on it meaningless. Unknown is nil.
type Facts struct {
	InMemory, Sparse, Unwritten, Compressed, Encrypted, Cached Fact
}

// Fact is a property with its evidence.
type Fact struct {
	Known, True bool
	// Evidence says what was seen, as a clause.
	Evidence string
}

// Activity is work of BitLocker in the background that keeps a disk busy.
type Activity struct {
	Kind ActivityKind
	// Volume is the name of the volume that it is done to; "" is the one that was measured.
	Volume string
}

// ActivityKind is what BitLocker does.
type ActivityKind int

// The kinds of activity.
const (
	Encrypting ActivityKind = iota
	Decrypting
	// Wiping is overwriting free space.
	Wiping
)

// Judgement is the outcome for one test.
type Judgement struct {
	// Invalid are the reasons for which the figures do not tell the speed of the disk.
	Invalid []contract.InvalidReason
	// Notes are what a reader has to know about valid figures.
	Notes []contract.InvalidReason
	// Withhold is true when the figures have nothing to do with the disk, so that they are not shown at all.
	Withhold bool
}

type rule struct {
	code string
	// weight is what follows when the rule applies.
	weight weight
	// applies returns the evidence and the way out; "" when the rule does not apply.
	applies func(Evidence) string
}

// weight is what a rule does to the figures.
type weight int

const (
	// note leaves the figures valid.
	note weight = iota
	// invalid figures are those of the target, but not of the disk in its usual state.
	invalid
	// withheld figures are not those of the target at all.
	withheld
)

// Judge applies all rules in order.
func Judge(evidence Evidence) Judgement {
	var judged Judgement
	for _, rule := range rules {
		text := rule.applies(evidence)
		if text == "" {
			continue
		}
		reason := contract.InvalidReason{Code: rule.code, Text: text}
		if rule.weight == note {
			judged.Notes = append(judged.Notes, reason)
			continue
		}
		judged.Invalid = append(judged.Invalid, reason)
		judged.Withhold = judged.Withhold || rule.weight == withheld
	}
	return judged
}

// ofState are the codes of the rules that hold for whatever was measured on a target, not for one test.
var ofState = []string{"cached", "conversion-running", "on-battery"}

// Disturbed says why whatever was measured does not tell what the disk does in its usual state, apart
// from any test; nil when nothing is known to have disturbed it.
func Disturbed(evidence Evidence) *contract.InvalidReason {
	for _, rule := range rules {
		if !slices.Contains(ofState, rule.code) {
			continue
		}
		if text := rule.applies(evidence); text != "" {
			return &contract.InvalidReason{Code: rule.code, Text: text}
		}
	}
	return nil
}

// Apply judges a test and writes the outcome into it. Figures that are withheld become null;
// those of the rounds go with them.
func Apply(evidence Evidence) contract.BenchTest {
	test := evidence.Test
	judged := Judge(evidence)
	test.InvalidReasons, test.Notes = judged.Invalid, judged.Notes
	test.Valid = len(judged.Invalid) == 0
	if judged.Withhold {
		test.Rounds, test.IOPS, test.MBPerSecond, test.MiBPerSecond = nil, nil, nil, nil
		test.LatencyNs, test.Histogram, test.Interval, test.Drift = contract.Latency{}, nil, nil, nil
		test.CPUNsPerIO, test.SystemCPUNsPerIO, test.CPUPercent, test.AchievedDepth = nil, nil, nil, nil
	}
	return test
}

// Codes lists the codes of the rules: those that make a figure invalid, and those that are notes.
func Codes() (invalidates, notes []string) {
	for _, rule := range rules {
		if rule.weight == note {
			notes = append(notes, rule.code)
		} else {
			invalidates = append(invalidates, rule.code)
		}
	}
	return invalidates, notes
}
