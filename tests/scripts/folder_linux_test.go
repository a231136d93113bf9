package scripts_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// TestRemediationNamesNoFolder: a volume that is mounted in a folder stands in the line by its GUID, since
// what Intune collects is not to have the names of folders (B72). The answers are documents; under Wine no
// volume can be mounted so.
func TestRemediationNamesNoFolder(t *testing.T) {
	t.Parallel()
	root, folder := require.Root(t), t.TempDir()
	core := filepath.Join(folder, "fakecore")
	build := exec.Command("go", "build", "-o", core, "./tests/module/fakecore")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	modules := filepath.Join(folder, "WindowsPowerShell", "Modules", "BitLockerDiskAudit")
	install(t, filepath.Join(root, "module"), filepath.Join(modules, installedVersion), "")
	status, plan, applied := readDocument(t, "windows"), readDocument(t, "remediate-plan"), readDocument(t, "remediate-plan")
	status.at(t, "summary")["state"] = "software-encrypted"
	plan.at(t, "plan")["guards"] = []any{}
	applied.at(t, "plan")["guards"] = []any{}
	applied["applied"] = true
	const mounted = `\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}\`
	for number, place := range []string{`C:\`, `D:\Kunden\Mueller GmbH\`} {
		applied.at(t, "projected", "volumes", number)["mountPoints"] = []any{place}
	}
	var running []any
	for _, id := range []any{applied.at(t, "projected", "volumes", 0)["id"], mounted, `D:\Kunden\Schulze`} {
		running = append(running, map[string]any{
			"volumeId": id, "conversion": map[string]any{"name": "DecryptionInProgress", "code": 3}, "percent": 99, "percentPerHour": nil, "etaSeconds": nil, "watch": "",
		})
	}
	applied["running"] = running
	documents := answers{documents: map[string]any{"plan": plan, "applied": applied}}.write(t)
	cmd := exec.Command(pester.PowerShell(t), "-NoProfile", "-NonInteractive", "-File", filepath.Join(root, "module", "scripts", filepath.FromSlash(intuneScript)))
	cmd.Env = append(pester.Environment(os.Environ()), "ProgramW6432="+folder, "DISKAUDIT_PATH="+standIn(t), "STANDIN_CORE="+core,
		"STANDIN_DOCUMENTS="+answers{documents: map[string]any{"status": status}}.write(t),
		"FAKECORE_STDOUT="+filepath.Join(documents, "plan.json"), "FAKECORE_APPLIED="+filepath.Join(documents, "applied.json"), "FAKECORE_APPLIED_EXIT=7")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	want := "BEGUN: volumes=C:,Unknown," + strings.Trim(mounted, `\?`) + " overridden=none | "
	if line := stdout.String(); err != nil || !strings.HasPrefix(line, want) || strings.Count(line, "\n") != 1 || stderr.Len() > 0 {
		t.Errorf("%v\n%s%s\nwant %s", err, line, &stderr, want)
	}
}
