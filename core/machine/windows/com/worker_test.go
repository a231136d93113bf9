package com

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"diskaudit/core/bitlocker"
)

// Case C45: what CoInitializeEx answers decides whether COM can be used, and whether it has to be
// left again.
func TestEntry(t *testing.T) {
	for result, want := range map[bitlocker.HResult][2]bool{
		bitlocker.S_OK:               {true, true},
		bitlocker.S_FALSE:            {true, true},
		bitlocker.RPC_E_CHANGED_MODE: {true, false},
		bitlocker.E_OUTOFMEMORY:      {false, false},
		bitlocker.E_INVALIDARG:       {false, false},
	} {
		usable, counted := entry(result)
		if got := [2]bool{usable, counted}; got != want {
			t.Errorf("%s: usable and counted %v, want %v", result, got, want)
		}
	}
}

func TestWorkRunsInOrderAndReturnsItsError(t *testing.T) {
	w, err := Start(MTA)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	failed := errors.New("refused")
	var order []int
	for i := range 3 {
		if err := w.Do(t.Context(), func() error { order = append(order, i); return failed }); !errors.Is(err, failed) {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if len(order) != 3 || order[0] != 0 || order[2] != 2 {
		t.Errorf("order %v", order)
	}
}

// Cases B51, B52: callers on many goroutines never use the thread at the same time.
func TestOneCallAtATime(t *testing.T) {
	w, err := Start(STA)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var running, most int
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if err := w.Do(t.Context(), func() error {
				running++
				most = max(most, running)
				runtime.Gosched()
				running--
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most != 1 {
		t.Errorf("%d calls at a time", most)
	}
}

// Cases C38, C43: a call that hangs costs its caller no more than the limit, and the others nothing.
func TestHungCall(t *testing.T) {
	w, err := Start(MTA)
	if err != nil {
		t.Fatal(err)
	}
	limit := errors.New("the limit")
	ctx, cancel := context.WithCancelCause(t.Context())
	begun, release := make(chan struct{}), make(chan struct{})
	go func() {
		<-begun
		cancel(limit)
	}()
	if err := w.Do(ctx, func() error { close(begun); <-release; return nil }); !errors.Is(err, limit) {
		t.Errorf("the hung call: %v, want the cause", err)
	}
	for range 3 {
		if err := w.Do(t.Context(), func() error { t.Error("ran behind a hung call"); return nil }); !errors.Is(err, ErrHung) {
			t.Errorf("a later call: %v, want %v", err, ErrHung)
		}
	}
	w.Close()
	w.Close()
	close(release)
	ends(t, w)
	if err := w.Do(t.Context(), func() error { return nil }); !errors.Is(err, ErrHung) {
		t.Errorf("after the hung call returned at last: %v, want %v", err, ErrHung)
	}
}

// Somebody who waits in vain for the thread has not begun anything: the thread is not lost.
func TestWaitingInVainLosesNothing(t *testing.T) {
	w, err := Start(MTA)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	begun, release := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() { first <- w.Do(t.Context(), func() error { close(begun); <-release; return nil }) }()
	<-begun
	ended, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if err := w.Do(ended, func() error { t.Error("ran for nobody"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("the waiting call: %v", err)
	}
	if err := w.Do(ended, func() error { t.Error("ran for nobody"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that came too late: %v", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("the running call: %v", err)
	}
	if err := w.Do(t.Context(), func() error { return nil }); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// Case C47: a fault in the work is an error of that work.
func TestPanicIsAnError(t *testing.T) {
	w, err := Start(MTA)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Do(t.Context(), func() error { panic("unknown type") }); err == nil || !strings.Contains(err.Error(), "unknown type") {
		t.Errorf("a panic: %v", err)
	}
	if err := w.Do(t.Context(), func() error { return nil }); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

func TestWorkThatEndsItsGoroutine(t *testing.T) {
	left := false
	w, err := start(func() (func(), error) { return func() { left = true }, nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Do(t.Context(), func() error { runtime.Goexit(); return nil }); err == nil {
		t.Error("no error for work without a result")
	}
	ends(t, w)
	if !left {
		t.Error("the thread did not leave COM")
	}
	if err := w.Do(t.Context(), func() error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("afterwards: %v, want %v", err, ErrClosed)
	}
}

func TestFailedStart(t *testing.T) {
	refused := errors.New("no COM here")
	w, err := start(func() (func(), error) { return nil, refused })
	if !errors.Is(err, refused) || w != nil {
		t.Errorf("%v, %v", w, err)
	}
	w.Close()
	if err := w.Do(t.Context(), func() error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("a call without a thread: %v, want %v", err, ErrClosed)
	}
}

// The thread that entered COM is the one that leaves it, once, after the last call.
func TestCloseLeavesOnce(t *testing.T) {
	left := 0
	w, err := start(func() (func(), error) { return func() { left++ }, nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Do(t.Context(), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	w.Close()
	w.Close()
	ends(t, w)
	if left != 1 {
		t.Errorf("left %d times", left)
	}
	if err := w.Do(t.Context(), func() error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v, want %v", err, ErrClosed)
	}
}

// ends waits until the worker's goroutine has ended.
func ends(t *testing.T, w *Worker) {
	t.Helper()
	select {
	case <-w.ended:
	case <-time.After(time.Minute):
		t.Fatal("the worker's goroutine did not end")
	}
}
