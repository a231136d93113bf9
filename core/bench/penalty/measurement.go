package penalty

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"diskaudit/core/contract"
)

// The two paths, as indices.
const (
	upperPath = 0
	lowerPath = 1
)

// pathNames are the paths for people.
var pathNames = [2]string{"upper", "lower"}

const (
	// burstsPerCycle: one burst of either path, and two of the lower one for the control.
	burstsPerCycle = 4
	// leastBurst and mostBurst are the reads of a burst, burstTime its length where there are
	// blocks enough. After a millisecond the processor's caches are as they are in steady use of
	// one path, and the paths still take turns sooner than most things change that slow a
	// computer down.
	leastBurst = 4
	mostBurst  = 2048
	burstTime  = 8 * time.Millisecond
	// leastCycles and leastPairs are what an estimate needs at least, wantedCycles what is planned
	// for. leastBlocks give the least of both in the shortest bursts.
	leastCycles  = 12
	leastPairs   = 96
	wantedCycles = 100
	leastBlocks  = 1024
	// mostCycles bounds memory, at 40 bytes for each.
	mostCycles = 1 << 20
	// mostRest is how long to rest after a look, as a multiple of the time since the one before,
	// where there are too few blocks to fill the budget: what changes slowly has to be seen, too.
	mostRest = 15
	// tellEvery is the time between two reports of progress.
	tellEvery = 250 * time.Millisecond
)

// looks are the parts of the time at which measuring may end early. They are few and fixed, since
// an interval that is looked at again and again is sure to look good at some time.
var looks = []float64{0.5, 0.7, 0.85}

// measurement is a measurement on its way.
type measurement struct {
	Setup
	conditions
	// measured is what the layer lies over, control the plain region; nil for none.
	measured site
	control  *site
	random   *rand.Rand
	started  time.Duration
	// pilot is the median latency of either path in the proof, in ns.
	pilot [2]float64
	// sameBytes is true when both paths show the same bytes.
	sameBytes bool
	// bursts are the buffers of the four bursts of a cycle.
	bursts [burstsPerCycle]burst
	// burstReads are the reads of a burst, of which the first burstWarmup do not count.
	burstReads, burstWarmup int
	cycles                  []cycle
	// processor is the time and the blocks that are kept for measuring processor time.
	processor processorPlan
	// zeros counts the blocks that were left out because they hold only zeros.
	zeros int
	fault *contract.InvalidReason
}

func newMeasurement(s Setup, drawn *blocks, under conditions) *measurement {
	return &measurement{
		Setup: s, conditions: under, started: under.now(),
		measured: site{paths: [2]Path{s.Upper, s.Lower}, drawn: drawn, lowerOffset: s.LowerOffset},
		control:  controlSite(s),
		random:   rand.New(rand.NewPCG(s.Seed, uint64(drawn.count))),
	}
}

// run compares bursts until the time is over, the blocks are used up, ctx ends, the result is
// precise or something fails. It returns which; a failure is in m.fault.
//
// From one look to the next the measuring thread is left alone: whatever else runs when it is
// prepared or woken can push a layer's worker threads to other processors, where they stay for
// a while.
func (m *measurement) run(ctx context.Context) string {
	m.plan()
	begin := m.elapsed()
	length := m.Budget - m.processor.time() - begin
	from, blocks := m.drawnSoFar(), m.drawable()
	for _, look := range append(slices.Clone(looks), 1) {
		began := m.elapsed()
		end := begin + time.Duration(look*float64(length))
		upTo := supply{from.measured + int64(look*float64(blocks.measured)), from.control + int64(look*float64(blocks.control))}
		err := m.timed(m.Processor, func() { m.readUntil(ctx, end, upTo) })
		switch {
		case err != nil:
			m.fault = unprepared(err)
			return endedInterrupted
		case m.fault != nil, ctx.Err() != nil:
			return endedInterrupted
		case look < 1 && m.precise():
			return endedPrecise
		}
		if rest := min(end-m.elapsed(), mostRest*(m.elapsed()-began)); rest > 0 && look < 1 {
			m.sleep(ctx, rest)
		}
	}
	if !m.enough(supply{from.measured + blocks.measured, from.control + blocks.control}) || len(m.cycles) >= mostCycles {
		return endedBlocks
	}
	return endedTime
}

// readUntil runs cycles until a time, or until so many blocks have been drawn.
func (m *measurement) readUntil(ctx context.Context, end time.Duration, upTo supply) {
	m.settle()
	m.warmUp()
	told := m.elapsed()
	for m.fault == nil && ctx.Err() == nil && m.enough(upTo) && len(m.cycles) < mostCycles {
		start := m.elapsed()
		if start >= end {
			break
		}
		m.cycle(ctx)
		now := m.elapsed()
		// Reads can be much slower than those of the proof were.
		if now-start > 2*m.Budget/wantedCycles {
			m.setBurst(m.burstReads / 2)
		}
		if now-told >= tellEvery {
			m.tell()
			told = now
		}
	}
	m.tell()
}

// supply is a number of blocks of what is measured and of the plain region.
type supply struct{ measured, control int64 }

// drawnSoFar is what was drawn.
func (m *measurement) drawnSoFar() supply {
	s := supply{measured: m.measured.drawn.next}
	if m.control != nil {
		s.control = m.control.drawn.next
	}
	return s
}

// drawable is what may be drawn for bursts.
func (m *measurement) drawable() supply {
	s := supply{measured: m.measured.left() - m.processor.blocks}
	if m.control != nil {
		s.control = m.control.left()
	}
	return s
}

// enough tells whether another cycle goes before so many blocks have been drawn.
func (m *measurement) enough(upTo supply) bool {
	drawn, need := m.drawnSoFar(), m.cycleBlocks()
	return drawn.measured+need.measured <= upTo.measured && drawn.control+need.control <= upTo.control
}

// plan chooses the length of a burst, within the time and the blocks that there are.
func (m *measurement) plan() {
	m.processor = m.planProcessorTime()
	nsPerRead := max(m.pilot[upperPath]+m.pilot[lowerPath]*(burstsPerCycle-1), 1)
	steady := float64(burstTime) / max(m.pilot[lowerPath], 1)
	byTime := float64(m.Budget) / wantedCycles / nsPerRead
	each, blocks := m.cycleBlocksOf(1), m.drawable()
	byBlocks := float64(blocks.measured) / wantedCycles / float64(each.measured)
	if m.control != nil {
		byBlocks = min(byBlocks, float64(blocks.control)/wantedCycles/float64(each.control))
	}
	m.setBurst(int(min(mostBurst, steady, byTime, byBlocks)))
	for i := range m.bursts {
		m.bursts[i] = newBurst(m.burstReads)
	}
}

// setBurst sets the length of a burst. Its first reads do not count.
func (m *measurement) setBurst(reads int) {
	m.burstReads = max(leastBurst, reads)
	m.burstWarmup = max(1, m.burstReads/5)
}

// cycleBlocks is the number of blocks that a cycle reads.
func (m *measurement) cycleBlocks() supply { return m.cycleBlocksOf(m.burstReads) }

// cycleBlocksOf is the same for bursts of so many reads.
func (m *measurement) cycleBlocksOf(reads int) supply {
	if m.control != nil {
		return supply{measured: int64(2 * reads), control: int64(2 * reads)}
	}
	return supply{measured: int64(burstsPerCycle * reads)}
}

func (m *measurement) elapsed() time.Duration { return m.now() - m.started }

func (m *measurement) tell() {
	if m.Progress != nil {
		m.Progress(min(m.elapsed(), m.Budget), m.Budget)
	}
}
