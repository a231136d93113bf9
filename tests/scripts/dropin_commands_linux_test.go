package scripts_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// checkNextCommands wants each command that the script names to be one that PowerShell parses and binds,
// of the module or of PowerShell itself: an administrator pastes it.
func checkNextCommands(t *testing.T, program string, results map[string]speedResult) {
	t.Helper()
	commands := map[string]string{}
	for name, result := range results {
		for _, object := range result.Objects {
			if object.NextCommand != nil {
				commands[name] = *object.NextCommand
			}
		}
	}
	file := filepath.Join(t.TempDir(), "commands.json")
	text, err := json.Marshal(commands)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, string(text))
	script := filepath.Join(require.Root(t), "tests", "scripts", "dropin", "Bind.ps1")
	cmd := exec.CommandContext(t.Context(), program, "-NoProfile", "-NonInteractive", "-File", script, "-CommandFile", file)
	cmd.Env = pester.Environment(os.Environ())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the commands: %v\n%s", err, out)
	}
	t.Logf("%s", out)
}
