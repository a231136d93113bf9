// Package comparison reads an older result - one of ours, or a file of CrystalDiskMark, KDiskMark,
// diskspd or fio - and compares a new one with it. It is pure: bytes in, facts out.
//
// # What is read
//
// Our own documents of any minor version of the schema, with their rounds. CrystalDiskMark 7, 8
// and 9: MB/s of 10^6 bytes, the best of its passes, and the best mean latency; a write is done
// when the device's cache has it. KDiskMark: rates from its IOPS, as its MB/s are thousands of
// KiB/s. diskspd's XML: rate, mean and percentiles in steps of 1 us; durability from its cache
// flags. fio's JSON, plain and with classes: rate, mean and percentiles, in ns from fio 3, in us
// from fio 2; durability from sync, fsync and fdatasync. A percentile that too few I/Os carry is
// left out. A file that holds two results, that was cut off or changed is refused whole, with the
// place; a test in it that is none of ours - mixed, through the cache, limited in rate, failed,
// run together with another - is refused by itself.
//
// # What is compared
//
// Tests are matched by what they do: operation, block, pattern, queue depth, threads, durability
// and spacing, never by position or name. Of each pair one figure of time and one of rate is
// compared: p50Ns, or meanNs where a side has no median; iops, or mbPerSecond where a side has no
// IOPS. A spaced test has no rate worth comparing.
//
// With rounds on both sides the change is the Hodges-Lehmann shift of the rounds' logarithms, in
// percent, with its 95 % interval and the Mann-Whitney probability. A figure is "slower" or
// "faster" only if the probability is below 5 %, the interval excludes 0, the change exceeds the
// threshold, and it stands among all figures of the run (see below). It is "same" if the interval
// lies within the threshold, and "undecided" otherwise.
//
// Without rounds on both sides - every file of another program - there is nothing to tell chance
// by, and the other program counts differently: such a figure is undecided up to a change of
// [BandWithoutRounds] percent, of the step in which the program writes a time, and as long as a
// round of the other side reaches the baseline's figure.
//
// # Many figures
//
// Eight tests are sixteen chances of a false alarm. The one-sided probabilities are therefore
// taken together by the method of Benjamini and Hochberg (J. R. Statist. Soc. B 57, 1995) at 5 %,
// once for slower and once for faster. If nothing got slower, the chance that anything is called
// slower, and so the chance of a false regression, is at most 5 % whatever the number of tests,
// for figures that are independent or move together, as those of one run do. Holm's method would guard each single figure as well, but with six rounds no figure of a profile
// of more than 23 tests could ever pass it. Rounds show chance within a run only. What differs
// from run to run, such as the place of the file on the disk, is what the threshold is for.
//
// # What is refused, and what is noted
//
// What decides what was measured is refused when it differs: disk (model, size, serial number),
// driver, operating system, layer, virtual machine, and per test its options and its span. What
// decides how fast it ran is compared and noted: versions of tool, driver, firmware and system
// build, processor, power source and plan, file system, write cache, and the state of encryption,
// where the difference is the question and not an obstacle. What a side does not tell is noted as
// not known; it never counts as the same.
package comparison

import (
	"fmt"
	"slices"

	"diskaudit/core/contract"
)

// Result is a baseline as it was read.
type Result struct {
	// Baseline names file, format, version and time.
	Baseline contract.Baseline
	// Document is the whole document when the baseline is one of ours, for evidence of before and after; nil otherwise.
	Document *contract.Bench
	// Tests are those whose options and figures the file tells.
	Tests []Test
	// Refusals name what the file holds but cannot be compared, such as a mixed test.
	Refusals []contract.Refusal
	// Notes say how the file's figures are to be read.
	Notes []contract.InvalidReason
}

// Test is one test of either side. A figure that its source does not have is nil.
type Test struct {
	contract.BenchTest
	// SpanBytes is the part of the target that was used; nil when unknown.
	SpanBytes *uint64
	// SpacingMs is the time from one I/O to the next; 0 is back to back.
	SpacingMs float64
	// RoundMs and WarmupMs are the lengths of a round and of the warm-up; nil when unknown.
	RoundMs, WarmupMs *float64
	// ResolutionNs is the step in which the source writes latencies; 0 when it is finer than matters.
	ResolutionNs float64
}

func (r *Result) refuse(code, test, format string, args ...any) {
	r.Refusals = append(r.Refusals, contract.Refusal{Code: code, TestID: test, Text: fmt.Sprintf(format, args...)})
}

// noteOnce adds a note that holds for all tests alike.
func (r *Result) noteOnce(code, text string) {
	if !slices.ContainsFunc(r.Notes, func(have contract.InvalidReason) bool { return have.Code == code }) {
		r.Notes = append(r.Notes, note(code, text))
	}
}

// spec is a test's options in the form that names it.
func (t *Test) spec() contract.TestSpec {
	return contract.TestSpec{
		Operation: t.Operation, BlockBytes: t.BlockBytes, Pattern: t.Pattern, QueueDepth: t.QueueDepth,
		Threads: t.Threads, Durability: t.Durability, SpacingMs: t.SpacingMs,
	}
}

// latest reads the tests of one of our documents with what their profile says of them.
func latest(bench contract.Bench) []Test {
	specs := map[string]contract.TestSpec{}
	for _, spec := range bench.Profile.Tests {
		specs[spec.ID] = spec
	}
	tests := make([]Test, 0, len(bench.Tests))
	for _, measured := range bench.Tests {
		test := Test{BenchTest: measured}
		if spec, ok := specs[measured.ID]; ok {
			test.SpacingMs = spec.SpacingMs
			test.RoundMs, test.WarmupMs = &spec.RoundMs, &spec.WarmupMs
			if spec.SpanBytes > 0 {
				test.SpanBytes = &spec.SpanBytes
			}
		}
		tests = append(tests, test)
	}
	return tests
}
