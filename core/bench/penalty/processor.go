package penalty

import (
	"context"
	"math"
	"time"
)

const (
	// processorTriples is how often the processors' time is taken: without reads, with reads of
	// the upper and with reads of the lower path.
	processorTriples = 8
	// processorShare is the part of the budget that this takes.
	processorShare = 0.2
	// leastStretch is the shortest time over which the processors' clocks, which tick every 10 to
	// 16 ms, tell something.
	leastStretch = 80 * time.Millisecond
)

// processorPlan is what measuring processor time takes; nothing when it is not done.
type processorPlan struct {
	stretch time.Duration
	blocks  int64
}

func (p processorPlan) time() time.Duration { return 3 * processorTriples * p.stretch }

// planProcessorTime reserves time and blocks, if there are enough of both.
func (m *measurement) planProcessorTime() processorPlan {
	if m.SystemCPU == nil {
		return processorPlan{}
	}
	stretch := time.Duration(processorShare * float64(m.Budget) / (3 * processorTriples))
	reads := float64(stretch) * (1/max(m.pilot[upperPath], 1) + 1/max(m.pilot[lowerPath], 1))
	// Half more, for the latencies of the proof are those of a path not yet warm.
	blocks := int64(1.5 * processorTriples * reads)
	if stretch < leastStretch || blocks > m.drawn.left()/3 {
		return processorPlan{}
	}
	return processorPlan{stretch, blocks}
}

// processorTime returns the processor time that the layer adds to a read, over the whole computer,
// since drivers and encryption work in threads of their own. What runs besides is measured
// without reads and subtracted, or a slower read would seem to use more of it. It returns nil when
// the clocks of the processors are too coarse, or the computer too busy with other work.
func (m *measurement) processorTime(ctx context.Context) *float64 {
	plan := m.processor
	if plan.stretch == 0 {
		return nil
	}
	var added []float64
	for triple := range processorTriples {
		idle, _, ok := m.busy(ctx, plan.stretch, -1)
		if !ok {
			return nil
		}
		var perRead [2]float64
		for turn := range 2 {
			path := (triple + turn) % 2
			rate, reads, ok := m.busy(ctx, plan.stretch, path)
			if !ok || reads == 0 {
				return nil
			}
			perRead[path] = (rate - idle) / reads
		}
		added = append(added, perRead[upperPath]-perRead[lowerPath])
		m.tell()
	}
	mean, squares := 0.0, 0.0
	for _, a := range added {
		mean += a / float64(len(added))
	}
	for _, a := range added {
		squares += (a - mean) * (a - mean)
	}
	scatter := math.Sqrt(squares / float64(len(added)*(len(added)-1)))
	if scatter > max(0.25*math.Abs(mean), 0.05*m.pilot[lowerPath]) {
		return nil
	}
	return &mean
}

// busy returns how much processor time passes in a second, in ns, and how many reads are done in
// a second, while path is read for a while, or nothing for path -1.
func (m *measurement) busy(ctx context.Context, length time.Duration, path int) (rate, reads float64, ok bool) {
	before, known := m.SystemCPU()
	from, count, failed := m.now(), 0, false
	if path < 0 {
		m.sleep(ctx, length)
	} else {
		err := m.timed(m.Processor, func() {
			for m.now()-from < length && ctx.Err() == nil {
				at, left := m.drawn.draw()
				if !left {
					failed = true
					return
				}
				if _, ok := m.read(path, at); !ok {
					failed = true
					return
				}
				count++
			}
		})
		failed = failed || err != nil
	}
	took := (m.now() - from).Seconds()
	after, stillKnown := m.SystemCPU()
	if !known || !stillKnown || failed || ctx.Err() != nil || took <= 0 || after < before {
		return 0, 0, false
	}
	return float64(after-before) / took, float64(count) / took, true
}
