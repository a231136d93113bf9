package pester

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Built is what build.ps1 tells about one executable.
type Built struct{ Platform, Path, Version, Commit, Sha256 string }

// BuildScript runs build.ps1 in a folder that holds the sources. The caller's settings are odd on
// purpose: they must neither be used nor be lost.
func BuildScript(t *testing.T, pwsh, root, platforms, version string) []Built {
	t.Helper()
	result := filepath.Join(t.TempDir(), "built.json")
	script := filepath.Join(t.TempDir(), "run.ps1")
	text := `
$ErrorActionPreference = 'Stop'
$env:GOOS = 'plan9'
$env:GOFLAGS = '-tags=odd'
$env:GOAMD64 = ''
$env:CGO_ENABLED = ''
$here = Get-Location
$built = & (Join-Path $args[0] 'build.ps1') -Platform ` + platforms + ` -Version ` + version + `
if ($env:GOOS -ne 'plan9' -or $env:GOFLAGS -ne '-tags=odd' -or $env:CGO_ENABLED -or $env:GOAMD64) { throw 'the environment was changed' }
if ("$here" -ne "$(Get-Location)") { throw 'the current folder was changed' }
Set-Content -LiteralPath $args[1] -Value (ConvertTo-Json -InputObject @($built))
`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(pwsh, "-NoProfile", "-NonInteractive", "-File", script, root, result)
	cmd.Env = Environment(os.Environ())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build.ps1: %v\n%s", err, out)
	}
	data, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var got []Built
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return got
}

// CopySources copies the repository without what is built and without git's folder.
func CopySources(t *testing.T, from, to string) {
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
