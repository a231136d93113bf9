package cli_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// Cases B41, B42, B43, B44, C42: what other programs print is in the user's language, so nothing is
// learned from it: the executable starts no other program.
func TestStartsNoOtherProgram(t *testing.T) {
	files := 0
	err := filepath.WalkDir(filepath.Join(require.Root(t), "core"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, imported := range parsed.Imports {
			if imported.Path.Value == `"os/exec"` {
				t.Errorf("%s starts other programs", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
}
