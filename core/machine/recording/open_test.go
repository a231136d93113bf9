package recording

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/tests/require"
)

// collected is a redacted computer as the collecting of facts leaves it.
func collected(t testing.TB) contract.Status {
	t.Helper()
	return Redact(private())
}

func encode(t testing.TB, status contract.Status) []byte {
	t.Helper()
	data, err := contract.Encode(status)
	if err != nil {
		t.Fatal(err)
	}
	return contract.ASCII(data)
}

func write(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// replay reads a recording and collects from it; source, time and tool are the reader's.
func replay(t testing.TB, data []byte) contract.Status {
	t.Helper()
	opened, err := Open(write(t, data))
	if err != nil {
		t.Fatal(err)
	}
	return machine.Collect(context.Background(), opened, nil)
}

// compare leaves out what is the reader's own.
func compare(t testing.TB, want, got contract.Status) {
	t.Helper()
	if got.Machine.Source != contract.SourceRecording {
		t.Errorf("the source is %q", got.Machine.Source)
	}
	want.Machine.Source = contract.SourceRecording
	ignoreHeader := cmpopts.IgnoreFields(contract.Header{}, "SchemaVersion", "Kind", "Tool", "CollectedAt")
	if diff := cmp.Diff(want, got, ignoreHeader, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("replayed (-recorded +replayed):\n%s", diff)
	}
}

func TestRoundTrip(t *testing.T) {
	compare(t, collected(t), replay(t, encode(t, collected(t))))
}

func TestRoundTripOfTheRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(require.Root(t), "tests", "testdata", "recordings", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var status contract.Status
		if err := json.Unmarshal(data, &status); err != nil {
			t.Fatal(err)
		}
		compare(t, status, replay(t, data))
	}
}

func TestProtectorsUnknownAndNoneStayApart(t *testing.T) {
	status := collected(t)
	status.Volumes[0].Encryption.Protectors = nil
	status.Volumes[1].Encryption.Protectors = []contract.Protector{}
	got := replay(t, encode(t, status))
	if got.Volumes[0].Encryption.Protectors != nil {
		t.Error("unknown protectors became none")
	}
	if got.Volumes[1].Encryption.Protectors == nil {
		t.Error("no protectors became unknown")
	}
}

func TestVolumesProblemsAreNotDoubled(t *testing.T) {
	status := collected(t)
	double := status.Volumes[1].Problems[0]
	status.Volumes[2].Problems = contract.List[contract.Problem]{double}
	status.Problems = append(status.Problems, double)
	got := replay(t, encode(t, status))
	compare(t, status, got)
	// A document without the copies in its own list comes out with them.
	bare := status
	bare.Problems = nil
	if got := replay(t, encode(t, bare)); len(got.Problems) != 2 {
		t.Errorf("%d problems, want the volumes' 2", len(got.Problems))
	}
}

func TestIncompleteStaysIncomplete(t *testing.T) {
	status := collected(t)
	status.Complete = false
	got := replay(t, encode(t, status))
	if got.Complete {
		t.Error("a recording that calls itself incomplete came out complete")
	}
	status.Problems[0].Level = contract.LevelError
	compare(t, status, replay(t, encode(t, status)))
}

func TestReplayedTwiceAndChangedBetween(t *testing.T) {
	opened, err := Parse(encode(t, collected(t)))
	if err != nil {
		t.Fatal(err)
	}
	first := machine.Collect(t.Context(), opened, nil)
	first.Volumes[0].MountPoints[0] = "changed"
	*first.Volumes[0].Label = "changed"
	first.Policy.Origins[0] = "changed"
	*first.Machine.OS = "changed"
	compare(t, collected(t), machine.Collect(t.Context(), opened, nil))
}

func TestReplayStopsWhenAsked(t *testing.T) {
	opened, err := Parse(encode(t, collected(t)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report := machine.NewReport(nil)
	opened.Host(ctx, report)
	opened.Policy(ctx, report)
	opened.Disks(ctx, report)
	opened.Volumes(ctx, report)
	if status := report.Close(); len(status.Disks)+len(status.Volumes)+len(status.Problems) != 0 || status.Machine.OS != nil {
		t.Errorf("facts after the end: %+v", status)
	}
}

func inUTF16(text []byte, order binary.ByteOrder, mark bool) []byte {
	units := utf16.Encode([]rune(string(text)))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	out := make([]byte, 2*len(units))
	for i, unit := range units {
		order.PutUint16(out[2*i:], unit)
	}
	return out
}

// C1, C4: recordings are made with whatever redirection the shell has.
func TestC1_EncodingsOfRedirectedOutput(t *testing.T) {
	status := collected(t)
	status.Volumes[0].Label = ptr("Grüße 🚸")
	utf8Bytes, err := contract.Encode(status)
	if err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string][]byte{
		"ASCII":                            encode(t, status),
		"UTF-8":                            utf8Bytes,
		"UTF-8 with mark":                  append([]byte{0xef, 0xbb, 0xbf}, utf8Bytes...),
		"UTF-16LE, as PowerShell 5.1 does": append(inUTF16(utf8Bytes, binary.LittleEndian, true), '\r', 0, '\n', 0),
		"UTF-16LE without mark":            inUTF16(utf8Bytes, binary.LittleEndian, false),
		"UTF-16BE":                         inUTF16(utf8Bytes, binary.BigEndian, true),
		"line end of Windows":              append(bytes.Clone(utf8Bytes), "\r\n"...),
	} {
		t.Run(what, func(t *testing.T) { compare(t, status, replay(t, data)) })
	}
}

func TestUnknownFieldsAreLeftOut(t *testing.T) {
	data := bytes.Replace(encode(t, collected(t)), []byte(`"schemaVersion":"1.0"`), []byte(`"schemaVersion":"1.7","invented":{"a":[1,2]}`), 1)
	data = bytes.ReplaceAll(data, []byte(`"mountPoints"`), []byte(`"later":null,"mountPoints"`))
	compare(t, collected(t), replay(t, data))
}

func TestRefused(t *testing.T) {
	good := string(encode(t, collected(t)))
	swap := func(old, new string) string {
		t.Helper()
		if !strings.Contains(good, old) {
			t.Fatalf("the good recording has no %s", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for what, test := range map[string]struct {
		content string
		// What the message has to name.
		parts []string
	}{
		"empty":                     {"", []string{"empty"}},
		"blank":                     {" \r\n", []string{"empty"}},
		"no JSON":                   {"Volume C: [Windows]", []string{"not JSON", "byte 1"}},
		"cut off":                   {good[:len(good)/2], []string{"cut off"}},
		"two documents":             {good + good, []string{"not JSON"}},
		"a list":                    {"[]", []string{"no document of diskaudit", "--record"}},
		"a text":                    {`"status"`, []string{"no document of diskaudit"}},
		"other JSON":                {`{"Name":"C:"}`, []string{`no "kind"`, "--record"}},
		"another kind":              {swap(`"kind":"status"`, `"kind":"version"`), []string{`"version"`, `"status"`, "--record"}},
		"a newer major version":     {swap(`"schemaVersion":"1.0"`, `"schemaVersion":"2.0"`), []string{"2.0", "1.x"}},
		"no version":                {swap(`"schemaVersion":"1.0"`, `"schemaVersion":"new"`), []string{`"new"`, "major.minor"}},
		"halves that contradict":    {swap(`{"name":"Tpm","code":1}`, `{"name":"Tpm","code":3}`), []string{"ProtectorType", "RecoveryPassword", `"Tpm"`}},
		"a code without number":     {swap(`{"name":"Tpm","code":1}`, `{"name":"Tpm"}`), []string{"ProtectorType", "code is missing"}},
		"no volumes":                {swap(`"volumes":`, `"columes":`), []string{"volumes", "missing"}},
		"volumes null":              {swap(`"volumes":[`, `"volumes":null,"x":[`), []string{"volumes", "null"}},
		"mount points null":         {swap(`"mountPoints":[]`, `"mountPoints":null`), []string{"mountPoints", "volumes[2]"}},
		"a volume null":             {swap(`"volumes":[`, `"volumes":[null,`), []string{"volumes[0]"}},
		"no policy":                 {swap(`"policy":{`, `"police":{`), []string{"policy"}},
		"no word on completeness":   {swap(`"complete":true`, `"x":true`), []string{"complete"}},
		"an extent without offset":  {swap(`"offsetBytes":1`, `"x":1`), []string{"volumes[0].extents[0].offsetBytes"}},
		"an extent at null":         {swap(`"offsetBytes":1`, `"offsetBytes":null`), []string{"volumes[0].extents[0].offsetBytes"}},
		"a text for a number":       {swap(`"offsetBytes":1`, `"offsetBytes":"1"`), []string{"offsetBytes", "string"}},
		"a number below zero":       {swap(`"offsetBytes":1`, `"offsetBytes":-1`), []string{"offsetBytes"}},
		"an engine that is none":    {swap(`"engine":"software"`, `"engine":"magic"`), []string{"engine"}},
		"a level that is none":      {swap(`"level":"info"`, `"level":"grave"`), []string{"level"}},
		"a volume without id":       {swap(`"id":"/dev/mapper/name-1"`, `"id":""`), []string{"volumes[3]", "id"}},
		"a volume twice":            {swap(`"id":"/dev/mapper/name-1"`, `"id":"image-1.vhdx#partition2"`), []string{"volumes[3]", "image-1.vhdx#partition2"}},
		"a disk twice":              {swap(`"id":"disk-1"`, `"id":"PhysicalDrive0"`), []string{"disks[2]", "PhysicalDrive0"}},
		"bytes that are no text":    {"{\"kind\":\"\xff\xfe\xfd\"}", []string{"UTF-8"}},
		"half a character":          {"\xff\xfe{\x00}", []string{"UTF-16", "cut off"}},
		"a newer value":             {strings.Replace(swap(`{"name":"Tpm","code":1}`, `{"name":"TpmPlus","code":11}`), `"schemaVersion":"1.0"`, `"schemaVersion":"1.4"`, 1), []string{"ProtectorType", "1.4", "newer diskaudit"}},
		"more volumes than can be":  {swap(`"volumes":[`, `"volumes":[`+strings.Repeat("{},", 30_000)), []string{"20000"}},
		"more values than can be":   {swap(`"complete":true`, `"complete":true`+strings.Repeat(`,"a":0`, 600_000)), []string{"1000000"}},
		"brackets without end":      {strings.Repeat("[", 400_000), []string{"20000"}},
		"objects within each other": {strings.Repeat(`{"a":`, 20_000) + "0" + strings.Repeat("}", 20_000), []string{"depth"}},
	} {
		t.Run(what, func(t *testing.T) {
			path := write(t, []byte(test.content))
			_, err := Open(path)
			if !errors.Is(err, ErrNotARecording) {
				t.Fatalf("want ErrNotARecording, got %v", err)
			}
			for _, part := range append(test.parts, path) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the message does not name %q: %v", part, err)
				}
			}
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000 {
				t.Errorf("the message is not one line to read: %v", err)
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.json")
	_, err := Open(missing)
	if !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), missing) != 1 {
		t.Errorf("missing file: %v", err)
	}
	_, err = Open(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("directory: %v", err)
	}
	if runtime.GOOS != "windows" {
		_, err = Open(os.DevNull)
		if err == nil || !strings.Contains(err.Error(), "regular file") {
			t.Errorf("device: %v", err)
		}
	}
}

func TestFileOf100MegabytesIsNotReadWhole(t *testing.T) {
	path := write(t, nil)
	if err := os.Truncate(path, 100<<20); err != nil {
		t.Fatal(err)
	}
	_, err := Open(path)
	if !errors.Is(err, ErrNotARecording) || !strings.Contains(err.Error(), "32 MiB") {
		t.Errorf("%v", err)
	}
}

func TestTimesSurvive(t *testing.T) {
	status := collected(t)
	at := time.Date(2024, 2, 29, 12, 30, 15, 123_000_000, time.UTC)
	status.Volumes[0].Encryption.CreatedAt = &at
	got := replay(t, encode(t, status))
	if !got.Volumes[0].Encryption.CreatedAt.Equal(at) {
		t.Errorf("%v", got.Volumes[0].Encryption.CreatedAt)
	}
}

func FuzzParse(f *testing.F) {
	good := encode(f, collected(f))
	f.Add(good)
	f.Add(good[:100])
	f.Add([]byte(`{"kind":"status","schemaVersion":"1.0","machine":{},"volumes":[null]}`))
	f.Add(inUTF16(good[:200], binary.LittleEndian, true))
	f.Fuzz(func(t *testing.T, data []byte) {
		opened, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrNotARecording) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		// What was read can be replayed, redacted and written again.
		status := machine.Collect(context.Background(), opened, nil)
		once := Redact(status)
		if diff := cmp.Diff(once, Redact(once)); diff != "" {
			t.Fatalf("redacting twice changed something:\n%s", diff)
		}
		once.SchemaVersion, once.Kind = contract.SchemaVersion, contract.KindStatus
		written, err := contract.Encode(once)
		if err != nil {
			t.Fatal(err)
		}
		if err := contract.Validate(contract.KindStatus, written); err != nil {
			t.Fatal(err)
		}
	})
}
