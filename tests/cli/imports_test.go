package cli_test

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// Cases B41, B42, B43, B44, C42: what other programs print is in the user's language, so nothing is
// learned from it: the executable starts no other program.
func TestStartsNoOtherProgram(t *testing.T) {
	root := require.Root(t)
	folders := map[string]bool{}
	for _, system := range []string{"linux", "windows"} {
		// What is linked into the program; core/release and the generators are not.
		list := exec.Command("go", "list", "-deps", "-f", "{{.Dir}}", "./core")
		list.Dir = root
		list.Env = append(os.Environ(), "GOOS="+system)
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for folder := range strings.Lines(string(out)) {
			if folder = strings.TrimSpace(folder); strings.HasPrefix(folder, filepath.Join(root, "core")) {
				folders[folder] = true
			}
		}
	}
	files := 0
	for folder := range folders {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			files++
			for _, imported := range parsed.Imports {
				if imported.Path.Value == `"os/exec"` {
					t.Errorf("%s starts other programs", path)
				}
			}
		}
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
}
