package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

func TestFlagsComeFirst(t *testing.T) {
	for _, c := range []struct{ given, want []string }{
		{[]string{"report", "a", "--output", "x", "b"}, []string{"report", "--output", "x", "--", "a", "b"}},
		{[]string{"report", "--progress", "a"}, []string{"report", "--progress", "--", "a"}},
		{[]string{"report", "a", "--format=csv", "b", "--timeout", "1s"}, []string{"report", "--format=csv", "--timeout", "1s", "--", "a", "b"}},
		{[]string{"report", "a", "-output", "x"}, []string{"report", "-output", "x", "--", "a"}},
		{[]string{"report", "--output", "x", "--", "--b", "c"}, []string{"report", "--output", "x", "--", "--b", "c"}},
		{[]string{"report", "a", "--output"}, []string{"report", "--output"}},
		{[]string{"report", "a", "--nonsense", "b"}, []string{"report", "--nonsense", "--", "a", "b"}},
		{[]string{"report", "-", "a"}, []string{"report", "--", "-", "a"}},
		{[]string{"report"}, []string{"report"}},
		{[]string{"report", "--help"}, []string{"report", "--help"}},
		{[]string{"status", "C:", "--output", "x"}, []string{"status", "C:", "--output", "x"}},
		{nil, nil},
	} {
		got := flagsFirst(append([]string{"diskaudit"}, c.given...), reportFlags())
		if !slices.Equal(got[1:], c.want) {
			t.Errorf("%q becomes %q, want %q", c.given, got[1:], c.want)
		}
	}
}

// Ctrl-C leaves no file that is taken for a whole one, whatever is written.
func TestReportInterrupted(t *testing.T) {
	folder := t.TempDir()
	data, err := contract.Encode(contract.Status{Header: contract.Header{SchemaVersion: contract.SchemaVersion, Kind: contract.KindStatus}})
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "a.json"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range contract.ReportFormats() {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(machine.ErrInterrupted)
		output := filepath.Join(t.TempDir(), "report")
		var stdout, stderr bytes.Buffer
		code := Run(ctx, []string{"diskaudit", "report", folder, "--format", string(format), "--output", output}, &stdout, &stderr)
		text := stdout.Bytes()
		if format == contract.ReportJSON {
			// The document is what was asked for, and it says itself that it is not whole.
			if text, err = os.ReadFile(output); err != nil {
				t.Fatal(err)
			}
		} else if left, err := filepath.Glob(output + "*"); err != nil || len(left) > 0 {
			t.Errorf("%s: %q is left", format, left)
		}
		var document contract.Report
		if err := json.Unmarshal(text, &document); err != nil || code != int(ExitInterrupted) || document.Complete || stderr.Len() > 0 {
			t.Fatalf("%s: exit %d, %v\n%s\n%s", format, code, err, text, stderr.String())
		}
		if len(document.Problems) != 1 || document.Problems[0].Code != "interrupted" {
			t.Errorf("%s: %+v", format, document.Problems)
		}
	}
}
