package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"diskaudit/tests/require"
)

func TestCommittedSchemasAreCurrent(t *testing.T) {
	root := require.Root(t)
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, "schemas", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("schemas/%s is not what the types say (%v): run go generate ./core/contract/...", name, err)
		}
	}
	committed, err := filepath.Glob(filepath.Join(root, "schemas", "*.json"))
	if err != nil || len(committed) != len(files) {
		t.Errorf("%d schemas are committed, %d generated: %v", len(committed), len(files), err)
	}
}
