package rig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

const (
	// addressVariable tells the bridge where the simulator is.
	addressVariable = "DISKAUDIT_RIG"
	// waitDelay is how long a killed program's output is waited for: Wine's server may hold it open.
	waitDelay = 5 * time.Second
)

// prefix is a Wine prefix, made once for the test program.
type prefix struct {
	wine     string
	compiler string
	root     string
	folder   string

	mu    sync.Mutex
	built map[string]string
	held  io.Closer
	// stale says that drives changed since Wine's services started, which look only then.
	stale bool
}

var shared struct {
	sync.Mutex
	prefix  *prefix
	err     error
	running bool
}

// Main runs the tests and then ends the Wine prefix that they used. It returns the exit code.
func Main(m *testing.M) int {
	shared.running = true
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.prefix != nil {
		shared.prefix.stop()
		_ = os.RemoveAll(filepath.Dir(shared.prefix.folder))
	}
	return code
}

func sharedPrefix(wine, compiler, root string) (*prefix, error) {
	shared.Lock()
	defer shared.Unlock()
	if !shared.running {
		return nil, errors.New("TestMain must call rig.Main, which ends Wine after the tests")
	}
	if shared.prefix == nil && shared.err == nil {
		shared.prefix, shared.err = newPrefix(wine, compiler, root)
	}
	return shared.prefix, shared.err
}

func newPrefix(wine, compiler, root string) (*prefix, error) {
	folder, err := os.MkdirTemp("", "diskaudit-rig-")
	if err != nil {
		return nil, err
	}
	p := &prefix{wine: wine, compiler: compiler, root: root, folder: filepath.Join(folder, "prefix"), built: map[string]string{}}
	start := exec.Command(wine, "wineboot", "-i")
	// Without .NET and a browser Wine asks for nothing to be installed.
	start.Env = append(append(os.Environ(), p.environment()...), "WINEDLLOVERRIDES=mscoree,mshtml=")
	// Its exit code also tells about what is missing and not needed, such as 32-bit programs.
	_ = start.Run()
	if _, err := os.Stat(p.system()); err != nil {
		return p, fmt.Errorf("wineboot made no Windows folder: %w", err)
	}
	// Wine writes its registry when its server ends. A starter of PowerShell may take a prefix without
	// these files for one that is still to be made, and would wait for the programs that hold keeps.
	p.stop()
	return p, errors.Join(p.hold(), p.furnish(), p.register())
}

// hold keeps Wine's server and services alive by a program that waits for input: each program
// would start them anew otherwise, which takes seconds, and its output would not end before them.
func (p *prefix) hold() error {
	waiting := exec.Command(p.wine, "cmd", "/c", "pause")
	waiting.Env = append(os.Environ(), p.environment()...)
	input, err := waiting.StdinPipe()
	if err != nil {
		return err
	}
	if err := waiting.Start(); err != nil {
		return fmt.Errorf("keeping Wine alive: %w", err)
	}
	go func() { _ = waiting.Wait() }()
	p.held = input
	// A second program ends only after the services have started.
	ready := exec.Command(p.wine, "cmd", "/c", "exit")
	ready.Env = waiting.Env
	if err := ready.Run(); err != nil {
		return fmt.Errorf("starting Wine's services: %w", err)
	}
	return nil
}

// refresh restarts Wine's services when drives changed since they started.
func (p *prefix) refresh() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stale {
		return nil
	}
	p.stale = false
	p.stop()
	return p.hold()
}

// changed is called when drives changed.
func (p *prefix) changed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stale = true
}

func (p *prefix) environment() []string {
	return []string{"WINEPREFIX=" + p.folder, "WINEDEBUG=-all"}
}

// system is the folder of Windows' libraries.
func (p *prefix) system() string {
	return filepath.Join(p.folder, "drive_c", "windows", "system32")
}

// furnish builds what Wine lacks into the prefix.
func (p *prefix) furnish() error {
	folder := filepath.Join(p.root, "tests", "rig")
	sources := map[string][]string{
		"bcryptprimitives.dll": {filepath.Join(folder, "shim", "bcryptprimitives.c"), "-ladvapi32"},
		bridgeLibrary: {
			filepath.Join(folder, "bridge", "bridge.c"), filepath.Join(folder, "bridge", "bridge.def"),
			"-lole32", "-loleaut32", "-luuid", "-lws2_32",
		},
	}
	for library, arguments := range sources {
		arguments = append([]string{"-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-o", filepath.Join(p.system(), library)}, arguments...)
		if out, err := exec.Command(p.compiler, arguments...).CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", library, err, out)
		}
	}
	return nil
}

// run runs a Windows program that belongs to Wine, such as reg.
func (p *prefix) run(arguments ...string) ([]byte, error) {
	cmd := exec.Command(p.wine, arguments...)
	cmd.Env = append(os.Environ(), p.environment()...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("running %q under Wine: %w\n%s", arguments, err, out.Bytes())
	}
	return out.Bytes(), nil
}

// stop ends all programs in the prefix. The first call ends what is left, and fails when nothing
// is; the second waits for the end.
func (p *prefix) stop() {
	if p.held != nil {
		_ = p.held.Close()
	}
	for _, flag := range []string{"-k", "-w"} {
		server := exec.Command("wineserver", flag)
		server.Env = append(os.Environ(), p.environment()...)
		_ = server.Run()
	}
}
