package profile

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

func TestEveryOptionIsExplicit(t *testing.T) {
	for _, profile := range All() {
		seen := map[string]bool{}
		if profile.SizeBytes <= 0 || profile.PrepareFor <= 0 || profile.PenaltyFor <= 0 || profile.Purpose == "" || len(profile.Tests) == 0 {
			t.Errorf("%s is not complete: %+v", profile.Name, profile)
		}
		for _, test := range profile.Tests {
			if seen[test.ID] {
				t.Errorf("%s has two tests named %s", profile.Name, test.ID)
			}
			seen[test.ID] = true
			write := test.Operation == contract.OperationWrite
			if write != (test.Durability != nil) || write != (test.MaxWrittenBytes > 0) {
				t.Errorf("%s/%s: durability and the limit of writing belong to writes", profile.Name, test.ID)
			}
			if test.BlockBytes == 0 || test.BlockBytes%512 != 0 || test.QueueDepth == 0 || test.Threads == 0 || test.RoundMs <= 0 || test.RoundOps == 0 {
				t.Errorf("%s/%s: %+v", profile.Name, test.ID, test)
			}
			if test.SpanBytes < test.BlockBytes || test.SpanBytes > uint64(profile.SizeBytes) {
				t.Errorf("%s/%s uses %d of %d bytes", profile.Name, test.ID, test.SpanBytes, profile.SizeBytes)
			}
			if test.Rounds < 6 {
				t.Errorf("%s/%s: %d rounds give no interval", profile.Name, test.ID, test.Rounds)
			}
			if test.MaxWrittenBytes > 0 && test.MaxWrittenBytes/(test.Rounds+1) < test.BlockBytes {
				t.Errorf("%s/%s: a round may not even write one block", profile.Name, test.ID)
			}
		}
	}
}

// What quick promises: at most 2 GiB written, well within 30 s.
func TestQuickIsShortAndSparing(t *testing.T) {
	quick, _ := Find("quick")
	written := uint64(quick.SizeBytes)
	var planned float64
	for _, test := range quick.Tests {
		written += test.MaxWrittenBytes
		planned += test.WarmupMs + test.RoundMs*float64(test.Rounds)
	}
	if written > 2<<30 {
		t.Errorf("quick writes up to %d bytes", written)
	}
	if total := quick.PrepareFor + quick.PenaltyFor + time.Duration(planned)*time.Millisecond; total > 25*time.Second {
		t.Errorf("quick is planned to take %v", total)
	}
	if quick.Limit == 0 || quick.Limit > 28*time.Second {
		t.Errorf("quick's time limit is %v", quick.Limit)
	}
}

// The tests of CrystalDiskMark's presets, as DiskMarkDlg.cpp of hiyohiyo/CrystalDiskMark has them.
func TestCrystalDiskMarkPresets(t *testing.T) {
	for name, want := range map[string]string{
		"cdm":      "SEQ1M-Q8T1 SEQ1M-Q1T1 RND4K-Q32T1 RND4K-Q1T1",
		"cdm-nvme": "SEQ1M-Q8T1 SEQ128K-Q32T1 RND4K-Q32T16 RND4K-Q1T1",
	} {
		profile, _ := Find(name)
		var got []string
		for _, test := range profile.Tests {
			if base, ok := strings.CutSuffix(test.ID, "-read"); ok {
				got = append(got, base)
			}
		}
		if strings.Join(got, " ") != want || len(profile.Tests) != 2*len(got) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestIDs(t *testing.T) {
	through, flushed := contract.DurabilityWriteThrough, contract.DurabilityFlush
	for want, test := range map[string]contract.TestSpec{
		"RND4K-Q1T1-read":          {BlockBytes: 4096, Pattern: contract.PatternRandom, QueueDepth: 1, Threads: 1, Operation: contract.OperationRead},
		"SEQ1M-Q8T1-write-through": {BlockBytes: 1 << 20, Pattern: contract.PatternSequential, QueueDepth: 8, Threads: 1, Operation: contract.OperationWrite, Durability: &through},
		"SEQ512B-Q1T2-write-flush": {BlockBytes: 512, Pattern: contract.PatternSequential, QueueDepth: 1, Threads: 2, Operation: contract.OperationWrite, Durability: &flushed},
		"RND1536B-Q1T1-read-spaced": {BlockBytes: 1536, Pattern: contract.PatternRandom, QueueDepth: 1, Threads: 1, SpacingMs: 500,
			Operation: contract.OperationRead},
	} {
		if got := ID(test); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Case P54: an equivalent has to be true. The options are those of facts that diskspd documents:
// -Su unbuffered, -Sh unbuffered and written through, -r random, -s sequential, -L latencies.
func TestDiskspdEquivalents(t *testing.T) {
	quick, _ := Find("quick")
	flush, _ := Find("flush")
	spaced, _ := Find("spaced")
	oltp, _ := Find("oltp")
	lines := map[string]string{}
	for _, profile := range []Profile{quick, flush, spaced, oltp} {
		for _, test := range profile.Tests {
			if test.Diskspd != nil {
				lines[profile.Name+"/"+test.ID] = *test.Diskspd
			} else {
				lines[profile.Name+"/"+test.ID] = ""
			}
		}
	}
	for id, want := range map[string]string{
		"quick/RND4K-Q1T1-read":          "diskspd -b4K -t1 -o1 -r -w0 -Su -L -W1 -d3 -c1G FILE",
		"quick/SEQ1M-Q8T1-write":         "diskspd -b1M -t1 -o8 -s -w100 -Z64M -Su -L -W1 -d2 -c1G FILE",
		"flush/RND4K-Q1T1-write-through": "diskspd -b4K -t1 -o1 -r -w100 -Z64M -Sh -L -W1 -d9 -c1G FILE",
		"flush/RND4K-Q1T1-write-flush":   "",
		"spaced/RND4K-Q1T1-read-spaced":  "diskspd -b4K -t1 -o1 -r -w0 -Su -L -i1 -j500 -W0 -d15 -c1G FILE",
		"oltp/RND8K-Q8T8-read":           "diskspd -b8K -t8 -o8 -r -w0 -Su -L -W5 -d30 -c4G FILE",
	} {
		if lines[id] != want {
			t.Errorf("%s:\n%s\nwant\n%s", id, lines[id], want)
		}
	}
}

// Case P54: fio accepts every line.
func TestFioEquivalentsAreAccepted(t *testing.T) {
	fio := require.Tool(t, "fio")
	file := filepath.Join(t.TempDir(), "file")
	number := regexp.MustCompile(`[0-9]+[KMG]?`)
	seen := map[string]bool{}
	for _, profile := range All() {
		for _, test := range profile.Tests {
			// Lines that differ in numbers only need one try.
			if form := number.ReplaceAllString(*test.Fio, "N"); seen[form] {
				continue
			} else {
				seen[form] = true
			}
			words := strings.Fields(strings.ReplaceAll(*test.Fio, "FILE", file))
			if out, err := exec.Command(fio, append(words[1:], "--parse-only")...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", *test.Fio, err, out)
			}
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %d forms of lines were tried", len(seen))
	}
}

// Case P55: I/O at rest and back-to-back I/O are tests of their own.
func TestSpacedIsApart(t *testing.T) {
	spaced, _ := Find("spaced")
	var ids []string
	for _, test := range spaced.Tests {
		ids = append(ids, test.ID)
	}
	if got := strings.Join(ids, " "); got != "RND4K-Q1T1-read-spaced RND4K-Q1T1-write-spaced RND4K-Q1T1-read RND4K-Q1T1-write" {
		t.Error(got)
	}
}

func TestResize(t *testing.T) {
	quick, _ := Find("quick")
	quick.Resize(256 << 20)
	for _, test := range quick.Tests {
		if test.SpanBytes != 256<<20 || !strings.Contains(*test.Fio, "--size=256M") {
			t.Errorf("%s uses %d bytes: %s", test.ID, test.SpanBytes, *test.Fio)
		}
	}
	legacy, _ := Find("legacy")
	legacy.Resize(8 << 20)
	if legacy.Tests[0].SpanBytes != 4096 {
		t.Errorf("legacy writes one block, not %d bytes", legacy.Tests[0].SpanBytes)
	}
	if again, _ := Find("quick"); again.Tests[0].SpanBytes != 1<<30 {
		t.Error("resizing one copy changed the table")
	}
}

func TestLast(t *testing.T) {
	quick, _ := Find("quick")
	quick.Last(16 * time.Second)
	if test := quick.Tests[0]; test.RoundMs*float64(test.Rounds) != 16_000 || quick.Limit != 0 {
		t.Errorf("%d rounds of %v ms, limit %v", test.Rounds, test.RoundMs, quick.Limit)
	}
}
