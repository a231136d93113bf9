package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// TestScriptSources looks at the text of the scripts with Pester, without running them.
func TestScriptSources(t *testing.T) {
	t.Parallel()
	root := require.Root(t)
	result := filepath.Join(t.TempDir(), "result.json")
	cmd := exec.Command(pester.PowerShell(t), "-NoProfile", "-NonInteractive", "-File", filepath.Join(root, "tests", "module", "Invoke-Tests.ps1"),
		"-ResultFile", result, "-Path", filepath.Join(root, "tests", "scripts", "Static.Tests.ps1"))
	cmd.Env = pester.Environment(os.Environ())
	pester.Report(t, cmd, result)
}
