// Fakecore stands in for the diskaudit executable in the module's tests. What it does is told by
// environment variables, so one build serves every test on every system:
//
//	FAKECORE_STDOUT  file whose bytes it prints
//	FAKECORE_STDERR  text that it writes to stderr
//	FAKECORE_EXIT    exit code
//	FAKECORE_CALLS   file to which it appends its arguments, one JSON array a call
//	FAKECORE_CRASH   "panic" or "kill": how it ends instead
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
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
	if file := os.Getenv("FAKECORE_STDOUT"); file != "" {
		data, err := os.ReadFile(file)
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
	exit := os.Getenv("FAKECORE_EXIT")
	if exit == "" {
		return 0, nil
	}
	return strconv.Atoi(exit)
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
