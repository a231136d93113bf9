//go:build linux

package layers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"diskaudit/core/command"
	"diskaudit/core/contract"
	"diskaudit/tests/rig"
)

// asProgram makes the test's executable behave as diskaudit.
const asProgram = "DISKAUDIT_LAYERS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(command.Run(context.Background(), os.Args, os.Stdout, os.Stderr))
	}
	os.Exit(rig.Main(m))
}

// program is a run of diskaudit in a process of its own.
type program struct {
	*exec.Cmd
	stdout io.ReadCloser
	stderr bytes.Buffer
}

// start starts diskaudit. The process is killed at the end of the test if it still runs.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{Cmd: exec.Command(os.Args[0], args...)}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stderr = &p.stderr
	var err error
	if p.stdout, err = p.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			p.Process.Kill() //nolint:errcheck // It may end just now.
			p.Wait()         //nolint:errcheck // It was killed.
		}
	})
	return p
}

// exit waits for the end of the process and returns its exit code.
func (p *program) exit(t *testing.T) int {
	t.Helper()
	err := p.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode()
}

// document checks one line of stdout against the schema.
func document(t *testing.T, line []byte) contract.Bench {
	t.Helper()
	if err := contract.Validate(contract.KindBench, line); err != nil {
		t.Fatalf("not a valid document: %v: %s", err, line)
	}
	var bench contract.Bench
	if err := json.Unmarshal(line, &bench); err != nil {
		t.Fatal(err)
	}
	return bench
}

// bench runs "diskaudit bench" to its end.
func bench(t *testing.T, args ...string) (contract.Bench, int) {
	t.Helper()
	p := start(t, append([]string{"bench", "--format", "json"}, args...)...)
	text, err := io.ReadAll(p.stdout)
	if err != nil {
		t.Fatal(err)
	}
	exit := p.exit(t)
	if p.stderr.Len() > 0 {
		t.Errorf("stderr is not silent: %s", p.stderr.String())
	}
	return document(t, text), exit
}

// problem returns the first problem of a code, nil if there is none.
func problem(bench contract.Bench, code string) *contract.Problem {
	for i := range bench.Problems {
		if bench.Problems[i].Code == code {
			return &bench.Problems[i]
		}
	}
	return nil
}

// graver lists the problems that are more than information.
func graver(bench contract.Bench) []string {
	var texts []string
	for _, p := range bench.Problems {
		if p.Level != contract.LevelInfo {
			texts = append(texts, p.Code+": "+p.Text)
		}
	}
	return texts
}
