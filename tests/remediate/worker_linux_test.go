package remediate_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/rpc"
	"slices"

	"diskaudit/tests/rig/simulator"
)

// patiently is the argument of a process that is the program again and again: starting a process
// takes longer than most runs, and those that are not killed need none of their own.
const patiently = "patiently"

// ran is what such a process tells of a run.
type ran struct {
	Code           int
	Stdout, Stderr []byte
}

// runEach runs the program with the arguments of each line of the input.
func (f *far) runEach(input io.Reader, output io.Writer) int {
	in, out := json.NewDecoder(input), json.NewEncoder(output)
	for {
		var arguments []string
		if in.Decode(&arguments) != nil {
			return 0
		}
		var stdout, stderr bytes.Buffer
		code := f.run(arguments, &stdout, &stderr)
		if out.Encode(ran{code, stdout.Bytes(), stderr.Bytes()}) != nil {
			return 1
		}
	}
}

// worker is a process that runs the program patiently, for one computer at a time.
type worker struct {
	service *Service
	input   io.Writer
	output  *bufio.Reader
}

// workers are those that have nothing to do.
var workers = make(chan *worker, 2*atOnce)

// work is a worker that has nothing to do, or a new one.
func work() (*worker, error) {
	select {
	case w := <-workers:
		return w, nil
	default:
	}
	process, stream, err := prepare(patiently)
	if err != nil {
		return nil, err
	}
	defer process.ExtraFiles[0].Close()
	input, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	w := &worker{service: &Service{}, input: input, output: bufio.NewReader(output)}
	server := rpc.NewServer()
	if err := server.RegisterName("Computer", w.service); err != nil {
		return nil, err
	}
	go server.ServeConn(stream)
	return w, nil
}

// complete runs the program on the computer to its end.
func (c *computer) complete(arguments ...string) (ended, error) {
	w, err := work()
	if err != nil {
		return ended{}, err
	}
	r := &run{}
	c.mu.Lock()
	c.run = r
	c.mu.Unlock()
	caller := simulator.NewCaller(c.machine)
	defer caller.Close()
	w.service.computer, w.service.run, w.service.caller = c, r, caller
	if err := json.NewEncoder(w.input).Encode(slices.Concat([]string{"diskaudit"}, arguments, c.options())); err != nil {
		return ended{}, fmt.Errorf("telling a worker what to run: %w", err)
	}
	line, err := w.output.ReadBytes('\n')
	var told ran
	if err == nil {
		err = json.Unmarshal(line, &told)
	}
	if err != nil {
		return ended{}, fmt.Errorf("a worker ended: %w", err)
	}
	workers <- w
	c.mu.Lock()
	defer c.mu.Unlock()
	e := ended{code: told.Code, stdout: told.Stdout, stderr: told.Stderr, events: r.events}
	return e, e.decode()
}
