package documents

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"diskaudit/core/contract"
)

// status is a small sound document; the name tells documents apart.
func status(t testing.TB, name string) string {
	t.Helper()
	return encoded(t, contract.Status{
		Header:  contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindStatus, CollectedAt: time.Unix(1_700_000_000, 0).UTC(), Complete: true},
		Machine: contract.Machine{ComputerName: &name}, Summary: &contract.Summary{},
	})
}

func bench(t testing.TB) string {
	t.Helper()
	return encoded(t, contract.Bench{Header: contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindBench, CollectedAt: time.Unix(1_700_000_000, 0).UTC()}})
}

func encoded(t testing.TB, document any) string {
	t.Helper()
	data, err := contract.Encode(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func indented(document string) string {
	depth, quoted := 0, false
	var out strings.Builder
	for i := 0; i < len(document); i++ {
		c := document[i]
		switch {
		case c == '"' && document[i-1] != '\\':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			fmt.Fprintf(&out, "%c\r\n%s", c, strings.Repeat("  ", depth))
			continue
		case c == '}' || c == ']':
			depth--
			fmt.Fprintf(&out, "\r\n%s", strings.Repeat("  ", depth))
		case c == ',':
			fmt.Fprintf(&out, ",\r\n%s", strings.Repeat("  ", depth))
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

func utf16Of(text string, order binary.AppendByteOrder, mark bool) string {
	var out []byte
	if mark {
		out = order.AppendUint16(out, 0xfeff)
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

// read reads one file and tells what came, in order: "name:line" for documents, "code:line" for what
// was passed over.
func read(t testing.TB, content string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return readPaths(t, path)
}

func readPaths(t testing.TB, paths ...string) []string {
	t.Helper()
	var came []string
	_, err := Read(context.Background(), paths, Visitor{
		Document: func(d Document) error {
			name := "bench"
			if d.Status != nil {
				name = *d.Status.Machine.ComputerName
				if d.Status.Summary == nil {
					t.Errorf("%s has no summary", name)
				}
			}
			came = append(came, fmt.Sprintf("%s:%d", name, d.Line))
			return nil
		},
		Skipped: func(s Skipped) error {
			if s.Path == "" || !strings.HasSuffix(s.Text, ".") || strings.Count(s.Text, ". ") == 0 {
				t.Errorf("%s: %q does not name the thing, the reason and the way out", s.Path, s.Text)
			}
			if len(s.Text) > 1000 {
				t.Errorf("a message of %d bytes", len(s.Text))
			}
			came = append(came, fmt.Sprintf("%s:%d", s.Code, s.Line))
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return came
}

func TestReadsDocumentsAsTheyAreWritten(t *testing.T) {
	a, b := status(t, "a"), status(t, "Grüße 🚸")
	ofStatus := func(change func(*contract.Status)) string {
		s := contract.Status{Header: contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindStatus, CollectedAt: time.Unix(1_700_000_000, 0).UTC()}, Machine: contract.Machine{ComputerName: contract.Ptr("c")}}
		change(&s)
		return encoded(t, s)
	}
	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"one":                         {a, []string{"a:1"}},
		"a bench document":            {bench(t) + "\n", []string{"bench:1"}},
		"NDJSON":                      {a + "\n" + b + "\r\n\n" + a + "\n", []string{"a:1", "Grüße 🚸:2", "a:4"}},
		"one after the other":         {a + b + " " + a, []string{"a:1", "Grüße 🚸:1", "a:1"}},
		"on several lines":            {indented(a) + "\r\n" + indented(b), []string{"a:1", fmt.Sprintf("Grüße 🚸:%d", strings.Count(indented(a), "\n")+2)}},
		"UTF-8 with mark":             {"\ufeff" + a + "\n" + b, []string{"a:1", "Grüße 🚸:2"}},
		"UTF-16 of PowerShell 5.1":    {utf16Of(a+"\r\n"+b+"\r\n", binary.LittleEndian, true), []string{"a:1", "Grüße 🚸:2"}},
		"UTF-16, big end first":       {utf16Of(b, binary.BigEndian, true), []string{"Grüße 🚸:1"}},
		"UTF-16 that lost its mark":   {utf16Of(b, binary.LittleEndian, false), []string{"Grüße 🚸:1"}},
		"a later minor version":       {strings.Replace(a, `"1.0"`, `"1.9","added":{"x":[1]}`, 1), []string{"a:1"}},
		"big end first, without mark": {utf16Of(b, binary.BigEndian, false), []string{"Grüße 🚸:1"}},
		"a recording":                 {ofStatus(func(*contract.Status) {}), []string{"recording:1"}},
		"a recording, no summary":     {strings.Replace(ofStatus(func(*contract.Status) {}), `,"summary":null`, "", 1), []string{"recording:1"}},
		"an image":                    {ofStatus(func(s *contract.Status) { s.Machine.Source, s.Summary = contract.SourceImage, &contract.Summary{} }), []string{"image:1"}},
		"narrowed to nothing":         {ofStatus(func(s *contract.Status) { s.Summary = &contract.Summary{Volumes: contract.Ptr[uint64](1)} }), []string{"narrowed:1"}},
		"narrowed to one of two": {ofStatus(func(s *contract.Status) {
			s.Volumes = contract.List[contract.Volume]{{}, {Type: contract.Ptr(contract.Removable)}}
			s.Summary = &contract.Summary{Volumes: contract.Ptr[uint64](2)}
		}), []string{"narrowed:1"}},
		"a removable one left out": {ofStatus(func(s *contract.Status) {
			s.Volumes = contract.List[contract.Volume]{{}}
			s.Summary = &contract.Summary{Volumes: contract.Ptr[uint64](1)}
		}), []string{"c:1"}},
		"a clock before clocks":       {strings.Replace(a, `2023-11-14T22:13:20Z`, `0000-01-01T00:00:00+23:59`, 1), []string{"time-impossible:1"}},
		"a clock that is far on":      {strings.Replace(bench(t), `2023-11-14T22:13:20Z`, `9999-12-31T23:59:59-23:59`, 1), []string{"time-impossible:1"}},
		"the end of a century":        {strings.Replace(a, `2023-11-14T22:13:20Z`, `2099-12-31T23:59:59-00:01`, 1), []string{"time-impossible:1"}},
		"nothing":                     {"", []string{"empty:0"}},
		"white space":                 {" \r\n\n", []string{"empty:0"}},
		"another kind":                {strings.Replace(a, `"kind":"status"`, `"kind":"remediate"`, 1), []string{"other-kind:1"}},
		"rows of a report":            {`{"record":"volume"}` + "\n" + a, []string{"other-kind:1", "a:2"}},
		"another major version":       {strings.Replace(a, `"1.0"`, `"2.0"`, 1), []string{"schema-version:1"}},
		"a version that is none":      {strings.Replace(a, `"1.0"`, `"one"`, 1), []string{"schema-version:1"}},
		"other JSON":                  {`{"a":1}` + "\n" + a, []string{"no-document:1", "a:2"}},
		"a list":                      {"[" + a + "]\n", []string{"no-document:1"}},
		"no JSON":                     {"Volume C: is encrypted\nand more\n" + a, []string{"not-json:1", "a:3"}},
		"zeros after a power failure": {strings.Repeat("\x00", 5000), []string{"not-json:1"}},
		"bytes that are no text":      {strings.Replace(a, `"a"`, "\"\xff\xfe\"", 1), []string{"not-text:1"}},
		"half a character":            {utf16Of(a, binary.LittleEndian, true) + "x", []string{"a:1", "cut-off:1"}},
		"a number as text":            {strings.Replace(a, `"complete":true`, `"complete":"true"`, 1), []string{"schema:1"}},
		"a time that is none":         {strings.Replace(a, `2023-11-14T22:13:20Z`, `yesterday`, 1), []string{"schema:1"}},
		"a missing list":              {strings.Replace(a, `"volumes":[],`, ``, 1), []string{"schema:1"}},
		"a null list":                 {strings.Replace(a, `"volumes":[]`, `"volumes":null`, 1), []string{"schema:1"}},
		"another case":                {strings.Replace(a, `"volumes":[]`, `"volumes":[],"Volumes":[]`, 1), []string{"schema:1"}},
		"a name twice":                {strings.Replace(a, `"volumes":[]`, `"volumes":[],"volumes":[]`, 1), []string{"not-json:1"}},
		"a name twice, escaped":       {strings.Replace(a, `"volumes":[]`, `"volumes":[],"volum\u0065s":[]`, 1), []string{"not-json:1"}},
		"a number too large":          {strings.Replace(a, `"disks":[]`, `"disks":[{"sizeBytes":1e400}]`, 1), []string{"schema:1"}},
		"two values in a row":         {strings.Replace(a, `"volumes":[]`, `"volumes":[] []`, 1) + "\n" + a, []string{"not-json:1", "a:2"}},
		"brackets that do not match":  {`{"a":[}` + "\n" + a, []string{"not-json:1", "a:2"}},
		"a control character":         {strings.Replace(a, `"a"`, "\"\x01\"", 1) + "\n" + a, []string{"not-json:1", "a:2"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, c.content); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A document that was cut off does not take the next one with it, wherever the cut is.
func TestCutOffDocumentsEndAtTheNextLine(t *testing.T) {
	a, b := status(t, "a"), status(t, "b")
	for cut := 1; cut < len(a); cut++ {
		split := newSplitter(strings.NewReader(a[:cut] + "\n" + b + "\n"))
		if _, err := split.next(); err == nil {
			t.Fatalf("cut at %d: taken for whole: %s", cut, a[:cut])
		}
		text, err := split.next()
		if err != nil || string(text) != b || split.began != 2 {
			t.Fatalf("cut at %d (%s): the next is lost: %q %v", cut, a[max(cut-20, 0):cut], text, err)
		}
	}
	for cut := 1; cut < len(indented(a)); cut += 7 {
		split := newSplitter(strings.NewReader(indented(a)[:cut] + "\r\n" + b))
		refusals := 0
		for {
			text, err := split.next()
			if err == nil && string(text) == b {
				break
			}
			if refusals++; refusals > 1 {
				t.Fatalf("cut at %d of a document on lines: %q %v", cut, text, err)
			}
		}
	}
}

// What is too large is refused while it is read, and what follows is read.
func TestLargeDocumentsAreRefused(t *testing.T) {
	a := status(t, "a")
	for name, hostile := range map[string]string{
		"a text of 100 MB": `{"kind":"status","a":"` + strings.Repeat("x", 100_000_000) + `"}`,
		"a name of 2 MB":   `{"` + strings.Repeat("x", 2<<20) + `":1}`,
		"a million values": `{"a":[` + strings.Repeat("1,", 1_000_000) + `1]}`,
		"nested deeply":    strings.Repeat(`{"a":`, 1_000_000),
		"lists in lists":   `{"a":` + strings.Repeat(`[`, 1_000_000),
		"much white space": `{"a":` + strings.Repeat(" ", MostBytes) + `1}`,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			split := newSplitter(io.MultiReader(strings.NewReader(hostile), strings.NewReader("\n"+a)))
			_, err := split.next()
			refused, ok := err.(refusal) //nolint:errorlint // it is returned as it is
			if !ok || refused.code != CodeTooLarge {
				t.Fatalf("%v", err)
			}
			runtime.ReadMemStats(&after)
			if cap(split.text) > 8<<20 {
				t.Errorf("%d bytes are held", cap(split.text))
			}
			if strings.Contains(name, "100 MB") && after.TotalAlloc-before.TotalAlloc > 16<<20 {
				t.Errorf("%d bytes were allocated", after.TotalAlloc-before.TotalAlloc)
			}
			text, err := split.next()
			if err != nil || string(text) != a {
				t.Errorf("the next document is lost: %v", err)
			}
		})
	}
}

func TestFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right on Windows that tests do not have")
	}
	folder, outside := t.TempDir(), t.TempDir()
	files := map[string]string{
		"b.json": "b", "a.NDJSON": "a", "deep/er/c.jsonl": "c", ".hidden.json": "hidden", ".git/d.json": "hidden", "notes.txt": "text", "e.json.tmp": "part",
	}
	for name, computer := range files {
		write(t, filepath.Join(folder, name), status(t, computer))
	}
	write(t, filepath.Join(outside, "out.json"), status(t, "outside"))
	for name, target := range map[string]string{"in.json": "b.json", "out.json": filepath.Join(outside, "out.json"), "away": outside, "gone.json": "nothing"} {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	// In the order of the names.
	want := []string{"a:1", "link-outside:0", "b:1", "c:1", "link-outside:0", "link-outside:0"}
	if got := readPaths(t, folder); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// Read once already, it is not a folder without documents.
	if got := readPaths(t, filepath.Join(folder, "deep"), folder+"/deep", filepath.Join(folder, "deep", "er")); !slices.Equal(got, []string{"c:1"}) {
		t.Errorf("%q", got)
	}
	// Named once more, by other names, it counts once.
	link := filepath.Join(outside, "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	if got := readPaths(t, filepath.Join(folder, "b.json"), filepath.Join(folder, "deep", "..", "b.json"), filepath.Join(link, "b.json")); !slices.Equal(got, []string{"b:1"}) {
		t.Errorf("%q", got)
	}
	// A folder that is a link itself is read under the name that it was given.
	if got := readPaths(t, link); !slices.Equal(got, want) {
		t.Errorf("through a link: %q, want %q", got, want)
	}
	// A file that is named is read whatever it is called.
	if got := readPaths(t, filepath.Join(folder, "notes.txt"), filepath.Join(folder, "*.NDJSON")); !slices.Equal(got, []string{"text:1", "a:1"}) {
		t.Errorf("%q", got)
	}
	empty := t.TempDir()
	if got := readPaths(t, filepath.Join(folder, "missing"), empty, os.DevNull); !slices.Equal(got, []string{"not-found:0", "nothing-inside:0", "not-a-file:0"}) {
		t.Errorf("%q", got)
	}
}

// What a link in a folder leads to is read once, or named: nothing is lost without a word.
func TestLinksInFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right on Windows that tests do not have")
	}
	folder := t.TempDir()
	for name, computer := range map[string]string{
		".data/a.json": "a", "PC7.txt": "seven", "plain.json": "plain", ".alone/d.json": "d",
	} {
		write(t, filepath.Join(folder, name), status(t, computer))
	}
	for name, target := range map[string]string{
		// As Kubernetes mounts volumes.
		"..data": ".data", "a.json": "..data/a.json",
		"pc7.json": "PC7.txt", "again.json": "plain.json", "dir.json": ".alone", "loop": ".", "notes": "PC7.txt",
	} {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := readPaths(t, folder), []string{"a:1", "link-outside:0", "seven:1", "plain:1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// junction is how Go shows a junction of Windows in a folder.
type junction struct{ fs.DirEntry }

func (junction) IsDir() bool       { return false }
func (junction) Type() fs.FileMode { return fs.ModeIrregular }

func TestJunctionsAreNamed(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "site")
	write(t, filepath.Join(path, "a.json"), status(t, "a"))
	about, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	visitor := Visitor{Skipped: func(s Skipped) error { codes = append(codes, s.Code); return nil }}
	r := &reader{ctx: context.Background(), visitor: visitor, seen: map[uint64]struct{}{}, queue: newQueue(visitor)}
	defer r.queue.close()
	if err := errors.Join(r.visit(folder, path, junction{fs.FileInfoToDirEntry(about)}, nil), r.queue.drain()); err != nil || !slices.Equal(codes, []string{CodeLink}) {
		t.Errorf("%q, %v", codes, err)
	}
}

// The state is that of the volumes, whatever a document says of itself.
func TestWrittenSummariesAreNotBelieved(t *testing.T) {
	s := contract.Status{
		Header:  contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindStatus, CollectedAt: time.Unix(1_700_000_000, 0).UTC()},
		Volumes: contract.List[contract.Volume]{{ID: "C:", Encryption: contract.Encryption{Conversion: contract.Ptr(contract.FullyEncrypted), Engine: contract.Ptr(contract.EngineSoftware)}}},
		Summary: &contract.Summary{State: contract.ComputerNotEncrypted, Volumes: contract.Ptr[uint64](1), NotEncrypted: contract.Ptr[uint64](1)},
	}
	document, err := decode([]byte(encoded(t, s)))
	if err != nil {
		t.Fatal(err)
	}
	if got := document.Status.Summary; got.State == contract.ComputerNotEncrypted || got.NotEncrypted != nil && *got.NotEncrypted > 0 {
		t.Errorf("%+v", got)
	}
}

// A verdict rests on a valid penalty, and that on figures.
func TestVerdictsRestOnFigures(t *testing.T) {
	good, huge := contract.Range{Low: 1, Estimate: 2, High: 3}, contract.Range{Low: 1, Estimate: -math.MaxFloat64, High: 3}
	for name, c := range map[string]struct {
		penalty contract.Penalty
		valid   bool
		percent bool
	}{
		"sound":             {contract.Penalty{Valid: true, AddedNs: &good, AddedPercent: &good}, true, true},
		"not valid":         {contract.Penalty{AddedNs: &good}, false, false},
		"no figures":        {contract.Penalty{Valid: true}, false, false},
		"impossible":        {contract.Penalty{Valid: true, AddedNs: &huge, AddedPercent: &good}, false, false},
		"percent alone not": {contract.Penalty{Valid: true, AddedNs: &good, AddedPercent: &huge}, true, false},
	} {
		b := contract.Bench{
			Header:  contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindBench, CollectedAt: time.Unix(1_700_000_000, 0).UTC()},
			Penalty: c.penalty, Verdict: contract.Verdict{Result: contract.VerdictMaterial, Text: "That is material.", ThresholdPercent: 10},
		}
		document, err := decode([]byte(encoded(t, b)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := document.Bench
		if got.Penalty.Valid != c.valid || (got.Verdict.Result == contract.VerdictMaterial) != c.valid || (got.Verdict.Text == "That is material.") != c.valid || (got.Penalty.AddedPercent != nil) != c.percent {
			t.Errorf("%s: %+v, %+v", name, got.Penalty, got.Verdict)
		}
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Reading ends when it is told to, and tells why.
func TestReadingEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "many.ndjson")
	write(t, path, strings.Repeat(status(t, "a")+"\n", 1000))
	ctx, cancel := context.WithCancel(context.Background())
	seen := 0
	_, err := Read(ctx, []string{path}, Visitor{Document: func(Document) error {
		if seen++; seen == 10 {
			cancel()
		}
		return nil
	}, Skipped: func(Skipped) error { return nil }})
	if err == nil || seen > 100 {
		t.Errorf("%d documents, %v", seen, err)
	}
}

// A second reading reads what it is asked for, and says nothing of the rest.
func TestReadingAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.ndjson")
	write(t, path, status(t, "a")+"\nnonsense\n"+bench(t)+"\n"+status(t, "b")+"\n")
	sums := map[uint64]contract.Kind{}
	skipped := 0
	visitor := Visitor{
		Document: func(d Document) error {
			if d.Bench != nil {
				sums[d.Sum] = contract.KindBench
			} else if *d.Status.Machine.ComputerName == "b" {
				sums[d.Sum] = contract.KindStatus
			}
			return nil
		},
		Skipped: func(Skipped) error { skipped++; return nil },
	}
	if _, err := Read(context.Background(), []string{path}, visitor); err != nil || skipped != 1 || len(sums) != 2 {
		t.Fatalf("%v, %d passed over, %d kept", err, skipped, len(sums))
	}
	var again []string
	visitor.Again = func(sum uint64) (contract.Kind, bool) { kind, ok := sums[sum]; return kind, ok }
	visitor.Document = func(d Document) error {
		if d.Bench != nil {
			again = append(again, "bench")
		} else {
			again = append(again, *d.Status.Machine.ComputerName)
		}
		return nil
	}
	if _, err := Read(context.Background(), []string{path}, visitor); err != nil || skipped != 1 || !slices.Equal(again, []string{"bench", "b"}) {
		t.Errorf("%v, %q, %d passed over", err, again, skipped)
	}
}

func FuzzSplitAndDecode(f *testing.F) {
	f.Add([]byte(status(f, "a")))
	f.Add([]byte(bench(f) + "\n{"))
	f.Add([]byte(utf16Of(status(f, "a"), binary.LittleEndian, true)))
	f.Add([]byte("{\"a\":[1,{\"b\":\"\\\"\"}],\n{\"c\":"))
	f.Fuzz(func(t *testing.T, data []byte) {
		split := newSplitter(toUTF8(bytes.NewReader(data)))
		for range len(data) + 2 {
			text, err := split.next()
			if err == nil {
				_, _ = decode(text)
			}
			if split.ended {
				return
			}
		}
		t.Error("it does not end")
	})
}

// Collected documents are often packed to travel.
func TestPackedFilesAreToldToBeUnpacked(t *testing.T) {
	split := newSplitter(strings.NewReader("\x1f\x8b\x08\x00packed\x00\x01"))
	if _, err := split.next(); err == nil || !strings.Contains(err.Error(), "Unpack it first") {
		t.Errorf("%v does not say to unpack it", err)
	}
}
