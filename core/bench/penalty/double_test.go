package penalty

import (
	"context"
	"math/rand/v2"
	"time"
)

// simulation is a disk with a layer on it, in simulated time: reads take no time but say that
// they do, and move the clock that the measurement's budget is counted by.
type simulation struct {
	clock  time.Duration
	random *rand.Rand
	// bare draws the latency of a read of the lower path, in ns; added what the layer adds to it.
	bare, added func(s *simulation) float64
	// content of a block at an offset of the lower path.
	upper, lower func(offset int64, block []byte)
	// constant, when not nil, is the content of every block on both paths.
	constant    []byte
	blockBytes  int
	lowerOffset int64
	// fail and times, when not nil, can change what a read returns.
	intercept func(path int, offset int64, ns int64) (int64, error)
	// overhead is the time around each read.
	overhead time.Duration

	reads [2][]int64
}

func newSimulation(seed uint64) *simulation {
	return &simulation{
		random: rand.New(rand.NewPCG(seed, 1)), blockBytes: 4096, overhead: 200,
		bare:  func(*simulation) float64 { return 50_000 },
		added: func(*simulation) float64 { return 0 },
		upper: plainBlock, lower: cipherBlock,
	}
}

func plainBlock(offset int64, block []byte) {
	for i := range block {
		block[i] = "plain text of block "[i%20] + byte(offset>>12)&1
	}
}

func cipherBlock(offset int64, block []byte) {
	random := rand.New(rand.NewPCG(uint64(offset), 7))
	for i := 0; i+8 <= len(block); i += 8 {
		v := random.Uint64()
		for j := range 8 {
			block[i+j] = byte(v >> (8 * j))
		}
	}
}

func zeroBlock(_ int64, block []byte) { clear(block) }

// side is one path of a simulation.
type side struct {
	of    *simulation
	path  int
	block []byte
	at    int64
	fresh bool
}

func (s *simulation) paths() (upper, lower *side) {
	return &side{of: s, path: upperPath}, &side{of: s, path: lowerPath}
}

func (p *side) Read(offset int64) (int64, error) {
	s := p.of
	s.reads[p.path] = append(s.reads[p.path], offset)
	ns := s.bare(s)
	if p.path == upperPath {
		ns += s.added(s)
	}
	s.clock += time.Duration(ns) + s.overhead
	p.at, p.fresh = offset, false
	if s.intercept != nil {
		return s.intercept(p.path, offset, int64(ns))
	}
	return int64(ns), nil
}

func (p *side) Block() []byte {
	if p.of.constant != nil {
		return p.of.constant
	}
	if !p.fresh {
		if p.block == nil {
			p.block = make([]byte, p.of.blockBytes)
		}
		if p.path == upperPath {
			p.of.upper(p.at, p.block)
		} else {
			p.of.lower(p.at-p.of.lowerOffset, p.block)
		}
		p.fresh = true
	}
	return p.block
}

func (s *simulation) conditions() conditions {
	return conditions{
		timed:  func(_ int, f func()) error { f(); return nil },
		now:    func() time.Duration { return s.clock },
		settle: func() { s.clock += settleTime },
		sleep: func(ctx context.Context, d time.Duration) {
			if ctx.Err() == nil {
				s.clock += d
			}
		},
	}
}

// setup is a measurement of the simulation over a volume of a GiB.
func (s *simulation) setup(budget time.Duration) Setup {
	upper, lower := s.paths()
	return Setup{
		Upper: upper, Lower: lower, Ranges: []Range{{Offset: 0, Length: 1 << 30}}, LowerOffset: s.lowerOffset,
		BlockBytes: s.blockBytes, Seed: s.random.Uint64(), Budget: budget, Processor: -1,
	}
}
