package linux

import (
	"context"
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
				gather(t.Context(), len(test.takes), time.Second,
					func(index int) int { time.Sleep(test.takes[index] * time.Millisecond); return index },
					func(index int) { got = append(got, index) },
					func(done int) { progress = append(progress, done) })
				if !slices.Equal(got, test.want) || !slices.Equal(progress, []int{0, 1, 2, 3, 4}) {
					t.Errorf("reported %v with the progress %v, want %v", got, progress, test.want)
				}
			})
		})
	}
}

// A panic is passed on after the others were reported, to the goroutine that waits.
func TestGatherPanic(t *testing.T) {
	var got []int
	defer func() {
		if panicked := recover(); panicked != "fault" || !slices.Contains(got, 0) || !slices.Contains(got, 2) {
			t.Errorf("panicked with %v after %v", panicked, got)
		}
	}()
	gather(t.Context(), 3, time.Minute, func(index int) int {
		if index == 1 {
			panic("fault")
		}
		return index
	}, func(index int) { got = append(got, index) }, func(int) {})
}

// Many devices that hang do not keep the rest from being asked.
func TestGatherManyHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		const count = 3 * concurrentDevices
		reported := 0
		gather(t.Context(), count, time.Second, func(index int) error {
			_, err := within(t.Context(), DefaultDeviceTimeout, func(context.Context) (struct{}, error) {
				if index < 2*concurrentDevices {
					<-release
				}
				return struct{}{}, nil
			})
			return err
		}, func(err error) {
			if err == nil {
				reported++
			}
		}, func(int) {})
		if reported != concurrentDevices {
			t.Errorf("%d devices answered instead of %d", reported, concurrentDevices)
		}
	})
}
