package bench

import (
	"context"
	"time"
)

// lastMoment is how long I/O that is under way may take to end once the run is to end: an I/O
// that a disk does not answer cannot be called back, and the document is written all the same.
const lastMoment = 2 * time.Second

// patiently runs f, which does I/O, and returns true when f returned. It returns false when ctx
// ended and f did not return soon after that: then f is left behind, and what it works on must
// not be touched any more. A panic of f is one of the caller's.
func patiently(ctx context.Context, f func()) bool {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	panicked, returned := any(nil), true
	select {
	case panicked = <-done:
	case <-ctx.Done():
		select {
		case panicked = <-done:
		case <-time.After(lastMoment):
			returned = false
		}
	}
	if panicked != nil {
		panic(panicked)
	}
	return returned
}
