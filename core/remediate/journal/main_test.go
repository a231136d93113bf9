package journal

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
)

// childFolder, an environment variable, makes this test program another run that holds the lock of that folder
// until it is killed.
const childFolder = "DISKAUDIT_JOURNAL_TEST_FOLDER"

// wineVariable is set for the tests that run under Wine.
const wineVariable = "DISKAUDIT_TEST_WINE"

func TestMain(m *testing.M) {
	path := os.Getenv(childFolder)
	if path == "" {
		os.Exit(m.Run())
	}
	folder, err := Open(path)
	if err == nil {
		_, err = folder.Lock(Owner{Action: contract.ActionPause})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	time.Sleep(time.Minute)
}

// holding starts a process that holds the lock of a folder.
func holding(t *testing.T, folder string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFolder+"="+folder)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "ready" {
		t.Fatalf("it says %q, %v", line, err)
	}
	return cmd
}

// freshFolders, an environment variable, names a folder whose content another process removes. Go cannot remove a file
// under Wine 8 as it does on Windows, so what clears up after a test would fail there.
const freshFolders = "DISKAUDIT_JOURNAL_TEST_FOLDERS"

// fresh is an empty folder.
func fresh(t *testing.T) string {
	t.Helper()
	above := os.Getenv(freshFolders)
	if above == "" {
		return t.TempDir()
	}
	path, err := os.MkdirTemp(above, "") //nolint:usetesting // The caller removes it, see freshFolders.
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// start is when the clock of tests begins.
var start = time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)

// opened is a folder whose clock goes on by a second each time it is asked.
func opened(t *testing.T) *Folder {
	t.Helper()
	folder, err := Open(filepath.Join(fresh(t), "journal"))
	if err != nil {
		skipUnlessElevated(t, err)
		t.Fatal(err)
	}
	now := start
	folder.clock = func() time.Time {
		now = now.Add(time.Second)
		return now
	}
	return folder
}

// begun is a new journal in a folder.
func begun(t *testing.T, folder *Folder, action contract.Action) *Writer {
	t.Helper()
	writer, err := folder.Create(contract.Tool{Name: "diskaudit", Version: "1.2.3"}, contract.Plan{ID: "plan", Action: action})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = writer.Close() })
	return writer
}

// wrote writes lines that have to succeed.
func wrote(t *testing.T, writer *Writer, lines ...Line) {
	t.Helper()
	for _, line := range lines {
		if err := writer.Write(line); err != nil {
			t.Fatal(err)
		}
	}
}

// The target of settings and volumes in tests.
const (
	prevention = `HKLM\SYSTEM\CurrentControlSet\Control\BitLocker\PreventDeviceEncryption`
	volumeC    = `\\?\Volume{00000000-0000-0000-0000-000000000043}\`
	volumeD    = `\\?\Volume{00000000-0000-0000-0000-000000000044}\`
)

func step(id string, change contract.Change, target, old, new string) Line {
	return Line{Event: EventStep, Step: id, Change: change, Target: target, Old: old, New: new}
}

func ended(id string, result contract.StepOutcome) Line {
	return Line{Event: EventStepEnd, Step: id, Result: result}
}

// unsure is the end of a step that failed, of which it is not known what it did.
func unsure(id string) Line {
	return Line{Event: EventStepEnd, Step: id, Result: contract.StepFailed, Unsure: true}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// put writes a file as the journals' folder takes it.
func put(t *testing.T, folder *Folder, name, data string) string {
	t.Helper()
	inside, err := enter(folder.path)
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	file, err := inside.create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(data); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder.path, name)
}

// codes are the codes of problems.
func codes(problems []contract.Problem) string {
	var all []string
	for _, problem := range problems {
		all = append(all, problem.Code)
	}
	return strings.Join(all, " ")
}
