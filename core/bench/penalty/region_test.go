package penalty

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// beside adds a plain region to a measurement: a disk that answers as that of s does, below other
// layers whose cost is stack. It shares the clock of s.
func beside(s *simulation, setup *Setup, bytes int64, stack float64) *simulation {
	region := newSimulation(99)
	region.bare, region.added = s.bare, func(*simulation) float64 { return stack }
	region.upper = region.lower
	region.lowerOffset = 1 << 20
	upper, lower := region.paths()
	setup.Control = &Region{
		Upper: &sharing{upper, s}, Lower: &sharing{lower, s},
		Ranges: []Range{{Offset: 0, Length: bytes}}, LowerOffset: region.lowerOffset,
	}
	return region
}

// sharing is a path whose time passes on the clock of another simulation.
type sharing struct {
	*side
	clock *simulation
}

func (p *sharing) Read(offset int64) (int64, error) {
	before := p.of.clock
	ns, err := p.side.Read(offset)
	p.clock.clock += p.of.clock - before
	return ns, err
}

// The other layers on the way cost as much where there is no encryption; that is subtracted.
func TestPlainRegionIsSubtracted(t *testing.T) {
	s, setup := quick(11)
	setup.Budget = 4 * time.Second
	setup.Ranges = []Range{{Offset: 0, Length: 256 << 20}}
	const cipher, stack = 12_000, 5_000
	s.added = func(*simulation) float64 { return cipher + stack }
	region := beside(s, &setup, 64<<20, stack)
	p := measure(t.Context(), setup, s.conditions())
	if !p.Valid || p.Proof.Result != proofEncrypted {
		t.Fatalf("valid %v, reason %+v, proof %+v", p.Valid, p.Reason, p.Proof)
	}
	if p.Control == nil || p.Control.Kind != "plain-region" || math.Abs(p.Control.AddedNs.Estimate-stack) > 600 {
		t.Errorf("control %+v, the truth is %d", p.Control, stack)
	}
	if p.AddedNs.Low > cipher || p.AddedNs.High < cipher || math.Abs(p.AddedNs.Estimate-cipher) > 900 {
		t.Errorf("added %+v, the truth is %d", *p.AddedNs, cipher)
	}
	// No block of the region is read twice through a path, and the lower path has it at its place.
	for path, offset := range []int64{0, region.lowerOffset} {
		seen := map[int64]bool{}
		for _, at := range region.reads[path] {
			if at -= offset; seen[at] || at < 0 || at > 64<<20-4096 {
				t.Fatalf("the region's %s path was read at %d, twice %v", pathNames[path], at, seen[at])
			}
			seen[at] = true
		}
	}
}

// A region with little data does: then its blocks end the measurement.
func TestSmallPlainRegion(t *testing.T) {
	s, setup := quick(12)
	setup.Budget = 4 * time.Second
	setup.Ranges = []Range{{Offset: 0, Length: 256 << 20}}
	setup.ThresholdPercent = 100 * 12_000 / 43_000.
	region := beside(s, &setup, leastControl*4096, 0)
	p := measure(t.Context(), setup, s.conditions())
	if !p.Valid || p.Control.Kind != "plain-region" || *p.Ended != endedBlocks {
		t.Fatalf("valid %v, reason %+v, control %+v, ended %s", p.Valid, p.Reason, p.Control, *p.Ended)
	}
	if used := len(region.reads[upperPath]) + len(region.reads[lowerPath]); used < leastControl*8/10 {
		t.Errorf("%d of %d blocks were used", used, leastControl)
	}
	if math.Abs(p.AddedNs.Estimate-12_000) > 1500 {
		t.Errorf("added %+v, the truth is 12000", *p.AddedNs)
	}
}

// A region that is of no use gives way to the lower path compared with itself, and costs nothing.
func TestUselessPlainRegion(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*simulation, *Setup)
	}{
		{"too little data", func(_ *simulation, setup *Setup) {
			setup.Control.Ranges = []Range{{Offset: 0, Length: (leastControl - 1) * 4096}}
		}},
		{"encrypted after all", func(region *simulation, _ *Setup) { region.upper = plainBlock }},
		{"elsewhere", func(region *simulation, _ *Setup) {
			region.upper, region.lower = plainBlock, func(offset int64, b []byte) { plainBlock(offset+4096, b) }
		}},
		{"only zeros", func(region *simulation, _ *Setup) { region.upper, region.lower = zeroBlock, zeroBlock }},
		{"unreadable", func(region *simulation, _ *Setup) {
			region.intercept = func(int, int64, int64) (int64, error) { return 0, errors.New("access denied") }
		}},
		{"ranges that cannot be", func(_ *simulation, setup *Setup) { setup.Control.Ranges = []Range{{Offset: -1, Length: 1 << 30}} }},
		{"no upper path", func(_ *simulation, setup *Setup) { setup.Control.Upper = nil }},
		{"before the lower path", func(_ *simulation, setup *Setup) { setup.Control.LowerOffset = -512 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, setup := quick(13)
			setup.Ranges = []Range{{Offset: 0, Length: 64 << 20}}
			region := beside(s, &setup, 64<<20, 3_000)
			c.change(region, &setup)
			p := measure(t.Context(), setup, s.conditions())
			if !p.Valid || p.Control.Kind != "same-path" || math.Abs(p.AddedNs.Estimate-12_000) > 1200 {
				t.Errorf("valid %v, reason %+v, control %+v, added %+v", p.Valid, p.Reason, p.Control, p.AddedNs)
			}
		})
	}
}

// What reads faster above than below, without encryption, cannot be what it is taken for.
func TestPlainRegionIsFasterAbove(t *testing.T) {
	s, setup := quick(14)
	setup.Ranges = []Range{{Offset: 0, Length: 64 << 20}}
	beside(s, &setup, 64<<20, -9_000)
	if p := measure(t.Context(), setup, s.conditions()); p.Valid || p.Reason == nil || p.Reason.Code != codeControl {
		t.Errorf("valid %v, reason %+v", p.Valid, p.Reason)
	}
}

// A disk that fails in the region in the course of the measurement is a failure, and says where.
func TestPlainRegionBreaks(t *testing.T) {
	s, setup := quick(15)
	setup.Ranges = []Range{{Offset: 0, Length: 64 << 20}}
	region := beside(s, &setup, 64<<20, 3_000)
	reads := 0
	region.intercept = func(_ int, _ int64, ns int64) (int64, error) {
		if reads++; reads > 400 {
			return 0, errors.New("data error")
		}
		return ns, nil
	}
	p := measure(t.Context(), setup, s.conditions())
	if p.Valid || p.Reason == nil || p.Reason.Code != codeRead {
		t.Fatalf("valid %v, reason %+v", p.Valid, p.Reason)
	}
	if want := "path of the plain region failed: data error"; !strings.Contains(p.Reason.Text, want) {
		t.Errorf("%q does not say %q", p.Reason.Text, want)
	}
}
