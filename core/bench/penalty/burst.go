package penalty

import (
	"context"
	"slices"
	"time"
)

// burst holds the reads of one burst.
type burst struct {
	offsets []int64
	ns      []int64
	zero    []bool
	// kept are the latencies that count, ascending.
	kept []int64
}

func newBurst(reads int) burst {
	return burst{offsets: make([]int64, reads), ns: make([]int64, reads), zero: make([]bool, reads), kept: make([]int64, 0, reads)}
}

// The bursts of a cycle.
const (
	burstUpper = iota
	burstLower
	burstControlA
	burstControlB
)

// cycle is what one cycle found, in ns.
type cycle struct {
	// shift is that of the upper path over the lower one, control that of the lower over itself.
	shift, control float64
	// bare and layered are the median latencies of the lower and of the upper path.
	bare, layered float64
	// pairs is the number of reads on either path.
	pairs int
}

// cycle reads four bursts: one pair of the paths and one of the control, in random order.
func (m *measurement) cycle(ctx context.Context) {
	order := [burstsPerCycle]int{burstUpper, burstLower, burstControlA, burstControlB}
	bits := m.random.Uint64()
	for i, swap := range [][2]int{{0, 1}, {2, 3}} {
		if bits>>i&1 == 1 {
			order[swap[0]], order[swap[1]] = order[swap[1]], order[swap[0]]
		}
	}
	if bits>>2&1 == 1 {
		order = [burstsPerCycle]int{order[2], order[3], order[0], order[1]}
	}
	for _, which := range order {
		if ctx.Err() != nil || !m.readBurst(which) {
			return
		}
	}
	if !m.sameBytes && !m.lookBelow() {
		return
	}
	for i := range m.bursts {
		if !m.keep(&m.bursts[i]) {
			return
		}
	}
	upper, lower := m.bursts[burstUpper].kept, m.bursts[burstLower].kept
	m.cycles = append(m.cycles, cycle{
		shift:   shift(lower, upper),
		control: shift(m.bursts[burstControlA].kept, m.bursts[burstControlB].kept),
		bare:    medianOfSorted(lower),
		layered: medianOfSorted(upper),
		pairs:   min(len(upper), len(lower)),
	})
}

// through is where a burst reads: the plain region if there is one, for the control, or else the
// lower path for both of its bursts.
func (m *measurement) through(which int) (*site, int) {
	switch {
	case which == burstUpper:
		return &m.measured, upperPath
	case which == burstControlB && m.control != nil:
		return m.control, upperPath
	case which == burstControlA && m.control != nil:
		return m.control, lowerPath
	}
	return &m.measured, lowerPath
}

// readBurst reads one burst through its path.
func (m *measurement) readBurst(which int) bool {
	b := &m.bursts[which]
	site, path := m.through(which)
	spent := time.Duration(0)
	for i := range m.burstReads {
		at, ok := site.drawn.draw()
		if !ok {
			return false
		}
		if b.ns[i], ok = m.readOf(site, path, at); !ok {
			return false
		}
		// A burst that takes as long as a cycle should is given up, or a few of them could use up
		// the budget; those that follow are shorter.
		if spent += time.Duration(b.ns[i]); spent > m.Budget/wantedCycles && i >= leastBurst {
			m.setBurst(m.burstReads / 2)
			return false
		}
		b.offsets[i] = at
		b.zero[i] = allZero(site.paths[path].Block())
	}
	return true
}

// lookBelow finds out which blocks of the upper burst hold only zeros on the lower path, where
// the upper one does not show that: read after all bursts of the cycle, untimed.
func (m *measurement) lookBelow() bool {
	b := &m.bursts[burstUpper]
	for i, at := range b.offsets[:m.burstReads] {
		if _, ok := m.read(lowerPath, at); !ok {
			return false
		}
		b.zero[i] = allZero(m.Lower.Block())
	}
	return true
}

// keep sorts the latencies that count. It returns false when so many blocks held only zeros that
// the rest is no burst.
func (m *measurement) keep(b *burst) bool {
	b.kept = b.kept[:0]
	for i, ns := range b.ns[:m.burstReads] {
		if b.zero[i] {
			m.zeros++
		} else if i >= m.burstWarmup {
			b.kept = append(b.kept, ns)
		}
	}
	slices.Sort(b.kept)
	return 2*len(b.kept) >= m.burstReads-m.burstWarmup
}

// warmUp reads a few blocks through either path, so that a new thread's first reads do not count.
func (m *measurement) warmUp() {
	for i := range 2 * m.burstWarmup {
		if at, ok := m.measured.drawn.draw(); ok {
			m.read(i%2, at)
		}
	}
}

// read reads the block at an offset of the upper path through either path.
func (m *measurement) read(path int, at int64) (ns int64, ok bool) {
	return m.readOf(&m.measured, path, at)
}

// readOf reads a block of a site. A failure or a time that cannot be becomes the measurement's
// fault.
func (m *measurement) readOf(s *site, path int, at int64) (ns int64, ok bool) {
	if path == lowerPath {
		at += s.lowerOffset
	}
	ns, err := s.paths[path].Read(at)
	switch {
	case err != nil:
		m.fault = because(codeRead, "Reading %d bytes at byte %d of the %s path%s failed: %v. Check the disk and its connection, and that the path was not locked or removed meanwhile.", m.BlockBytes, at, pathNames[path], s.name, err)
	case ns < 0:
		m.fault = because(codeBackwards, "The clock went backwards by %d ns in the course of a read, so no time can be trusted. Measure without processors being added, suspended or migrated meanwhile.", -ns)
	case ns == 0:
		m.fault = because(codeZeroTime, "A read of the %s path%s took no time at all by the clock, which is too coarse for this, or the read was not done.", pathNames[path], s.name)
	default:
		return ns, true
	}
	return 0, false
}
