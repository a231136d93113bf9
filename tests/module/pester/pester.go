// Package pester runs PowerShell and Pester for Go tests.
package pester

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// Report runs Pester by a command that has Invoke-Tests.ps1 write to the file result, and turns
// what came out into this test's result.
func Report(t *testing.T, cmd *exec.Cmd, result string) {
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

// PowerShell finds PowerShell 7: DISKAUDIT_PWSH, PATH, or the one beside the repository.
func PowerShell(t *testing.T) string {
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

// WindowsPowerShell finds a program that runs PowerShell 7 for Windows under Wine in the prefix
// $WINEPREFIX: DISKAUDIT_PWSH_WINE, or the one beside the repository.
func WindowsPowerShell(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("DISKAUDIT_PWSH_WINE"); path != "" {
		return path
	}
	return require.Shared(t, "wine", "powershell/pwsh-wine")
}

// WaitForRegistry waits until Wine has written its registry into the prefix, which it does every
// half minute. A starter of PowerShell may take a prefix without these files for one that is still
// to be made, and then waits for the end of the programs that the rig keeps running.
func WaitForRegistry(t *testing.T, prefix string) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		if _, err := os.Stat(filepath.Join(prefix, "system.reg")); err == nil {
			return
		}
	}
	t.Fatal("Wine did not write its registry")
}

// Environment is an environment without what would change the module's ways, and in which no
// output is coloured. The way to a simulated computer stays.
func Environment(all []string) []string {
	var kept []string
	for _, entry := range all {
		ours := strings.HasPrefix(entry, "DISKAUDIT_") && !strings.HasPrefix(entry, "DISKAUDIT_RIG=")
		if !ours && !strings.HasPrefix(entry, "FAKECORE_") {
			kept = append(kept, entry)
		}
	}
	return append(kept, "NO_COLOR=1")
}
