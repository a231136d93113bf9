package scripts_test

import (
	"os"
	"path/filepath"
	"testing"

	"diskaudit/tests/require"
)

// applicationScripts install the module, remove it, and tell whether it is there.
const (
	installScript   = "intune/Install-BitLockerDiskAudit.ps1"
	uninstallScript = "intune/Uninstall-BitLockerDiskAudit.ps1"
	intuneInstalled = "intune/Detect-BitLockerDiskAudit.ps1"
	cmInstalled     = "configmgr/Detect-BitLockerDiskAudit.ps1"
)

// testApplications installs the module from its package, looks for it as Intune and ConfigMgr do before and
// after, damages it, installs it again and removes it. A detection that finds nothing writes nothing
// (case C23).
func testApplications(t *testing.T, f *fleet, h *host) {
	t.Helper()
	here, programs := f.Folder()
	packageHere, pack := f.Folder()
	module := filepath.Join(packageHere, "BitLockerDiskAudit", installedVersion)
	install(t, filepath.Join(require.Root(t), "module"), module, f.Executable())
	for _, name := range []string{installScript, uninstallScript} {
		text, err := os.ReadFile(filepath.Join(f.scriptsHere, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(packageHere, filepath.Base(name)), string(text))
	}
	modules := filepath.Join(here, "WindowsPowerShell", "Modules", "BitLockerDiskAudit")
	installer, uninstaller := pack+`\Install-BitLockerDiskAudit.ps1`, pack+`\Uninstall-BitLockerDiskAudit.ps1`
	complete := answer{0, "BitLockerDiskAudit " + installedVersion + " is installed and complete"}
	found := []answer{complete, complete}
	nothingFound := []answer{{0, ""}, {0, ""}}
	for _, step := range []struct {
		name   string
		before func()
		script string
		answer answer
		found  []answer
	}{
		{"before", func() {}, "", answer{}, nothingFound},
		{"older version alone", func() {
			install(t, filepath.Join(require.Root(t), "module"), filepath.Join(modules, "0.0.9"), f.Executable())
		}, "", answer{}, nothingFound},
		{"installed", func() {}, installer, answer{0, "INSTALLED: version=" + installedVersion + " tool=" + toolVersion + " removed=0.0.9 | It is in " + goesOn}, found},
		{"installed again", func() {}, installer, answer{0, "OK: version=" + installedVersion + " tool=" + toolVersion + " | It is installed already. Nothing was changed."}, found},
		{"executable in quarantine", func() {
			if err := os.Remove(filepath.Join(modules, installedVersion, "bin", "win-x64", "diskaudit.exe")); err != nil {
				t.Fatal(err)
			}
		}, "", answer{}, nothingFound},
		{"repaired", func() {}, installer, answer{0, "INSTALLED: version=" + installedVersion + " " + goesOn}, found},
		{"a file is missing", func() {
			if err := os.Remove(filepath.Join(modules, installedVersion, "BitLockerDiskAudit.psm1")); err != nil {
				t.Fatal(err)
			}
		}, "", answer{}, nothingFound},
		{"removed", func() {}, uninstaller, answer{0, "REMOVED: versions=" + installedVersion + " | The journals of remediations stay in ProgramData."}, nothingFound},
		{"removed again", func() {}, uninstaller, answer{0, "OK: versions=none | It is not installed. Nothing was changed."}, nothingFound},
		{"package without the module", func() {
			if err := os.RemoveAll(filepath.Dir(module)); err != nil {
				t.Fatal(err)
			}
		}, installer, answer{1, "FAILED: error=" + goesOn}, nothingFound},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.before()
			machine, _, _ := ordinary()
			j := job{Environment: f.environment(computer{}, simulate(t, machine)), Location: f.elsewhere}
			j.Environment["ProgramW6432"], j.Environment["ProgramFiles"] = programs, programs+`\x86`
			var answers []answer
			if step.script != "" {
				j.Runs, answers = append(j.Runs, run{Script: step.script}), append(answers, step.answer)
			}
			j.Runs = append(j.Runs, run{Script: f.script(intuneInstalled)}, run{Script: f.script(cmInstalled)})
			answers = append(answers, step.found...)
			for i, d := range h.run(t, j) {
				if wrong := answers[i].differs(d); wrong != "" {
					t.Errorf("%s: %s\nit wrote:\n%s", j.Runs[i].Script, wrong, d.text())
				}
				for _, wrong := range flaws(d) {
					t.Errorf("%s %s:\n%s", j.Runs[i].Script, wrong, d.text())
				}
			}
			if calls := machine.Forbidden(); len(calls) > 0 {
				t.Errorf("something was changed, or a secret was asked for: %+v", calls)
			}
		})
	}
	if left, err := os.ReadDir(modules); err == nil && len(left) > 0 {
		t.Errorf("%d folders are left of the module", len(left))
	}
}
