package target

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// leftover writes what a killed run leaves, under a name; identity 0 takes the file's own.
func leftover(t *testing.T, path string, identityOf uint64, length int) {
	t.Helper()
	writeAndSync(t, path, nil)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if identityOf == 0 {
		if identityOf, err = identity(file); err != nil {
			t.Fatal(err)
		}
	}
	data := make([]byte, length)
	c := newContent(NewPool(1, 1<<20), 1, identityOf)
	c.fill(data, 0)
	if _, err := file.Write(data); err != nil {
		t.Fatal(err)
	}
}

const (
	oldName  = "diskaudit-bench-99999-00112233445566aa.tmp"
	oldName2 = "diskaudit-bench-99999-00112233445566ab.tmp"
	oldName3 = "diskaudit-bench-99999-00112233445566ac.tmp"
)

func TestSweepTakesWhatDeadRunsLeft(t *testing.T) {
	dir := testFolder(t)
	leftover(t, filepath.Join(dir, oldName), 1, 1<<20)
	writeAndSync(t, filepath.Join(dir, oldName2), nil)
	// Its tests overwrote all but the end.
	c, data := newContent(NewPool(1, 1<<20), 1, 1), make([]byte, 1<<20+block)
	c.trailer(data[1<<20:], 1<<20)
	writeAndSync(t, filepath.Join(dir, oldName3), data)
	removed, err := Sweep(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, oldName), filepath.Join(dir, oldName2), filepath.Join(dir, oldName3)}
	if !slices.Equal(removed, want) {
		t.Errorf("removed %v, want %v", removed, want)
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestSweepLeavesTheRest(t *testing.T) {
	dir := testFolder(t)
	others := surroundings(t, dir)
	removed, err := Sweep(dir)
	if err != nil || len(removed) != 0 {
		t.Errorf("removed %v, %v", removed, err)
	}
	others.check(t)
	for name, prepare := range map[string]func(t *testing.T, path string){
		"a folder": func(t *testing.T, path string) {
			t.Helper()
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"a link to one of ours": func(t *testing.T, path string) {
			t.Helper()
			leftover(t, filepath.Join(filepath.Dir(path), "original"), 1, 1<<20)
			if err := os.Symlink("original", path); err != nil {
				t.Skipf("needs the right to make links: %v", err)
			}
		},
		"a second name": func(t *testing.T, path string) {
			t.Helper()
			leftover(t, path, 1, 1<<20)
			if err := os.Link(path, filepath.Join(filepath.Dir(path), "kept")); err != nil {
				t.Skipf("needs a file system with hard links: %v", err)
			}
		},
		"a broken signature": func(t *testing.T, path string) {
			t.Helper()
			data := make([]byte, 1<<20)
			newContent(NewPool(1, 1<<20), 1, 1).fill(data, 0)
			data[hashAt]++
			writeAndSync(t, path, data)
		},
		"the signature elsewhere": func(t *testing.T, path string) {
			t.Helper()
			data := make([]byte, 1<<20)
			newContent(NewPool(1, 1<<20), 1, 1).fill(data[4096:8192], 0)
			writeAndSync(t, path, data)
		},
		"short": func(t *testing.T, path string) {
			t.Helper()
			writeAndSync(t, path, []byte(signatureText))
		},
		"read-only": func(t *testing.T, path string) {
			t.Helper()
			leftover(t, path, 1, 1<<20)
			if err := os.Chmod(path, 0o444); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(path, 0o644) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := testFolder(t)
			path := filepath.Join(dir, oldName)
			prepare(t, path)
			before := names(t, dir)
			removed, err := Sweep(dir)
			if err != nil || len(removed) != 0 {
				t.Errorf("removed %v, %v", removed, err)
			}
			if after := names(t, dir); !slices.Equal(before, after) {
				t.Errorf("%v became %v", before, after)
			}
		})
	}
}

// A living run's file stays, in this process and in another.
func TestSweepLeavesTheLiving(t *testing.T) {
	dir := testFolder(t)
	opened, err := open(t.Context(), asking(dir), choices{named: true})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	before := names(t, dir)
	removed, err := Sweep(dir)
	if err != nil || len(removed) != 0 || len(before) != 1 {
		t.Errorf("of %v removed %v, %v", before, removed, err)
	}
}

func TestSweepOfAMissingFolder(t *testing.T) {
	dir := filepath.Join(testFolder(t), "missing")
	_, err := Sweep(dir)
	wantRefusal(t, err, "not-found", dir)
}

// Open sweeps first, and tells what it removed.
func TestOpenSweepsFirst(t *testing.T) {
	dir := testFolder(t)
	leftover(t, filepath.Join(dir, oldName), 1, 1<<20)
	opened := mustOpen(t, asking(dir))
	if want := []string{filepath.Join(dir, oldName)}; !slices.Equal(opened.Facts.Swept, want) {
		t.Errorf("swept %v, want %v", opened.Facts.Swept, want)
	}
}

// A file with our signature that stands under the wanted name is taken for a leftover only if it is
// the very file that a run made, not a copy that somebody keeps.
func TestLeftoverOfAGivenName(t *testing.T) {
	dir := testFolder(t)
	own := filepath.Join(dir, "own")
	leftover(t, own, 0, 2<<20)
	opened := mustOpen(t, asking(own))
	if opened.Written == 0 {
		t.Error("the leftover was measured as if it were somebody's file")
	}
	opened.Close()
	copied := filepath.Join(dir, "copied")
	leftover(t, copied, 1<<60, 2<<20)
	opened = mustOpen(t, asking(copied))
	if opened.Written != 0 {
		t.Error("a copy was replaced")
	}
	opened.Close()
	if left := names(t, dir); !slices.Equal(left, []string{"copied"}) {
		t.Errorf("the folder holds %v", left)
	}
}

func TestNamesAreOurs(t *testing.T) {
	for range 100 {
		if name := newName(); !ourName.Regexp().MatchString(name) {
			t.Errorf("%s is not found again", name)
		}
	}
}
