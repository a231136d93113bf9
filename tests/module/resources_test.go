package module_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// TestPlainBuildHasResources builds without build.ps1, as the README's first command does: Windows
// has to treat that program like a released one.
func TestPlainBuildHasResources(t *testing.T) {
	t.Parallel()
	path := build(t, t.TempDir(), "./core", "diskaudit.exe", "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	checkResources(t, path, "windows/amd64", "0.0.0.0", "0.0.0-dev")
}

// checkResources reads back what Windows shows and obeys of an executable.
func checkResources(t *testing.T, path, platform, fileVersion, productVersion string) {
	t.Helper()
	folder := t.TempDir()
	cmd := exec.Command("go", "tool", "go-winres", "extract", "--xml-manifest", "--dir", folder, path)
	cmd.Dir = require.Root(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: reading the resources: %v\n%s", platform, err, out)
	}
	manifest, err := os.ReadFile(filepath.Join(folder, "app.manifest"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<requestedExecutionLevel level="asInvoker" uiAccess="false"/>`,
		`>true</longPathAware>`,
		// Windows 10 and later: learn.microsoft.com/windows/win32/sysinfo/targeting-your-application-at-windows-8-1
		`<supportedOS Id="{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}"/>`,
	} {
		if !bytes.Contains(manifest, []byte(want)) {
			t.Errorf("%s: the manifest has no %s:\n%s", platform, want, manifest)
		}
	}
	data, err := os.ReadFile(filepath.Join(folder, "winres.json"))
	if err != nil {
		t.Fatal(err)
	}
	var resources struct {
		Version map[string]map[string]struct {
			Fixed struct {
				File    string `json:"file_version"`
				Product string `json:"product_version"`
			} `json:"fixed"`
			Info map[string]map[string]string `json:"info"`
		} `json:"RT_VERSION"`
	}
	if err := json.Unmarshal(data, &resources); err != nil {
		t.Fatalf("%s: %v\n%s", platform, err, data)
	}
	version := resources.Version["#1"]["0409"]
	// go-winres leaves numbers out that are all zero.
	numbers := strings.TrimPrefix(fileVersion, "0.0.0.0")
	if version.Fixed.File != numbers || version.Fixed.Product != numbers {
		t.Errorf("%s: the numbers of the version are %+v, want %s", platform, version.Fixed, fileVersion)
	}
	for name, want := range map[string]string{
		"FileVersion":      fileVersion,
		"ProductVersion":   productVersion,
		"ProductName":      "BitLockerDiskAudit",
		"OriginalFilename": "diskaudit.exe",
	} {
		if got := version.Info["0409"][name]; got != want {
			t.Errorf("%s: %s is %q, want %q", platform, name, got, want)
		}
	}
	if version.Info["0409"]["FileDescription"] == "" {
		t.Errorf("%s: there is no FileDescription, which Task Manager shows: %s", platform, data)
	}
}
