package storage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// errTimeout is the end of waiting for a device.
var errTimeout = errors.New("the device did not answer in time")

// faultError is a fault of this program that must not take the other devices with it.
type faultError struct{ value any }

func (e faultError) Error() string { return fmt.Sprintf("a fault of this program: %v", e.value) }

// draft is what has been found out so far by work that may be left behind. Once it is taken it
// changes no more.
type draft[T any] struct {
	mu    sync.Mutex
	taken bool
	value T
}

// note applies a change, unless the draft was taken.
func (d *draft[T]) note(change func(*T)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.taken {
		change(&d.value)
	}
}

func (d *draft[T]) take() T {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken = true
	return d.value
}

// within runs work and waits for it until limit has passed or ctx ends. Then the work is left
// behind, for a system call that hangs cannot be stopped; what it noted until then is returned
// with the reason.
func within[T any](ctx context.Context, limit time.Duration, work func(*draft[T])) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	var d draft[T]
	if ctx.Err() != nil {
		return d.value, context.Cause(ctx)
	}
	done := make(chan error, 1)
	go func() {
		var fault error
		defer func() {
			if panicked := recover(); panicked != nil {
				fault = faultError{panicked}
			}
			done <- fault
		}()
		work(&d)
	}()
	select {
	case err := <-done:
		return d.take(), err
	case <-ctx.Done():
		return d.take(), context.Cause(ctx)
	}
}

// answer is within for a single question.
func answer[T any](ctx context.Context, limit time.Duration, ask func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	out, err := within(ctx, limit, func(d *draft[outcome]) {
		value, err := ask()
		d.note(func(o *outcome) { *o = outcome{value, err} })
	})
	if err != nil {
		return out.value, err
	}
	return out.value, out.err
}
