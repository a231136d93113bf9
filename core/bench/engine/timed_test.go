package engine

import (
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// scripted is a device that does as it is told: one step of the clock for each I/O.
type scripted struct {
	clock int64
	// takes are the ticks of the I/Os, in order; the last repeats.
	takes []int64
	// failAt and failFlushAt are the I/Os that fail, shortAt the one that transfers too little; a
	// negative number is none.
	failAt, shortAt, failFlushAt int
	done, flushed                int
	offsets                      []int64
}

func (s *scripted) now() int64 { return s.clock }

func (s *scripted) transfer(block []byte, offset int64) (int, syscall.Errno) {
	s.clock += s.takes[min(s.done, len(s.takes)-1)]
	s.offsets = append(s.offsets, offset)
	s.done++
	switch s.done - 1 {
	case s.failAt:
		return 0, syscall.EIO
	case s.shortAt:
		return len(block) - 512, 0
	}
	return len(block), 0
}

func (s *scripted) flush() syscall.Errno {
	s.clock += 1000
	s.flushed++
	if s.done-1 == s.failFlushAt {
		return syscall.EIO
	}
	return 0
}

func newScripted(takes ...int64) *scripted {
	return &scripted{takes: takes, failAt: -1, shortAt: -1, failFlushAt: -1}
}

// newTask is a task of so many I/Os at most, in sequential order from 0.
func newTask(most int) *task {
	return &task{
		blockBytes: testBlock,
		order:      &newOrders(Spec{Pattern: "sequential", BlockBytes: testBlock, Length: 1 << 20}, 1, 1)[0],
		slots:      newSlots(make([]byte, testBlock+variationBytes), 1, testBlock+variationBytes, dataPage),
		number:     new(uint64),
		ticks:      make([]int64, most),
		stop:       new(atomic.Bool),
	}
}

// A latency of 0 is one that the clock cannot tell from 0: it is counted, and it is a value like
// any other (P51, P57, P58). One that is negative is no latency: it is counted apart.
func TestZeroAndBackwards(t *testing.T) {
	task := newTask(6)
	task.runSynchronous(newScripted(100, 0, 0, -50, 70, 0))
	var round Round
	round.add(task.ticks[:task.done.Load()])
	want := []int64{nanoseconds(100), 0, 0, nanoseconds(70), 0}
	if !slices.Equal(round.LatenciesNs, want) || round.Zero != 3 || round.Backwards != 1 {
		t.Errorf("%v, %d zero, %d backwards; want %v, 3 and 1", round.LatenciesNs, round.Zero, round.Backwards, want)
	}
	if round.InFlightNs != want[0]+want[3] {
		t.Errorf("%d ns in flight", round.InFlightNs)
	}
}

// What was measured before an I/O fails stays, all threads are told to stop, and the error names
// the place.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		fail func(*scripted)
		want string
	}{
		"error":       {func(s *scripted) { s.failAt = 3 }, "writing 4096 bytes at offset 12288 of disk: " + syscall.EIO.Error()},
		"short":       {func(s *scripted) { s.shortAt = 3 }, "writing 4096 bytes at offset 12288 of disk: only 3584 were transferred"},
		"flush":       {func(s *scripted) { s.failFlushAt = 3 }, "flushing disk after the write at offset 12288: " + syscall.EIO.Error()},
		"first write": {func(s *scripted) { s.failAt = 0 }, "at offset 0"},
	} {
		device := newScripted(10)
		c.fail(device)
		task := newTask(10)
		task.writes, task.flushes = true, true
		task.runSynchronous(device)
		done := task.done.Load()
		if done != int64(device.done-1) || task.flushed != done || !task.stop.Load() {
			t.Errorf("%s: %d of %d I/Os and %d flushes were kept, stopped: %v", name, done, device.done, task.flushed, task.stop.Load())
		}
		spec := Spec{Path: "disk", Operation: "write", BlockBytes: testBlock}
		if err := task.fault.error(spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// The flush belongs to the latency, and there is one for each write (P33).
func TestFlushIsTimed(t *testing.T) {
	device := newScripted(10)
	task := newTask(5)
	task.writes, task.flushes = true, true
	task.runSynchronous(device)
	if device.flushed != 5 || task.flushed != 5 {
		t.Errorf("%d flushes were done and %d counted, want 5", device.flushed, task.flushed)
	}
	if !slices.Equal(task.ticks, slices.Repeat([]int64{1010}, 5)) {
		t.Errorf("%v, want 1010 each", task.ticks)
	}
}

// A round of a duration starts no I/O after its end, and counts the one that was in flight.
func TestDuration(t *testing.T) {
	task := newTask(100)
	task.duration = 25
	task.runSynchronous(newScripted(10))
	if done := task.done.Load(); done != 3 || task.ended-task.began != 30 {
		t.Errorf("%d I/Os in %d ticks, want 3 in 30", done, task.ended-task.began)
	}
}

// A round that is stopped does no further I/O.
func TestStopped(t *testing.T) {
	task := newTask(100)
	task.stop.Store(true)
	device := newScripted(10)
	task.runSynchronous(device)
	if device.done != 0 {
		t.Errorf("%d I/Os after the stop", device.done)
	}
}
