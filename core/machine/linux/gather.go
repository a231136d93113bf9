package linux

import (
	"context"
	"time"
)

const (
	// concurrentDevices bounds how many devices are asked at once.
	concurrentDevices = 16
	// orderPatience is how long a device may hold up those behind it, so that devices are
	// reported in their order; after it they are reported as they answer.
	orderPatience = time.Second
)

// gather asks count devices side by side and reports each answer, and how many have answered.
// It returns early when ctx ends. Patience is how long the order is kept. A panic of ask is passed
// on once all others are reported, so that a fault of this program costs one device.
func gather[T any](ctx context.Context, count int, patience time.Duration, ask func(index int) T, report func(answer T), progress func(done int)) {
	type answer struct {
		index    int
		value    T
		panicked any
	}
	answers := make(chan answer, count)
	slots := make(chan struct{}, concurrentDevices)
	for index := range count {
		go func() {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			defer func() { <-slots }()
			a := answer{index: index}
			defer func() {
				a.panicked = recover()
				answers <- a
			}()
			a.value = ask(index)
		}()
	}

	var panicked any
	ready := map[int]T{}
	next, inOrder := 0, true
	impatient := time.NewTimer(patience)
	defer impatient.Stop()
	progress(0)
	for done := 0; done < count; {
		select {
		case a := <-answers:
			ready[a.index] = a.value
			if a.panicked != nil {
				panicked = a.panicked
			}
			done++
			progress(done)
		case <-impatient.C:
			inOrder = false
		case <-ctx.Done():
			return
		}
		for index := next; index < count; index++ {
			value, ok := ready[index]
			if !ok && inOrder {
				break
			}
			if !ok {
				continue
			}
			report(value)
			delete(ready, index)
			if index == next {
				next++
			}
		}
	}
	if panicked != nil {
		panic(panicked)
	}
}

// later starts work and returns a function that waits for it.
func later[T any](work func() (T, error)) func() (T, error) {
	var value T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		value, err = work()
	}()
	return func() (T, error) {
		<-done
		return value, err
	}
}
