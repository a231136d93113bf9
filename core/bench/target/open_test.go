package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"diskaudit/core/contract"
)

// asking returns a small request for a path.
func asking(path string) Request {
	return Request{Path: path, SizeBytes: 4 << 20, MinBytes: 1 << 20, PrepareFor: 30 * time.Second, Seed: 5, Pool: NewPool(5, 1<<20)}
}

// testFolders, an environment variable, is where folders of tests are made that somebody else
// removes.
const testFolders = "DISKAUDIT_TARGET_TEST_FOLDERS"

var folderCount atomic.Int64

// testFolder is a folder on a disk where unbuffered I/O works.
func testFolder(t *testing.T) string {
	t.Helper()
	if base := os.Getenv(testFolders); base != "" {
		dir := filepath.Join(base, fmt.Sprintf("%d-%d", os.Getpid(), folderCount.Add(1)))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func mustOpen(t *testing.T, r Request) *Target {
	t.Helper()
	opened, err := Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, entry := range entries {
		out = append(out, entry.Name())
	}
	return out
}

// The file holds what was written, others can open it by its path, and nothing stays.
func TestFileInAFolder(t *testing.T) {
	dir := testFolder(t)
	var told int64
	r := asking(dir)
	r.Writes = true
	r.Progress = func(done, _ int64) { told = done }
	opened := mustOpen(t, r)
	if opened.Kind != contract.TargetFile || opened.SizeBytes != 4<<20 || told != 4<<20 {
		t.Errorf("kind %s, %d bytes, progress up to %d", opened.Kind, opened.SizeBytes, told)
	}
	if !strings.HasPrefix(opened.Shown, dir) {
		t.Errorf("shown as %s, which is not in %s", opened.Shown, dir)
	}
	if opened.Proof.SampledBlocks < 64 || opened.Proof.WrongBlocks != 0 || opened.Proof.RepeatReadNs == nil || opened.Proof.MemoryCopyNs == nil {
		t.Errorf("proof %+v", opened.Proof)
	}
	for at := range 3 {
		checkContent(t, opened, int64(at)<<20)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := opened.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

// checkContent reads through a second handle, as the workers do.
func checkContent(t *testing.T, opened *Target, offset int64) {
	t.Helper()
	again, err := reopen(opened.Path)
	if err != nil {
		t.Fatalf("opening %s once more: %v", opened.Path, err)
	}
	defer again.Close()
	got, want := aligned(1<<20, 4096), make([]byte, 1<<20)
	if _, err := again.ReadAt(got, offset); err != nil {
		t.Fatal(err)
	}
	opened.Facts.content.fill(want, offset)
	if !bytes.Equal(got, want) {
		t.Errorf("at %d the file holds something else than was written", offset)
	}
}

// P41: the file has the name that was asked for, and only for as long as it is measured.
func TestFileOfAGivenName(t *testing.T) {
	dir := testFolder(t)
	path := filepath.Join(dir, "my test file")
	opened := mustOpen(t, asking(path))
	if opened.Shown != path || opened.Path != path {
		t.Errorf("opened %s, shown as %s, want %s", opened.Path, opened.Shown, path)
	}
	if got := names(t, dir); len(got) != 1 || got[0] != "my test file" {
		t.Errorf("the folder holds %v", got)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestExistingFileIsOnlyRead(t *testing.T) {
	dir := testFolder(t)
	path := filepath.Join(dir, "existing")
	data := NewPool(9, 2<<20)
	writeAndSync(t, path, data)
	r := asking(path)
	opened := mustOpen(t, r)
	if opened.Kind != contract.TargetExistingFile || opened.SizeBytes != 2<<20 || opened.Written != 0 {
		t.Errorf("kind %s, %d bytes, %d written", opened.Kind, opened.SizeBytes, opened.Written)
	}
	if z := opened.Facts.Zeros; z == nil || *z {
		t.Errorf("random bytes taken for zeros: %s", opened.Facts.Evidence(FactZeros))
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the file changed: %v", err)
	}
	r.Writes = true
	_, err := Open(t.Context(), r)
	wantRefusal(t, err, "is-written-to", path, "folder")
	r.Writes, r.MinBytes, r.SizeBytes = false, 3<<20, 3<<20
	_, err = Open(t.Context(), r)
	wantRefusal(t, err, "too-small", path, "2097152", "3145728")
}

func writeAndSync(t *testing.T, path string, data []byte) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
}

// P41, P45: each refusal names the path and the reason.
func TestPathsThatAreNoTargets(t *testing.T) {
	dir := testFolder(t)
	empty := filepath.Join(dir, "empty")
	writeAndSync(t, empty, nil)
	for _, c := range []struct{ path, code, text string }{
		{"", "not-a-target", "no path"},
		{"a\x00b", "not-a-target", "NUL"},
		{filepath.Join(dir, "missing", "file"), "not-found", filepath.Join(dir, "missing")},
		{filepath.Join(dir, "missing") + string(filepath.Separator), "not-found", filepath.Join(dir, "missing")},
		{filepath.Join(empty, "file"), "not-found", empty},
		{empty, "too-small", empty},
		{filepath.Join(dir, strings.Repeat("x", 300)), "not-found", "xxx"},
	} {
		_, err := Open(t.Context(), asking(c.path))
		t.Run(c.path, func(t *testing.T) { wantRefusal(t, err, c.code, c.text) })
	}
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRequestsThatCannotBeMet(t *testing.T) {
	dir := testFolder(t)
	for name, change := range map[string]func(*Request){
		"no size":            func(r *Request) { r.SizeBytes = 0 },
		"negative":           func(r *Request) { r.SizeBytes = -1 },
		"minimum above":      func(r *Request) { r.MinBytes = r.SizeBytes + 1 },
		"negative minimum":   func(r *Request) { r.MinBytes = -1 },
		"small pool":         func(r *Request) { r.Pool = make([]byte, 4096) },
		"pool of odd length": func(r *Request) { r.Pool = make([]byte, 1<<20+1) },
	} {
		r := asking(dir)
		change(&r)
		if _, err := Open(t.Context(), r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	r := asking(dir)
	r.SizeBytes, r.MinBytes = 1<<62, 1<<62
	_, err := Open(t.Context(), r)
	wantRefusal(t, err, "no-space", dir, "free")
}

// One run per volume: the second is told about the first.
func TestSecondRunIsRefused(t *testing.T) {
	dir := testFolder(t)
	first := mustOpen(t, asking(dir))
	_, err := Open(t.Context(), asking(filepath.Join(dir, "other")))
	wantRefusal(t, err, "in-use", "another diskaudit bench is measuring this volume")
	var refusal *Refusal
	if errors.As(err, &refusal) && !refusal.Retryable {
		t.Error("it is not said to be retryable")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := mustOpen(t, asking(dir)).Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCancelledOpenLeavesNothing(t *testing.T) {
	dir := testFolder(t)
	for name, path := range map[string]string{"folder": dir, "name": filepath.Join(dir, "file")} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			c := choices{wrap: func(w writer) writer { return slowed{w, func() { cancel(errStopped) }} }}
			r := asking(path)
			r.SizeBytes = 1 << 30
			if _, err := open(ctx, r, c); !errors.Is(err, errStopped) {
				t.Errorf("error %v, want the cause of the end", err)
			}
			if left := names(t, dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStopped)
	if _, err := Open(ctx, asking(dir)); !errors.Is(err, errStopped) {
		t.Errorf("error %v, want the cause of the end", err)
	}
}

func TestPanicLeavesNothing(t *testing.T) {
	dir := testFolder(t)
	for name, c := range map[string]choices{
		"unnamed": {wrap: func(w writer) writer { return slowed{w, func() { panic("in a write") }} }},
		"named":   {named: true, wrap: func(w writer) writer { return slowed{w, func() { panic("in a write") }} }},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
				if left := names(t, dir); len(left) != 0 {
					t.Errorf("left behind: %v", left)
				}
				// Nor does the lock stay.
				if err := mustOpen(t, asking(dir)).Close(); err != nil {
					t.Error(err)
				}
			}()
			_, _ = open(t.Context(), asking(dir), c)
		})
	}
}

// slowed calls something before each write.
type slowed struct {
	writer
	before func()
}

func (s slowed) WriteAt(p []byte, offset int64) (int, error) {
	s.before()
	return s.writer.WriteAt(p, offset)
}

// An error of the disk while the file is written: the path and the system's words are told (P45),
// and nothing stays.
func TestFailedWriteLeavesNothing(t *testing.T) {
	dir := testFolder(t)
	path := filepath.Join(dir, "file")
	for code, number := range fullErrors {
		c := choices{wrap: func(w writer) writer { return failing{w, number} }}
		_, err := open(t.Context(), asking(path), c)
		wantRefusal(t, err, strings.TrimRight(code, "0123456789"), path, systemText(number))
		if left := names(t, dir); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

type failing struct {
	writer
	err error
}

func (f failing) WriteAt(p []byte, offset int64) (int, error) {
	if offset == 0 {
		return f.writer.WriteAt(p, offset)
	}
	return 0, &fs.PathError{Op: "write", Path: "file", Err: f.err}
}

// What took the name of our file meanwhile is somebody else's, and stays.
func TestCloseLeavesWhatTookItsName(t *testing.T) {
	dir := testFolder(t)
	path := filepath.Join(dir, "file")
	opened := mustOpen(t, asking(path))
	if err := os.Rename(path, filepath.Join(dir, "moved")); err != nil {
		t.Skipf("needs a system on which an open file can be renamed: %v", err)
	}
	writeAndSync(t, path, []byte("somebody else's"))
	_ = opened.Close()
	if data, err := os.ReadFile(path); err != nil || string(data) != "somebody else's" {
		t.Errorf("it now holds %q, %v", data, err)
	}
}
