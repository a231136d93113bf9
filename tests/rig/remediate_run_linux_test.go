package rig_test

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"diskaudit/tests/rig"
)

// running is a program that was started and not waited for.
type running struct {
	cmd            *exec.Cmd
	stdout, stderr output
	r              *remedied
}

// output is what a program has written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start starts diskaudit.exe.
func (r *remedied) start(arguments ...string) *running {
	r.t.Helper()
	run := r.prepare(arguments...)
	if err := run.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return run
}

func (r *remedied) prepare(arguments ...string) *running {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.t.Context()), 2*time.Minute)
	r.t.Cleanup(cancel)
	run := &running{cmd: r.Command(ctx, r.Executable(), arguments...), r: r}
	run.cmd.Stdout, run.cmd.Stderr = &run.stdout, &run.stderr
	return run
}

// wait waits for its end. A program that was killed has the code -1.
func (run *running) wait() rig.Result {
	run.r.t.Helper()
	err := run.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		run.r.t.Fatalf("waiting for diskaudit.exe: %v", err)
	}
	return rig.Result{Stdout: []byte(run.stdout.String()), Stderr: []byte(run.stderr.String()), Code: run.cmd.ProcessState.ExitCode()}
}

// killed tells whether it was killed.
func (run *running) killed() bool {
	status, known := run.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return known && status.Signaled()
}

// until waits until something is so.
func (r *remedied) until(what string, so func() bool) {
	r.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if so() {
			return
		}
	}
	r.t.Fatalf("it never came that %s", what)
}
