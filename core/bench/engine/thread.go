package engine

import (
	"fmt"
	"runtime"
)

// thread is an operating system thread of its own: bound, undisturbed by signals, and ended with
// all its settings when it is no longer needed.
type thread struct {
	work chan func()
	// gone is closed when the thread does nothing more.
	gone chan struct{}
}

// startThread starts a thread and binds it to a processor; a negative number leaves it free.
func startThread(processor int) (*thread, error) {
	t := &thread{work: make(chan func()), gone: make(chan struct{})}
	ready := make(chan error)
	go t.run(processor, ready)
	if err := <-ready; err != nil {
		return nil, err
	}
	return t, nil
}

// run is the thread. It is never unlocked: so the runtime ends the thread together with the
// goroutine, and no other goroutine inherits its affinity and its signal mask.
func (t *thread) run(processor int, ready chan<- error) {
	runtime.LockOSThread()
	if onMainThread() {
		// The runtime cannot end this one. Another goroutine gets another thread as long as this
		// one is locked.
		started := make(chan error)
		go t.run(processor, started)
		err := <-started
		runtime.UnlockOSThread()
		ready <- err
		return
	}
	defer close(t.gone)
	if err := isolateThread(processor); err != nil {
		ready <- fmt.Errorf("preparing a measuring thread: %w", err)
		return
	}
	ready <- nil
	for work := range t.work {
		work()
	}
}

// do runs f on the thread and returns when it has.
func (t *thread) do(f func()) {
	<-t.start(f)
}

// start runs f on the thread; the channel is closed when it has.
func (t *thread) start(f func()) <-chan struct{} {
	ended := make(chan struct{})
	t.work <- func() {
		defer close(ended)
		f()
	}
	return ended
}

// end lets the thread end after what it is doing.
func (t *thread) end() { close(t.work) }
