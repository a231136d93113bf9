package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"diskaudit/core/bitlocker/ondisk/ondisktest"
	"diskaudit/core/contract"
)

// Ctrl-C and SIGTERM end with 130 and the document. The recording goes to a pipe that nobody
// reads yet, which holds the program until the signal has been sent.
func TestInterrupted(t *testing.T) {
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir := t.TempDir()
		pipe, image := filepath.Join(dir, "pipe"), filepath.Join(dir, "v.img")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(image, ondisktest.Header(ondisktest.Default()), 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout bytes.Buffer
		program := exec.Command("diskaudit", "status", "--image", image, "--record", pipe, "--progress")
		program.Stdout = &stdout
		stderr, err := program.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stderr)
		for lines.Scan() && !strings.Contains(lines.Text(), `"stage":"volumes","done":1`) {
		}
		if err := program.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		if _, err := os.ReadFile(pipe); err != nil {
			t.Fatal(err)
		}
		err = program.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("%v: %v, want exit code 130", sent, err)
		}
		if err := contract.Validate(contract.KindStatus, stdout.Bytes()); err != nil {
			t.Errorf("%v: %v", sent, err)
		}
	}
}
