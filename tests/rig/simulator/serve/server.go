// Package serve gives a simulated machine to Windows programs: the COM bridge in them passes each
// use of a script object on to this server over a loopback connection.
package serve

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"strings"
	"sync"

	"diskaudit/core/bitlocker"
	"diskaudit/tests/rig/simulator"
)

// Server serves one machine.
type Server struct {
	machine  *simulator.Machine
	listener net.Listener
	ctx      context.Context
	cancel   context.CancelFunc
	serving  sync.WaitGroup

	mu        sync.Mutex
	processes map[uint32]*process
	names     []string
	most      int
	faults    []error
}

// process is a program that uses the machine, with the objects that it holds. A program may have
// several connections, one for each call that is under way.
type process struct {
	connections int
	objects     map[uint32]any
	last        uint32
}

// Start serves the machine on a port of its own.
func Start(machine *simulator.Machine) (*Server, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the COM bridge: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{machine: machine, listener: listener, ctx: ctx, cancel: cancel, processes: map[uint32]*process{}}
	s.serving.Add(1)
	go s.accept()
	return s, nil
}

// Address is where the server listens, as host and port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Objects is how many objects programs hold now; Most how many they ever held at once.
func (s *Server) Objects() (now, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held(), s.most
}

// Faults are what was wrong on the wire so far: a fault of the bridge.
func (s *Server) Faults() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]error(nil), s.faults...)
}

// Close ends all connections and waits for what they were doing.
func (s *Server) Close() {
	s.cancel()
	_ = s.listener.Close()
	s.serving.Wait()
}

func (s *Server) held() int {
	n := 0
	for _, p := range s.processes {
		n += len(p.objects)
	}
	return n
}

func (s *Server) accept() {
	defer s.serving.Done()
	for {
		connection, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.serving.Add(1)
		go func() {
			defer s.serving.Done()
			s.serve(connection)
		}()
	}
}

// serve answers the requests of one connection in turn. Its context ends when the program goes
// away, so that what hangs for it ends too.
func (s *Server) serve(connection net.Conn) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	context.AfterFunc(ctx, func() { _ = connection.Close() })
	requests := make(chan []byte)
	go func() {
		defer cancel()
		defer close(requests)
		for {
			body, err := readFrame(connection)
			if err != nil {
				return
			}
			select {
			case requests <- body:
			case <-ctx.Done():
				return
			}
		}
	}()
	var of uint32
	for body := range requests {
		r := &reader{rest: body}
		operation := r.u8()
		if operation == opHello && of == 0 {
			of = r.u32()
			s.join(of)
			defer s.leave(of)
		}
		reply := s.answer(ctx, of, operation, r)
		if r.err != nil {
			s.fault(fmt.Errorf("operation %d: %w", operation, r.err))
			return
		}
		if ctx.Err() != nil || writeFrame(connection, reply) != nil {
			return
		}
	}
}

func (s *Server) fault(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, err)
}

func (s *Server) join(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.processes[id] == nil {
		s.processes[id] = &process{objects: map[uint32]any{}}
	}
	s.processes[id].connections++
}

func (s *Server) leave(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.processes[id].connections--; s.processes[id].connections == 0 {
		delete(s.processes, id)
	}
}

// number gives an object a number in its process.
func (s *Server) number(of uint32) func(any) uint32 {
	return func(made any) uint32 {
		s.mu.Lock()
		defer s.mu.Unlock()
		p := s.processes[of]
		p.last++
		p.objects[p.last] = made
		s.most = max(s.most, s.held())
		return p.last
	}
}

func (s *Server) object(of, number uint32) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.processes[of]; p != nil {
		return p.objects[number]
	}
	return nil
}

func (s *Server) release(of, number uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.processes[of]
	_, held := p.objects[number]
	delete(p.objects, number)
	return held
}

// member is the number of a name, the same for all objects (a DISPID); newEnum has its own.
func (s *Server) member(name string) int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, known := range s.names {
		if known == name {
			return int32(i + 1)
		}
	}
	s.names = append(s.names, name)
	return int32(len(s.names))
}

func (s *Server) name(member int32) string {
	// DISPID_NEWENUM (learn.microsoft.com/openspecs/windows_protocols/ms-oaut).
	if member == -4 {
		return newEnum
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if member < 1 || int(member) > len(s.names) {
		return ""
	}
	return s.names[member-1]
}

// answer carries out one request.
func (s *Server) answer(ctx context.Context, of uint32, operation byte, r *reader) []byte {
	if of == 0 {
		r.err = fmt.Errorf("no hello came first")
		return nil
	}
	switch operation {
	case opHello:
		return hresult(bitlocker.S_OK)
	case opCreate:
		made, err := create(ctx, s.machine, r.text())
		if err != nil {
			return hresult(err.Code)
		}
		return binary.LittleEndian.AppendUint32(hresult(bitlocker.S_OK), s.number(of)(made))
	case opName:
		return s.getName(of, r)
	case opInvoke:
		return s.invoke(ctx, of, r)
	case opNext, opReset:
		return s.enumerate(ctx, of, operation, r)
	case opRelease:
		if number := r.u32(); !s.release(of, number) {
			r.err = fmt.Errorf("object %d was released twice or never made", number)
		}
		return hresult(bitlocker.S_OK)
	}
	r.err = fmt.Errorf("no such operation")
	return nil
}

func (s *Server) getName(of uint32, r *reader) []byte {
	target, isObject := s.object(of, r.u32()).(object)
	name := strings.ToLower(r.text())
	if !isObject || !target.has(name) {
		return hresult(simulator.DispatchUnknownName)
	}
	member := int32(-4)
	if name != newEnum {
		member = s.member(name)
	}
	return binary.LittleEndian.AppendUint32(hresult(bitlocker.S_OK), uint32(member))
}

func (s *Server) invoke(ctx context.Context, of uint32, r *reader) []byte {
	target, isObject := s.object(of, r.u32()).(object)
	name := s.name(int32(r.u32()))
	r.u16()
	var arguments []simulator.Value
	for range r.u16() {
		arguments = append(arguments, r.value(0))
	}
	if r.err != nil {
		return nil
	}
	if !isObject || !target.has(name) {
		return hresult(simulator.DispatchMemberNotFound)
	}
	result, outs, err := target.invoke(ctx, name, arguments)
	if err != nil {
		return thrown(err)
	}
	reply := appendValue(hresult(bitlocker.S_OK), result, s.number(of))
	reply = binary.LittleEndian.AppendUint16(reply, uint16(len(outs)))
	for _, out := range outs {
		reply = appendValue(reply, out, s.number(of))
	}
	return reply
}

func (s *Server) enumerate(ctx context.Context, of uint32, operation byte, r *reader) []byte {
	target, isEnumerator := s.object(of, r.u32()).(enumerator)
	if !isEnumerator {
		r.err = fmt.Errorf("not an enumerator")
		return nil
	}
	if operation == opReset {
		target.reset()
		return hresult(bitlocker.S_OK)
	}
	value, more, err := target.next(ctx)
	switch {
	case err != nil:
		// An enumerator has no exception to raise: its HRESULT is the code itself.
		return hresult(err.Code)
	case !more:
		return hresult(bitlocker.S_FALSE)
	}
	return appendValue(hresult(bitlocker.S_OK), value, s.number(of))
}

func hresult(code bitlocker.HResult) []byte {
	return binary.LittleEndian.AppendUint32(nil, uint32(code))
}

// thrown is a failed invoke: an exception as scripting for WMI raises it, or the code alone.
func thrown(err *simulator.Error) []byte {
	if !err.Raised {
		return hresult(err.Code)
	}
	reply := binary.LittleEndian.AppendUint32(hresult(simulator.DispatchException), uint32(err.Code))
	return appendText(appendText(reply, "SWbemObjectEx"), err.Error())
}
