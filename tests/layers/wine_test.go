//go:build linux

package layers_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/tests/layers"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
)

// byWindows measures a penalty with the Windows executable under Wine, where the upper path is the
// volume \\.\X: and the lower one the disk \\.\PhysicalDrive1.
func byWindows(t *testing.T, computer *rig.Rig, upper, lower, budget string) contract.Bench {
	t.Helper()
	computer.Drive('X', upper)
	computer.PhysicalDrive(1, lower)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	result := computer.Run(ctx, "bench", "--format", "json", "--upper", `\\.\X:`, "--lower", `\\.\PhysicalDrive1`, "--lower-offset", "0", "--penalty-time", budget)
	if len(result.Stdout) == 0 {
		t.Fatalf("exit %d, nothing on stdout: %s", result.Code, result.Stderr)
	}
	return document(t, result.Stdout)
}

// proven fails the test if the paths were not opened, found to be the same place and measured.
func proven(t *testing.T, system string, got contract.Bench) {
	t.Helper()
	p := got.Penalty
	if p.Evidence != contract.EvidencePaired || p.Proof == nil || p.Proof.Result != "same" || p.Proof.Same != p.Proof.Blocks || p.Proof.Blocks < 32 {
		t.Fatalf("%s: evidence %q, proof %+v, reason %+v, problems %q", system, p.Evidence, p.Proof, p.Reason, graver(got))
	}
	if p.Control != nil && p.Control.Kind != "same-path" {
		t.Errorf("%s: the control is %q", system, p.Control.Kind)
	}
}

// The Windows executable finds the same delay through a volume and the disk below it as the Linux
// executable does on the same two paths: the one that is there. Under Wine a read takes many times
// as long as the layer's own work, which the comparison of the paths has to take out.
func TestPenaltyUnderWine(t *testing.T) {
	require.Measuring(t)
	disk := layers.RAMDisk(t, 256<<20)
	const delay = 500 * time.Microsecond
	views := layers.Mount(t, disk, layers.Options{Delay: delay, KeepAwake: true})
	computer := rig.New(t)
	var wrong []string
	for range 3 {
		reason := sameDelay(t, computer, views, delay)
		if reason == "" {
			return
		}
		wrong = append(wrong, reason)
	}
	t.Error(strings.Join(wrong, "; "))
}

// sameDelay measures once on either system, and says what is wrong with the results.
func sameDelay(t *testing.T, computer *rig.Rig, views *layers.Views, delay time.Duration) string {
	t.Helper()
	windows := byWindows(t, computer, views.Slow, views.Bare, "8s")
	proven(t, "Windows", windows)
	linux, _ := bench(t, "--upper", views.Slow, "--lower", views.Bare, "--lower-offset", "0", "--penalty-time", "8s")
	proven(t, "Linux", linux)
	w, l := windows.Penalty, linux.Penalty
	if !w.Valid || !l.Valid {
		return fmt.Sprintf("not valid: %+v under Wine, %+v on Linux", w.Reason, l.Reason)
	}
	t.Logf("under Wine %s to %.1f us, on Linux %s to %.1f us", added(w), *w.BareNs/1e3, added(l), *l.BareNs/1e3)
	// The two computers' noise differs, so each interval may miss the truth by a fifth of it.
	const generous = 0.2
	slack := generous * float64(delay)
	if w.AddedNs.Low-slack > l.AddedNs.High || l.AddedNs.Low-slack > w.AddedNs.High {
		return fmt.Sprintf("%s under Wine, %s on Linux", added(w), added(l))
	}
	if w.AddedNs.Low-slack > float64(delay) || w.AddedNs.High+slack < float64(delay) {
		return fmt.Sprintf("%s under Wine of a delay of %v", added(w), delay)
	}
	return ""
}

func added(p contract.Penalty) string {
	return fmt.Sprintf("%.1f us (%.1f to %.1f)", p.AddedNs.Estimate/1e3, p.AddedNs.Low/1e3, p.AddedNs.High/1e3)
}

// A loop device over a RAM disk, as a volume over its disk. Both are block devices, whose length
// Wine does not tell. Wine reads through the system's cache, so the cost of the layer is not the one
// that Linux measures past it; but it is no longer than a read takes there.
func TestLoopUnderWine(t *testing.T) {
	require.Measuring(t)
	const size = 256 << 20
	disk := layers.RAMDisk(t, size)
	loop := layers.Loop(t, disk, 0)
	computer := rig.New(t)
	var wrong []string
	for range 3 {
		windows := byWindows(t, computer, loop, disk, "6s")
		proven(t, "Windows", windows)
		linux, _ := bench(t, "--upper", loop, "--lower", disk, "--lower-offset", "0", "--penalty-time", "6s")
		proven(t, "Linux", linux)
		w, l := windows.Penalty, linux.Penalty
		// A file system may end 4 MiB before its volume.
		if w.Paths.SpanBytes > size || w.Paths.SpanBytes < size-4<<20 || l.Paths.SpanBytes != size {
			t.Fatalf("%d bytes under Wine, %d on Linux, of %d", w.Paths.SpanBytes, l.Paths.SpanBytes, size)
		}
		if !w.Valid || !l.Valid {
			wrong = append(wrong, fmt.Sprintf("not valid: %+v under Wine, %+v on Linux", w.Reason, l.Reason))
			continue
		}
		t.Logf("under Wine %s to %.1f us, on Linux %s to %.1f us", added(w), *w.BareNs/1e3, added(l), *l.BareNs/1e3)
		slack := *w.BareNs
		if w.AddedNs.Low-slack <= l.AddedNs.High && l.AddedNs.Low-slack <= w.AddedNs.High {
			return
		}
		wrong = append(wrong, fmt.Sprintf("%s under Wine, %s on Linux", added(w), added(l)))
	}
	t.Error(strings.Join(slices.Compact(wrong), "; "))
}
