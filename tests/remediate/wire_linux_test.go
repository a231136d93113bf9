package remediate_test

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"io"
	"net/rpc"

	"diskaudit/core/bitlocker"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/tests/rig/simulator"
)

func init() {
	for _, value := range []any{false, int32(0), "", []string{}, []byte{}} {
		gob.Register(value)
	}
}

// Cell is a value that may be nil.
type Cell struct{ Value any }

// Fault is an error with its code.
type Fault struct {
	Doing, Text string
	Code        uint32
}

func faultOf(err error) *Fault {
	var coded *provider.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &coded):
		return &Fault{Doing: coded.Doing, Code: uint32(coded.Code)}
	}
	return &Fault{Text: err.Error()}
}

func (f *Fault) error() error {
	switch {
	case f == nil:
		return nil
	case f.Text != "":
		return errors.New(f.Text)
	}
	return &provider.Error{Doing: f.Doing, Code: bitlocker.HResult(f.Code)}
}

// Question is what the program asks of the computer.
type Question struct {
	// DeviceID and Method are those of a call; DeviceID is a disk's id, or a registry value's path, too.
	DeviceID, Method string
	In               []Cell
	IsOut            []bool
	// Number is a registry value to write, unless Delete has it deleted.
	Number uint32
	Delete bool
	// On is whether a disk's write cache is to be flushed.
	On bool
}

// Answer is what the computer answers.
type Answer struct {
	Fault    *Fault
	Rows     []provider.Row
	Returned Cell
	Out      []Cell
	Number   uint32
	There    bool
	Facts    []byte
}

// Service answers the questions of one run of the program.
type Service struct {
	computer *computer
	run      *run
	caller   provider.Caller
}

// serve answers until the connection ends.
func serve(c *computer, r *run, connection io.ReadWriteCloser) error {
	server := rpc.NewServer()
	caller := simulator.NewCaller(c.machine)
	defer caller.Close()
	if err := server.RegisterName("Computer", &Service{computer: c, run: r, caller: caller}); err != nil {
		return err
	}
	server.ServeConn(connection)
	return nil
}

var errDead = errors.New("the program is dead")

// do lets an event take place under the computer's lock.
func (s *Service) do(e event, do func()) error {
	s.computer.mu.Lock()
	defer s.computer.mu.Unlock()
	if !s.computer.happens(s.run, e, do, nil) {
		return errDead
	}
	return nil
}

// Connect connects to BitLocker's provider.
func (s *Service) Connect(_ Question, answer *Answer) error {
	return s.do(event{what: "connect"}, func() { answer.Fault = faultOf(s.caller.Connect()) })
}

// Volumes lists its volumes.
func (s *Service) Volumes(_ Question, answer *Answer) error {
	return s.do(event{what: "list volumes"}, func() {
		rows, err := s.caller.Volumes()
		answer.Rows, answer.Fault = rows, faultOf(err)
	})
}

// Call calls a method of a volume.
func (s *Service) Call(question Question, answer *Answer) error {
	arguments := make([]*provider.Argument, len(question.In))
	for i := range arguments {
		arguments[i] = &provider.Argument{In: question.In[i].Value, IsOut: question.IsOut[i]}
	}
	s.computer.mu.Lock()
	defer s.computer.mu.Unlock()
	returned, err, alive := s.computer.call(s.run, s.caller, question.DeviceID, question.Method, arguments)
	if !alive {
		return errDead
	}
	answer.Returned.Value, answer.Fault = returned, faultOf(err)
	for _, argument := range arguments {
		answer.Out = append(answer.Out, Cell{argument.Out})
	}
	return nil
}

// Value reads a value of the registry.
func (s *Service) Value(question Question, answer *Answer) error {
	return s.do(event{what: "read " + question.DeviceID}, func() { answer.Number, answer.There = s.computer.number(question.DeviceID) })
}

// Put writes or deletes one.
func (s *Service) Put(question Question, _ *Answer) error {
	return s.do(event{what: "write " + question.DeviceID, changes: true}, func() { s.computer.put(question.DeviceID, question.Number, !question.Delete) })
}

// Flushing tells whether a disk's write cache is flushed.
func (s *Service) Flushing(question Question, answer *Answer) error {
	return s.do(event{what: "read the cache of " + question.DeviceID}, func() {
		answer.There = s.computer.flushing[question.DeviceID]
	})
}

// SetFlushing turns that on or off.
func (s *Service) SetFlushing(question Question, answer *Answer) error {
	return s.do(event{what: "set the cache of " + question.DeviceID, changes: true}, func() {
		answer.Fault = faultOf(s.computer.setFlushing(question.DeviceID, question.On))
	})
}

// Facts are all other facts of the computer.
func (s *Service) Facts(_ Question, answer *Answer) (err error) {
	dead := s.do(event{what: "read the facts"}, func() { answer.Facts, err = json.Marshal(s.computer.now()) })
	return errors.Join(dead, err)
}
