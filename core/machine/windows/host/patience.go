package host

import (
	"context"
	"fmt"
	"time"
)

// patience is how long one call may take. The slowest ask services of Windows by RPC, which hang
// when the service does.
const patience = 5 * time.Second

// within runs a call of Windows and gives up on it after patience or when ctx ends. The call
// itself cannot be ended: its goroutine stays until it returns, or until the program ends.
func within[T any](ctx context.Context, call func() (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		defer func() {
			if panicked := recover(); panicked != nil {
				answers <- answer{err: fmt.Errorf("a fault of this program: %v", panicked)}
			}
		}()
		value, err := call()
		answers <- answer{value, err}
	}()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	case <-limit.C:
		return none, errHang
	}
}
