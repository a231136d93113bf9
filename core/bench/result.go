package bench

import (
	"slices"
	"time"

	"diskaudit/core/bench/engine"
	"diskaudit/core/bench/statistics"
	"diskaudit/core/contract"
)

// add takes a measured round. The round's latencies are copied: the engine uses their memory again.
func (t *measuredTest) add(round engine.Round, begun time.Time) {
	at := len(t.latencies)
	t.latencies = append(t.latencies, round.LatenciesNs...)
	own := slices.Clone(t.latencies[at:])
	summary := statistics.Summarize(own)
	// Spaced I/Os come at the rate that was asked for; a round ends with its last I/O, not with the
	// wait after it.
	seconds := max(float64(round.ElapsedNs)/1e9, float64(round.Ops)*t.spec.SpacingMs/1e3/float64(t.spec.Threads))
	t.rounds = append(t.rounds, contract.BenchRound{
		StartedMs: float64(round.Started.Sub(begun)) / 1e6, ElapsedMs: float64(round.ElapsedNs) / 1e6,
		Ops: uint64(round.Ops), Bytes: uint64(round.Bytes),
		IOPS: rate(round.Ops, seconds), MBPerSecond: rate(round.Bytes, seconds) / 1e6,
		MeanNs: &summary.Mean, P50Ns: float(summary.P50), P99Ns: float(summary.P99),
		CPUNsPerIO: perIO(round.ThreadCPUNs, round.Ops),
	})
	t.ops += round.Ops
	t.bytes += round.Bytes
	t.flushes += round.Flushes
	t.elapsedNs += round.ElapsedNs
	t.inFlight += round.InFlightNs
	t.cpuNs += round.ThreadCPUNs
	if round.SystemCPUNs != nil {
		total := *round.SystemCPUNs
		if t.systemNs != nil {
			total += *t.systemNs
		}
		t.systemNs = &total
	}
}

// result puts the rounds together. It sorts the latencies.
func (t *measuredTest) result() contract.BenchTest {
	spec := t.spec
	result := contract.BenchTest{
		ID: spec.ID, Operation: spec.Operation, BlockBytes: spec.BlockBytes, Pattern: spec.Pattern,
		QueueDepth: spec.QueueDepth, Threads: spec.Threads, Durability: spec.Durability,
		APIFallback: t.said.Fallback, Rounds: t.rounds,
		Ops: uint64(t.ops), Bytes: uint64(t.bytes), Flushes: uint64(t.flushes),
	}
	if t.said.API != "" {
		result.API = &t.said.API
	}
	for _, processor := range t.said.Processors {
		result.Processors = append(result.Processors, uint64(processor))
	}
	if t.ops == 0 {
		return result
	}
	// The engine counts the warm-up's blocks as well.
	distinct := uint64(min(t.distinct, t.ops))
	result.DistinctBlocks = &distinct
	summary := statistics.Summarize(t.latencies)
	result.LatencyNs = contract.Latency{
		Min: float(&summary.Min), Mean: &summary.Mean, P50: float(summary.P50), P90: float(summary.P90), P95: float(summary.P95),
		P99: float(summary.P99), P999: float(summary.P999), P9999: float(summary.P9999), Max: float(&summary.Max),
	}
	for _, class := range statistics.Histogram(t.latencies) {
		result.Histogram = append(result.Histogram, contract.HistogramClass{FromNs: class.From, ToNs: class.To, Count: class.Count})
	}
	if t.elapsedNs > 0 {
		depth := float64(t.inFlight) / float64(t.elapsedNs)
		busy := 100 * float64(t.cpuNs) / float64(t.elapsedNs) / float64(spec.Threads)
		result.AchievedDepth, result.CPUPercent = &depth, &busy
	}
	result.CPUNsPerIO = perIO(t.cpuNs, t.ops)
	if t.systemNs != nil {
		result.SystemCPUNsPerIO = perIO(*t.systemNs, t.ops)
	}
	t.overRounds(&result)
	return result
}

// overRounds fills in the medians over the rounds and how sure they are.
func (t *measuredTest) overRounds(result *contract.BenchTest) {
	var iops, medians []float64
	for _, round := range t.rounds {
		iops = append(iops, round.IOPS)
		medians = append(medians, *round.P50Ns)
	}
	middle := median(iops)
	megabytes := middle * float64(t.spec.BlockBytes) / 1e6
	mebibytes := middle * float64(t.spec.BlockBytes) / (1 << 20)
	result.IOPS, result.MBPerSecond, result.MiBPerSecond = &middle, &megabytes, &mebibytes
	latency, enough := statistics.MedianInterval(medians)
	speed, also := statistics.MedianInterval(iops)
	if enough && also {
		result.Interval = &contract.TestInterval{Confidence: latency.Confidence, P50Ns: ends(latency), IOPS: ends(speed)}
	}
	if drift, ok := statistics.Trend(medians); ok {
		result.Drift = &contract.Drift{Percent: drift.Percent, PValue: drift.PValue, Significant: drift.Significant}
	}
}

func ends(interval statistics.Interval) contract.Range {
	return contract.Range{Low: interval.Low, Estimate: interval.Estimate, High: interval.High}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

func rate(count int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(count) / seconds
}

func perIO(ns, ops int64) *float64 {
	if ops == 0 {
		return nil
	}
	each := float64(ns) / float64(ops)
	return &each
}

func float(value *int64) *float64 {
	if value == nil {
		return nil
	}
	number := float64(*value)
	return &number
}
