package engine

import (
	"go/parser"
	"go/token"
	"math"
	"os"
	"strings"
	"testing"
)

func TestScale(t *testing.T) {
	for _, c := range []struct{ value, from, to, want int64 }{
		{0, 10e6, 1e9, 0},
		{1, 10e6, 1e9, 100},
		{-3, 10e6, 1e9, -300},
		{7, 1e9, 1e9, 7},
		// A counter of 3.579545 MHz, as older systems have.
		{3579545, 3579545, 1e9, 1e9},
		{1, 3579545, 1e9, 279},
		// A month, whose product does not fit into 64 bits.
		{30 * 86400 * 10e6, 10e6, 1e9, 30 * 86400 * 1e9},
		{30 * 86400 * 1e9, 1e9, 10e6, 30 * 86400 * 10e6},
		// More than 292 years have no number of ns in 64 bits.
		{math.MaxInt64, 10e6, 1e9, math.MaxInt64},
		{math.MaxInt64, 1, 1e9, math.MaxInt64},
	} {
		if got := scale(c.value, c.from, c.to); got != c.want {
			t.Errorf("%d at %d in %d a second: %d, want %d", c.value, c.from, c.to, got, c.want)
		}
	}
}

func TestClock(t *testing.T) {
	last := now()
	for range 100000 {
		reading := now()
		if reading < last {
			t.Fatalf("%d after %d", reading, last)
		}
		last = reading
	}
	clock := MeasureClock()
	if clock.Source == nil || *clock.Source != clockSource {
		t.Errorf("source %v", clock.Source)
	}
	// A millisecond is the step of a clock that cannot time an I/O.
	if clock.ResolutionNs == nil || *clock.ResolutionNs <= 0 || *clock.ResolutionNs >= 1e6 {
		t.Errorf("resolution %v", clock.ResolutionNs)
	}
	if clock.OverheadNs == nil || *clock.OverheadNs <= 0 || *clock.OverheadNs >= 1e6 {
		t.Errorf("overhead %v", clock.OverheadNs)
	}
}

// Go's clock, which moves in steps of up to 15.6 ms on Windows, is nowhere but where the start of
// a round is noted and where a hanging I/O is given up (P56, P57).
func TestNoCoarseClock(t *testing.T) {
	allowed := map[string]bool{"round.go": true, "engine.go": true}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := file.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || allowed[name] {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly); err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{"time.Now(", "time.Since(", "time.Until("} {
			if strings.Contains(string(source), call) {
				t.Errorf("%s calls %s", name, call)
			}
		}
	}
}
