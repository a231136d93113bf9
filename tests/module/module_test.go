// Package module_test runs the tests of the PowerShell module: Pester, in PowerShell on this
// computer and in PowerShell for Windows under Wine, and those of build.ps1.
package module_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// summary is what Invoke-Tests.ps1 writes.
type summary struct {
	Version string
	Passed  int
	Failed  []outcome
	Skipped []outcome
}

type outcome struct{ Name, Reason string }

func TestPester(t *testing.T) {
	t.Parallel()
	pwsh := powerShell(t)
	root := require.Root(t)
	dir := t.TempDir()
	result := filepath.Join(dir, "result.json")
	cmd := exec.Command(pwsh, "-NoProfile", "-NonInteractive", "-File", filepath.Join(root, "tests", "module", "Invoke-Tests.ps1"), "-ResultFile", result)
	cmd.Env = append(testEnvironment(),
		"DISKAUDIT_TEST_FAKECORE="+build(t, dir, "./tests/module/fakecore", "fakecore"),
		"DISKAUDIT_TEST_CORE="+build(t, dir, "./core", "diskaudit"),
		// Dates must not pass because local time happens to be UTC (case C19).
		"TZ=Africa/Johannesburg",
	)
	report(t, cmd, result)
}

// powerShell finds PowerShell 7: DISKAUDIT_PWSH, PATH, or the one beside the repository.
func powerShell(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("DISKAUDIT_PWSH"); path != "" {
		return path
	}
	if path, err := exec.LookPath("pwsh"); err == nil {
		return path
	}
	path := filepath.Join(require.Root(t), "..", "shared", "powershell", "pwsh")
	if _, err := os.Stat(path); err != nil {
		require.Missing(t, "pwsh", "PowerShell 7 is neither on PATH nor named by DISKAUDIT_PWSH")
	}
	return path
}

// testEnvironment is this process's environment without what would change the module's ways.
func testEnvironment() []string {
	var kept []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "DISKAUDIT_") && !strings.HasPrefix(entry, "FAKECORE_") {
			kept = append(kept, entry)
		}
	}
	return append(kept, "NO_COLOR=1")
}

// build builds a program of the repository and returns its path.
func build(t *testing.T, dir, pkg, name string, environment ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-o", path, pkg)
	cmd.Dir = require.Root(t)
	cmd.Env = append(os.Environ(), environment...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", pkg, err, out)
	}
	return path
}

// report runs Pester and turns its result into this test's.
func report(t *testing.T, cmd *exec.Cmd, result string) {
	t.Helper()
	out, runErr := cmd.CombinedOutput()
	data, err := os.ReadFile(result)
	if err != nil {
		t.Fatalf("Pester wrote no result (%v): %v\n%s", runErr, err, out)
	}
	var got summary
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("reading Pester's result: %v\n%s", err, data)
	}
	for _, skipped := range got.Skipped {
		t.Logf("skipped: %s: %s", skipped.Name, skipped.Reason)
	}
	for _, failed := range got.Failed {
		t.Errorf("%s\n%s", failed.Name, failed.Reason)
	}
	if got.Passed == 0 {
		t.Error("no Pester test passed")
	}
	if runErr != nil {
		t.Errorf("PowerShell: %v\n%s", runErr, out)
	}
	t.Logf("%s: %d passed, %d failed, %d skipped", got.Version, got.Passed, len(got.Failed), len(got.Skipped))
}
