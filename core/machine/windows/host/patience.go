package host

import (
	"context"
	"errors"
	"time"

	"diskaudit/core/machine/patience"
)

// callLimit is how long one call may take. The slowest ask services of Windows by RPC, which hang
// when the service does.
const callLimit = 5 * time.Second

// within runs a call of Windows and gives up on it after callLimit or when ctx ends.
func within[T any](ctx context.Context, call func() (T, error)) (T, error) {
	value, err := patience.Within(ctx, callLimit, func(context.Context) (T, error) { return call() })
	if errors.Is(err, patience.ErrNoAnswer) {
		err = errHang
	}
	return value, err
}
