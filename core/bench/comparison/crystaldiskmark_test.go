package comparison

import (
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// Case P8: the figures are MB/s of 10^6 bytes; case P7: the times are us.
func TestCrystalDiskMark(t *testing.T) {
	read := mustRead(t, testdata(t, "crystaldiskmark-9.txt"))
	wantTests(t, read, map[string]figures{
		"SEQ1M-Q8T1-read":     {-1, 1_598_200, -1, 5242.88},
		"SEQ128K-Q32T1-read":  {-1, 819_110, -1, 5111.808},
		"RND4K-Q32T16-read":   {-1, 1_020_300, -1, 2048},
		"RND4K-Q1T1-read":     {-1, 49_880, -1, 81.92},
		"SEQ1M-Q8T1-write":    {-1, 1_996_400, -1, 4194.304},
		"SEQ128K-Q32T1-write": {-1, 1_030_770, -1, 4063.232},
		"RND4K-Q32T16-write":  {-1, 1_275_100, -1, 1638.4},
		"RND4K-Q1T1-write":    {-1, 16_520, -1, 245.76},
	})
	if mib := *read.Tests[0].MiBPerSecond; mib != 5000 {
		t.Errorf("5000 MiB a second read as %g", mib)
	}
	if codesOf(read.Refusals) != "mixed-operation/SEQ1M-Q8T1-mix mixed-operation/RND4K-Q1T1-mix" {
		t.Errorf("refusals %v", read.Refusals)
	}
	if *read.Baseline.Format != contract.BaselineCrystalDiskMark || *read.Baseline.Version != "9.0.1" || read.Baseline.CollectedAt != nil {
		t.Errorf("%+v: a local time without its zone is no time", read.Baseline)
	}
	for _, test := range read.Tests {
		if *test.SpanBytes != 1<<30 || (test.Operation == contract.OperationWrite) != (test.Durability != nil && *test.Durability == contract.DurabilityDeviceCache) {
			t.Errorf("%s: span %v, durability %v", test.ID, *test.SpanBytes, test.Durability)
		}
	}
	if noteCodes(read.Notes) != "crystaldiskmark-figures" || !strings.Contains(read.Notes[0].Text, "best of 5 passes") {
		t.Errorf("notes %v", read.Notes)
	}
}

// KDiskMark's MB/s are thousands of KiB/s: 2000 I/Os of 1 MiB are 2097.152 MB/s, not 2048 (case P8).
func TestKDiskMark(t *testing.T) {
	read := mustRead(t, testdata(t, "kdiskmark-3.txt"))
	wantTests(t, read, map[string]figures{
		"SEQ1M-Q8T1-read":  {-1, 3_990_100, 2000, 2097.152},
		"RND4K-Q1T1-read":  {-1, 64_900, 15_000, 61.44},
		"SEQ1M-Q8T1-write": {-1, 7_980_500, 1000, 1048.576},
		"RND4K-Q1T1-write": {-1, 31_200, 30_000, 122.88},
	})
	if *read.Baseline.Version != "KDiskMark 3.2.0" || *read.Tests[0].SpanBytes != 512<<20 {
		t.Errorf("%+v", read.Baseline)
	}
}

// crystalText is a short export.
func crystalText(version string, lines ...string) string {
	return "CrystalDiskMark " + version + " x64 (C) 2007-2026 hiyohiyo\n\n[Read]\n" + strings.Join(lines, "\n") +
		"\n\nProfile: Real\n   Test: 16 MiB (x1) [D: 1% (1/100GiB)]\n"
}

const oneLine = "  RND    4KiB (Q=  1, T= 1):    40.960 MB/s [  10000.0 IOPS] <    99.50 us>"

func TestCrystalDiskMarkForms(t *testing.T) {
	for name, text := range map[string]string{
		"version 7":         crystalText("7.0.0", "      Random 4KiB (Q=  1, T= 1):    40.960 MB/s [  10000.0 IOPS] <    99.50 us>"),
		"version 8":         crystalText("8.0.4", oneLine),
		"decimal commas":    crystalText("8.0.4", "  RND    4KiB (Q=  1, T= 1):    40,960 MB/s [  10000,0 IOPS] <    99,50 us>"),
		"spaces at the end": crystalText("9.0.1", oneLine+"  \t"),
		"a title in text":   crystalText("9.0.1", oneLine) + "Comment: CrystalDiskMark 8.0.4 said the same\n",
		"XML in a comment":  crystalText("9.0.1", oneLine) + "Comment: <Results> \"fio version\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			wantTests(t, mustRead(t, text), map[string]figures{"RND4K-Q1T1-read": {-1, 99_500, -1, 40.96}})
		})
	}
}

func TestCrystalDiskMarkRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		text, refusals string
		tests          int
	}{
		"not measured":   {crystalText("9.0.1", oneLine, "  SEQ    1MiB (Q=  1, T= 1):     0.000 MB/s [      0.0 IOPS] <     0.00 us>"), "no-figure/SEQ1M-Q1T1-read", 1},
		"zeros":          {crystalText("9.0.1", oneLine) + "   Mode: [Admin] <0Fill>\n", "data-differs/RND4K-Q1T1-read", 0},
		"without a time": {crystalText("9.0.1", strings.Replace(oneLine, "99.50", " 0.00", 1)), "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			read := mustRead(t, test.text)
			if codesOf(read.Refusals) != test.refusals || len(read.Tests) != test.tests {
				t.Errorf("refusals %v, %d tests", read.Refusals, len(read.Tests))
			}
		})
	}
}

func TestCrystalDiskMarkFaults(t *testing.T) {
	good := crystalText("9.0.1", oneLine)
	for name, test := range map[string]struct {
		text, code, place string
		words             []string
	}{
		"version 6":              {crystalText("6.0.2", oneLine), CodeVersion, "line 1", []string{"6.0.2", "7, 8 and 9"}},
		"two results":            {good + good, CodeSeveral, "line 8", []string{"one result in a file"}},
		"two ends":               {good + "   Test: 1 GiB (x3)\n", CodeSeveral, "line 8", []string{"one result in a file"}},
		"cut off before the end": {good[:strings.Index(good, "Profile")], CodeDamaged, "line 6", []string{"cut off"}},
		"cut off in a line":      {good[:strings.Index(good, "<")], CodeDamaged, "line 4", []string{"RND"}},
		"without a title":        {good[strings.Index(good, "[Read]"):], CodeDamaged, "line 1", []string{"name and version"}},
		"without a direction":    {strings.Replace(good, "[Read]", "", 1), CodeDamaged, "line 4", []string{"direction"}},
		"without figures":        {strings.Replace(good, oneLine, "", 1), CodeNoResult, "", []string{"no line with a figure"}},
		"a block of nothing":     {strings.Replace(good, "4KiB", "0KiB", 1), CodeDamaged, "line 4", []string{"cannot be"}},
		"a queue of nothing":     {strings.Replace(good, "Q=  1", "Q=  0", 1), CodeDamaged, "line 4", []string{"cannot be"}},
		"a misread separator":    {strings.Replace(good, "   40.960", "40960.000", 1), CodeDamaged, "line 4", []string{"contradict"}},
		"another unit":           {strings.Replace(good, "MB/s", "GB/s", 1), CodeDamaged, "line 4", []string{"RND"}},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, test.text, test.code, test.place, test.words...) })
	}
}

// Best of N against a median says nothing below a quarter; beyond it, it does.
func TestCompareWithCrystalDiskMark(t *testing.T) {
	baseline := mustRead(t, crystalText("9.0.1", oneLine))
	read := spec(contract.OperationRead)
	read.SpanBytes = 16 << 20
	for name, test := range map[string]struct {
		p50  float64
		want string
	}{
		"a little slower":  {99_500 * 1.2 / 1.1, "RND4K-Q1T1-read meanNs undecided; RND4K-Q1T1-read mbPerSecond undecided"},
		"the same":         {99_500 / 1.1, "RND4K-Q1T1-read meanNs undecided; RND4K-Q1T1-read mbPerSecond undecided"},
		"half the speed":   {99_500 * 2 / 1.1, "RND4K-Q1T1-read meanNs slower; RND4K-Q1T1-read mbPerSecond slower"},
		"double the speed": {99_500 / 2 / 1.1, "RND4K-Q1T1-read meanNs faster; RND4K-Q1T1-read mbPerSecond faster"},
	} {
		t.Run(name, func(t *testing.T) {
			now := document(result(read, around(test.p50)...))
			now.Profile.Tests[0].SpanBytes = 16 << 20
			c := Compare(baseline, now, 5)
			valid(t, c)
			if results(c) != test.want || c.Regression != strings.Contains(test.want, "slower") {
				t.Errorf("%s, refusals %v", results(c), c.Refusals)
			}
			if noteCodes(c.Notes) != "crystaldiskmark-figures context-unknown without-rounds" {
				t.Errorf("notes %v", c.Notes)
			}
			for _, figure := range c.Tests {
				if figure.Interval != nil || figure.PValue != nil {
					t.Errorf("%+v has an interval without rounds", figure)
				}
			}
		})
	}
}
