package module_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// built is what build.ps1 tells about one executable.
type built struct{ Platform, Path, Version, Commit, Sha256 string }

// TestBuildScript builds the same source in two folders: the bytes must be the same, the version
// must be in them, and the caller's environment must be as before.
func TestBuildScript(t *testing.T) {
	t.Parallel()
	pwsh := powerShell(t)
	platforms := map[string]string{"linux/amd64": "linux-x64", "linux/arm64": "linux-arm64", "windows/amd64": "win-x64", "windows/arm64": "win-arm64"}
	host := platforms[runtime.GOOS+"/"+runtime.GOARCH]
	if host == "" {
		require.Missing(t, "host", "build.ps1 has no platform for this computer")
	}
	var results []built
	source := require.Root(t)
	for _, name := range []string{"one", "another folder"} {
		root := filepath.Join(t.TempDir(), name)
		copySources(t, source, root)
		source = root
		result := filepath.Join(t.TempDir(), "built.json")
		script := filepath.Join(t.TempDir(), "run.ps1")
		// The caller's settings are odd on purpose: they must neither be used nor be lost.
		text := `
$ErrorActionPreference = 'Stop'
$env:GOOS = 'plan9'
$env:GOFLAGS = '-tags=odd'
$env:GOAMD64 = ''
$here = Get-Location
$built = & (Join-Path $args[0] 'build.ps1') -Platform host, ` + host + ` -Version 9.8.7-test.1
if ($env:GOOS -ne 'plan9' -or $env:GOFLAGS -ne '-tags=odd' -or $env:CGO_ENABLED -or $env:GOAMD64) { throw 'the environment was changed' }
if ("$here" -ne "$(Get-Location)") { throw 'the current folder was changed' }
Set-Content -LiteralPath $args[1] -Value (ConvertTo-Json -InputObject @($built))
`
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(pwsh, "-NoProfile", "-NonInteractive", "-File", script, root, result)
		cmd.Env = testEnvironment()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build.ps1: %v\n%s", err, out)
		}
		data, err := os.ReadFile(result)
		if err != nil {
			t.Fatal(err)
		}
		var got []built
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if len(got) != 1 {
			t.Fatalf("host and %s are one platform, but build.ps1 built %d: %s", host, len(got), data)
		}
		want := filepath.Join(root, "module", "bin", host)
		if got[0].Platform != host || filepath.Dir(got[0].Path) != want || got[0].Version != "9.8.7-test.1" || got[0].Commit != "" {
			t.Errorf("build.ps1 told %+v; want platform %s in %s, version 9.8.7-test.1, no commit", got[0], host, want)
		}
		results = append(results, got[0])
	}
	if results[0].Sha256 == "" || results[0].Sha256 != results[1].Sha256 {
		t.Errorf("two folders gave two executables: %s and %s", results[0].Sha256, results[1].Sha256)
	}
	if err := os.WriteFile(filepath.Join(source, "core", "broken.go"), []byte("package main\n\nfunc {"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := exec.Command(pwsh, "-NoProfile", "-NonInteractive", "-File", filepath.Join(source, "build.ps1"), "-Platform", host)
	broken.Env = testEnvironment()
	if out, err := broken.CombinedOutput(); err == nil || !strings.Contains(string(out), "failed with exit code") {
		t.Errorf("a build that fails must be an error that says so; got %v:\n%s", err, out)
	}
	out, err := exec.Command(results[0].Path, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), `"version":"9.8.7-test.1"`) {
		t.Errorf("the executable does not tell its version: %s", out)
	}
}

// copySources copies the repository without what is built and without git's folder.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		switch {
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin" || entry.Name() == "dist" || relative == "tests"):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
	if err != nil {
		t.Fatalf("copying the sources: %v", err)
	}
}
