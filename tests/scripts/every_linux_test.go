package scripts_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"diskaudit/tests/require"
)

// otherScripts are run by other tests than those of hostedScripts.
var otherScripts = []string{
	installScript, uninstallScript, intuneInstalled, cmInstalled,
	// TestSpeedScriptOnDocuments and TestSpeedScriptBesideTheOlderOne.
	"Test-BitLockerDiskSpeed.ps1",
}

// TestEveryScriptIsRun fails for a script that no table has.
func TestEveryScriptIsRun(t *testing.T) {
	run := slices.Clone(otherScripts)
	for _, s := range hostedScripts {
		run = append(run, s.name)
	}
	there := []string{}
	folder := os.DirFS(filepath.Join(require.Root(t), "module", "scripts"))
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".ps1" {
			there = append(there, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(run)
	slices.Sort(there)
	if !slices.Equal(run, there) {
		t.Errorf("there are\n%q\nand run are\n%q", there, run)
	}
}
