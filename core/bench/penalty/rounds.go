package penalty

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/bench/statistics"
	"diskaudit/core/contract"
)

// Codes of the reasons for which two tests say nothing.
const (
	codeUnlike     = "tests-unlike"
	codeTest       = "test-not-valid"
	codeFewRounds  = "too-few-rounds"
	codeNoTest     = "test-missing"
	codeState      = "state-unknown"
	codeSameState  = "states-alike"
	codeConverting = "conversion-running"
	codeElsewhere  = "disk-differs"
	codeDriver     = "driver-differs"
	codePower      = "power-differs"
)

// Twin takes the penalty from the same test on an encrypted and on a plain volume of one disk, by
// the shift between the rounds' median latencies. That the volumes are on one disk and in these
// states is for the caller to see to.
func Twin(encrypted, plain contract.BenchTest) contract.Penalty {
	return fromRounds(contract.EvidenceTwin, encrypted, plain)
}

// fromRounds compares the rounds of two tests. The result has no pairs and no control: there are
// none.
func fromRounds(kind contract.EvidenceKind, encrypted, plain contract.BenchTest) contract.Penalty {
	result := contract.Penalty{Evidence: kind}
	if result.Reason = unlike(encrypted, plain); result.Reason != nil {
		return result
	}
	operation, blockBytes := plain.Operation, plain.BlockBytes
	result.Operation, result.BlockBytes = &operation, &blockBytes
	for _, side := range []struct {
		state string
		test  contract.BenchTest
	}{{"encrypted", encrypted}, {"plain", plain}} {
		if !side.test.Valid {
			why := ""
			for _, reason := range side.test.InvalidReasons {
				why += " " + reason.Text
			}
			result.Reason = because(codeTest, "The figures of %s on the %s volume do not tell its speed, so they say nothing about encryption either.%s", side.test.ID, side.state, why)
			return result
		}
	}
	above, below := roundMedians(encrypted), roundMedians(plain)
	shift, ok := statistics.ShiftInterval(below, above)
	if !ok {
		result.Reason = because(codeFewRounds, "%s has %d rounds with encryption and %d without, too few to compare. Measure with at least 6 rounds.", plain.ID, len(above), len(below))
		return result
	}
	e := estimate{
		added:   contract.Range{Low: shift.Low, Estimate: shift.Estimate, High: shift.High},
		bare:    center(below),
		layered: center(above).Estimate,
	}
	percent := e.percent()
	result.BareNs, result.LayeredNs = &e.bare.Estimate, &e.layered
	result.AddedNs, result.AddedPercent = &e.added, &percent
	if e.added.High < -tolerance(e.bare.Estimate) {
		result.Reason = because(codeFaster, "With encryption %s was %s faster than without, which cannot be its work: the runs differ in something else, such as what the disk was doing. Measure both again on an idle computer.", plain.ID, fromTo(-e.added.High, -e.added.Low))
	}
	result.Valid = result.Reason == nil
	return result
}

// roundMedians are the rounds' median latencies.
func roundMedians(test contract.BenchTest) []float64 {
	var medians []float64
	for _, round := range test.Rounds {
		if round.P50Ns != nil && *round.P50Ns > 0 {
			medians = append(medians, *round.P50Ns)
		}
	}
	return medians
}

// center is the median of the rounds with its interval; of few rounds, with all of them as the
// interval.
func center(medians []float64) contract.Range {
	if found, ok := statistics.MedianInterval(medians); ok {
		return contract.Range{Low: found.Low, Estimate: found.Estimate, High: found.High}
	}
	sorted := slices.Sorted(slices.Values(medians))
	n := len(sorted)
	return contract.Range{Low: sorted[0], Estimate: sorted[(n-1)/2]/2 + sorted[n/2]/2, High: sorted[n-1]}
}

// unlike says in what two tests differ that decides about their speed.
func unlike(a, b contract.BenchTest) *contract.InvalidReason {
	var differences []string
	for _, property := range []struct {
		name string
		a, b string
	}{
		{"operation", string(cmp.Or(a.Operation, contract.OperationRead)), string(cmp.Or(b.Operation, contract.OperationRead))},
		{"block size", blockSize(a.BlockBytes), blockSize(b.BlockBytes)},
		{"pattern", string(cmp.Or(a.Pattern, contract.PatternRandom)), string(cmp.Or(b.Pattern, contract.PatternRandom))},
		{"queue depth", fmt.Sprint(a.QueueDepth), fmt.Sprint(b.QueueDepth)},
		{"threads", fmt.Sprint(a.Threads), fmt.Sprint(b.Threads)},
		{"durability", text(a.Durability), text(b.Durability)},
		{"calls", text(a.API), text(b.API)},
	} {
		if property.a != property.b {
			differences = append(differences, fmt.Sprintf("%s (%s and %s)", property.name, property.a, property.b))
		}
	}
	if len(differences) == 0 {
		return nil
	}
	return because(codeUnlike, "The tests %s and %s are not the same: they differ in %s. Compare runs of the same profile.", a.ID, b.ID, strings.Join(differences, ", "))
}

// text is a property that may be null, for people.
func text[T ~string](value *T) string {
	if value == nil {
		return "none"
	}
	return string(*value)
}
