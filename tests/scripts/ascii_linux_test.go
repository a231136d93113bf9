package scripts_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// TestLinesAreASCII: what a management tool collects goes through code pages that lose other characters.
// Where case is ignored, the Kelvin sign counts as a k, and a Turkish dotted I as an i.
func TestLinesAreASCII(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join(require.Root(t), "module", "scripts", filepath.FromSlash(installScript)))
	if err != nil {
		t.Fatal(err)
	}
	const name = "Paket \u212a \u0130 \u0131 \u00fc \u4e2d"
	file := filepath.Join(t.TempDir(), name, filepath.Base(installScript))
	write(t, file, string(script))
	cmd := exec.Command(pester.PowerShell(t), "-NoProfile", "-NonInteractive", "-File", file)
	cmd.Env = pester.Environment(os.Environ())
	line, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || len(exit.Stderr) > 0 {
		t.Fatalf("it ended with %v", err)
	}
	if !strings.HasPrefix(string(line), "FAILED: ") || !strings.Contains(string(line), "Paket ? ? ? ? ?") {
		t.Errorf("it wrote:\n%s", line)
	}
}
