package patience

import (
	"context"
	"time"
)

const (
	// Concurrent bounds how many devices are asked at once.
	Concurrent = 16
	// OrderKept is how long a device may hold up those behind it, so that devices are
	// reported in their order; after it they are reported as they answer.
	OrderKept = time.Second
)

// Gather asks count devices side by side and reports each answer, and how many have answered.
// It returns early when ctx ends. Patience is how long the order is kept. A panic of ask is no
// answer: it goes to failed in its place, so that a fault of this program costs one device.
func Gather[T any](ctx context.Context, count int, patience time.Duration, ask func(index int) T, report func(answer T), failed func(index int, fault Panic), progress func(done int)) {
	type answer struct {
		index int
		value T
		fault *Panic
	}
	answers := make(chan answer, count)
	slots := make(chan struct{}, Concurrent)
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
				if panicked := recover(); panicked != nil {
					a.fault = &Panic{panicked}
				}
				answers <- a
			}()
			a.value = ask(index)
		}()
	}

	ready := map[int]answer{}
	next, inOrder := 0, true
	impatient := time.NewTimer(patience)
	defer impatient.Stop()
	progress(0)
	for done := 0; done < count; {
		select {
		case a := <-answers:
			ready[a.index] = a
			done++
			progress(done)
		case <-impatient.C:
			inOrder = false
		case <-ctx.Done():
			return
		}
		for index := next; index < count; index++ {
			a, ok := ready[index]
			if !ok && inOrder {
				break
			}
			if !ok {
				continue
			}
			if a.fault != nil {
				failed(index, *a.fault)
			} else {
				report(a.value)
			}
			delete(ready, index)
			if index == next {
				next++
			}
		}
	}
}

// Later starts work and returns a function that waits for it. A panic of work is its error.
func Later[T any](work func() (T, error)) func() (T, error) {
	var value T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if panicked := recover(); panicked != nil {
				err = Panic{panicked}
			}
		}()
		value, err = work()
	}()
	return func() (T, error) {
		<-done
		return value, err
	}
}
