//go:build linux

package layers_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"diskaudit/core/contract"
	"diskaudit/tests/layers"
	"diskaudit/tests/layers/held"
	"diskaudit/tests/require"
)

// The cost of a layer whose cost is known. This is a statistical test of correctness, not of
// speed: however fast the computer is, the interval has to hold the delay (one in twenty may not,
// two of three do not by chance), and an interval that is narrow enough for it has to have the
// delay within 5 % of the estimate. Where other programs compete for the processor, a longer read
// meets them more often, so the layer then really costs more than its delay: such tries are not
// judged.
func TestPenaltyOfAKnownDelay(t *testing.T) {
	disk := layers.RAMDisk(t, 512<<20)
	for _, delay := range []time.Duration{20 * time.Microsecond, 50 * time.Microsecond, 200 * time.Microsecond} {
		t.Run(delay.String(), func(t *testing.T) {
			var wrong []string
			for range 3 {
				switch got := measureDelay(t, disk, delay); {
				case got.wrong == "" && got.precise:
					return
				case got.wrong != "" && !got.busy:
					wrong = append(wrong, got.wrong)
				}
			}
			if len(wrong) > 1 {
				t.Fatal(strings.Join(wrong, "; "))
			}
			t.Skip("needs a quieter computer: in three tries there was none that was not disturbed and whose interval was narrow enough")
		})
	}
}

// outcome is what came out of one measurement.
type outcome struct {
	// wrong says what is wrong with it; "" if nothing.
	wrong string
	// precise tells that its interval is narrow enough to judge the estimate by.
	precise bool
	// busy tells that other programs competed for the processor just before it or just after.
	busy bool
}

// disturbed tells whether others compete for the processor: reads that are all alike then take
// very different times. It reads for itself, independently of what is under test.
func disturbed(t *testing.T, path string) bool {
	t.Helper()
	fd, buffer := direct(t, path), held.Aligned(4096)
	times := make([]time.Duration, 5000)
	for i := range times {
		began := time.Now()
		if _, err := unix.Pread(fd, buffer, int64(i)*4096); err != nil {
			t.Fatal(err)
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	return times[len(times)*8/10] > times[len(times)/5]*3/2
}

// measureDelay measures once.
func measureDelay(t *testing.T, disk string, delay time.Duration) outcome {
	t.Helper()
	views := layers.Mount(t, disk, layers.Options{Delay: delay, KeepAwake: true})
	busy := disturbed(t, views.Bare)
	got, exit := bench(t, "--upper", views.Slow, "--lower", views.Bare, "--lower-offset", "0", "--penalty-time", "10s")
	busy = disturbed(t, views.Bare) || busy
	penalty := got.Penalty
	if exit != 0 && exit != 3 || penalty.Evidence != contract.EvidencePaired || penalty.Proof == nil || penalty.Proof.Result != "same" {
		t.Fatalf("exit %d, evidence %q, proof %+v, problems %q", exit, penalty.Evidence, penalty.Proof, graver(got))
	}
	if penalty.AddedNs == nil {
		if penalty.Valid || penalty.Reason == nil {
			t.Fatalf("no figure and no reason: %+v", penalty)
		}
		t.Logf("no figure: %s", penalty.Reason.Text)
		return outcome{busy: busy}
	}
	// What the file system itself waited, by its own clock.
	truth := float64(views.Counters(layers.Slow).Added.Median - views.Counters(layers.Bare).Added.Median)
	added := *penalty.AddedNs
	off := (added.Estimate/truth - 1) * 100
	result := outcome{precise: added.High-added.Low <= truth*0.15, busy: busy}
	t.Logf("truth %.1f us, estimate %.1f us (%.1f to %.1f), %+.1f %%, %d pairs, busy %v",
		truth/1e3, added.Estimate/1e3, added.Low/1e3, added.High/1e3, off, penalty.Pairs, busy)
	switch {
	case added.Low > truth || added.High < truth:
		result.wrong = fmt.Sprintf("the interval from %.0f to %.0f ns does not hold the true %.0f ns", added.Low, added.High, truth)
	case result.precise && (off < -5 || off > 5):
		result.wrong = fmt.Sprintf("the estimate of %.0f ns is %.1f %% off the true %.0f ns", added.Estimate, off, truth)
	}
	return result
}

// A real BitLocker volume, made by Windows, below a real software decryption: the two paths are
// proven to be the two sides of a cipher, and the layer costs something.
func TestPenaltyOfBitLocker(t *testing.T) {
	disk := bitLockerDisk(t)
	plain := layers.Dislocker(t, disk, "anaconda")
	got, exit := bench(t, "--upper", plain, "--lower", disk, "--lower-offset", "0", "--penalty-time", "5s")
	penalty := got.Penalty
	if penalty.Proof == nil || penalty.Proof.Result != "encrypted" || penalty.Evidence != contract.EvidencePaired {
		t.Fatalf("exit %d, evidence %q, proof %+v, reason %+v, problems %q", exit, penalty.Evidence, penalty.Proof, penalty.Reason, graver(got))
	}
	t.Logf("added %+v, valid %v, %d pairs: %s", penalty.AddedNs, penalty.Valid, penalty.Pairs, got.Verdict.Text)
	if penalty.AddedNs != nil && penalty.AddedNs.Low <= 0 {
		t.Errorf("decrypting is said to cost nothing: %+v", *penalty.AddedNs)
	}
}

// bitLockerDisk returns a RAM disk that holds a BitLocker volume full of text. The image of the
// volume has little more than BitLocker's own data, so the text is written through dislocker,
// which encrypts it as BitLocker would.
func bitLockerDisk(t *testing.T) string {
	t.Helper()
	require.Tool(t, "dislocker-fuse")
	image, err := os.ReadFile(bitLockerImage(t, "bitlk-togo-aes-xts-128.img"))
	if err != nil {
		t.Fatal(err)
	}
	disk := layers.RAMDisk(t, int64(len(image)))
	if err := os.WriteFile(disk, image, 0); err != nil {
		t.Fatal(err)
	}
	opened, err := held.Dislocker(disk, "anaconda", true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := opened.Release(); err != nil {
			t.Fatal(err)
		}
	}()
	volume, err := os.OpenFile(opened.Path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer volume.Close()
	text := bytes.Repeat([]byte("Nobody minds reading this. "), 4096)[:64<<10]
	refused := 0
	for at := int64(1 << 20); at+int64(len(text)) <= int64(len(image)); at += int64(len(text)) {
		// Where BitLocker keeps its metadata, dislocker refuses to write.
		if _, err := volume.WriteAt(text, at); err != nil {
			refused += len(text)
		}
	}
	if refused > len(image)/10 {
		t.Fatalf("dislocker refused to write %d of %d bytes", refused, len(image))
	}
	return disk
}
