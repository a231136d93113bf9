// Package engine does the I/O of a measurement and times it, on Linux and Windows in one way: so
// many threads, each bound to a processor, each with a handle, buffers and blocks of its own, past
// the cache of the operating system. A round runs all of them once and returns every latency.
//
// At queue depth 1 an I/O is one synchronous call: pread or pwrite, ReadFile or WriteFile. Deeper,
// I/Os are submitted one by one to an io_uring or to an I/O completion port of the thread's own.
package engine

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Session is an open test. Its methods may be called from any goroutine; rounds run one after
// another.
type Session struct {
	spec        Spec
	description Description
	workers     []*worker

	mutex sync.Mutex
	ticks []int64
	// distinct is the number of different blocks of all rounds.
	distinct int64
	closed   bool
	// broken is the reason why no more rounds can be run: an I/O hangs.
	broken error
}

// Description tells how a session does its I/O.
type Description struct {
	// API names the calls: "pread/pwrite", "io_uring", "ReadFile/WriteFile", "IOCP".
	API string
	// Fallback says why API is not the first choice; nil when it is.
	Fallback *string
	// Processors are the logical processors that the threads are bound to, in order; empty when
	// they are not bound.
	Processors []int
	// OpenFlags are the flags with which each handle was opened.
	OpenFlags []Flag
	// RegisteredBuffers tells that the buffers are known to the kernel beforehand, which saves
	// it from pinning their pages for each I/O.
	RegisteredBuffers bool
}

// Open opens the target once for each thread and makes everything ready, so that none of it is
// timed. The error names the option that cannot be, or what the system said.
func Open(spec Spec) (*Session, error) {
	spec = spec.complete()
	if err := spec.check(); err != nil {
		return nil, err
	}
	s := &Session{spec: spec, description: Description{API: synchronousAPI, OpenFlags: openFlags(spec)}}
	bound := make([]int, spec.Threads)
	for i := range bound {
		bound[i] = -1
	}
	if processors := Processors(); spec.Pin && spec.Threads <= len(processors) {
		copy(bound, processors)
		s.description.Processors = slices.Clone(bound)
	}
	if spec.QueueDepth > 1 {
		s.description.API = queueAPI
	}
	err := s.openWorkers(spec, bound, 1)
	var unavailable *unavailableError
	if errors.As(err, &unavailable) {
		err = s.openFallback(spec, bound, unavailable)
	}
	if err != nil {
		return nil, err
	}
	if queue := s.workers[0].queue; queue != nil {
		s.description.RegisteredBuffers = queue.registered()
	}
	return s, nil
}

// openFallback takes as many synchronous threads as I/Os were to be in flight.
func (s *Session) openFallback(spec Spec, bound []int, reason *unavailableError) error {
	if spec.inFlight() > MaxThreads {
		return fmt.Errorf("threads %d, queue depth %d: without %s there would have to be a thread for each of the %d I/Os in flight, and %d is the most: %w",
			spec.Threads, spec.QueueDepth, queueAPI, spec.inFlight(), MaxThreads, reason)
	}
	text := fmt.Sprintf("%s cannot be used here (%v); %d threads with one I/O each stand in for each thread", queueAPI, reason, spec.QueueDepth)
	s.description.API, s.description.Fallback = synchronousAPI, &text
	each := spec.QueueDepth
	spec.QueueDepth = 1
	return s.openWorkers(spec, bound, each)
}

// openWorkers starts so many workers for each thread, on the thread's processor.
func (s *Session) openWorkers(spec Spec, bound []int, each int) error {
	for i, blocks := range newOrders(spec, len(bound), each) {
		w, err := newWorker(spec, i, bound[i/each], blocks)
		if err != nil {
			closing := s.endWorkers()
			s.workers = nil
			return errors.Join(err, closing)
		}
		s.workers = append(s.workers, w)
	}
	return nil
}

// unavailableError says that the system does not offer its queue here.
type unavailableError struct{ reason error }

func (e *unavailableError) Error() string { return e.reason.Error() }

func (e *unavailableError) Unwrap() error { return e.reason }

// Description tells how the session does its I/O.
func (s *Session) Description() Description { return s.description }

// DistinctBlocks is the number of different blocks that the rounds so far have touched.
func (s *Session) DistinctBlocks() int64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.distinct
}

// patience is how long a round waits for its threads after the end of its context, and Close for
// them to end.
const patience = time.Second

// Close frees everything. Calling it again does nothing. When an I/O hangs, what it works on is
// left alone and freed when the I/O ends; the error says so.
func (s *Session) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.endWorkers()
	if s.broken == nil {
		err = errors.Join(err, freeLatencies(s.ticks))
		s.ticks = nil
	}
	return err
}

// endWorkers lets each worker free what it has and end.
func (s *Session) endWorkers() error {
	errs := make([]error, len(s.workers))
	var waiting sync.WaitGroup
	for i, w := range s.workers {
		waiting.Go(func() {
			w.do(func() { errs[i] = w.release() })
			w.end()
			<-w.gone
		})
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		waiting.Wait()
	}()
	select {
	case <-ended:
		return errors.Join(errs...)
	case <-time.After(patience):
		return fmt.Errorf("closing %s: an I/O hangs; what it works on is kept until it ends", s.spec.Path)
	}
}
