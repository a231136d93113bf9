package linux

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errDeviceTimeout is the end of waiting for a device.
var errDeviceTimeout = errors.New("the device did not answer in time")

// panicError is a fault of this program that must not take the other devices with it.
type panicError struct{ value any }

func (e panicError) Error() string { return fmt.Sprintf("a fault of this program: %v", e.value) }

// within runs work and waits for it until limit has passed or ctx ends. Then the work is left
// behind, for a system call that hangs cannot be stopped; its result is dropped.
func within[T any](ctx context.Context, limit time.Duration, work func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errDeviceTimeout)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		var out outcome
		defer func() {
			if panicked := recover(); panicked != nil {
				out.err = panicError{panicked}
			}
			done <- out
		}()
		out.value, out.err = work(ctx)
	}()
	select {
	case out := <-done:
		return out.value, out.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
