package scripts_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// speedCase is one run of a script; see dropin/Run.ps1.
type speedCase struct {
	Name, Script string
	Arguments    map[string]any
	Environment  map[string]string
	Instances    []map[string]any
	Constrained  bool
}

// speedResult is what came of it.
type speedResult struct {
	Name                  string
	Lines, Errors, Others []string
	Exit                  *int
	Objects               []speedObject
	Seconds               float64
}

// speedObject is the object of -PassThru.
type speedObject struct {
	Type                string
	Properties, Volumes []string
	Legacy, Bench       string
	Verdict             *string
	NextCommand         *string
}

// exitOf writes an exit code, or that there was none.
func exitOf(result speedResult) string {
	if result.Exit == nil {
		return "none"
	}
	return strconv.Itoa(*result.Exit)
}

// runSpeedCases runs all cases in one PowerShell. Name is how it names files of this computer.
func runSpeedCases(t *testing.T, program string, environment []string, name func(string) string, cases []speedCase) map[string]speedResult {
	t.Helper()
	folder := t.TempDir()
	caseFile, resultFile := filepath.Join(folder, "cases.json"), filepath.Join(folder, "results.json")
	text, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(caseFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(require.Root(t), "tests", "scripts", "dropin", "Run.ps1")
	cmd := exec.CommandContext(t.Context(), program, "-NoProfile", "-NonInteractive", "-File", name(script), "-CaseFile", name(caseFile), "-ResultFile", name(resultFile))
	cmd.Env = pester.Environment(environment)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		t.Fatalf("PowerShell: %v\n%s", err, output.Bytes())
	}
	text, err = os.ReadFile(resultFile)
	if err != nil {
		t.Fatal(err)
	}
	var results []speedResult
	if err := json.Unmarshal(text, &results); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	byName := map[string]speedResult{}
	for _, result := range results {
		byName[result.Name] = result
		t.Logf("%s: %.1f s", result.Name, result.Seconds)
	}
	return byName
}
