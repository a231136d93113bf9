package module_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// platforms are those of build.ps1, and what Go calls them.
var platforms = map[string]string{"linux-x64": "linux/amd64", "linux-arm64": "linux/arm64", "win-x64": "windows/amd64", "win-arm64": "windows/arm64"}

// TestBuildScript builds what build.ps1 builds when it is told nothing else. The folder
// tests/package builds releases.
func TestBuildScript(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it builds three executables")
	}
	t.Parallel()
	pwsh := pester.PowerShell(t)
	host := ""
	for name, system := range platforms {
		if system == runtime.GOOS+"/"+runtime.GOARCH {
			host = name
		}
	}
	if host == "" {
		require.Missing(t, "host", "build.ps1 has no platform for this computer")
	}
	root := filepath.Join(t.TempDir(), "a folder")
	pester.CopySources(t, require.Root(t), root)
	results := map[string]pester.Built{}
	for _, one := range pester.BuildScript(t, pwsh, root, "host, "+host+", win-x64, win-arm64", "9.8.7-test.1") {
		want := filepath.Join(root, "module", "bin", one.Platform)
		if platforms[one.Platform] == "" || results[one.Platform].Path != "" || filepath.Dir(one.Path) != want || one.Version != "9.8.7-test.1" || one.Commit != "" {
			t.Errorf("build.ps1 told %+v; want each platform once, in %s, version 9.8.7-test.1, no commit", one, want)
		}
		if got := fileHash(t, one.Path); got != one.Sha256 {
			t.Errorf("%s: build.ps1 told the SHA-256 %s of a file with %s", one.Platform, one.Sha256, got)
		}
		results[one.Platform] = one
	}
	if len(results) != 3 {
		t.Fatalf("build.ps1 was asked for three platforms and built %d: %+v", len(results), results)
	}
	out, err := exec.Command(results[host].Path, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), `"version":"9.8.7-test.1"`) {
		t.Errorf("the executable does not tell its version: %s", out)
	}
	for _, name := range []string{"win-x64", "win-arm64"} {
		checkResources(t, results[name].Path, platforms[name], "9.8.7.0", "9.8.7-test.1")
	}

	if err := os.WriteFile(filepath.Join(root, "core", "broken.go"), []byte("package main\n\nfunc {"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := exec.Command(pwsh, "-NoProfile", "-NonInteractive", "-File", filepath.Join(root, "build.ps1"), "-Architecture", "win-arm64")
	broken.Env = pester.Environment(os.Environ())
	if out, err := broken.CombinedOutput(); err == nil || !strings.Contains(string(out), "failed with exit code") {
		t.Errorf("a build that fails must be an error that says so; got %v:\n%s", err, out)
	}
	if got := fileHash(t, results["win-arm64"].Path); got != results["win-arm64"].Sha256 {
		t.Error("a build that failed has changed the executable of the one before")
	}
	// What build.ps1 stamps it puts back, also when the build fails.
	for _, name := range []string{"rsrc_windows_amd64.syso", "rsrc_windows_arm64.syso"} {
		if fileHash(t, filepath.Join(root, "core", name)) != fileHash(t, filepath.Join(require.Root(t), "core", name)) {
			t.Errorf("build.ps1 has changed core/%s", name)
		}
	}
}

func fileHash(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
