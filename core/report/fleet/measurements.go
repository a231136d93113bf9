package fleet

import (
	"cmp"
	"math"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/report/fleet/documents"
)

// bench counts a measured volume. about is what is known of its computer by a status document.
func (t *tally) bench(document documents.Document, about *linked) {
	t.next()
	bench := document.Bench
	key := combinationOf(bench.Context)
	t.penalty.add(bench)
	t.models.get(key.model).penalty.add(bench)
	t.methods.get(key.method).penalty.add(bench)
	t.engines.get(key.engine).penalty.add(bench)
	t.combinations.get(key).add(bench)
	bySoftware := key.engine == string(contract.EngineSoftware)
	if bySoftware {
		t.software.add(bench)
	}
	if ns, percent, ok := figures(bench.Penalty); ok {
		if bySoftware {
			t.ns.add(ns.Estimate, bench.Verdict.Result)
		}
		if bySoftware && percent != nil {
			t.percent.add(percent.Estimate, bench.Verdict.Result)
		}
		t.measured.add(measurementOf(document, key, about))
	} else {
		t.withoutPenalty(bench.Penalty)
	}
	t.timed(bench, key.engine)
	t.missing(contract.UnknownFact, bench.Problems)
}

func combinationOf(context contract.BenchContext) combination {
	var key combination
	if context.Disk != nil {
		key.model = named(context.Disk.Model)
	}
	if context.Volume != nil {
		key.method, key.engine = methodOf(context.Volume.Encryption), engineOf(context.Volume.Encryption)
	}
	return key
}

// withoutPenalty counts why there is no valid penalty.
func (t *tally) withoutPenalty(penalty contract.Penalty) {
	code, text := "no-reason", "The document does not say why its penalty is not valid."
	if penalty.Reason != nil {
		code, text = penalty.Reason.Code, penalty.Reason.Text
	}
	t.unknown(map[*contract.ReportUnknown]bool{}, contract.UnknownPenalty, code, text)
}

// testKey is a test on volumes that are encrypted alike. Figures of different durability are not
// mixed.
type testKey struct {
	id         string
	durability contract.Durability
	engine     string
}

// testSpread holds the figures of a test.
type testSpread struct {
	valid, invalid uint64
	p50, p99, iops spread
}

func (s *testSpread) merge(from *testSpread) {
	s.valid += from.valid
	s.invalid += from.invalid
	s.p50.merge(&from.p50)
	s.p99.merge(&from.p99)
	s.iops.merge(&from.iops)
}

// timed counts the figures of the tests.
func (t *tally) timed(bench *contract.Bench, engine string) {
	once := map[*contract.ReportUnknown]bool{}
	for _, test := range bench.Tests {
		key := testKey{id: clip(test.ID, longestName), engine: engine}
		if test.Durability != nil {
			key.durability = *test.Durability
		}
		s := t.tests.get(key)
		if !test.Valid {
			s.invalid++
			for _, reason := range test.InvalidReasons {
				t.unknown(once, contract.UnknownTest, reason.Code, reason.Text)
			}
			continue
		}
		s.valid++
		for _, figure := range []struct {
			into  *spread
			value *float64
		}{{&s.p50, test.LatencyNs.P50}, {&s.p99, test.LatencyNs.P99}, {&s.iops, test.IOPS}} {
			if figure.value != nil {
				figure.into.add(*figure.value)
			}
		}
	}
}

func measurementOf(document documents.Document, key combination, about *linked) contract.ReportMeasurement {
	bench := document.Bench
	ns, percent, _ := figures(bench.Penalty)
	measurement := contract.ReportMeasurement{
		Place: placeOf(document), Volume: clip(volumeOf(*bench), longestName),
		Model: known(key.model), Method: known(key.method), Engine: known(key.engine),
		Evidence: bench.Penalty.Evidence, Verdict: bench.Verdict.Result, ThresholdPercent: bench.Verdict.ThresholdPercent,
		AddedNs: ns, AddedPercent: percent,
	}
	if about != nil {
		state := stateOf(about.state)
		measurement.State, measurement.Critical, measurement.Warnings, measurement.WorstFinding = &state, &about.critical, &about.warnings, about.worst
	}
	return measurement
}

// volumeOf is the measured volume as people call it.
func volumeOf(bench contract.Bench) string {
	volume := bench.Context.Volume
	switch {
	case volume != nil && len(volume.MountPoints) > 0:
		return volume.MountPoints[0]
	case volume != nil:
		return volume.ID
	}
	return targetOf(bench)
}

// paysMore orders by what is sure of the penalty: the lower end of its interval, in percent where it
// is told. Of equals the place decides, so that the order does not depend on that of reading.
func paysMore(a, b contract.ReportMeasurement) bool {
	return cmp.Or(
		cmp.Compare(surePercent(b), surePercent(a)),
		cmp.Compare(b.AddedNs.Low, a.AddedNs.Low),
		comparePlaces(a.Place, b.Place),
	) < 0
}

func surePercent(m contract.ReportMeasurement) float64 {
	if m.AddedPercent == nil {
		return math.Inf(-1)
	}
	return m.AddedPercent.Low
}

func placeOf(document documents.Document) contract.ReportPlace {
	place := contract.ReportPlace{Path: tail(document.Path), Line: uint64(document.Line)}
	if name := nameOf(document); name != nil {
		short := clip(*name, longestName)
		place.ComputerName = &short
	}
	if document.Status != nil {
		place.CollectedAt = document.Status.CollectedAt
	} else {
		place.CollectedAt = document.Bench.CollectedAt
	}
	return place
}

// longestPath bounds the paths that are kept; their ends tell more than their beginnings.
const longestPath = 200

func tail(path string) string {
	if len(path) <= longestPath {
		return path
	}
	start := len(path) - longestPath
	for start < len(path) && path[start]&0xc0 == 0x80 {
		start++
	}
	return "\u2026" + path[start:]
}

func comparePlaces(a, b contract.ReportPlace) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
}

// attentionOf describes a computer by its operating system volume.
func attentionOf(document documents.Document) contract.ReportAttention {
	status := document.Status
	summary := status.Summary
	attention := contract.ReportAttention{
		Place: placeOf(document), State: stateOf(summary.State), Model: known(named(systemModel(status))),
		Method: known(named(summary.OSMethod)), Engine: known(named(summary.OSEngine)), Protection: known(named(summary.OSProtection)),
		Critical: summary.Critical, Warnings: summary.Warnings,
	}
	if summary.WorstFinding != nil {
		id := clip(*summary.WorstFinding, longestName)
		attention.WorstFinding = &id
	}
	return attention
}

// systemModel is the model of the disk that holds the operating system; nil when that is not one disk.
func systemModel(status *contract.Status) *string {
	for _, volume := range status.Volumes {
		if volume.Type == nil || *volume.Type != contract.OperatingSystem {
			continue
		}
		id := ""
		for _, extent := range volume.Extents {
			if id != "" && extent.DiskID != id {
				return nil
			}
			id = extent.DiskID
		}
		for _, disk := range status.Disks {
			if disk.ID == id {
				return disk.Model
			}
		}
		return nil
	}
	return nil
}

// needsMore orders computers by their findings, then by their state.
func needsMore(a, b contract.ReportAttention) bool {
	return cmp.Or(
		cmp.Compare(b.Critical, a.Critical),
		cmp.Compare(b.Warnings, a.Warnings),
		cmp.Compare(priority(a.State), priority(b.State)),
		comparePlaces(a.Place, b.Place),
	) < 0
}

// priority is a state's place among the states, 0 for the first.
func priority(state contract.ComputerState) int {
	for place, known := range contract.ComputerStates() {
		if known == state {
			return place
		}
	}
	return 0
}
