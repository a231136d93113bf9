// Fakecore stands in for the diskaudit executable in the module's tests. What it does is told by
// environment variables, so one build serves every test on every system:
//
//	FAKECORE_STDOUT    file whose bytes it prints
//	FAKECORE_APPLIED   file whose bytes it prints instead when it is called with --apply; without
//	                   --apply it then shows no progress and does not hang
//	FAKECORE_STDERR    text that it writes to stderr
//	FAKECORE_EXIT      exit code
//	FAKECORE_APPLIED_EXIT  exit code when it is called with --apply and there is FAKECORE_APPLIED
//	FAKECORE_CALLS     file to which it appends its arguments, one JSON array a call
//	FAKECORE_CRASH     "panic" or "kill": how it ends instead
//	FAKECORE_PROGRESS  file whose lines it writes to stderr when it is called with --progress
//	FAKECORE_GATE      file without which it does not go on after the first line of progress
//	FAKECORE_HANG      file to which it writes its process id before it waits for Ctrl-C
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	code, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakecore:", err)
		code = 99
	}
	os.Exit(code)
}

func run() (int, error) {
	if err := recordCall(os.Getenv("FAKECORE_CALLS")); err != nil {
		return 0, err
	}
	fmt.Fprint(os.Stderr, os.Getenv("FAKECORE_STDERR"))
	stdout, exit := os.Getenv("FAKECORE_STDOUT"), os.Getenv("FAKECORE_EXIT")
	planning := false
	if applied := os.Getenv("FAKECORE_APPLIED"); applied != "" {
		planning = !slices.Contains(os.Args, "--apply")
		if !planning {
			stdout, exit = applied, os.Getenv("FAKECORE_APPLIED_EXIT")
		}
	}
	if slices.Contains(os.Args, "--progress") && !planning {
		if err := tellProgress(os.Getenv("FAKECORE_PROGRESS"), os.Getenv("FAKECORE_GATE")); err != nil {
			return 0, err
		}
	}
	if file := os.Getenv("FAKECORE_HANG"); file != "" && !planning {
		return hang(file)
	}
	if stdout != "" {
		data, err := os.ReadFile(stdout)
		if err != nil {
			return 0, err
		}
		if _, err := os.Stdout.Write(data); err != nil {
			return 0, err
		}
	}
	switch os.Getenv("FAKECORE_CRASH") {
	case "panic":
		panic("a fault of its own")
	case "kill":
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return 0, err
		}
		if err := self.Kill(); err != nil {
			return 0, err
		}
		// The signal may take a moment to arrive.
		time.Sleep(time.Minute)
	}
	if exit == "" {
		return 0, nil
	}
	return strconv.Atoi(exit)
}

// tellProgress writes the lines of a file to stderr, and waits after the first for the gate.
func tellProgress(file, gate string) error {
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		fmt.Fprintln(os.Stderr, strings.TrimSpace(line))
		if i == 0 && gate != "" {
			if err := waitFor(gate); err != nil {
				return err
			}
		}
	}
	return nil
}

func waitFor(file string) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
	}
	return fmt.Errorf("nobody made %s: the progress was not seen while this runs", file)
}

// hang is a measurement that only Ctrl-C ends.
func hang(file string) (int, error) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	// By rename, so that the number is whole once it is there.
	if err := os.WriteFile(file+".new", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return 0, err
	}
	if err := os.Rename(file+".new", file); err != nil {
		return 0, err
	}
	select {
	case <-interrupted:
		return 130, nil
	case <-time.After(2 * time.Minute):
		return 0, fmt.Errorf("nobody ended this program")
	}
}

func recordCall(file string) error {
	if file == "" {
		return nil
	}
	line, err := json.Marshal(os.Args[1:])
	if err != nil {
		return err
	}
	calls, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := calls.Write(append(line, '\n')); err != nil {
		return err
	}
	return calls.Close()
}
