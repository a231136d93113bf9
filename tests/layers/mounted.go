//go:build linux

package layers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"diskaudit/tests/layers/layer"
	"diskaudit/tests/require"
)

// Mounted is a mounted file system in a process of its own, so that a collection of garbage in
// the test's process can never wait for an answer that it has to give itself.
type Mounted struct {
	// Path is the folder that it is mounted on.
	Path string

	t        testing.TB
	mu       sync.Mutex
	commands io.WriteCloser
	answers  *bufio.Reader
}

// Resume answers all requests that hang now, well. Later ones that meet the fault hang again.
func (m *Mounted) Resume() {
	m.mu.Lock()
	defer m.mu.Unlock()
	io.WriteString(m.commands, "resume\n") //nolint:errcheck // Its end is seen by whoever waits for it.
}

// Counters returns what a view has done so far; a folder's are under "".
func (m *Mounted) Counters(view layer.View) Counters {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := io.WriteString(m.commands, "counters\n"); err != nil {
		m.t.Fatalf("asking the file system on %s: %v", m.Path, err)
	}
	report, err := m.answer()
	if err != nil {
		m.t.Fatalf("asking the file system on %s: %v", m.Path, err)
	}
	return report.Counters[view]
}

func (m *Mounted) answer() (layer.Report, error) {
	line, err := m.answers.ReadBytes('\n')
	if err != nil {
		return layer.Report{}, fmt.Errorf("it ended: %w", err)
	}
	var report layer.Report
	if err := json.Unmarshal(line, &report); err != nil {
		return layer.Report{}, err
	}
	if report.Error != "" {
		return layer.Report{}, errors.New(report.Error)
	}
	return report, nil
}

// mount starts the file system and waits until it stands.
func mount(t testing.TB, setup layer.Setup) *Mounted {
	t.Helper()
	requireFUSE(t)
	program := server(t)
	// Not in t.TempDir, whose removal would go into a mount that still stood.
	path, err := os.MkdirTemp("", "diskaudit-mount-") //nolint:usetesting // See above.
	if err != nil {
		t.Fatal(err)
	}
	setup.Mount = path
	command := exec.Command(fmt.Sprintf("/proc/self/fd/%d", program.Fd()))
	command.Args[0] = "slowfs"
	// In a group of its own a terminal's Ctrl-C does not reach it before the test has ended.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var complaint bytes.Buffer
	command.Stderr = &complaint
	commands, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		os.Remove(path) //nolint:errcheck // The test fails in any case.
		t.Fatalf("starting the file system: %v", err)
	}
	m := &Mounted{Path: path, t: t, commands: commands, answers: bufio.NewReader(answers)}
	t.Cleanup(func() { unmount(t, m, command) })
	text, err := json.Marshal(setup)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := commands.Write(append(text, '\n')); err != nil {
		t.Fatalf("starting the file system: %v: %s", err, complaint.String())
	}
	if _, err := m.answer(); err != nil {
		t.Fatalf("starting the file system: %v: %s", err, complaint.String())
	}
	return m
}

// unmount ends the process, which unmounts by itself, and makes sure that it has.
func unmount(t testing.TB, m *Mounted, command *exec.Cmd) {
	t.Helper()
	m.commands.Close()
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the file system on %s: %v", m.Path, err)
		}
	case <-time.After(20 * time.Second):
		t.Errorf("the file system on %s did not end; it is killed", m.Path)
		command.Process.Kill() //nolint:errcheck // It may have ended just now.
		<-ended                //nolint:errcheck // It was killed.
	}
	for isMounted(m.Path) {
		if err := unix.Unmount(m.Path, unix.MNT_DETACH); err != nil {
			t.Errorf("unmounting %s: %v", m.Path, err)
			return
		}
	}
	if err := os.Remove(m.Path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removing the folder of a mount: %v", err)
	}
}

// isMounted tells whether something is mounted on a folder: it then lies on another file system
// than the folder that holds it. A mount whose process has died cannot be looked at at all.
func isMounted(path string) bool {
	var here, above unix.Stat_t
	if err := unix.Lstat(path, &here); err != nil {
		return errors.Is(err, unix.ENOTCONN) || errors.Is(err, unix.ECONNABORTED)
	}
	return unix.Lstat(filepath.Dir(path), &above) == nil && here.Dev != above.Dev
}

func requireFUSE(t testing.TB) {
	t.Helper()
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		require.Missing(t, "fuse", err.Error())
	}
	device.Close()
	if os.Geteuid() != 0 {
		require.Tool(t, "fusermount3")
	}
}

// built is the program slowfs, built once for each process that runs tests. Its file is removed as
// soon as it is open, so that nothing is left of it.
var built struct {
	sync.Once
	program *os.File
	err     error
}

func server(t testing.TB) *os.File {
	t.Helper()
	compiler := require.Tool(t, "go")
	root := require.Root(t)
	built.Do(func() { built.program, built.err = build(compiler, root) })
	if built.err != nil {
		t.Fatalf("building the file system: %v", built.err)
	}
	return built.program
}

func build(compiler, root string) (*os.File, error) {
	folder, err := os.MkdirTemp("", "diskaudit-slowfs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // A leftover in the folder for temporary files harms nobody.
	program := filepath.Join(folder, "slowfs")
	command := exec.Command(compiler, "build", "-o", program, "./tests/layers/slowfs")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.Open(program)
}
