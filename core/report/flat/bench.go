package flat

import (
	"strings"

	"diskaudit/core/contract"
)

// benchRecords are the records of one bench document: its tests, and what encryption adds.
func benchRecords(place place, b contract.Bench) []any {
	var computerName *string
	if b.Context.Machine != nil {
		computerName = b.Context.Machine.ComputerName
	}
	origin := originOf(place, b.Header, computerName)
	measured := measuredOf(b)
	records := make([]any, 0, 1+len(b.Tests))
	for _, test := range b.Tests {
		records = append(records, testRecord(origin, measured, test))
	}
	return append(records, penaltyRecord(origin, measured, b))
}

func measuredOf(b contract.Bench) Measured {
	measured := Measured{Profile: named(b.Profile.Name), TargetPath: named(b.Target.Path), TargetLayer: name(b.Target.Layer)}
	measured.VolumeID = name(b.Target.VolumeID)
	measured.Volume = measured.VolumeID
	if volume := b.Context.Volume; volume != nil {
		measured.Place, measured.CipherFacts = placeOf(*volume), cipherOf(volume.Encryption)
	}
	measured.DiskID = name(b.Target.DiskID)
	if disk := b.Context.Disk; disk != nil {
		measured.DiskFacts = diskOf(*disk)
	}
	return measured
}

func testRecord(origin Origin, measured Measured, t contract.BenchTest) Test {
	record := Test{
		Origin: origin.as(recordTest), Measured: measured, TestID: within(t.ID, nameBytes),
		Operation: defaulted(t.Operation, contract.OperationRead), BlockBytes: whole(&t.BlockBytes),
		Pattern: orDefault(t.Pattern, contract.PatternRandom), QueueDepth: whole(&t.QueueDepth), Threads: whole(&t.Threads),
		Durability: word(t.Durability), Rounds: int64(len(t.Rounds)), Ios: whole(&t.Ops),
		Iops: decimal(t.IOPS), MbPerSecond: decimal(t.MBPerSecond),
		LatencyMinNs: decimal(t.LatencyNs.Min), LatencyMeanNs: decimal(t.LatencyNs.Mean), LatencyP50Ns: decimal(t.LatencyNs.P50), LatencyP90Ns: decimal(t.LatencyNs.P90),
		LatencyP99Ns: decimal(t.LatencyNs.P99), LatencyP999Ns: decimal(t.LatencyNs.P999), LatencyMaxNs: decimal(t.LatencyNs.Max),
		CPUNsPerIo: decimal(t.CPUNsPerIO), TestValid: t.Valid,
		InvalidCodes: codes(t.InvalidReasons), InvalidText: texts(t.InvalidReasons), NoteCodes: codes(t.Notes),
	}
	if t.Interval != nil {
		record.IopsLow, record.IopsHigh = decimal(&t.Interval.IOPS.Low), decimal(&t.Interval.IOPS.High)
	}
	if t.Drift != nil {
		record.DriftPercent = decimal(&t.Drift.Percent)
	}
	return record
}

func penaltyRecord(origin Origin, measured Measured, b contract.Bench) Penalty {
	p := b.Penalty
	record := Penalty{
		Origin: origin.as(recordPenalty), Measured: measured,
		PenaltyEvidence: orDefault(p.Evidence, contract.EvidenceNone), PenaltyValid: p.Valid,
		Operation: word(p.Operation), BlockBytes: whole(p.BlockBytes), BareNs: decimal(p.BareNs), LayeredNs: decimal(p.LayeredNs),
		Pairs: whole(&p.Pairs), AddedCPUNs: decimal(p.CPUNsPerIO),
		Verdict: orDefault(b.Verdict.Result, contract.VerdictUndecided), ThresholdPercent: decimal(&b.Verdict.ThresholdPercent),
	}
	if p.Reason != nil {
		text := within(p.Reason.Text, proseBytes)
		record.PenaltyReasonCode, record.PenaltyReasonText = named(p.Reason.Code), &text
	}
	if added := p.AddedNs; added != nil {
		record.AddedNs, record.AddedNsLow, record.AddedNsHigh = decimal(&added.Estimate), decimal(&added.Low), decimal(&added.High)
	}
	if added := p.AddedPercent; added != nil {
		record.AddedPercent, record.AddedPercentLow, record.AddedPercentHigh = decimal(&added.Estimate), decimal(&added.Low), decimal(&added.High)
	}
	return record
}

func defaulted[T ~string](value, standard T) *string {
	text := orDefault(value, standard)
	return &text
}

func codes(reasons []contract.InvalidReason) string {
	var all []string
	for _, reason := range reasons {
		all = append(all, reason.Code)
	}
	return list(all, " ")
}

func texts(reasons []contract.InvalidReason) string {
	var joined strings.Builder
	for i, reason := range reasons {
		if i > 0 {
			joined.WriteByte(' ')
		}
		joined.WriteString(within(reason.Text, proseBytes))
		if joined.Len() > proseBytes {
			break
		}
	}
	return within(joined.String(), proseBytes)
}
