//go:build linux

package layers_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/tests/layers"
	"diskaudit/tests/layers/held"
	"diskaudit/tests/require"
)

// The cost of a layer whose cost is known. This is a statistical test of correctness, not of
// speed: however fast the computer is, the interval has to hold the delay, which one in twenty may
// fail to do, and the estimate has to be near it. Short delays are not asked of a file system in
// user space, whose own cost varies by more; simulated paths have them down to 2 us, in package
// penalty.
func TestPenaltyOfAKnownDelay(t *testing.T) {
	disk := layers.RAMDisk(t, 512<<20)
	for _, delay := range []time.Duration{200 * time.Microsecond, 500 * time.Microsecond} {
		t.Run(delay.String(), func(t *testing.T) {
			var wrong []string
			for range 3 {
				reason := measureDelay(t, disk, delay)
				if reason == "" {
					return
				}
				wrong = append(wrong, reason)
			}
			t.Error(strings.Join(wrong, "; "))
		})
	}
}

// measureDelay measures once, and says what is wrong with the result.
func measureDelay(t *testing.T, disk string, delay time.Duration) string {
	t.Helper()
	views := layers.Mount(t, disk, layers.Options{Delay: delay, KeepAwake: true})
	got, exit := bench(t, "--upper", views.Slow, "--lower", views.Bare, "--lower-offset", "0", "--penalty-time", "8s")
	penalty := got.Penalty
	if exit != 0 && exit != 3 || penalty.Evidence != contract.EvidencePaired || penalty.Proof == nil || penalty.Proof.Result != "same" {
		t.Fatalf("exit %d, evidence %q, proof %+v, problems %q", exit, penalty.Evidence, penalty.Proof, graver(got))
	}
	if penalty.AddedNs == nil {
		if penalty.Valid || penalty.Reason == nil {
			t.Fatalf("no figure and no reason: %+v", penalty)
		}
		return penalty.Reason.Text
	}
	// What the file system itself waited, by its own clock.
	truth := float64(views.Counters(layers.Slow).Added.Median - views.Counters(layers.Bare).Added.Median)
	added := *penalty.AddedNs
	off := (added.Estimate/truth - 1) * 100
	t.Logf("truth %.1f us, estimate %.1f us (%.1f to %.1f), %+.1f %%, %d pairs",
		truth/1e3, added.Estimate/1e3, added.Low/1e3, added.High/1e3, off, penalty.Pairs)
	const near = 10
	if added.Low > truth || added.High < truth || off < -near || off > near {
		return fmt.Sprintf("%.0f ns (%.0f to %.0f) are said of %.0f ns", added.Estimate, added.Low, added.High, truth)
	}
	return ""
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
