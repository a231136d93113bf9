package provider

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"diskaudit/core/bitlocker"
	"diskaudit/core/machine/windows/com"
)

// callLimit bounds one question to the provider. Where less time is left, a question gets half of
// it, so that the time to report that it hung is left.
const callLimit = 20 * time.Second

// pauses are the waits before a question is asked again that failed for a reason which passes,
// such as another program's change under way or a provider that is just starting.
var pauses = []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, 900 * time.Millisecond}

// errNoAnswer is the end of waiting for the provider.
var errNoAnswer = errors.New("the limit for one question was reached")

// Session is a connection to the provider. Its methods may be called from several goroutines;
// the questions are asked one after the other. When one hangs, all later ones fail at once.
type Session struct {
	worker *com.Worker
	caller Caller

	mu sync.Mutex
	// lost is the question that hung.
	lost *silence
	// busy is the volume about which a question was asked again in vain; the others about it are
	// asked once only.
	busy string
}

// Open connects to the provider; the caller belongs to the session from then on. An error is an
// *Unavailable.
func Open(ctx context.Context, caller Caller) (*Session, error) {
	worker, err := com.Start(com.MTA)
	if err != nil {
		return nil, unavailable(err)
	}
	s := &Session{worker: worker, caller: caller}
	if err := s.ask(ctx, "connecting to "+Namespace, caller.Connect); err != nil {
		s.Close()
		return nil, unavailable(err)
	}
	return s, nil
}

// Close ends the connection. It never waits for a question that hangs, and may be called again.
func (s *Session) Close() {
	if s == nil {
		return
	}
	// The connection is closed on the thread that it was made on. That is not waited for when
	// the thread hangs: Do refuses at once then.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.worker.Do(ctx, func() error { s.caller.Close(); return nil })
	s.worker.Close()
}

// ask asks one question, again after a pause where it failed for a reason that passes. What the
// question fills in may be looked at only when there is no *silence in the error.
func (s *Session) ask(ctx context.Context, doing string, question func() error) error {
	_, err := s.askAgain(ctx, doing, pauses, question)
	return err
}

// askAgain asks a question, again after each of the pauses, and tells whether all were in vain.
func (s *Session) askAgain(ctx context.Context, doing string, pauses []time.Duration, question func() error) (inVain bool, err error) {
	for attempt := 0; ; attempt++ {
		err := s.once(ctx, doing, question)
		var coded *Error
		if !errors.As(err, &coded) || !coded.Code.Retryable() {
			return false, err
		}
		if attempt == len(pauses) {
			return true, err
		}
		timer := time.NewTimer(pauses[attempt])
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false, err
		}
	}
}

func (s *Session) once(ctx context.Context, doing string, question func() error) error {
	if lost := s.hung(); lost != nil {
		return &silence{doing: doing, because: lost, cause: com.ErrHung}
	}
	if ctx.Err() != nil {
		return &silence{doing: doing, cause: context.Cause(ctx)}
	}
	limit := callLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/2)
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errNoAnswer)
	defer cancel()
	begun := time.Now()
	err := s.worker.Do(limited, question)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, com.ErrHung), errors.Is(err, com.ErrClosed):
		return &silence{doing: doing, because: s.hung(), cause: err}
	case limited.Err() != nil && errors.Is(err, context.Cause(limited)):
		silent := &silence{doing: doing, asked: true, after: time.Since(begun), cause: err}
		s.mu.Lock()
		s.lost = silent
		s.mu.Unlock()
		return silent
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func (s *Session) hung() *silence {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// errMalformed is the error of an answer that is not of the type that its page declares.
var errMalformed = errors.New("the answer is not of the declared type")

// refusal is the error of a method that ran and returned a code.
type refusal struct{ returned *Error }

func (r *refusal) Error() string { return r.returned.Error() }

func (r *refusal) Unwrap() error { return r.returned }

// call calls a method and returns its out arguments, in order. In arguments are given as they
// are, out arguments as out. A method that returns anything but S_OK has refused: what it filled
// in then says nothing.
func (s *Session) call(ctx context.Context, deviceID, method string, arguments ...Value) ([]Value, error) {
	doing := "calling " + method + " of " + deviceID
	var outs []Value
	patient := pauses
	if s.isBusy(deviceID) {
		patient = nil
	}
	inVain, err := s.askAgain(ctx, doing, patient, func() error {
		outs = nil
		passed := make([]*Argument, len(arguments))
		for i, argument := range arguments {
			if _, isOut := argument.(out); isOut {
				passed[i] = &Argument{IsOut: true}
			} else {
				passed[i] = &Argument{In: argument}
			}
		}
		returned, err := s.caller.Call(deviceID, method, passed...)
		if err != nil {
			return err
		}
		code, ok := returned.(int32)
		if !ok {
			return fmt.Errorf("%w: it returned %s", errMalformed, typeOf(returned))
		}
		if result := bitlocker.FromInt32(code); result != bitlocker.S_OK {
			return &refusal{&Error{Doing: doing, Code: result}}
		}
		for _, argument := range passed {
			if argument.IsOut {
				outs = append(outs, argument.Out)
			}
		}
		return nil
	})
	if inVain {
		s.mu.Lock()
		s.busy = deviceID
		s.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	return outs, nil
}

func (s *Session) isBusy(deviceID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy == deviceID
}

// out marks an argument that the method fills in.
type out struct{}

// typeOf names a value's type for people.
func typeOf(value Value) string {
	if value == nil {
		return "nothing"
	}
	return fmt.Sprintf("a %T", value)
}
