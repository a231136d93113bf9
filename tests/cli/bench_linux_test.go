package cli_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

// running is a bench in progress.
type running struct {
	*exec.Cmd
	stdout   bytes.Buffer
	progress *bufio.Scanner
}

// startBench starts the program with progress, as a process of its own.
func startBench(t *testing.T, args ...string) *running {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test's executable is the program when it is called by the program's name.
	program := filepath.Join(t.TempDir(), "diskaudit")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	r := &running{Cmd: exec.Command(program, append([]string{"bench", "--progress"}, args...)...)}
	r.Stdout = &r.stdout
	stderr, err := r.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Process.Kill() })
	r.progress = bufio.NewScanner(stderr)
	return r
}

// until reads progress up to the nth line of a stage.
func (r *running) until(t *testing.T, stage string, n int) {
	t.Helper()
	for r.progress.Scan() {
		if strings.Contains(r.progress.Text(), `"stage":"`+stage+`"`) {
			if n--; n == 0 {
				return
			}
		}
	}
	t.Fatalf("the run ended before stage %s: %s", stage, r.stdout.String())
}

// end waits and returns the exit code and the document.
func (r *running) end(t *testing.T) (int, contract.Bench) {
	t.Helper()
	for r.progress.Scan() { // to the end
	}
	code := 0
	var exit *exec.ExitError
	if err := r.Wait(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return code, benchDocument(t, r.stdout.Bytes())
}

func benchDocument(t *testing.T, data []byte) contract.Bench {
	t.Helper()
	var document contract.Bench
	if err := contract.Validate(contract.KindBench, data); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	listed, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range listed {
		names = append(names, entry.Name())
	}
	return names
}

func codesOf(problems []contract.Problem) []string {
	var codes []string
	for _, problem := range problems {
		codes = append(codes, problem.Code)
	}
	return codes
}

var brief = []string{"--profile", "custom", "--size", "16M", "--duration", "60s", "--warmup", "0s", "--rounds", "600", "--no-penalty"}

// Ctrl-C, SIGTERM and a closed terminal in the middle: exit 130, a valid document with the rounds that were finished,
// no file left.
func TestInterruptedBench(t *testing.T) {
	require.Measuring(t)
	for _, ends := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(ends) {
			// As nohup does it: then the program ignores it too, as it should.
			continue
		}
		dir := t.TempDir()
		run := startBench(t, append([]string{"--target", dir}, brief...)...)
		run.until(t, "measure", 3)
		if err := run.Process.Signal(ends); err != nil {
			t.Fatal(err)
		}
		code, document := run.end(t)
		if code != 130 || document.Complete || !slices.Contains(codesOf(document.Problems), "interrupted") {
			t.Errorf("%v: exit %d, %v", ends, code, codesOf(document.Problems))
		}
		if len(document.Tests) != 1 || len(document.Tests[0].Rounds) < 3 || document.Tests[0].IOPS == nil {
			t.Errorf("%v: %d tests: %+v", ends, len(document.Tests), document.Tests)
		}
		if left := entries(t, dir); len(left) > 0 {
			t.Errorf("%v left %v", ends, left)
		}
	}
}

func TestInterruptedWhileMakingTheFile(t *testing.T) {
	require.Measuring(t)
	dir := t.TempDir()
	run := startBench(t, "--target", dir, "--profile", "custom", "--size", "16G", "--no-penalty")
	run.until(t, "prepare", 2)
	if err := run.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	code, document := run.end(t)
	if code != 130 || len(document.Tests) != 0 || !slices.Contains(codesOf(document.Problems), "interrupted") {
		t.Errorf("exit %d, %v", code, codesOf(document.Problems))
	}
	if left := entries(t, dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// A time limit ends the run with what was measured.
func TestTimeLimitOfBench(t *testing.T) {
	require.Measuring(t)
	dir := t.TempDir()
	run := startBench(t, append([]string{"--target", dir, "--timeout", "3s"}, brief...)...)
	code, document := run.end(t)
	if !slices.Contains(codesOf(document.Problems), "timeout") || code != 3 && code != 1 {
		t.Errorf("exit %d, %v", code, codesOf(document.Problems))
	}
	if left := entries(t, dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Killed at 50 random moments: after the next start there is no file of ours, the space is free,
// and no other file has changed by a byte.
func TestKilledBench(t *testing.T) {
	require.Measuring(t)
	dir := t.TempDir()
	before := map[string][sha256.Size]byte{}
	for _, name := range []string{"diskaudit-bench-notes.txt", "data.bin", ".hidden"} {
		data := make([]byte, 100_000)
		_, _ = rand.NewChaCha8([32]byte{7}).Read(data)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		before[name] = sha256.Sum256(data)
	}
	free := freeBytes(t, dir)
	moments := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		run := startBench(t, append([]string{"--target", dir, "--operation", "write"}, brief...)...)
		go func() {
			for run.progress.Scan() { // the program never waits for its reader
			}
		}()
		time.Sleep(time.Duration(moments.IntN(400)) * time.Millisecond)
		if err := run.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = run.Wait()
	}
	run := startBench(t, "--target", dir, "--profile", "custom", "--size", "8M", "--duration", "60ms", "--warmup", "0s", "--no-penalty")
	if code, document := run.end(t); code != 0 {
		t.Errorf("the next run: exit %d, %+v", code, document.Problems)
	}
	names := entries(t, dir)
	if len(names) != len(before) {
		t.Errorf("left: %v", names)
	}
	for name, sum := range before {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || sha256.Sum256(data) != sum {
			t.Errorf("%s changed: %v", name, err)
		}
	}
	if now := freeBytes(t, dir); now+50<<20 < free {
		t.Logf("free space went from %d to %d bytes; others may have written meanwhile", free, now)
	}
}

func freeBytes(t *testing.T, dir string) uint64 {
	t.Helper()
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		t.Fatal(err)
	}
	return stat.Bavail * uint64(stat.Bsize)
}

func TestTwoBenchesAtOnce(t *testing.T) {
	require.Measuring(t)
	first, second := t.TempDir(), t.TempDir()
	run := startBench(t, append([]string{"--target", first}, brief...)...)
	run.until(t, "measure", 1)
	other := startBench(t, append([]string{"--target", second}, brief...)...)
	code, document := other.end(t)
	if code != 1 || !slices.Contains(codesOf(document.Problems), "in-use") {
		t.Errorf("the second: exit %d, %v", code, codesOf(document.Problems))
	}
	if err := run.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code, _ := run.end(t); code != 130 {
		t.Errorf("the first: exit %d", code)
	}
	if left := append(entries(t, first), entries(t, second)...); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Cases P1, P4, P26: a file with holes is invalid, and nothing printed for it looks like a result.
func TestSparseTarget(t *testing.T) {
	require.Measuring(t)
	file := filepath.Join(t.TempDir(), "sparse")
	if err := os.WriteFile(file, bytes.Repeat([]byte{1}, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 64<<20); err != nil {
		t.Fatal(err)
	}
	args := []string{"--target", file, "--profile", "custom", "--size", "64M", "--duration", "120ms", "--warmup", "0s", "--no-penalty"}
	code, document := startBench(t, args...).end(t)
	if code != 0 || len(document.Tests) != 1 {
		t.Fatalf("exit %d, %+v", code, document.Problems)
	}
	test := document.Tests[0]
	if test.Valid || test.IOPS != nil || test.LatencyNs.P50 != nil || len(test.Rounds) > 0 || test.InvalidReasons[0].Code != "target-sparse" {
		t.Errorf("%+v", test)
	}
	run := startBench(t, append(args, "--fail-on", "invalid")...)
	if code, _ := run.end(t); code != 8 {
		t.Errorf("--fail-on invalid: exit %d", code)
	}
	table := startBench(t, append(args, "--format", "table")...)
	for table.progress.Scan() { // to the end
	}
	if err := table.Wait(); err != nil {
		t.Fatal(err)
	}
	row := ""
	for line := range strings.Lines(table.stdout.String()) {
		if strings.HasPrefix(line, test.ID) {
			row = strings.TrimPrefix(line, test.ID)
		}
	}
	if row == "" || strings.ContainsAny(row, "0123456789") || !strings.Contains(row, "invalid: target-sparse") {
		t.Errorf("%q in\n%s", row, table.stdout.String())
	}
}

// tmpfs is memory, and the figures say so.
func TestMemoryTarget(t *testing.T) {
	require.Measuring(t)
	dir, err := os.MkdirTemp("/dev/shm", "diskaudit")
	if err != nil {
		require.Missing(t, "tmpfs", err.Error())
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	code, document := startBench(t, "--target", dir, "--profile", "custom", "--size", "16M", "--duration", "120ms", "--warmup", "0s", "--no-penalty").end(t)
	if code != 0 && len(document.Tests) == 0 {
		if slices.Contains(codesOf(document.Problems), "no-direct-io") {
			// Before Linux 6.6 tmpfs took no unbuffered I/O: refused, not measured from a cache.
			return
		}
		t.Fatalf("exit %d, %+v", code, document.Problems)
	}
	if test := document.Tests[0]; test.Valid || test.InvalidReasons[0].Code != "memory-backed" {
		t.Errorf("%+v", test.InvalidReasons)
	}
}

// Without rights a device cannot be read: exit 4, and the way out.
func TestDeviceWithoutRights(t *testing.T) {
	if os.Geteuid() != 0 {
		require.Missing(t, "root", "becoming another user takes root")
	}
	device := "/dev/zram0"
	if _, err := os.Stat(device); err != nil {
		device = "/dev/loop0"
	}
	if _, err := os.Stat(device); err != nil {
		require.Missing(t, "blockdevice", "there is neither /dev/zram0 nor /dev/loop0")
	}
	stdout, code := asNobody(t, "bench", "--target", device, "--no-penalty")
	document := benchDocument(t, stdout)
	if code != 4 || len(document.Problems) == 0 || !strings.Contains(string(stdout), device) {
		t.Errorf("exit %d, %+v", code, document.Problems)
	}
}
