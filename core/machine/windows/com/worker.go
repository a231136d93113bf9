package com

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

var (
	// ErrHung is the error of every call after one that did not return in time: the thread is lost.
	ErrHung = errors.New("an earlier call on this thread has not returned")
	// ErrClosed is the error of a call after Close.
	ErrClosed = errors.New("the thread for COM is closed")
)

// Worker runs work on one locked thread, one piece after the other.
type Worker struct {
	work chan piece
	// stop is closed by Close. The channel of work never is, for somebody may be sending on it.
	stop     chan struct{}
	stopOnce sync.Once
	// hung is closed when somebody stopped waiting for work that was running.
	hung     chan struct{}
	hungOnce sync.Once
	// ended is closed when the thread has let go of COM.
	ended chan struct{}
}

type piece struct {
	do func() error
	// done takes one result, whether or not anybody still waits for it.
	done chan error
}

// Start starts a worker and enters COM on its thread. On systems other than Windows there is no
// COM, and the worker runs without.
func Start(apartment Apartment) (*Worker, error) {
	return start(func() (func(), error) { return enter(apartment) })
}

func start(enter func() (leave func(), err error)) (*Worker, error) {
	w := &Worker{
		work: make(chan piece), stop: make(chan struct{}),
		hung: make(chan struct{}), ended: make(chan struct{}),
	}
	entered := make(chan error, 1)
	go w.run(enter, entered)
	if err := <-entered; err != nil {
		return nil, err
	}
	return w, nil
}

// run never unlocks the thread: it ends together with the goroutine, and whatever state COM left
// in it cannot reach other goroutines.
func (w *Worker) run(enter func() (func(), error), entered chan<- error) {
	runtime.LockOSThread()
	defer close(w.ended)
	leave, err := enter()
	entered <- err
	if err != nil {
		return
	}
	defer leave()
	for {
		select {
		case <-w.stop:
			return
		case <-w.hung:
			// The work that hung has returned after all.
			return
		default:
		}
		select {
		case <-w.stop:
			return
		case <-w.hung:
			return
		case p := <-w.work:
			p.run()
		}
	}
}

func (p piece) run() {
	// This is what remains when the work ends its goroutine.
	err := errors.New("the work ended without a result")
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("a fault of this program: %v", panicked)
		}
		p.done <- err
	}()
	err = p.do()
}

// Do runs work on the thread and returns its error. When ctx ends first, Do returns the cause at
// once and leaves the work behind; what it fills in must not be looked at then, for it may still
// be running. From then on every Do fails with ErrHung. A panic of work becomes an error.
func (w *Worker) Do(ctx context.Context, work func() error) error {
	if err := w.usable(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p := piece{do: work, done: make(chan error, 1)}
	select {
	case w.work <- p:
	case <-w.hung:
		return ErrHung
	case <-w.stop:
		return ErrClosed
	case <-w.ended:
		return ErrClosed
	case <-ctx.Done():
		// The work was not begun, so the thread is not lost to others.
		return context.Cause(ctx)
	}
	select {
	case err := <-p.done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-p.done:
		return err
	default:
		w.hungOnce.Do(func() { close(w.hung) })
		return context.Cause(ctx)
	}
}

func (w *Worker) usable() error {
	if w == nil {
		return ErrClosed
	}
	select {
	case <-w.hung:
		return ErrHung
	default:
	}
	select {
	case <-w.stop:
		return ErrClosed
	case <-w.ended:
		return ErrClosed
	default:
		return nil
	}
}

// Close lets the thread leave COM and end once it is idle. It does not wait for that, since the
// thread may hang. It may be called again, and on a nil Worker, as a failed Start returns it.
func (w *Worker) Close() {
	if w != nil {
		w.stopOnce.Do(func() { close(w.stop) })
	}
}
