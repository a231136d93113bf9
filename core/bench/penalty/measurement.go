package penalty

import (
	"context"
	"math/rand/v2"
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
	// leastBurst and mostBurst are the reads of a burst. With some 30 the processor's caches are
	// as they are in steady use of one path, and the paths still take turns every millisecond or
	// so, closer than anything that changes the speed of a computer.
	leastBurst = 4
	mostBurst  = 48
	// leastCycles and leastPairs are what an estimate needs at least.
	leastCycles = 48
	leastPairs  = 128
	// mostCycles bounds memory, at 40 bytes for each.
	mostCycles = 1 << 20
	// wantedCycles is how many bursts should be compared within the budget.
	wantedCycles = 400
	// segments is the number of stretches of the budget that are timed without a look around.
	segments = 40
)

// looks are the parts of the time at which measuring may end early. They are few and fixed, since
// an interval that is looked at again and again is sure to look good at some time.
var looks = []float64{0.4, 0.6, 0.8}

// measurement is a measurement on its way.
type measurement struct {
	Setup
	conditions
	drawn   *blocks
	random  *rand.Rand
	paths   [2]Path
	started time.Duration
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
		Setup: s, conditions: under, drawn: drawn, paths: [2]Path{s.Upper, s.Lower}, started: under.now(),
		random: rand.New(rand.NewPCG(s.Seed, uint64(drawn.count))),
	}
}

// run compares bursts until the time is over, the blocks are used up, ctx ends, the result is
// precise or something fails. It returns which; a failure is in m.fault.
func (m *measurement) run(ctx context.Context) string {
	m.plan()
	time, blocks := m.Budget-m.processor.time(), m.drawn.count-m.processor.blocks
	from := m.drawn.next
	part := func() float64 {
		return max(float64(m.elapsed())/float64(time), float64(m.drawn.next-from)/float64(blocks-from))
	}
	look := 0
	for segment := 1; ; segment++ {
		goal := float64(segment) / segments
		exhausted := false
		err := m.timed(m.Processor, func() {
			m.warmUp()
			for m.fault == nil && ctx.Err() == nil && part() < goal {
				if blocks-m.drawn.next < int64(burstsPerCycle*m.burstReads) || len(m.cycles) >= mostCycles {
					exhausted = true
					return
				}
				m.cycle()
			}
		})
		m.tell()
		switch {
		case err != nil:
			m.fault = because(codeSetup, "The measuring thread could not be prepared: %v.", err)
			return endedInterrupted
		case m.fault != nil, ctx.Err() != nil:
			return endedInterrupted
		case exhausted:
			return endedBlocks
		case segment >= segments:
			if m.elapsed() >= time {
				return endedTime
			}
			return endedBlocks
		}
		if look < len(looks) && part() >= looks[look] {
			look++
			if m.precise() {
				return endedPrecise
			}
		}
	}
}

// plan chooses the length of a burst: long enough for steady use of a path, short enough for
// some hundred of them within the time and the blocks that there are.
func (m *measurement) plan() {
	m.processor = m.planProcessorTime()
	nsPerRead := m.pilot[upperPath] + m.pilot[lowerPath]*(burstsPerCycle-1)
	byTime := float64(m.Budget) / wantedCycles / max(nsPerRead, 1)
	byBlocks := float64(m.drawn.left()-m.processor.blocks) / wantedCycles / burstsPerCycle
	m.burstReads = int(max(leastBurst, min(mostBurst, byTime, byBlocks)))
	m.burstWarmup = max(1, m.burstReads/6)
	for i := range m.bursts {
		m.bursts[i] = newBurst(m.burstReads)
	}
}

func (m *measurement) elapsed() time.Duration { return m.now() - m.started }

func (m *measurement) tell() {
	if m.Progress != nil {
		m.Progress(min(m.elapsed(), m.Budget), m.Budget)
	}
}
