package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Round is what one round measured.
type Round struct {
	// Started is when the threads began.
	Started time.Time
	// ElapsedNs is the time from the start of the first thread to its last I/O's end, over all
	// threads.
	ElapsedNs int64
	// Ops and Bytes are what was transferred completely.
	Ops, Bytes int64
	// Flushes equals Ops where the durability is flush; else it is 0.
	Flushes int64
	// LatenciesNs are those of all Ops but Backwards of them, thread by thread in order of their
	// end.
	LatenciesNs []int64
	// ThreadCPUNs is the processor time of the measuring threads.
	ThreadCPUNs int64
	// SystemCPUNs is the busy time of all processors; nil when their clock is too coarse for a
	// round that short.
	SystemCPUNs *int64
	// InFlightNs is the sum of the latencies: divided by ElapsedNs it is the achieved depth.
	InFlightNs int64
	// Backwards counts the I/Os at whose end the clock read less than at their start.
	Backwards int
	// Zero counts the latencies of 0, which LatenciesNs contains.
	Zero int
	// Err is what ended the round before its limit: the first I/O that failed, or the cause of
	// the context's end; nil when there was no such thing.
	Err error
}

// Round runs all threads once, until the limit, the end of ctx, an I/O that fails, or until
// memory for the latencies is used up (see Limit). What was measured until then is in Round, and
// the error is Round.Err. An error with an empty Round says why there was none.
//
// An I/O that hangs cannot be broken off: a second after the end of ctx its thread is left behind
// and the session takes no more rounds.
func (s *Session) Round(ctx context.Context, limit Limit) (Round, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.closed:
		return Round{}, errors.New("the session is closed")
	case s.broken != nil:
		return Round{}, s.broken
	case ctx.Err() != nil:
		return Round{}, context.Cause(ctx)
	}
	if err := limit.check(s.spec); err != nil {
		return Round{}, err
	}
	if err := runtimeState.enter(len(s.workers)); err != nil {
		return Round{}, err
	}
	run, err := s.newRun(limit)
	if err != nil {
		runtimeState.leave(len(s.workers))
		return Round{}, err
	}
	unwatch := context.AfterFunc(ctx, func() { run.stop.Store(true) })
	run.begin(s.workers)
	complete := run.wait(ctx, s.workers)
	unwatch()
	if complete {
		runtimeState.leave(len(s.workers))
	} else {
		s.broken = fmt.Errorf("an I/O on %s hangs since the round that began at %s", s.spec.Path, run.started.Format(time.RFC3339))
		runtimeState.hang(len(s.workers), run.ended)
	}
	round := run.result(s, complete)
	if ctx.Err() != nil && (round.Err == nil || run.brokenOff) {
		round.Err = context.Cause(ctx)
	}
	return round, round.Err
}

// run is a round in progress.
type run struct {
	tasks   []*task
	stop    atomic.Bool
	started time.Time
	// startedTicks is the same by the clock of the I/Os.
	startedTicks int64
	before       systemTimes
	after        systemTimes
	// brokenOff tells that the system was asked to end the I/Os in flight.
	brokenOff bool
	// ended is closed when all workers are done.
	ended chan struct{}
}

// newRun prepares the tasks of a round.
func (s *Session) newRun(limit Limit) (_ *run, err error) {
	r := &run{ended: make(chan struct{}), tasks: make([]*task, len(s.workers))}
	counts := limit.opsOf(s.spec, len(s.workers))
	if s.ticks, err = latencyMemory(s.ticks, counts); err != nil {
		return nil, err
	}
	rest := s.ticks
	for i, count := range counts {
		r.tasks[i] = &task{
			taken:    s.workers[i].order.taken,
			ticks:    rest[:count:count],
			duration: scale(int64(limit.Duration), 1e9, ticksPerSecond()),
			spacing:  scale(int64(s.spec.Spacing), 1e9, ticksPerSecond()),
			stop:     &r.stop,
		}
		rest = rest[count:]
	}
	return r, nil
}

// begin starts all workers together.
func (r *run) begin(workers []*worker) {
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	for i, w := range workers {
		ready.Add(1)
		done.Add(1)
		w.start(func() {
			defer done.Done()
			ready.Done()
			<-gate
			w.run(r.tasks[i])
		})
	}
	ready.Wait()
	r.before = readSystemTimes()
	r.started, r.startedTicks = time.Now(), now()
	close(gate)
	go func() {
		done.Wait()
		r.after = readSystemTimes()
		close(r.ended)
	}()
}

// wait returns true when all workers are done, and false when one is not although ctx ended. After
// half of the time in between it breaks off what is in flight, where the system can.
func (r *run) wait(ctx context.Context, workers []*worker) bool {
	select {
	case <-r.ended:
		return true
	case <-ctx.Done():
	}
	select {
	case <-r.ended:
		return true
	case <-time.After(patience / 2):
	}
	if breakOff != nil {
		r.brokenOff = true
		for _, w := range workers {
			breakOff(w.file)
		}
	}
	select {
	case <-r.ended:
		return true
	case <-time.After(patience / 2):
		return false
	}
}

// result adds up what the workers did. A worker that hangs may still write; what it had done
// before is complete.
func (r *run) result(s *Session, complete bool) Round {
	round := Round{Started: r.started, ElapsedNs: nanoseconds(now() - r.startedTicks)}
	for _, t := range r.tasks {
		round.Ops += t.done.Load()
	}
	round.LatenciesNs = make([]int64, 0, round.Ops)
	round.Ops = 0
	began, ended := int64(0), int64(0)
	orders, taken := make([]*order, len(r.tasks)), make([]int64, len(r.tasks))
	for i, t := range r.tasks {
		done := t.done.Load()
		round.Ops += done
		orders[i], taken[i] = &s.workers[i].order, t.taken+done
		round.add(t.ticks[:done])
		if !complete {
			continue
		}
		round.Flushes += t.flushed
		round.ThreadCPUNs += t.cpu
		if round.Err == nil {
			round.Err = t.fault.error(s.spec)
		}
		if i == 0 || t.began < began {
			began = t.began
		}
		if i == 0 || t.ended > ended {
			ended = t.ended
		}
		if s.workers[i].lost > 0 {
			s.broken = fmt.Errorf("the system does not tell the end of I/O on %s", s.spec.Path)
		}
	}
	s.distinct = distinctBlocks(orders, taken)
	if complete {
		round.ElapsedNs = nanoseconds(ended - began)
		round.SystemCPUNs = busyBetween(r.before, r.after)
	} else if s.spec.flushes() {
		round.Flushes = round.Ops
	}
	round.Bytes = round.Ops * int64(s.spec.BlockBytes)
	return round
}

// add appends latencies in ticks.
func (r *Round) add(ticks []int64) {
	for _, t := range ticks {
		ns := nanoseconds(t)
		switch {
		case ns < 0:
			r.Backwards++
			continue
		case ns == 0:
			r.Zero++
		}
		r.InFlightNs += ns
		r.LatenciesNs = append(r.LatenciesNs, ns)
	}
}
