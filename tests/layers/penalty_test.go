//go:build linux

package layers_test

import (
	"fmt"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/tests/layers"
)

// The cost of a layer whose cost is known. This is a statistical test of correctness, not of
// speed: however fast the computer is, the difference has to be the delay. It is repeated where
// the computer was too busy for a figure, and fails when three tries in a row are wrong.
func TestPenaltyOfAKnownDelay(t *testing.T) {
	disk := layers.RAMDisk(t, 512<<20)
	for _, delay := range []time.Duration{20 * time.Microsecond, 50 * time.Microsecond, 200 * time.Microsecond} {
		t.Run(delay.String(), func(t *testing.T) {
			wrong := ""
			for range 3 {
				if wrong = measureDelay(t, disk, delay, false); wrong == "" {
					return
				}
			}
			t.Error(wrong)
		})
	}
}

// measureDelay measures once, and returns what was wrong with the result; "" if nothing.
func measureDelay(t *testing.T, disk string, delay time.Duration, mask bool) string {
	t.Helper()
	views := layers.Mount(t, disk, layers.Options{Delay: delay, Mask: mask})
	got, exit := bench(t, "--upper", views.Slow, "--lower", views.Bare, "--lower-offset", "0", "--penalty-time", "10s")
	penalty := got.Penalty
	if exit != 0 && exit != 3 || penalty.Evidence != contract.EvidencePaired || penalty.Proof == nil {
		t.Fatalf("exit %d, evidence %q, proof %+v, problems %q", exit, penalty.Evidence, penalty.Proof, graver(got))
	}
	if penalty.AddedNs == nil {
		t.Logf("no figure: %+v", penalty.Reason)
		return fmt.Sprintf("no figure: %+v", penalty.Reason)
	}
	// What the file system itself waited, by its own clock.
	truth := float64(views.Counters(layers.Slow).Added.Median - views.Counters(layers.Bare).Added.Median)
	added := *penalty.AddedNs
	off := (added.Estimate/truth - 1) * 100
	t.Logf("truth %.1f us, estimate %.1f us (%.1f to %.1f), %+.1f %%, bare %.1f us, control %+v, %d pairs, ended %s",
		truth/1e3, added.Estimate/1e3, added.Low/1e3, added.High/1e3, off, *penalty.BareNs/1e3, penalty.Control.AddedNs, penalty.Pairs, *penalty.Ended)
	switch {
	case added.Low > truth || added.High < truth:
		return fmt.Sprintf("the interval from %.0f to %.0f ns does not hold the true %.0f ns", added.Low, added.High, truth)
	case off < -5 || off > 5:
		return fmt.Sprintf("the estimate of %.0f ns is %.1f %% off the true %.0f ns", added.Estimate, off, truth)
	}
	return ""
}
