package storage

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// What work notes after it was left behind changes nothing that was handed out.
func TestWithinLeavesBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late, noted := make(chan struct{}), make(chan struct{})
		got, err := within(context.Background(), 50*time.Millisecond, func(d *draft[map[string]bool]) {
			d.note(func(m *map[string]bool) { *m = map[string]bool{"early": true} })
			<-late
			d.note(func(m *map[string]bool) { (*m)["late"] = true })
			close(noted)
		})
		close(late)
		<-noted
		if !errors.Is(err, errTimeout) || len(got) != 1 || !got["early"] {
			t.Errorf("got %v, %v; want what was noted in time", got, err)
		}
	})
}

func TestWithinEnds(t *testing.T) {
	cause := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	asked := false
	if _, err := within(ctx, time.Minute, func(*draft[int]) { asked = true }); !errors.Is(err, cause) || asked {
		t.Errorf("%v, asked %t; want that nothing is asked any more", err, asked)
	}
	if _, err := answer(context.Background(), time.Minute, func() (int, error) { panic("on purpose") }); !errors.As(err, new(faultError)) {
		t.Errorf("%v, want a fault", err)
	}
	if got, err := answer(context.Background(), time.Minute, func() (int, error) { return 5, nil }); got != 5 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}
