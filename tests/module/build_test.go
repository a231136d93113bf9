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

// TestBuildScript builds the same source for all platforms in two folders: the bytes must be the
// same, the version must be in them, and the caller's environment and the sources as before.
func TestBuildScript(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it builds four executables twice")
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
	first := filepath.Join(t.TempDir(), "one")
	pester.CopySources(t, require.Root(t), first)
	second := filepath.Join(t.TempDir(), "another folder")
	pester.CopySources(t, first, second)

	asked := "host"
	for name := range platforms {
		asked += ", " + name
	}
	results := map[string]pester.Built{}
	for _, one := range pester.BuildScript(t, pwsh, first, asked, "9.8.7-test.1") {
		want := filepath.Join(first, "module", "bin", one.Platform)
		if platforms[one.Platform] == "" || results[one.Platform].Path != "" || filepath.Dir(one.Path) != want || one.Version != "9.8.7-test.1" || one.Commit != "" {
			t.Errorf("build.ps1 told %+v; want each platform once, in %s, version 9.8.7-test.1, no commit", one, want)
		}
		results[one.Platform] = one
	}
	if len(results) != len(platforms) {
		t.Fatalf("host and the others are %d platforms, but build.ps1 built %d: %+v", len(platforms), len(results), results)
	}
	for _, other := range pester.BuildScript(t, pwsh, second, asked, "9.8.7-test.1") {
		one := results[other.Platform]
		if got := fileHash(t, one.Path); got != one.Sha256 {
			t.Errorf("%s: build.ps1 told the SHA-256 %s of a file with %s", one.Platform, one.Sha256, got)
		}
		if got := fileHash(t, other.Path); got != one.Sha256 {
			t.Errorf("%s: two folders gave two executables: %s and %s", one.Platform, one.Sha256, got)
		}
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

	if err := os.WriteFile(filepath.Join(second, "core", "broken.go"), []byte("package main\n\nfunc {"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, arguments := range map[string][]string{
		"failed with exit code": {"-Platform", "win-arm64"},
		"above 65535":           {"-Platform", "win-x64", "-Version", "1.65536.0"},
	} {
		broken := exec.Command(pwsh, append([]string{"-NoProfile", "-NonInteractive", "-File", filepath.Join(second, "build.ps1")}, arguments...)...)
		broken.Env = pester.Environment(os.Environ())
		if out, err := broken.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("a build that fails must be an error that says %q; got %v:\n%s", want, err, out)
		}
	}
	// What build.ps1 stamps it puts back, also when the build fails.
	for _, root := range []string{first, second} {
		for _, name := range []string{"rsrc_windows_amd64.syso", "rsrc_windows_arm64.syso"} {
			if fileHash(t, filepath.Join(root, "core", name)) != fileHash(t, filepath.Join(require.Root(t), "core", name)) {
				t.Errorf("build.ps1 has changed core/%s", name)
			}
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
