// Package patience asks things that may hang: each for a limited time, side by side. What does not
// answer is left behind, for a system call that hangs cannot be stopped.
package patience

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrNoAnswer is the end of waiting for one question.
var ErrNoAnswer = errors.New("it did not answer in time")

// Panic is a fault of this program that must not take the other devices with it.
type Panic struct{ Value any }

func (e Panic) Error() string { return fmt.Sprintf("a fault of this program: %v", e.Value) }

// Within runs work and waits for it until limit has passed or ctx ends. Then the work is left
// behind, for a system call that hangs cannot be stopped; its result is dropped.
func Within[T any](ctx context.Context, limit time.Duration, work func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrNoAnswer)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		var out outcome
		defer func() {
			if panicked := recover(); panicked != nil {
				out.err = Panic{panicked}
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
