package comparison

import (
	"strconv"

	"diskaudit/core/contract"
)

// fioLatency is one of fio's latency blocks. Its percentiles are ends of classes whose width is
// below 1/64 of them (plat_idx_to_val of axboe/fio:stat.c).
type fioLatency struct {
	Min         float64            `json:"min"`
	Max         float64            `json:"max"`
	Mean        float64            `json:"mean"`
	N           *float64           `json:"N"`
	Percentiles map[string]float64 `json:"percentile"`
}

// latency fills in a test's latencies. Those of several entries can be put together into a mean,
// but not into percentiles.
func (f *fioReader) latency(test *Test, entries []fioJob) {
	var sumNs, count, resolution float64
	for i := range entries {
		done, _ := entries[i].done(test.Operation)
		block, toNs, completion := done.latency(f.major)
		if block == nil {
			f.result.noteOnce("fio-no-latency", "A job has no latencies, or none in the unit that goes with its version of fio; only its rate is compared.")
			return
		}
		if completion && test.QueueDepth > 1 {
			f.result.noteOnce("fio-completion-latency", "fio's latencies are those from submission to completion (clat), without the time to submit. With lat_percentiles=1 fio gives those of the whole I/O.")
		}
		n := block.samples(done)
		if n < 1 || n > 1<<53 || block.Mean <= 0 {
			return
		}
		sumNs, count = sumNs+block.Mean*toNs*n, count+n
		if toNs > 1 {
			resolution = toNs
		}
		if len(entries) == 1 {
			block.describe(&test.LatencyNs, n, toNs)
		}
	}
	test.LatencyNs.Mean = contract.Ptr(sumNs / count)
	test.ResolutionNs = resolution
	test.Ops = uint64(count)
}

// latency chooses a direction's block: that of the whole I/O where fio made its percentiles, else
// that of its completion. toNs is the ns in one of its units. It is nil where there is none in
// the unit that goes with the version.
func (d *fioDirection) latency(major int) (block *fioLatency, toNs float64, completion bool) {
	const microsecond = 1000
	switch {
	case d.WholeNs != nil && len(d.WholeNs.Percentiles) > 0:
		return d.WholeNs, 1, false
	case d.CompletionNs != nil:
		return d.CompletionNs, 1, true
	case major > 2:
		return nil, 0, false
	case d.WholeUs != nil && len(d.WholeUs.Percentiles) > 0:
		return d.WholeUs, microsecond, false
	case d.CompletionUs != nil:
		return d.CompletionUs, microsecond, true
	}
	return nil, 0, false
}

// samples is how many latencies a block rests on.
func (l *fioLatency) samples(d *fioDirection) float64 {
	switch {
	case l.N != nil:
		return *l.N
	case d.TotalIOs != nil:
		return *d.TotalIOs
	}
	return d.IOPS * d.RuntimeMs / 1000
}

// describe takes over a block's latencies.
func (l *fioLatency) describe(to *contract.Latency, samples, toNs float64) {
	to.Min, to.Max = contract.Ptr(l.Min*toNs), contract.Ptr(l.Max*toNs)
	for name, value := range l.Percentiles {
		if percent, err := strconv.ParseFloat(name, 64); err == nil {
			setPercentile(to, percent, samples, value*toNs)
		}
	}
}

// setPercentile takes over one of the percentiles that a document has, if so many samples carry
// it. Other programs print it all the same, and then only repeat the longest time.
func setPercentile(to *contract.Latency, percent, samples, ns float64) {
	for _, p := range []struct {
		percent, needs float64
		to             **float64
	}{
		{50, 1, &to.P50}, {90, 10, &to.P90}, {95, 20, &to.P95}, {99, 100, &to.P99}, {99.9, 1e3, &to.P999}, {99.99, 1e4, &to.P9999},
	} {
		if p.percent == percent && samples >= p.needs && ns > 0 {
			*p.to = &ns
		}
	}
}
