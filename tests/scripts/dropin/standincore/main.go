// Standincore answers for the diskaudit executable: each verb, and each profile of a measurement, with a
// document of its own, so that a script that runs several of them can be tested in seconds.
//
//	STANDIN_DOCUMENTS  folder with status.json, bench-legacy.json and others, and with an exit code
//	                   other than 0 in status.exit and the like
//	STANDIN_CORE       the executable that answers what has no document there
//	STANDIN_CALLS      file to which it appends its arguments, one JSON array a call
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "standincore:", err)
		code = 99
	}
	os.Exit(code)
}

func run(arguments []string) (int, error) {
	if err := recordCall(os.Getenv("STANDIN_CALLS"), arguments); err != nil {
		return 0, err
	}
	file := filepath.Join(os.Getenv("STANDIN_DOCUMENTS"), question(arguments))
	document, err := os.ReadFile(file + ".json")
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("STANDIN_CORE") != "" {
		return pass(os.Getenv("STANDIN_CORE"), arguments)
	}
	if err != nil {
		return 0, err
	}
	if _, err := os.Stdout.Write(document); err != nil {
		return 0, err
	}
	code, err := os.ReadFile(file + ".exit")
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(code)))
}

// question is what is asked, as files are named after it: the verb, and the profile if there is one.
func question(arguments []string) string {
	name := "nothing"
	if len(arguments) > 0 {
		name = arguments[0]
	}
	for _, argument := range arguments {
		if profile, found := strings.CutPrefix(argument, "--profile="); found {
			name += "-" + profile
		}
	}
	return name
}

// pass has the executable answer.
func pass(core string, arguments []string) (int, error) {
	cmd := exec.Command(core, arguments...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

func recordCall(file string, arguments []string) error {
	if file == "" {
		return nil
	}
	line, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	calls, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = calls.Write(append(line, '\n'))
	return errors.Join(err, calls.Close())
}
