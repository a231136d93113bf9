// Package require finds what a test needs from outside. What is missing is skipped by name,
// unless the environment variable DISKAUDIT_REQUIRE lists it ("all", or names separated by
// commas): then the test fails, so that nothing is skipped unseen.
package require

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Missing skips the test, or fails it when DISKAUDIT_REQUIRE lists name.
func Missing(t testing.TB, name, reason string) {
	t.Helper()
	required := strings.FieldsFunc(os.Getenv("DISKAUDIT_REQUIRE"), func(r rune) bool { return r == ',' || r == ' ' })
	if slices.Contains(required, name) || slices.Contains(required, "all") {
		t.Fatalf("%s is required by DISKAUDIT_REQUIRE, but %s", name, reason)
	}
	t.Skipf("needs %s: %s", name, reason)
}

// Tool returns the path of an executable on PATH.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name, "it is not on PATH")
	}
	return path
}

// Root returns the repository's root: the folder above the test's own that holds go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = parent
	}
}

// Shared returns a file of the folder that DISKAUDIT_SHARED names, or else of "shared" beside the
// repository: inputs that are not part of the project.
func Shared(t testing.TB, name, file string) string {
	t.Helper()
	folder := os.Getenv("DISKAUDIT_SHARED")
	if folder == "" {
		folder = filepath.Join(Root(t), "..", "shared")
	}
	path := filepath.Join(folder, filepath.FromSlash(file))
	if _, err := os.Stat(path); err != nil {
		Missing(t, name, err.Error())
	}
	return path
}
