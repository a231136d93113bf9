// Package module_test runs the tests of the PowerShell module, Pester in PowerShell on this
// computer, and those of build.ps1. The folders windows and computers have those in PowerShell for
// Windows.
package module_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

func TestPester(t *testing.T) {
	t.Parallel()
	pwsh := pester.PowerShell(t)
	root := require.Root(t)
	dir := t.TempDir()
	result := filepath.Join(dir, "result.json")
	cmd := exec.Command(pwsh, "-NoProfile", "-NonInteractive", "-File", filepath.Join(root, "tests", "module", "Invoke-Tests.ps1"), "-ResultFile", result)
	cmd.Env = append(pester.Environment(os.Environ()),
		"DISKAUDIT_TEST_FAKECORE="+build(t, dir, "./tests/module/fakecore", "fakecore"),
		"DISKAUDIT_TEST_CORE="+build(t, dir, "./core", "diskaudit"),
		// Dates must not pass because local time happens to be UTC (case C19).
		"TZ=Africa/Johannesburg",
	)
	pester.Report(t, cmd, result)
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
