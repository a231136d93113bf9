package module_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// TestCtrlCAtTheTerminal presses Ctrl-C while PowerShell runs a measurement: the executable ends,
// nothing is left on the disk, and the same session goes on.
func TestCtrlCAtTheTerminal(t *testing.T) {
	require.Measuring(t)
	t.Parallel()
	pwsh := pester.PowerShell(t)
	root := require.Root(t)
	bin := t.TempDir()
	manifest := filepath.Join(root, "module", "BitLockerDiskAudit.psd1")
	t.Run("the stand-in", func(t *testing.T) {
		pid := filepath.Join(t.TempDir(), "pid")
		terminal := openShell(t, pwsh, manifest,
			"DISKAUDIT_PATH="+build(t, bin, "./tests/module/fakecore", "fakecore"), "FAKECORE_HANG="+pid)
		terminal.enter("Test-NvmeLatency /mnt")
		number := 0
		eventually(t, "the executable runs", func() bool {
			data, err := os.ReadFile(pid)
			if err == nil {
				number, err = strconv.Atoi(string(data))
			}
			return err == nil
		})
		terminal.enter("\x03")
		terminal.answers(t)
		eventually(t, "the executable ends", func() bool { return syscall.Kill(number, 0) != nil })
	})
	t.Run("the executable", func(t *testing.T) {
		folder := t.TempDir()
		terminal := openShell(t, pwsh, manifest, "DISKAUDIT_PATH="+build(t, bin, "./core", "diskaudit"))
		terminal.enter("Test-NvmeLatency '" + folder + "' -Operation write -Size 16MB -Duration 60 -Rounds 600 -NoPenalty")
		eventually(t, "the executable runs", func() bool { return len(runningWith(folder)) > 0 })
		// Into the preparing or the measuring: both have to leave nothing.
		time.Sleep(time.Second)
		terminal.enter("\x03")
		terminal.answers(t)
		eventually(t, "the executable ends", func() bool { return len(runningWith(folder)) == 0 })
		left, err := os.ReadDir(folder)
		if err != nil || len(left) > 0 {
			t.Errorf("left in the folder: %v %v", left, err)
		}
	})
}

// shell is a PowerShell that a person sits at.
type shell struct {
	keys   *os.File
	mu     sync.Mutex
	screen bytes.Buffer
}

// openShell starts PowerShell at a terminal of its own, as its controlling one, so that Ctrl-C is
// sent to every process in the foreground.
func openShell(t *testing.T, pwsh, manifest string, environment ...string) *shell {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		require.Missing(t, "pty", err.Error())
	}
	t.Cleanup(func() { _ = keys.Close() })
	if err := unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		require.Missing(t, "pty", err.Error())
	}
	number, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err != nil {
		require.Missing(t, "pty", err.Error())
	}
	terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		require.Missing(t, "pty", err.Error())
	}
	defer terminal.Close()
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120}); err != nil {
		t.Fatal(err)
	}
	// The line editor asks the terminal for more than this one can answer.
	setup := "Remove-Module PSReadLine -ErrorAction Ignore; Import-Module '" + manifest + "'; 'sum ' + (20 + 22)"
	cmd := exec.Command(pwsh, "-NoProfile", "-NoLogo", "-NoExit", "-Command", setup)
	cmd.Env = append(append(pester.Environment(os.Environ()), "TERM=dumb"), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	s := &shell{keys: keys}
	go func() {
		chunk := make([]byte, 4096)
		for {
			n, err := keys.Read(chunk)
			s.mu.Lock()
			s.screen.Write(chunk[:n])
			s.mu.Unlock()
			// The shell asks where the cursor is, and waits for the answer.
			for range bytes.Count(chunk[:n], []byte("\x1b[6n")) {
				_, _ = keys.WriteString("\x1b[1;1R")
			}
			if err != nil {
				return
			}
		}
	}()
	if !s.shows("sum 42") {
		t.Fatalf("PowerShell did not start at the terminal:\n%s", s.text())
	}
	return s
}

// enter types a line, or presses Ctrl-C.
func (s *shell) enter(line string) {
	if line != "\x03" {
		line += "\r"
	}
	_, _ = s.keys.WriteString(line)
}

// answers checks that the session reads and runs the next command.
func (s *shell) answers(t *testing.T) {
	t.Helper()
	// Keys that are typed before the prompt is there may get lost.
	for range 20 {
		s.enter("'product ' + (6 * 111)")
		if s.within("product 666", 2*time.Second) {
			return
		}
	}
	t.Errorf("the prompt did not come back:\n%s", s.text())
}

func (s *shell) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

func (s *shell) shows(text string) bool { return s.within(text, time.Minute) }

func (s *shell) within(text string, limit time.Duration) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(s.text(), text) {
			return true
		}
	}
	return false
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("within a minute it did not come true that %s", what)
}

// runningWith lists the processes that were started with a target.
func runningWith(target string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte("--target="+target)) {
			found = append(found, file)
		}
	}
	return found
}
