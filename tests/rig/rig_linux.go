package rig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"diskaudit/tests/require"
	"diskaudit/tests/rig/simulator"
	"diskaudit/tests/rig/simulator/serve"
)

// Rig is a Windows computer for one test. All rigs of a test program share one Wine prefix, so
// what a test changes in it is undone when the test ends, and tests that use it do not run at the
// same time.
type Rig struct {
	t       testing.TB
	prefix  *prefix
	address string
	limited bool
}

// Result is what a program did.
type Result struct {
	// Stdout and Stderr are what it wrote.
	Stdout, Stderr []byte
	// Code is its exit code; -1 when it was killed because the context ended.
	Code int
}

// New returns a rig. The test program's TestMain must end with Main. Without Wine or the MinGW
// compiler the test is skipped, and so it is with -short: Wine takes long, and what runs in it is
// another program, in which the race detector sees nothing.
func New(t testing.TB) *Rig {
	t.Helper()
	if testing.Short() {
		t.Skip("not with -short: it needs Wine")
	}
	wine := require.Tool(t, "wine")
	compiler := require.Tool(t, "x86_64-w64-mingw32-gcc")
	prefix, err := sharedPrefix(wine, compiler, require.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	return &Rig{t: t, prefix: prefix}
}

// On is this computer for a part of the test: what it changes ends with that part.
func (r *Rig) On(t testing.TB) *Rig {
	t.Helper()
	part := *r
	part.t = t
	return &part
}

// Simulate gives programs that run from now on this machine, on a port of its own. The server
// ends with the test; what hangs in it ends then too.
func (r *Rig) Simulate(machine *simulator.Machine) *serve.Server {
	r.t.Helper()
	server, err := serve.Start(machine)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		server.Close()
		for _, fault := range server.Faults() {
			r.t.Errorf("the COM bridge sent what the simulator does not understand: %v", fault)
		}
	})
	r.address = server.Address()
	return server
}

// Run runs diskaudit.exe.
func (r *Rig) Run(ctx context.Context, arguments ...string) Result {
	r.t.Helper()
	return r.Program(ctx, r.Executable(), arguments...)
}

// Program runs any Windows program by its path on this computer. On a busy computer two things happen that
// are none of the program's, and it is run again: Wine's server kills it when it has ended, because its memory
// takes half a second to free, and its exit code is lost; or Wine fails before it has begun.
func (r *Rig) Program(ctx context.Context, program string, arguments ...string) Result {
	r.t.Helper()
	const attempts = 5
	for attempt := 1; ; attempt++ {
		result, failed := r.once(ctx, program, arguments)
		if failed == "" || ctx.Err() != nil || attempt == attempts {
			return result
		}
		r.t.Logf("%s %s; it is run again", filepath.Base(program), failed)
	}
}

// stillborn is the time in which no program under Wine gets as far as to end by itself.
const stillborn = 200 * time.Millisecond

// once runs it once; failed says how Wine failed.
func (r *Rig) once(ctx context.Context, program string, arguments []string) (result Result, failed string) {
	r.t.Helper()
	cmd := r.Command(ctx, program, arguments...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	result = Result{Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		result.Code = exit.ExitCode()
		status, known := exit.Sys().(syscall.WaitStatus)
		switch {
		case known && status.Signaled() && status.Signal() == syscall.SIGKILL:
			failed = "was killed when it had ended"
		case took < stillborn && stdout.Len() == 0:
			failed = fmt.Sprintf("did not begin (%v after %s: %q)", exit, took, stderr.String())
		}
	case err != nil:
		r.t.Fatalf("running %s under Wine: %v", filepath.Base(program), err)
	}
	return result, failed
}

// Command prepares a Windows program without starting it.
func (r *Rig) Command(ctx context.Context, program string, arguments ...string) *exec.Cmd {
	r.t.Helper()
	if r.limited {
		arguments = append([]string{r.WindowsPath(program)}, arguments...)
		program = r.Build("./tests/rig/limited", "limited.exe")
	}
	cmd := exec.CommandContext(ctx, r.prefix.wine, append([]string{program}, arguments...)...)
	cmd.Env = r.Environment()
	// A folder that is there whatever drives the test takes away.
	cmd.Dir = filepath.Join(r.prefix.folder, "drive_c")
	cmd.WaitDelay = waitDelay
	return cmd
}

// Environment is the environment in which Windows programs run: the prefix, and the way to the
// simulator. It serves other starters too, such as a PowerShell under Wine; drives that were changed
// are seen by what starts with it.
func (r *Rig) Environment() []string {
	r.t.Helper()
	if err := r.prefix.refresh(); err != nil {
		r.t.Fatal(err)
	}
	environment := append(os.Environ(), r.prefix.environment()...)
	if r.address != "" {
		environment = append(environment, addressVariable+"="+r.address)
	}
	return environment
}

// Executable is the path of diskaudit.exe on this computer.
func (r *Rig) Executable() string {
	r.t.Helper()
	return r.Build("./core", "diskaudit.exe")
}

// Prefix is the folder of the Wine prefix.
func (r *Rig) Prefix() string { return r.prefix.folder }

// Limited has programs run as a standard user from now on: as an administrator does before consent,
// with a token that is not elevated.
func (r *Rig) Limited() { r.limited = true }

// Folder is a new folder on drive C:, as this computer and as Windows names it. It goes with the
// prefix.
func (r *Rig) Folder() (here, windows string) {
	r.t.Helper()
	here, err := os.MkdirTemp(filepath.Join(r.prefix.folder, "drive_c"), "rig")
	if err != nil {
		r.t.Fatal(err)
	}
	return here, r.WindowsPath(here)
}

// WindowsPath is how a Windows program names a file of this computer: by drive C: where it lies
// there, and else by Z:.
func (r *Rig) WindowsPath(path string) string {
	if below, found := strings.CutPrefix(path, filepath.Join(r.prefix.folder, "drive_c")+"/"); found {
		return `C:\` + strings.ReplaceAll(below, "/", `\`)
	}
	if !filepath.IsAbs(path) {
		return path
	}
	return "Z:" + strings.ReplaceAll(path, "/", `\`)
}
