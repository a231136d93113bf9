package engine

import (
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// quiet keeps the runtime still while timed sections run: the collector is off and each measuring
// thread has a processor slot of the scheduler to itself, with two to spare for all else.
//
// The memory limit, which turns the collector on again, is lifted as well. What was is restored
// when the last timed section ends.
type quiet struct {
	mutex   sync.Mutex
	threads int
	percent int
	limit   int64
	procs   int
	// hung is the number of timed sections with a thread that hangs.
	hung int
}

// runtimeState is the one runtime of this process.
var runtimeState quiet

// enter begins a timed section of so many threads.
//
// It fails when a thread of an earlier section hangs: to change these settings the runtime stops
// all goroutines, and it would wait for that one.
func (q *quiet) enter(threads int) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.hung > 0 {
		return errors.New("an I/O of an earlier measurement hangs; nothing more can be measured until it ends")
	}
	if q.threads == 0 {
		q.percent = debug.SetGCPercent(-1)
		q.limit = debug.SetMemoryLimit(math.MaxInt64)
		q.procs = runtime.GOMAXPROCS(0)
		// Ends the sweeping of an earlier collection, too.
		runtime.GC()
	}
	q.threads += threads
	if need := q.threads + 2; runtime.GOMAXPROCS(0) < need {
		runtime.GOMAXPROCS(need)
	}
	return nil
}

// leave ends it.
func (q *quiet) leave(threads int) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.threads -= threads
	q.restore()
}

// hang leaves a section behind that ends some time or never. The settings stay as they are until
// then: so the collector, which would wait for the thread that hangs, stays off.
func (q *quiet) hang(threads int, ended <-chan struct{}) {
	q.mutex.Lock()
	q.hung++
	q.mutex.Unlock()
	go func() {
		<-ended
		q.mutex.Lock()
		defer q.mutex.Unlock()
		q.hung--
		q.threads -= threads
		q.restore()
	}()
}

func (q *quiet) restore() {
	if q.threads > 0 || q.hung > 0 {
		return
	}
	runtime.GOMAXPROCS(q.procs)
	debug.SetMemoryLimit(q.limit)
	debug.SetGCPercent(q.percent)
}
