package penalty

import (
	"context"
	"math"
	"time"
)

const (
	// leastTriples and mostTriples are how often the processors' time is taken: without reads, with
	// reads of the upper and with reads of the lower path.
	leastTriples = 4
	mostTriples  = 10
	// leastStretch is the shortest time over which the processors' clocks, which tick every 10 to
	// 16 ms, tell something.
	leastStretch = 80 * time.Millisecond
	// processorShare is the part of the budget that this takes.
	processorShare = 0.2
)

// processorPlan is what measuring processor time takes; nothing when it is not done.
type processorPlan struct {
	triples int
	stretch time.Duration
	blocks  int64
}

func (p processorPlan) time() time.Duration { return 3 * time.Duration(p.triples) * p.stretch }

// planProcessorTime reserves time and blocks, if there are enough of both.
func (m *measurement) planProcessorTime() processorPlan {
	if m.SystemCPU == nil {
		return processorPlan{}
	}
	share := time.Duration(processorShare * float64(m.Budget))
	triples := min(mostTriples, int(share/(3*leastStretch)))
	readsPerNs := 1/max(m.pilot[upperPath], 1) + 1/max(m.pilot[lowerPath], 1)
	for ; triples >= leastTriples; triples-- {
		stretch := leastStretch
		if triples == mostTriples {
			stretch = share / (3 * mostTriples)
		}
		// A third more, for the latencies of the proof are those of a path not yet warm.
		blocks := int64(1.3 * float64(triples) * float64(stretch) * readsPerNs)
		if blocks <= m.measured.drawn.left()/5*3 {
			return processorPlan{triples, stretch, blocks}
		}
	}
	return processorPlan{}
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
	for triple := range plan.triples {
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
	var busy int64
	var took time.Duration
	count := 0
	work := func() {
		if path >= 0 {
			m.settle()
		}
		before, known := m.SystemCPU()
		from := m.now()
		for path >= 0 && m.now()-from < length && ctx.Err() == nil {
			at, left := m.measured.drawn.draw()
			if !left {
				return
			}
			if _, fine := m.read(path, at); !fine {
				return
			}
			count++
		}
		if path < 0 {
			m.sleep(ctx, length)
		}
		took = m.now() - from
		after, stillKnown := m.SystemCPU()
		busy, ok = after-before, known && stillKnown && after >= before && took > 0
	}
	if path < 0 {
		work()
	} else if m.timed(m.Processor, work) != nil {
		return 0, 0, false
	}
	return float64(busy) / took.Seconds(), float64(count) / took.Seconds(), ok && ctx.Err() == nil
}
