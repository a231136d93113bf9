package remediate_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Kills of the program in the tests here, which take seconds with them all.
const (
	fewestKills = 500
	sampled     = 10
)

// kills counts the programs that were killed.
var kills atomic.Int64

// TestKilled kills the program at every point of each scenario, and runs it again. Whatever was
// left is well, and the next run brings it to its end. Cases B37, B51, B53, B55 and B71.
func TestKilled(t *testing.T) {
	requireDisks(t)
	begun, before := time.Now(), kills.Load()
	t.Run("everywhere", func(t *testing.T) {
		for i, s := range scenarios {
			t.Run(s.name, func(t *testing.T) { s.killEverywhere(t, i == 0) })
		}
	})
	t.Run("again and again", killAgain)
	killed := kills.Load() - before
	t.Logf("%d kills in %s", killed, time.Since(begun).Round(time.Second))
	if killed < fewestKills && !testing.Short() && !t.Skipped() {
		t.Errorf("%d kills are fewer than %d", killed, fewestKills)
	}
}

// atOnce is how many computers are at work at the same time.
const atOnce = 3

// each calls do for each of n, some at the same time.
func each(n int, do func(int)) {
	turns := make(chan int)
	var working sync.WaitGroup
	for range atOnce {
		working.Go(func() {
			for turn := range turns {
				do(turn)
			}
		})
	}
	for turn := range n {
		turns <- turn
	}
	close(turns)
	working.Wait()
}

// killEverywhere takes the points from a run that is not killed. Without early those are left out
// at which it only gathers facts, since the runs of all scenarios do the same up to there, and a loss
// of power that leaves half of a line, of which a line that was cut off by a kill looks the same.
func (s scenario) killEverywhere(t *testing.T, early bool) {
	t.Helper()
	whole := s.begin(t)
	e := whole.finish()
	whole.check()
	if t.Failed() {
		return
	}
	strikes := strikesOf(e.events)
	if !early {
		begun := slices.IndexFunc(e.events, func(e event) bool { return strings.HasPrefix(e.what, "create") && strings.HasSuffix(e.what, ".jsonl") })
		strikes = slices.DeleteFunc(strikes, func(s strike) bool { return s.at <= begun || s.part > 0 })
	}
	if testing.Short() {
		strikes = thinned(strikes)
	}
	var killed atomic.Int64
	each(len(strikes), func(i int) {
		if t.Failed() {
			return
		}
		c := s.begin(t)
		c.kill(strikes[i])
		c.finish()
		c.check()
		killed.Add(int64(c.killed))
	})
	t.Logf("%d events, %d kills", len(e.events), killed.Load())
}

// strikesOf are the points at which a run with these events is killed.
func strikesOf(events []event) []strike {
	var strikes []strike
	// told tells that the program was killed when the event before had happened: nothing lies between
	// that and this one.
	told := false
	for i, e := range events {
		add := func(s strike) {
			s.at = i + 1
			strikes = append(strikes, s)
		}
		if !told {
			add(strike{phase: before})
		}
		told = e.file || e.changes
		switch {
		case e.file:
			add(strike{phase: after})
			add(strike{phase: after, power: true})
			if e.tears {
				// What a write leaves half-way, and what a loss of power leaves of it.
				add(strike{phase: half})
				add(strike{phase: after, power: true, part: 0.5})
			}
		case e.changes:
			add(strike{phase: after})
			add(strike{phase: after, power: true})
		}
	}
	return strikes
}

// thinned is every seventh of the strikes, which shares no rhythm with them.
func thinned(strikes []strike) []strike {
	var few []strike
	for i := 0; i < len(strikes); i += 7 {
		few = append(few, strikes[i])
	}
	return few
}

// killAgain kills runs at random points, and the runs after them too.
// DISKAUDIT_REMEDIATE_SEED repeats it.
func killAgain(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv("DISKAUDIT_REMEDIATE_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("DISKAUDIT_REMEDIATE_SEED=%d", seed)
	rounds := sampled
	if testing.Short() {
		rounds /= 6
	}
	each(rounds, func(round int) {
		if t.Failed() {
			return
		}
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		s := scenarios[random.IntN(len(scenarios))]
		c := s.begin(t)
		c.doing = fmt.Sprintf("round %d of %q", round, s.name)
		for range 2 + random.IntN(3) {
			c.kill(strike{
				at: 1 + random.IntN(90), phase: []phase{before, half, after}[random.IntN(3)],
				power: random.IntN(3) == 0, part: float64(random.IntN(3)) / 2,
			})
		}
		c.finish()
		c.check()
	})
}
