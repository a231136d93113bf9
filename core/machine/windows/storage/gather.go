package storage

import "time"

const (
	// concurrentQuestions bounds how many volumes or disks are asked at once, and so the threads that
	// wait for them. One that hangs keeps its place for the time that it is given.
	concurrentQuestions = 64
	// orderPatience is how long one may hold up those behind it, so that they are reported in their
	// order; after it they are reported as they answer.
	orderPatience = time.Second
)

// gather asks count things side by side and reports each answer, in order as long as patience
// lasts, and how many have answered. It returns after the last answer: each ask must end by itself
// in limited time.
func gather[T any](count int, patience time.Duration, ask func(index int) T, report func(index int, value T), progress func(done int)) {
	type reply struct {
		index int
		value T
	}
	replies := make(chan reply, count)
	slots := make(chan struct{}, concurrentQuestions)
	for index := range count {
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			replies <- reply{index, ask(index)}
		}()
	}

	ready := map[int]T{}
	next, inOrder := 0, true
	impatient := time.NewTimer(patience)
	defer impatient.Stop()
	progress(0)
	for done := 0; done < count; {
		select {
		case r := <-replies:
			ready[r.index] = r.value
			done++
			progress(done)
		case <-impatient.C:
			inOrder = false
		}
		for index := next; index < count; index++ {
			value, ok := ready[index]
			if !ok && inOrder {
				break
			}
			if !ok {
				continue
			}
			report(index, value)
			delete(ready, index)
			if index == next {
				next++
			}
		}
	}
}
