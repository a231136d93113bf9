package module_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// TestConsentAtTheTerminal answers the question of Disable-SoftwareBitLocker as a person does. After
// No nothing is carried out; after Yes the plan that was shown is.
func TestConsentAtTheTerminal(t *testing.T) {
	t.Parallel()
	pwsh := pester.PowerShell(t)
	manifest := filepath.Join(require.Root(t), "module", "BitLockerDiskAudit.psd1")
	folder := t.TempDir()
	plan, err := os.ReadFile(filepath.Join("documents", "remediate-plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	// The executable writes one line.
	line := strings.ReplaceAll(string(plan), "\n", " ") + "\n"
	document, calls := filepath.Join(folder, "plan.json"), filepath.Join(folder, "calls.txt")
	if err := os.WriteFile(document, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	terminal := openShell(t, pwsh, manifest,
		"DISKAUDIT_PATH="+build(t, folder, "./tests/module/fakecore", "fakecore"), "FAKECORE_STDOUT="+document, "FAKECORE_CALLS="+calls)
	called := func() []string {
		data, err := os.ReadFile(calls)
		if err != nil {
			return nil
		}
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}

	ask := func(command string) {
		t.Helper()
		before := strings.Count(terminal.text(), "[?] Help")
		terminal.enter(command)
		for range 60 {
			if strings.Count(terminal.text(), "[?] Help") > before {
				return
			}
			time.Sleep(time.Second)
		}
		t.Fatalf("the question is not asked:\n%s", terminal.text())
	}
	ask("$null = Disable-SoftwareBitLocker")
	for _, want := range []string{"1. Keep Windows from encrypting by itself", "2. Decrypt C:", "About 81 minutes", "nothing must be reinstalled, reset or"} {
		if !strings.Contains(terminal.text(), want) {
			t.Errorf("the question does not say %q:\n%s", want, terminal.text())
		}
	}
	terminal.enter("n")
	terminal.answers(t)
	if got := called(); len(got) != 1 || strings.Contains(got[0], "--apply") {
		t.Errorf("after No the executable was called with %q, want one plan", got)
	}

	ask("$null = Disable-SoftwareBitLocker -Wait")
	terminal.enter("y")
	eventually(t, "the plan is carried out", func() bool { return len(called()) == 3 })
	if got := called()[2]; !strings.Contains(got, `"--apply","--expect-plan=7f3a90c2d1e4"`) {
		t.Errorf("after Yes the executable was called with %s", got)
	}
}

// TestNobodyAtTheTerminal starts PowerShell at a terminal with -NonInteractive in its short form: the
// terminal alone does not make a person (case C20).
func TestNobodyAtTheTerminal(t *testing.T) {
	t.Parallel()
	pwsh := pester.PowerShell(t)
	manifest := filepath.Join(require.Root(t), "module", "BitLockerDiskAudit.psd1")
	folder := t.TempDir()
	calls := filepath.Join(folder, "calls.txt")
	terminal := openShell(t, pwsh, manifest,
		"DISKAUDIT_PATH="+build(t, folder, "./tests/module/fakecore", "fakecore"), "FAKECORE_CALLS="+calls)
	script := filepath.Join(folder, "script.ps1")
	text := "Import-Module '" + manifest + "'\ntry { Disable-SoftwareBitLocker } catch { 'got ' + $_.FullyQualifiedErrorId }\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	terminal.enter("& '" + pwsh + "' -NoProfile -noni -File '" + script + "'")
	if !terminal.shows("got ConfirmationRequired,Disable-SoftwareBitLocker") {
		t.Errorf("it was not refused:\n%s", terminal.text())
	}
	if _, err := os.Stat(calls); err == nil {
		t.Error("the executable was run")
	}
}
