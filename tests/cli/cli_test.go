// Package cli drives the executable as a person or a script does: streams, exit codes, files.
package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"diskaudit/core/command"
	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

func TestMain(m *testing.M) {
	testscript.Main(cleaned{m}, map[string]func(){
		"diskaudit": func() {
			os.Exit(command.Run(context.Background(), os.Args, os.Stdout, os.Stderr))
		},
	})
}

// cleaned runs the tests and removes what they share.
type cleaned struct{ m *testing.M }

func (c cleaned) Run() int {
	defer func() {
		if unpackedDir != "" {
			os.RemoveAll(unpackedDir)
		}
	}()
	return c.m.Run()
}

func TestScripts(t *testing.T) {
	require.Measuring(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			recordings, err := filepath.Abs(filepath.Join("..", "testdata", "recordings"))
			env.Setenv("RECORDINGS", recordings)
			if err != nil {
				return err
			}
			return writeRandom(env.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"document":   checkDocument,
			"makevolume": makeVolume,
			"makeplain":  makePlain,
			"exits":      checkExit,

			"makecomputer": makeComputer,
			"makehive":     makeHive,
			"member":       checkMember,
			"changes":      checkChanges,
			"guards":       checkGuards,
			"planid":       setPlan,
		},
	})
}

// writeRandom makes a file of random bytes, twice, for what must not change it.
func writeRandom(dir string) error {
	data := make([]byte, 2<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(data)
	return errors.Join(os.WriteFile(filepath.Join(dir, "random.bin"), data, 0o600), os.WriteFile(filepath.Join(dir, "random.copy"), data, 0o600))
}

// checkDocument checks that a file, or stdout, is exactly one line of ASCII JSON which follows
// the schema of its kind: "document status stdout".
func checkDocument(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: document KIND FILE|stdout")
	}
	data := []byte(ts.ReadFile(args[1]))
	if len(data) == 0 || data[len(data)-1] != '\n' {
		ts.Fatalf("%s does not end with a line end: %q", args[1], data)
	}
	for i, b := range data[:len(data)-1] {
		if b == '\n' {
			ts.Fatalf("%s has more than one line", args[1])
		}
		if args[1] == "stdout" && (b < 0x20 || b > 0x7e) {
			ts.Fatalf("byte %d of %s is %#x, not printable ASCII", i, args[1], b)
		}
	}
	if !json.Valid(data) {
		ts.Fatalf("%s is not one JSON document: %s", args[1], data)
	}
	ts.Check(contract.Validate(contract.Kind(args[0]), data))
}

// checkExit runs a command and compares its exit code: "exits 3 diskaudit status".
func checkExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("running %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d\nstdout: %s\nstderr: %s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}
