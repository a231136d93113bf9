package winres

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

// TestObjectFilesFollowTheirSources makes the object files anew: the committed ones must be what
// the sources beside this test say, byte for byte.
func TestObjectFilesFollowTheirSources(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it may have to build go-winres")
	}
	root := require.Root(t)
	prefix := filepath.Join(t.TempDir(), "rsrc")
	cmd := exec.Command("go", "tool", "go-winres", "make", "--in", "winres.json", "--out", prefix, "--arch", "amd64,arm64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go-winres: %v\n%s", err, out)
	}
	for _, name := range []string{"rsrc_windows_amd64.syso", "rsrc_windows_arm64.syso"} {
		made, err := os.ReadFile(filepath.Join(filepath.Dir(prefix), name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join(root, "core", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, committed) {
			t.Errorf("core/%s is not what core/winres says: run go generate ./core/winres", name)
		}
	}
}

// TestVersionInformationAgrees compares the strings with what else of the project says the same.
func TestVersionInformationAgrees(t *testing.T) {
	var sources struct {
		Version map[string]map[string]struct {
			Info map[string]map[string]string `json:"info"`
		} `json:"RT_VERSION"`
	}
	data, err := os.ReadFile("winres.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &sources); err != nil {
		t.Fatal(err)
	}
	info := sources.Version["#1"]["0409"].Info["0409"]
	license, err := os.ReadFile(filepath.Join(require.Root(t), "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	if got := info["LegalCopyright"]; got == "" || !strings.Contains(string(license), got+"\n") {
		t.Errorf("LegalCopyright %q is not a line of LICENSE", got)
	}
	// A plain build calls itself the same in the document of its verb version.
	out, err := exec.Command("go", "run", "diskaudit/core", "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Tool struct{ Name, Version string }
	}
	if err := json.Unmarshal(out, &document); err != nil {
		t.Fatal(err)
	}
	if got := info["ProductVersion"]; got != document.Tool.Version {
		t.Errorf("ProductVersion is %q, the program says %q", got, document.Tool.Version)
	}
	if got := info["InternalName"]; got != document.Tool.Name {
		t.Errorf("InternalName is %q, the program says %q", got, document.Tool.Name)
	}
}
