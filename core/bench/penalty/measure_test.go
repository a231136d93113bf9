package penalty

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// quick is a measurement that is over soon: a small volume, with a cipher.
func quick(seed uint64) (*simulation, Setup) {
	s := newSimulation(seed)
	s.bare = skewed
	s.added = func(*simulation) float64 { return 12_000 }
	setup := s.setup(time.Second)
	setup.Ranges = []Range{{Offset: 0, Length: 16 << 20}}
	return s, setup
}

// No block is read twice through a path, the blocks lie in the ranges to the byte, and the lower
// path is read at the same place below.
func TestBlocksAreReadOnceAndWhereTheyAre(t *testing.T) {
	s, setup := quick(1)
	s.lowerOffset = 1<<40 + 512
	setup.LowerOffset = s.lowerOffset
	// The ranges begin and end beside block boundaries, overlap, touch, and are not in order.
	setup.Ranges = []Range{
		{Offset: 9<<20 + 100, Length: 4<<20 + 200},
		{Offset: 4096*3 + 1, Length: 4<<20 - 1},
		{Offset: 2 << 20, Length: 3 << 20},
		{Offset: 13<<20 + 300, Length: 2 << 20},
		{Offset: 30 << 20, Length: 4095},
		{Offset: 40<<20 + 512, Length: 8192},
		{Offset: 50 << 20, Length: 0},
	}
	allowed := map[int64]bool{}
	inside := func(at int64) bool {
		for i := at; i < at+4096; i++ {
			if !slices.ContainsFunc(setup.Ranges, func(r Range) bool { return r.Offset <= i && i < r.Offset+r.Length }) {
				return false
			}
		}
		return true
	}
	for at := int64(0); at < 51<<20; at += 4096 {
		if inside(at) {
			allowed[at] = true
		}
	}
	// The verdict stays open, so that all blocks are used.
	setup.ThresholdPercent = 100 * 12_000 / 43_000.
	p := measure(t.Context(), setup, s.conditions())
	if !p.Valid {
		t.Fatalf("not valid: %+v", p.Reason)
	}
	for path, offset := range []int64{0, s.lowerOffset} {
		seen := map[int64]bool{}
		for _, at := range s.reads[path] {
			if at -= offset; !allowed[at] {
				t.Fatalf("the %s path was read at %d, which is in no range", pathNames[path], at)
			}
			if seen[at] {
				t.Fatalf("the %s path was read twice at %d", pathNames[path], at)
			}
			seen[at] = true
		}
	}
	if used := len(s.reads[lowerPath]); used < len(allowed)*9/10 {
		t.Errorf("of %d blocks only %d were read before they counted as used up (ended %s)", len(allowed), used, *p.Ended)
	}
}

// With the same bytes on both paths nothing is read twice at all, but for the proof.
func TestSameBytesAreReadOnceInAll(t *testing.T) {
	s, setup := quick(2)
	s.alike()
	p := measure(t.Context(), setup, s.conditions())
	if !p.Valid || p.Proof.Result != proofSame || p.Reason != nil {
		t.Fatalf("valid %v, proof %+v, reason %+v", p.Valid, p.Proof, p.Reason)
	}
	seen := map[int64]int{}
	for _, reads := range s.reads {
		for _, at := range reads {
			seen[at]++
		}
	}
	twice := 0
	for _, n := range seen {
		if n > 1 {
			twice++
		}
	}
	if twice != proofBlocks {
		t.Errorf("%d blocks were read twice, the proof has %d", twice, proofBlocks)
	}
}

// Either path comes first as often as the other, and so do pair and control.
func TestOrderIsBalanced(t *testing.T) {
	s, setup := quick(3)
	s.alike()
	setup.Ranges = []Range{{Offset: 0, Length: 1 << 30}}
	setup.Budget = 20 * time.Second
	var sequence []int
	s.intercept = func(path int, _ int64, ns int64) (int64, error) {
		sequence = append(sequence, path)
		return ns, nil
	}
	m := newMeasurement(setup, must(check(withThreshold(setup))), s.conditions())
	if _, reason := m.prove(t.Context()); reason != nil {
		t.Fatal(reason)
	}
	m.plan()
	m.setBurst(8)
	const cycles = 400
	places := [burstsPerCycle]int{}
	for range cycles {
		sequence = nil
		m.cycle(t.Context())
		first := slices.Index(sequence, upperPath)
		places[first/m.burstReads]++
		for i, path := range sequence {
			if upper := first <= i && i < first+m.burstReads; upper != (path == upperPath) {
				t.Fatalf("read %d of a cycle is of the %s path; the upper burst began at %d", i, pathNames[path], first)
			}
		}
	}
	// 400 times one of four: 100 expected, with a deviation of 8.7.
	for place, n := range places {
		if n < 60 || n > 140 {
			t.Errorf("the upper burst came at place %d in %d of %d cycles: %v", place, n, cycles, places)
		}
	}
}

func withThreshold(s Setup) Setup {
	s.ThresholdPercent = DefaultThresholdPercent
	return s
}

func must[T, E any](value T, _ E) T { return value }

// Blocks that were never written answer fast on both paths. They are left out on both.
func TestZerosAreLeftOut(t *testing.T) {
	s, setup := quick(4)
	setup.Ranges = []Range{{Offset: 0, Length: 64 << 20}}
	setup.Budget = 5 * time.Second
	written := func(offset int64) bool { return offset>>12%3 != 0 }
	s.lower = func(offset int64, block []byte) {
		if written(offset) {
			cipherBlock(offset, block)
		} else {
			clear(block)
		}
	}
	// The upper path decrypts zeros to noise.
	s.upper = func(offset int64, block []byte) {
		if written(offset) {
			plainBlock(offset, block)
		} else {
			cipherBlock(offset+1, block)
		}
	}
	s.intercept = func(path int, offset int64, ns int64) (int64, error) {
		if !written(offset) {
			return 2_000, nil // no cost of the layer either
		}
		return ns, nil
	}
	drawn, reason := check(withThreshold(setup))
	if reason != nil {
		t.Fatal(reason)
	}
	m := newMeasurement(withThreshold(setup), drawn, s.conditions())
	proof, reason := m.prove(t.Context())
	if reason != nil {
		t.Fatal(reason)
	}
	if proof.Blocks != proofBlocks || proof.Result != proofEncrypted {
		t.Errorf("proof %+v", proof)
	}
	m.run(t.Context())
	e, ok := m.estimate()
	if !ok || math.Abs(e.added.Estimate-12_000) > 600 || e.bare.Estimate < 40_000 {
		t.Errorf("added %+v to %+v, the truth is 12000 to 43000 or so", e.added, e.bare)
	}
	if share := float64(m.zeros) / float64(m.measured.drawn.next); math.Abs(share-1.0/3) > 0.06 {
		t.Errorf("%d of %d blocks counted as zeros, a third are", m.zeros, m.measured.drawn.next)
	}
}

func TestNothingWritten(t *testing.T) {
	s, setup := quick(5)
	s.lower = zeroBlock
	p := measure(t.Context(), setup, s.conditions())
	if p.Valid || p.Reason == nil || p.Reason.Code != codeZeros {
		t.Errorf("valid %v, reason %+v", p.Valid, p.Reason)
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup func(*simulation, *Setup)
		ended string
	}{
		{"precise before the time is over", func(*simulation, *Setup) {}, endedPrecise},
		{"the time, where the threshold lies within the interval", func(s *simulation, setup *Setup) {
			setup.ThresholdPercent = 100 * 12_000 / 43_000.
			s.added = func(s *simulation) float64 { return 12_000 * 2 * s.random.Float64() }
		}, endedTime},
		{"the blocks, where there are few", func(s *simulation, setup *Setup) {
			setup.ThresholdPercent = 100 * 12_000 / 43_000.
			setup.Ranges = []Range{{Offset: 0, Length: 8 << 20}}
		}, endedBlocks},
		{"the blocks, where there are as few as can be", func(s *simulation, setup *Setup) {
			setup.ThresholdPercent = 100 * 12_000 / 43_000.
			setup.Ranges = []Range{{Offset: 0, Length: leastBlocks * 4096}}
		}, endedBlocks},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, setup := quick(6)
			s.alike()
			setup.Ranges = []Range{{Offset: 0, Length: 1 << 30}}
			setup.Budget = 4 * time.Second
			c.setup(s, &setup)
			told := time.Duration(-1)
			setup.Progress = func(done, total time.Duration) {
				if done < told || done > total || total != setup.Budget {
					t.Errorf("progress %v of %v after %v", done, total, told)
				}
				told = done
			}
			p := measure(t.Context(), setup, s.conditions())
			if told < 0 {
				t.Error("no progress was told")
			}
			if !p.Valid || *p.Ended != c.ended {
				t.Errorf("valid %v (%+v), ended %s", p.Valid, p.Reason, *p.Ended)
			}
			if s.clock > setup.Budget+setup.Budget/20 {
				t.Errorf("took %v of %v", s.clock, setup.Budget)
			}
			if c.ended == endedTime && s.clock < setup.Budget*9/10 {
				t.Errorf("ended after %v of %v", s.clock, setup.Budget)
			}
		})
	}
}

// What was measured before ctx ended counts.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		valid bool
	}{
		{"at once", 0, false},
		{"in the proof", time.Millisecond, false},
		{"after a moment", 50 * time.Millisecond, false},
		{"after most of it", 2 * time.Second, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, setup := quick(7)
			s.alike()
			setup.Ranges = []Range{{Offset: 0, Length: 1 << 30}}
			setup.Budget = 5 * time.Second
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.intercept = func(_ int, _ int64, ns int64) (int64, error) {
				if s.clock >= c.after {
					cancel()
				}
				return ns, nil
			}
			if c.after == 0 {
				cancel()
			}
			p := measure(ctx, setup, s.conditions())
			if p.Ended == nil || *p.Ended != endedInterrupted || p.Valid != c.valid {
				t.Fatalf("ended %v, valid %v, reason %+v", p.Ended, p.Valid, p.Reason)
			}
			if !c.valid && p.Reason.Code != codeInterrupted {
				t.Errorf("reason %+v", p.Reason)
			}
			if s.clock > c.after+50*time.Millisecond {
				t.Errorf("went on until %v", s.clock)
			}
		})
	}
}

func TestWhatFailsIsSaid(t *testing.T) {
	broken := errors.New("input/output error")
	for _, c := range []struct {
		name      string
		setup     func(*simulation, *Setup)
		code      string
		mentioned []string
	}{
		{"a read fails in the middle", func(s *simulation, _ *Setup) {
			s.intercept = func(path int, _ int64, ns int64) (int64, error) {
				if path == lowerPath && len(s.reads[path]) == 500 {
					return 0, broken
				}
				return ns, nil
			}
		}, codeRead, []string{"lower", "input/output error"}},
		{"the upper path vanishes before the first read", func(s *simulation, _ *Setup) {
			s.intercept = func(path int, _ int64, ns int64) (int64, error) {
				if path == upperPath {
					return 0, errors.New("no such device")
				}
				return ns, nil
			}
		}, codeRead, []string{"upper", "no such device"}},
		{"P51: a read takes no time", func(s *simulation, _ *Setup) {
			s.intercept = func(path int, _ int64, ns int64) (int64, error) {
				if path == upperPath && len(s.reads[path]) == 300 {
					return 0, nil
				}
				return ns, nil
			}
		}, codeZeroTime, []string{"upper"}},
		{"the clock goes backwards", func(s *simulation, _ *Setup) {
			s.intercept = func(_ int, _ int64, ns int64) (int64, error) {
				if len(s.reads[lowerPath]) == 400 {
					return -5000, nil
				}
				return ns, nil
			}
		}, codeBackwards, []string{"5000 ns"}},
		{"P65: encrypted is much faster than plain", func(s *simulation, _ *Setup) {
			s.added = func(*simulation) float64 { return -9_000 }
		}, codeFaster, []string{"faster"}},
		{"P31: a cache answers below", func(s *simulation, _ *Setup) {
			s.bare = func(s *simulation) float64 { return 600 + 20*s.random.NormFloat64() }
		}, codeCached, []string{"0.60 us", "cache"}},
		{"no path", func(_ *simulation, setup *Setup) { setup.Upper = nil }, codeSetup, []string{"missing"}},
		{"a block of no sectors", func(_ *simulation, setup *Setup) { setup.BlockBytes = 100 }, codeSetup, []string{"100"}},
		{"no time", func(_ *simulation, setup *Setup) { setup.Budget = 0 }, codeSetup, []string{"time"}},
		{"an offset before the disk", func(_ *simulation, setup *Setup) { setup.LowerOffset = -1 }, codeSetup, []string{"-1"}},
		{"a threshold that is none", func(_ *simulation, setup *Setup) { setup.ThresholdPercent = math.NaN() }, codeSetup, []string{"NaN"}},
		{"a range before the volume", func(_ *simulation, setup *Setup) { setup.Ranges = []Range{{Offset: -4096, Length: 1 << 30}} }, codeSetup, []string{"-4096"}},
		{"a range that overflows", func(_ *simulation, setup *Setup) {
			setup.Ranges = []Range{{Offset: 0, Length: 1 << 20}, {Offset: 4096, Length: math.MaxInt64}}
		}, codeSetup, nil},
		{"nothing in use", func(_ *simulation, setup *Setup) { setup.Ranges = nil }, codeFewBlocks, []string{"0 blocks"}},
		{"too little in use", func(_ *simulation, setup *Setup) { setup.Ranges = []Range{{Offset: 0, Length: 1 << 20}} }, codeFewBlocks, []string{"256 blocks"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, setup := quick(8)
			c.setup(s, &setup)
			p := measure(t.Context(), setup, s.conditions())
			if p.Valid || p.Reason == nil || p.Reason.Code != c.code {
				t.Fatalf("valid %v, reason %+v", p.Valid, p.Reason)
			}
			for _, word := range c.mentioned {
				if !strings.Contains(p.Reason.Text, word) {
					t.Errorf("the reason does not speak of %q: %s", word, p.Reason.Text)
				}
			}
			if v := Judge(p, 10); v.Result != "undecided" || !strings.Contains(v.Text, p.Reason.Text) {
				t.Errorf("verdict %+v", v)
			}
		})
	}
}

// Processor time is that of reads alone, without what runs besides.
func TestProcessorTime(t *testing.T) {
	for _, c := range []struct {
		name    string
		tick    int64
		budget  time.Duration
		wanted  float64
		unknown bool
	}{
		{"a fine clock", 1000, 10 * time.Second, 9_000, false},
		{"ticks of 10 ms", 10e6, 20 * time.Second, 9_000, false},
		{"ticks longer than a stretch", 2e9, 10 * time.Second, 0, true},
		{"too little time", 1000, time.Second, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSimulation(9).alike()
			s.bare = skewed
			s.added = func(*simulation) float64 { return 12_000 }
			busy := 0.0
			s.intercept = func(path int, _ int64, ns int64) (int64, error) {
				busy += 5_000 + s.random.Float64()*1000
				if path == upperPath {
					busy += 9_000
				}
				return ns, nil
			}
			setup := s.setup(c.budget)
			setup.SystemCPU = func() (int64, bool) {
				// Something else keeps 30 % of a processor busy.
				return int64(busy+0.3*float64(s.clock)) / c.tick * c.tick, true
			}
			p := measure(t.Context(), setup, s.conditions())
			switch {
			case !p.Valid:
				t.Fatalf("not valid: %+v", p.Reason)
			case c.unknown && p.CPUNsPerIO != nil:
				t.Errorf("processor time %v of a clock that cannot tell", *p.CPUNsPerIO)
			case !c.unknown && p.CPUNsPerIO == nil:
				t.Error("no processor time")
			case !c.unknown && math.Abs(*p.CPUNsPerIO-c.wanted) > 0.2*c.wanted:
				t.Errorf("processor time %v ns, the truth is %v", *p.CPUNsPerIO, c.wanted)
			}
		})
	}
}
