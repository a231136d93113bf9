package target

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// killed starts a task and kills it at some moment after it is ready.
func killed(t *testing.T, task, path string, after time.Duration) {
	t.Helper()
	cmd := child(t, task, path)
	waitReady(t, cmd)
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("it ended before it was killed")
	}
}

// waitReady starts a task and waits until it says that it is ready.
func waitReady(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "ready" {
		_ = cmd.Process.Kill()
		t.Fatalf("it says %q, %v", line, err)
	}
}

// Killed at any moment, a run leaves nothing that the next sweep does not remove, and nothing else
// in the folder changes.
func TestKilledAtAnyMoment(t *testing.T) {
	times := 50
	if testing.Short() {
		times = 5
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, task := range []string{"use", "use named"} {
		t.Run(task, func(t *testing.T) {
			dir := testFolder(t)
			others := surroundings(t, dir)
			left := 0
			for range times {
				killed(t, task, dir, time.Duration(random.Int64N(int64(150*time.Millisecond))))
				removed, err := Sweep(dir)
				if err != nil {
					t.Fatal(err)
				}
				left += len(removed)
				others.check(t)
			}
			t.Logf("%d of %d left a file to sweep", left, times)
			if task == "use" && left > 0 && vanishes(t, dir) {
				t.Errorf("%d of %d left a file behind, though the system removes it with its process", left, times)
			}
		})
	}
}

// vanishes tells whether the system itself removes the file of a killed run in this folder.
func vanishes(t *testing.T, dir string) bool {
	t.Helper()
	opened := mustOpen(t, asking(dir))
	defer opened.Close()
	return removedBySystem || opened.Shown == dir
}

// The same for a file that was asked for by name: the next run that is asked for it finds whose it
// was, and takes its place.
func TestKilledWithAGivenName(t *testing.T) {
	dir := testFolder(t)
	others := surroundings(t, dir)
	path := filepath.Join(dir, "wanted")
	for i := range 10 {
		killed(t, "use", path, time.Duration(i*9)*time.Millisecond)
		info, err := os.Stat(path)
		if err == nil && info.Size() == 0 {
			// Killed between making and writing: nothing tells whose it is.
			os.Remove(path)
		}
		if err := mustOpen(t, asking(path)).Close(); err != nil {
			t.Fatal(err)
		}
		others.check(t)
	}
}

// The lock of a killed run is gone with it.
func TestLockEndsWithItsProcess(t *testing.T) {
	dir := testFolder(t)
	cmd := child(t, "hold", dir)
	cmd.Stdin = strings.NewReader("")
	holding := child(t, "hold", dir)
	input, err := holding.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	waitReady(t, holding)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "another diskaudit bench is measuring this volume") {
		t.Errorf("the second run says %q, %v", out, err)
	}
	if number := fmt.Sprintf("(process %d)", holding.Process.Pid); tellsHolder && !strings.Contains(string(out), number) {
		t.Errorf("%q does not say %s", out, number)
	}
	if err := holding.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holding.Wait()
	if err := mustOpen(t, asking(dir)).Close(); err != nil {
		t.Error(err)
	}
}

// bystanders are files that have to stay as they are.
type bystanders struct {
	dir   string
	files map[string][]byte
}

// surroundings fills a folder with files of others, some of which look like ours.
func surroundings(t *testing.T, dir string) bystanders {
	t.Helper()
	b := bystanders{dir, map[string][]byte{
		"document.txt":                                []byte("somebody's"),
		"diskaudit-bench-results.tmp":                 []byte("somebody's"),
		"diskaudit-bench-1-00.tmp":                    {},
		"diskaudit-bench-12-0123456789abcdef.tmp":     []byte("not our signature"),
		"diskaudit-bench-12-0123456789abcdef.tmp.bak": {},
		"xdiskaudit-bench-12-0123456789abcdef.tmp":    {},
		"diskaudit-bench-012-0123456789abcdef.tmp":    {},
		"diskaudit-bench-12-0123456789ABCDEF.tmp0":    {},
		"empty": {},
		"large": NewPool(1, 64<<10),
	}}
	for name, data := range b.files {
		writeAndSync(t, filepath.Join(dir, name), data)
	}
	return b
}

func (b bystanders) check(t *testing.T) {
	t.Helper()
	found := names(t, b.dir)
	for _, name := range found {
		want, ok := b.files[name]
		if !ok {
			t.Errorf("left behind: %s", name)
			continue
		}
		if got, err := os.ReadFile(filepath.Join(b.dir, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s changed: %v", name, err)
		}
	}
	if len(found) < len(b.files) {
		t.Errorf("of %d files of others %d are there: %v", len(b.files), len(found), found)
	}
}
