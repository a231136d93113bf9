package module_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// TestPesterUnderWine runs the Pester tests in PowerShell for Windows with the Windows builds of
// the executables: other paths, other ways to pass arguments, code page 437.
func TestPesterUnderWine(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes minutes")
	}
	wine := windowsPowerShell(t)
	require.Tool(t, "wine")
	compiler := require.Tool(t, "x86_64-w64-mingw32-gcc")
	dir := t.TempDir()
	prefix := newPrefix(t, wine, dir)

	dll := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	source := filepath.Join(require.Root(t), "tests", "module", "testdata", "bcryptprimitives.c")
	if out, err := exec.Command(compiler, "-shared", "-o", dll, source, "-ladvapi32").CombinedOutput(); err != nil {
		t.Fatalf("building bcryptprimitives.dll: %v\n%s", err, out)
	}

	windows := []string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"}
	result := filepath.Join(dir, "result.json")
	script := filepath.Join(require.Root(t), "tests", "module", "Invoke-Tests.ps1")
	cmd := exec.Command(wine, "-NoProfile", "-NonInteractive", "-File", windowsPath(script), "-ResultFile", windowsPath(result), "-ExcludeTag", "Sources")
	cmd.Env = append(testEnvironment(), wineEnvironment(prefix)...)
	cmd.Env = append(cmd.Env,
		"DISKAUDIT_TEST_FAKECORE="+windowsPath(build(t, dir, "./tests/module/fakecore", "fakecore.exe", windows...)),
		"DISKAUDIT_TEST_CORE="+windowsPath(build(t, dir, "./core", "diskaudit.exe", windows...)),
		"TZ=Africa/Johannesburg",
	)
	report(t, cmd, result)
}

// windowsPowerShell finds a program that runs PowerShell 7 for Windows under Wine in the prefix
// $WINEPREFIX: DISKAUDIT_PWSH_WINE, or the one beside the repository.
func windowsPowerShell(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("DISKAUDIT_PWSH_WINE"); path != "" {
		return path
	}
	return require.Shared(t, "wine", "powershell/pwsh-wine")
}

// newPrefix makes a Wine prefix of the test's own, and ends its processes with the test.
func newPrefix(t *testing.T, wine, dir string) string {
	t.Helper()
	prefix := filepath.Join(dir, "prefix")
	environment := append(os.Environ(), wineEnvironment(prefix)...)
	t.Cleanup(func() {
		// The first ends what is left, and fails when nothing is; the second waits for the end.
		for _, flag := range []string{"-k", "-w"} {
			server := exec.Command("wineserver", flag)
			server.Env = environment
			_ = server.Run()
		}
	})
	start := exec.Command(wine, "-NoProfile", "-NonInteractive", "-Command", "exit 0")
	start.Env = environment
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("starting PowerShell under Wine: %v\n%s", err, out)
	}
	return prefix
}

func wineEnvironment(prefix string) []string {
	return []string{"WINEPREFIX=" + prefix, "WINEDEBUG=-all"}
}

// windowsPath is how a Windows program under Wine names a file of this computer.
func windowsPath(path string) string {
	return "Z:" + strings.ReplaceAll(path, "/", `\`)
}
