// Package profile holds the named lists of tests that can be measured, as data: every option of
// every test is explicit, and each test names the command lines of diskspd and fio that do the
// same, so that anyone can check a figure with another tool.
package profile

import (
	"time"

	"diskaudit/core/contract"
)

// Profile is a named list of tests and what the file for them has to be.
type Profile struct {
	Name, Purpose string
	// SizeBytes is the size of the file that the tests use.
	SizeBytes int64
	// PrepareFor limits the time of writing the file; on a slow disk the file gets shorter.
	PrepareFor time.Duration
	// Limit is when the last test has to be over, from the start of the run, whatever the disk does; 0 is no limit.
	Limit time.Duration
	// PenaltyFor limits the time of measuring what an encryption layer adds.
	PenaltyFor time.Duration
	// Tests in order. Tests that differ in direction or durability only and stand side by side take turns, round by round.
	Tests []contract.TestSpec
}

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
	gib = int64(1) << 30
)

// Default is the profile that is measured when none is asked for.
const Default = "quick"

// Custom is the name of the profile whose one test is given by options.
const Custom = "custom"

// All returns the profiles in order. Their tests are complete: ids and equivalents included.
func All() []Profile {
	profiles := []Profile{quick(), cdm(), cdmNVMe(), atto(), oltp(), server(), flush(), legacy(), spaced(), custom()}
	for i := range profiles {
		profiles[i].finish()
	}
	return profiles
}

// Names lists the names of the profiles.
func Names() []string {
	var names []string
	for _, profile := range All() {
		names = append(names, profile.Name)
	}
	return names
}

// Find returns the profile of a name.
func Find(name string) (Profile, bool) {
	for _, profile := range All() {
		if profile.Name == name {
			return profile, true
		}
	}
	return Profile{}, false
}

// Resize makes the tests use size bytes: those that used the whole file, or more than size, use size.
func (p *Profile) Resize(size int64) {
	for i, test := range p.Tests {
		if test.SpanBytes == uint64(p.SizeBytes) || test.SpanBytes > uint64(size) {
			p.Tests[i].SpanBytes = uint64(size)
		}
	}
	p.SizeBytes = size
	p.finish()
}

// Last makes the measured rounds of each test last this long in all. Limits by I/Os and by bytes
// written stay.
func (p *Profile) Last(measured time.Duration) {
	for i := range p.Tests {
		p.Tests[i].RoundMs = milliseconds(measured) / float64(max(1, p.Tests[i].Rounds))
	}
	p.Limit = 0
	p.finish()
}

// Writes tells whether a test writes.
func (p Profile) Writes() bool {
	for _, test := range p.Tests {
		if test.Operation == contract.OperationWrite {
			return true
		}
	}
	return false
}

// Document describes the profile as documents do.
func (p Profile) Document() contract.BenchProfile {
	return contract.BenchProfile{Name: p.Name, Purpose: p.Purpose, Tests: p.Tests}
}

// finish gives the tests their ids and equivalents.
func (p *Profile) finish() {
	for i := range p.Tests {
		test := &p.Tests[i]
		if test.SpanBytes == 0 {
			test.SpanBytes = uint64(p.SizeBytes)
		}
		if test.RoundOps == 0 {
			test.RoundOps = maxOps / max(1, test.Rounds)
		}
		test.ID = ID(*test)
		test.Diskspd = Diskspd(*test)
		test.Fio = Fio(*test)
	}
}

// maxOps bounds the I/Os of a test, each of which is kept for exact percentiles: 8 bytes each.
const maxOps = 24_000_000

func milliseconds(d time.Duration) float64 {
	return float64(d) / float64(time.Millisecond)
}
