package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"

	"diskaudit/core/contract"
)

var update = flag.Bool("update", false, "write the golden files afresh")

func TestMain(m *testing.M) {
	flag.Parse()
	// In a Chinese, Japanese or Korean locale some characters are wider; the golden files are not of one.
	text.OverrideRuneWidthEastAsianWidth(false)
	os.Exit(m.Run())
}

func render(t *testing.T, status contract.Status, options Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := Table(&out, status, options); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var widths = []int{40, 80, 120, 200}

func TestGolden(t *testing.T) {
	for name, status := range documents() {
		for _, columns := range widths {
			compare(t, fmt.Sprintf("%s-%d", name, columns), render(t, status, Options{Width: columns}))
		}
	}
	compare(t, "unicode-ascii", render(t, unicodeTexts(), Options{ASCII: true}))
	compare(t, "laptop-color", render(t, laptop(), Options{Width: 120, Color: true}))
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) != got {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

// everyPage renders every document at widths from absurd to wide.
func everyPage(t *testing.T, check func(t *testing.T, status contract.Status, options Options, page string)) {
	t.Helper()
	for name, status := range documents() {
		for _, columns := range append([]int{1, 10, 25, 59, 100}, widths...) {
			for _, ascii := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/ascii=%v", name, columns, ascii), func(t *testing.T) {
					options := Options{Width: columns, ASCII: ascii}
					check(t, status, options, render(t, status, options))
				})
			}
		}
	}
}

func TestNoLineIsTooWide(t *testing.T) {
	everyPage(t, func(t *testing.T, _ contract.Status, options Options, page string) {
		t.Helper()
		for line := range strings.Lines(page) {
			line = strings.TrimRight(line, "\n")
			// A single word may be wider: it has to stay whole.
			if text.StringWidthWithoutEscSequences(line) > options.Width && len(strings.Fields(line)) > 1 {
				t.Errorf("%d columns: %q", text.StringWidthWithoutEscSequences(line), line)
			}
			if strings.HasSuffix(line, " ") {
				t.Errorf("spaces at the end: %q", line)
			}
		}
	})
}

func TestNothingCommandsTheTerminal(t *testing.T) {
	everyPage(t, func(t *testing.T, _ contract.Status, options Options, page string) {
		t.Helper()
		for _, r := range page {
			switch {
			case r == '\n' || r >= ' ' && r <= '~':
			case options.ASCII || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || !unicode.IsPrint(r):
				t.Fatalf("%U on the page", r)
			}
		}
	})
}

// A label with a line end must not look like a line of the report.
func TestLabelsCannotForgeLines(t *testing.T) {
	for _, columns := range widths {
		for line := range strings.Lines(render(t, hostileTexts(), Options{Width: columns})) {
			if strings.HasPrefix(strings.TrimSpace(line), "Volume Z:") {
				t.Errorf("forged line %q", line)
			}
		}
	}
}

func TestNothingIsLeftOut(t *testing.T) {
	// Wrapping turns spaces into line ends and indentation, and what is not harmless reads "?" or
	// is a space; neither counts here.
	squeeze := func(s string) string {
		return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "?", "")
	}
	everyPage(t, func(t *testing.T, status contract.Status, options Options, page string) {
		t.Helper()
		page = squeeze(page)
		var want []string
		for _, volume := range status.Volumes {
			want = append(want, english.volumeName(volume))
		}
		for _, disk := range status.Disks {
			want = append(want, disk.ID)
		}
		for _, finding := range status.Findings {
			want = append(want, strings.ToUpper(string(finding.Severity)), finding.Title, finding.Evidence, finding.Advice, finding.Reference)
		}
		for _, problem := range status.Problems {
			if problem.Level != contract.LevelInfo {
				want = append(want, problem.Text, problem.Code)
			}
		}
		for _, fact := range want {
			fact = squeeze(legible(fact, options.ASCII))
			if !strings.Contains(page, fact) {
				t.Errorf("%q is not on the page", fact)
			}
		}
	})
}

func TestColorOnlyAdds(t *testing.T) {
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	colored := 0
	for name, status := range documents() {
		for _, columns := range widths {
			plain := render(t, status, Options{Width: columns})
			color := render(t, status, Options{Width: columns, Color: true})
			if strings.Contains(plain, "\x1b") {
				t.Errorf("%s at %d: an escape sequence without colour", name, columns)
			}
			if escape.ReplaceAllString(color, "") != plain {
				t.Errorf("%s at %d: the colours change the text", name, columns)
			}
			colored += len(escape.FindAllString(color, -1))
		}
	}
	if colored == 0 {
		t.Error("no colour anywhere")
	}
}

func TestUnknownReadsUnknown(t *testing.T) {
	status := contract.Status{
		Header:  contract.Header{Complete: true},
		Disks:   contract.List[contract.Disk]{{ID: "disk0"}},
		Volumes: contract.List[contract.Volume]{{ID: "V:"}},
	}
	page := render(t, status, Options{Width: 200})
	for _, row := range []struct {
		id    string
		facts int
	}{
		{"disk0", 7}, // model, bus, media, size, sectors, write cache, health
		{"V:", 9},    // label, type, file system, size, conversion, method, engine, protection, protectors
	} {
		for line := range strings.Lines(page) {
			if fields := strings.Fields(line); len(fields) > 0 && fields[0] == row.id {
				if len(fields) != row.facts+1 || strings.Count(line, "unknown") != row.facts {
					t.Errorf("%q, want %d times unknown", line, row.facts)
				}
			}
		}
	}
	if !strings.Contains(page, "1 volume: 1 unknown.") {
		t.Errorf("the summary does not say unknown:\n%s", page)
	}
	if !strings.Contains(page, "BitLocker: unknown") {
		t.Errorf("BitLocker is not unknown:\n%s", page)
	}
}

func TestWidthZeroMeans80(t *testing.T) {
	for name, status := range documents() {
		for _, columns := range []int{0, -1} {
			if render(t, status, Options{Width: columns}) != render(t, status, Options{Width: 80}) {
				t.Errorf("%s at %d is not as at 80", name, columns)
			}
		}
	}
}

func TestWideTerminalsDoNotStretch(t *testing.T) {
	for name, status := range documents() {
		if render(t, status, Options{Width: 1000}) != render(t, status, Options{Width: 100000}) {
			t.Errorf("%s goes on growing", name)
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("the pipe is gone")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriterErrorIsReturned(t *testing.T) {
	if err := Table(brokenWriter{}, contract.Status{}, Options{}); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want the writer's", err)
	}
}
