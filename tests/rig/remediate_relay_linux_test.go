package rig_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os/exec"
	"sync"
	"testing"

	"diskaudit/tests/rig/simulator"
)

// relay stands between the COM bridge in a program and the simulator, so that the program can be
// killed at one of its questions: before it is passed on, or when it has taken effect and before
// the answer goes back.
type relay struct {
	machine  *simulator.Machine
	server   string
	listener net.Listener

	mu sync.Mutex
	// program is killed at the question numbered at, counted from 1; 0 is never.
	program  *exec.Cmd
	at       int
	answered bool
	struck   bool
	// asked are the questions, by the name of the method where it was one of a volume.
	asked []string
}

func newRelay(t *testing.T, machine *simulator.Machine, server string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{machine: machine, server: server, listener: listener}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go r.serve(connection)
		}
	}()
	return r
}

// variable is the environment variable that leads the bridge here.
func (r *relay) variable() string { return "DISKAUDIT_RIG=" + r.listener.Addr().String() }

// arm has a program killed at a question.
func (r *relay) arm(program *exec.Cmd, at int, answered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.program, r.at, r.answered, r.struck, r.asked = program, at, answered, false, nil
}

// questions are those of the program that was armed for last.
func (r *relay) questions() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

func (r *relay) serve(program net.Conn) {
	defer program.Close()
	simulated, err := net.Dial("tcp4", r.server)
	if err != nil {
		return
	}
	defer simulated.Close()
	for {
		question, err := frame(program)
		if err != nil {
			return
		}
		answer, alive := r.pass(simulated, question)
		if !alive {
			return
		}
		if _, err := program.Write(answer); err != nil {
			return
		}
	}
}

// pass passes a question on, one at a time, unless the program is dead by then.
func (r *relay) pass(simulated net.Conn, question []byte) (answer []byte, alive bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.struck {
		return nil, false
	}
	r.asked = append(r.asked, "")
	here := len(r.asked) == r.at
	if here && !r.answered {
		return nil, r.kill()
	}
	before := len(r.machine.Calls())
	if _, err := simulated.Write(question); err != nil {
		return nil, false
	}
	answer, err := frame(simulated)
	if err != nil {
		return nil, false
	}
	if calls := r.machine.Calls(); len(calls) > before && calls[before].DeviceID != "" {
		r.asked[len(r.asked)-1] = calls[before].Name
	}
	if here {
		return nil, r.kill()
	}
	return answer, true
}

func (r *relay) kill() bool {
	r.struck = true
	_ = r.program.Process.Kill()
	return false
}

// frame reads a length and as many bytes.
func frame(from io.Reader) ([]byte, error) {
	const longest = 1 << 20
	head := make([]byte, 4)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(head)
	if length > longest {
		return nil, fmt.Errorf("a frame of %d bytes", length)
	}
	whole := append(head, make([]byte, length)...)
	_, err := io.ReadFull(from, whole[4:])
	return whole, err
}
