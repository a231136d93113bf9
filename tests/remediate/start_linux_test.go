package remediate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"diskaudit/core/contract"
)

// ended is what a run left.
type ended struct {
	code           int
	killed         bool
	stdout, stderr []byte
	document       contract.Remediation
	events         []event
}

// options are those of every run.
func (c *computer) options() []string { return []string{"--journal", c.folder, "--format", "json"} }

// start runs the program in a process of its own to its end, or to where it is killed.
func (c *computer) start(strike strike, arguments ...string) (ended, error) {
	r := &run{strike: strike}
	wait, err := c.launch(r, arguments...)
	if err != nil {
		return ended{}, err
	}
	return wait()
}

// launch starts the program; the function that it returns waits for its end.
func (c *computer) launch(r *run, arguments ...string) (func() (ended, error), error) {
	program, stream, err := prepare(slices.Concat(arguments, c.options())...)
	if err != nil {
		return nil, err
	}
	defer program.ExtraFiles[0].Close()
	var stdout, stderr bytes.Buffer
	program.Stdout, program.Stderr = &stdout, &stderr
	// Nothing happens before the process is known that may be killed for it.
	c.mu.Lock()
	err = program.Start()
	if err == nil {
		r.pid = program.Process.Pid
		c.run = r
	}
	c.mu.Unlock()
	if err != nil {
		stream.Close()
		return nil, err
	}
	served := make(chan error, 1)
	go func() { served <- serve(c, r, stream) }()
	return func() (ended, error) {
		err := program.Wait()
		stream.Close()
		e := ended{code: program.ProcessState.ExitCode(), stdout: stdout.Bytes(), stderr: stderr.Bytes()}
		err = errors.Join(notExit(err), <-served)
		status, known := program.ProcessState.Sys().(syscall.WaitStatus)
		e.killed = known && status.Signaled() && status.Signal() == syscall.SIGKILL
		c.mu.Lock()
		defer c.mu.Unlock()
		e.events = r.events
		if err == nil && !e.killed {
			err = e.decode()
		}
		return e, err
	}, nil
}

// prepare makes a process that is the program, and the computer's end of the connection with it.
func prepare(arguments ...string) (*exec.Cmd, net.Conn, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	stream, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	program := exec.Command(os.Args[0], arguments...)
	program.Env = append(os.Environ(), asProgram+"=1", "GOGC=400")
	program.ExtraFiles = []*os.File{theirs}
	// It goes with the test, whose end would leave it waiting for its disk.
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return program, stream, nil
}

func notExit(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil
	}
	return err
}

// decode holds what a run wrote against what it may write.
func (e *ended) decode() error {
	if len(e.stderr) > 0 {
		return fmt.Errorf("it wrote to stderr:\n%s", e.stderr)
	}
	if err := contract.Validate(contract.KindRemediate, e.stdout); err != nil {
		return fmt.Errorf("its document is not valid: %w\n%s", err, e.stdout)
	}
	return json.Unmarshal(e.stdout, &e.document)
}

// account is a document's plan and what became of it, for a person who looks for a fault.
func (e *ended) account() string {
	var text strings.Builder
	fmt.Fprintf(&text, "exit code %d", e.code)
	for _, guard := range e.document.Plan.Guards {
		if guard.Result.Refuses() {
			fmt.Fprintf(&text, "\n  guard %s %s %s: %s", guard.ID, guard.Target, guard.Result, guard.Text)
		}
	}
	results := map[string]contract.StepResult{}
	for _, result := range e.document.Steps {
		results[result.ID] = result
	}
	for _, step := range e.document.Plan.Steps {
		fmt.Fprintf(&text, "\n  step %s %s %s -> %s: %s", step.ID, step.Target, step.Before, step.After, results[step.ID].Result)
	}
	for _, problem := range e.document.Problems {
		fmt.Fprintf(&text, "\n  %s %s %s: %s", problem.Level.OrError(), problem.Code, problem.Target, problem.Text)
	}
	return text.String()
}
