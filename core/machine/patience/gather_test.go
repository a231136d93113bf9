package patience

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A device that is slow holds the others up for a while only.
func TestGatherOrder(t *testing.T) {
	tests := []struct {
		name  string
		takes []time.Duration
		want  []int
	}{
		{"all quick: in order", []time.Duration{300, 200, 100, 0}, []int{0, 1, 2, 3}},
		{"one slow: last", []time.Duration{5000, 200, 100, 1500}, []int{1, 2, 3, 0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got, progress []int
				Gather(t.Context(), len(test.takes), time.Second,
					func(index int) int { time.Sleep(test.takes[index] * time.Millisecond); return index },
					func(index int) { got = append(got, index) },
					func(index int, fault Panic) { t.Errorf("%d failed: %v", index, fault) },
					func(done int) { progress = append(progress, done) })
				if !slices.Equal(got, test.want) || !slices.Equal(progress, []int{0, 1, 2, 3, 4}) {
					t.Errorf("reported %v with the progress %v, want %v", got, progress, test.want)
				}
			})
		})
	}
}

// A fault is no answer: what was asked comes out as failed, in its place, and the rest as ever.
func TestGatherPanic(t *testing.T) {
	var got []string
	Gather(t.Context(), 3, time.Minute, func(index int) int {
		if index == 1 {
			panic("fault")
		}
		return index
	},
		func(index int) { got = append(got, fmt.Sprint(index)) },
		func(index int, fault Panic) { got = append(got, fmt.Sprint(index, " ", fault.Value)) },
		func(int) {})
	if want := []string{"0", "1 fault", "2"}; !slices.Equal(got, want) {
		t.Errorf("reported %q, want %q", got, want)
	}
}

func TestLaterPanic(t *testing.T) {
	var fault Panic
	if _, err := Later(func() (int, error) { panic("fault") })(); !errors.As(err, &fault) || fault.Value != "fault" {
		t.Errorf("error %v", err)
	}
}

// Many devices that hang do not keep the rest from being asked.
func TestGatherManyHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		const count = 3 * Concurrent
		reported := 0
		Gather(t.Context(), count, time.Second, func(index int) error {
			_, err := Within(t.Context(), 10*time.Second, func(context.Context) (struct{}, error) {
				if index < 2*Concurrent {
					<-release
				}
				return struct{}{}, nil
			})
			return err
		}, func(err error) {
			if err == nil {
				reported++
			}
		}, func(index int, fault Panic) { t.Errorf("%d failed: %v", index, fault) }, func(int) {})
		if reported != Concurrent {
			t.Errorf("%d devices answered instead of %d", reported, Concurrent)
		}
	})
}
