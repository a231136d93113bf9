package comparison

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"diskaudit/core/contract"
)

func testdata(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mustRead(t testing.TB, text string) *Result {
	t.Helper()
	read, err := Read("old.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// figures is what a test of a baseline has, nil as -1.
type figures struct {
	p50, mean, iops, mb float64
}

func figuresOf(t Test) figures {
	value := func(p *float64) float64 {
		if p == nil {
			return -1
		}
		return *p
	}
	return figures{value(t.LatencyNs.P50), value(t.LatencyNs.Mean), value(t.IOPS), value(t.MBPerSecond)}
}

// wantTests compares a baseline's tests with those expected, by id.
func wantTests(t *testing.T, read *Result, want map[string]figures) {
	t.Helper()
	if len(read.Tests) != len(want) {
		t.Errorf("%d tests, want %d; refusals %v", len(read.Tests), len(want), read.Refusals)
	}
	for _, test := range read.Tests {
		expected, ok := want[test.ID]
		if !ok {
			t.Errorf("unexpected %s", test.ID)
			continue
		}
		got := figuresOf(test)
		for _, pair := range [][2]float64{{got.p50, expected.p50}, {got.mean, expected.mean}, {got.iops, expected.iops}, {got.mb, expected.mb}} {
			if math.Abs(pair[0]-pair[1]) > 1e-6*math.Abs(pair[1]) {
				t.Errorf("%s: got %+v, want %+v", test.ID, got, expected)
				break
			}
		}
		if !test.Valid || len(test.Rounds) != 0 {
			t.Errorf("%s: valid %v, %d rounds", test.ID, test.Valid, len(test.Rounds))
		}
	}
}

// wantError expects one clear error: code, place, and words that tell the reason or the way out.
func wantError(t *testing.T, text, code, place string, words ...string) {
	t.Helper()
	read, err := Read("old.txt", []byte(text))
	var known *Error
	if !errors.As(err, &known) {
		t.Fatalf("read as %+v, error %v", read, err)
	}
	if known.Code != code || known.Place != place || known.Path != "old.txt" {
		t.Errorf("code %q, place %q: %v", known.Code, known.Place, err)
	}
	for _, word := range append(words, "old.txt") {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in: %v", word, err)
		}
	}
}

func encodeUTF16(text string, big bool) string {
	units := utf16.Encode([]rune("\ufeff" + text))
	data := make([]byte, 0, 2*len(units))
	for _, unit := range units {
		low, high := byte(unit), byte(unit>>8)
		if big {
			low, high = high, low
		}
		data = append(data, low, high)
	}
	return string(data)
}

// Text reads the same in every encoding in which Windows and PowerShell write it.
func TestEncodings(t *testing.T) {
	crystal := testdata(t, "crystaldiskmark-9.txt")
	for name, text := range map[string]string{
		"UTF-8 CRLF":          crystal,
		"UTF-8 LF":            strings.ReplaceAll(crystal, "\r\n", "\n"),
		"UTF-8 with its mark": "\ufeff" + crystal,
		"UTF-16LE":            encodeUTF16(crystal, false),
		"UTF-16BE":            encodeUTF16(crystal, true),
		"a code page":         strings.Replace(crystal, "before the update", "vor dem Ger\xe4tewechsel", 1),
	} {
		t.Run(name, func(t *testing.T) {
			if read := mustRead(t, text); len(read.Tests) != 8 || *read.Baseline.Version != "9.0.1" {
				t.Errorf("%d tests", len(read.Tests))
			}
		})
	}
	t.Run("diskspd through PowerShell 5.1", func(t *testing.T) {
		if read := mustRead(t, encodeUTF16(diskspdXML(nil), false)); len(read.Tests) != 1 {
			t.Errorf("%d tests", len(read.Tests))
		}
	})
	t.Run("fio through PowerShell 5.1", func(t *testing.T) {
		if read := mustRead(t, encodeUTF16(testdata(t, "fio-3.33-jobs.json"), false)); len(read.Tests) != 3 {
			t.Errorf("%d tests", len(read.Tests))
		}
	})
}

// Cases P11, P12: diskspd leaves an empty file when it fails; what is not a result is told from one.
func TestNotABaseline(t *testing.T) {
	for name, test := range map[string]struct {
		text, code, place string
		words             []string
	}{
		"P11 P12 empty":       {"", CodeEmpty, "", []string{"empty", "run it again"}},
		"P12 blank":           {"\ufeff \r\n\r\n", CodeEmpty, "", []string{"empty"}},
		"binary":              {"MZ\x90\x00\x03\x00", CodeNotText, "", []string{"not text"}},
		"UTF-16 without mark": {encodeUTF16("CrystalDiskMark 9.0.1", false)[2:], CodeNotText, "", []string{"encoding"}},
		"prose":               {"it felt slow", CodeNotRecognized, "", []string{"-Rxml", "--output-format=json"}},
		"other XML":           {"\n<?xml version=\"1.0\"?>\n<Profile></Profile>", CodeNotRecognized, "line 2", []string{"<Results>", "-Rxml"}},
		"other JSON":          {`{"a": 1}`, CodeNotRecognized, "", []string{"schemaVersion", "fio version"}},
		"diskspd's text":      {"\nCommand Line: diskspd -b4K -L x\n\nInput parameters:\n\n\ttimespan:   1\n", CodeNotRecognized, "", []string{"-Rxml"}},
		"fio's text":          {"rnd: (groupid=0)\n  clat (usec): min=1\n  IO depths    : 1=100.0%", CodeNotRecognized, "", []string{"--output-format=json"}},
		"too large":           {strings.Repeat(" ", MaxBytes+1), CodeTooLarge, "", []string{"bytes"}},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, test.text, test.code, test.place, test.words...) })
	}
}

// A file that cannot be read is a comparison with one refusal, for a caller that has to say so.
func TestUnreadable(t *testing.T) {
	_, err := Read("old.txt", nil)
	c := Unreadable("old.txt", err, 0)
	valid(t, c)
	if codesOf(c.Refusals) != CodeEmpty || c.Comparable || c.Baseline.Format != nil || c.ThresholdPercent != 5 {
		t.Errorf("%+v", c)
	}
	if c := Unreadable("old.txt", os.ErrNotExist, 7); codesOf(c.Refusals) != "baseline-unreadable" || c.ThresholdPercent != 7 {
		t.Errorf("%+v", c)
	}
}

// Whatever a file says, reading and comparing it takes memory in proportion to the largest file
// that is read, and no more.
func TestMemoryIsBounded(t *testing.T) {
	const most = 256 << 20 // in all, garbage included
	now := document(result(spec(contract.OperationRead), around(50_000)...))
	fill := func(head, piece, tail string) string {
		return head + strings.Repeat(piece, (MaxBytes-len(head)-len(tail))/len(piece)) + tail
	}
	for name, text := range map[string]string{
		"lines":         fill(crystalText("9.0.1", oneLine), "\n", ""),
		"figures":       fill("CrystalDiskMark 9.0.1\n[Read]\n", oneLine+"\n", "   Test: 1 GiB (x1)\n"),
		"blanks":        strings.Repeat("\n", MaxBytes),
		"elements":      fill("<Results>", "<a>b</a>", "</Results>"),
		"comments":      fill("<Results><a>", "x<!---->", "</a></Results>"),
		"targets":       fill("<Results>", "<Target/>", "</Results>"),
		"jobs":          fill(`{"fio version":"fio-3.1","jobs":[{}`, ",{}", "]}"),
		"options":       fill(`{"fio version":"fio-3.1","global options":{"":""`, `,"":""`, "}}"),
		"tests":         fill(`{"schemaVersion":"1.0","kind":"bench","tests":[{}`, ",{}", "]}"),
		"jobs, barely":  fill(`{"fio version":"fio-3.1","jobs":[{}`, ",{}"+strings.Repeat(" ", 33), "]}"),
		"tests, barely": fill(`{"schemaVersion":"1.0","kind":"bench","tests":[{}`, ",{}"+strings.Repeat(" ", 33), "]}"),
		"one long text": fill(`{"schemaVersion":"1.0","kind":"`, "\u00e9", `"}`),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if read, err := Read("old", []byte(text)); err == nil {
				Compare(read, now, 5)
			} else if len(err.Error()) > 1000 {
				t.Errorf("a message of %d bytes", len(err.Error()))
			}
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
				t.Errorf("%d MiB", taken>>20)
			} else {
				t.Logf("%d MiB", taken>>20)
			}
		})
	}
}

// What was written is what is read: rounds, options and context of our own documents.
func TestOwnDocument(t *testing.T) {
	written := document(result(spec(contract.OperationRead), around(50_000)...), result(spec(contract.OperationWrite), around(20_000)...))
	read := saved(t, written)
	if *read.Baseline.Format != contract.BaselineDiskaudit || *read.Baseline.Version != "1.2.3" || !read.Baseline.CollectedAt.Equal(written.CollectedAt) {
		t.Errorf("%+v", read.Baseline)
	}
	if len(read.Tests) != 2 || len(read.Tests[0].Rounds) != 6 || *read.Tests[0].Rounds[5].P50Ns != *written.Tests[0].Rounds[5].P50Ns {
		t.Errorf("%+v", read.Tests)
	}
	if *read.Tests[1].SpanBytes != 1<<30 || *read.Tests[1].Durability != contract.DurabilityDeviceCache || *read.Document.Context.Disk.Model != "Example 1TB" {
		t.Errorf("%+v", read.Tests[1])
	}
	if c := Compare(read, written, 5); codesOf(c.Refusals) != "same-run" {
		t.Errorf("the document itself: %v", c.Refusals)
	}
}

func TestOwnDocumentVersions(t *testing.T) {
	data, err := contract.Encode(document(result(spec(contract.OperationRead), around(50_000)...)))
	if err != nil {
		t.Fatal(err)
	}
	own := string(data)
	change := func(old, new string) string {
		if !strings.Contains(own, old) {
			t.Fatalf("%s is not in the document", old)
		}
		return strings.Replace(own, old, new, 1)
	}
	t.Run("a later minor version with more fields", func(t *testing.T) {
		read := mustRead(t, change(`"schemaVersion":"1.0",`, `"schemaVersion":"1.7","later":{"more":[1]},`))
		if len(read.Tests) != 1 {
			t.Errorf("%d tests", len(read.Tests))
		}
	})
	t.Run("with a mark and indented", func(t *testing.T) {
		if read := mustRead(t, "\ufeff\r\n"+own+"\r\n"); len(read.Tests) != 1 {
			t.Errorf("%d tests", len(read.Tests))
		}
	})
	for name, test := range map[string]struct {
		text, code, place string
		words             []string
	}{
		"another major version": {change(`"1.0"`, `"2.0"`), CodeVersion, "", []string{"2.0", "1.x"}},
		"no version":            {change(`"1.0"`, `"newest"`), CodeDamaged, "", []string{"newest"}},
		"a status document":     {change(`"kind":"bench"`, `"kind":"status"`), CodeWrongKind, "", []string{`"status"`, "diskaudit bench"}},
		"cut off":               {own[:len(own)/2], CodeDamaged, "line 1", []string{"cut off"}},
		"not JSON":              {change(`"tests":[`, `"tests":[,`), CodeDamaged, "line 1", []string{"JSON"}},
		"a figure in words":     {change(`"iops":`, `"iops":"many","x":`), CodeDamaged, "", []string{"iops"}},
		"a list for a document": {`{"schemaVersion":["1.0"]}`, CodeDamaged, "line 1", []string{"schemaVersion"}},
		"nothing but a version": {`{"schemaVersion":"1.0"}`, CodeDamaged, "", []string{"kind"}},
		"without tests":         {noTests(t), CodeNoResult, "", []string{"no test"}},
		"millions of values":    {`{"schemaVersion":"1.0","x":[` + strings.Repeat("{},", 1_000_000) + `{}]}`, CodeTooLarge, "", []string{"values"}},
		"nested without end":    {`{"schemaVersion":` + strings.Repeat("[", 100_000), CodeDamaged, "line 1", nil},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, test.text, test.code, test.place, test.words...) })
	}
}

func noTests(t *testing.T) string {
	t.Helper()
	data, err := contract.Encode(document())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
