package engine

import (
	"slices"
	"syscall"
	"testing"
)

// turned is a turn of the scheduler that a test scripts: it takes time, and writes down when it was.
type turned struct {
	clock *int64
	// takes is how long a turn is, in ticks.
	takes int64
	// done counts the I/Os.
	done func() int
	// at and after are the clock's reading and the number of I/Os at each turn's begin.
	at    []int64
	after []int
}

func (s *turned) turn() {
	s.at = append(s.at, *s.clock)
	s.after = append(s.after, s.done())
	*s.clock += s.takes
}

// check tells whether the turns came as often as asked: none before its time, and each at the end
// of the first I/O that ended at its time or later, of which the longest takes so many ticks.
func (s *turned) check(t *testing.T, every, longest int64) {
	t.Helper()
	last := int64(0)
	for i, at := range s.at {
		if since := at - last; since < every || since >= every+longest {
			t.Errorf("turn %d came %d ticks after the one before, want %d to %d", i, since, every, every+longest)
		}
		last = at + s.takes
	}
}

// The scheduler gets its turn between two I/Os, in time, and no latency contains it, however long
// it is.
func TestTurnsBetweenSynchronousIOs(t *testing.T) {
	takes := slices.Repeat([]int64{10, 20, 30, 40}, 50)
	for _, c := range []struct {
		name   string
		every  int64
		writes bool
		want   int
	}{
		// 200 I/Os take 5000 ticks. After 90 ticks and more: each 4 I/Os.
		{name: "reads", every: 91, want: 50},
		{name: "writes that are flushed", every: 3000, writes: true, want: 66},
		{name: "each I/O", every: 1, want: 200},
		{name: "never within the round", every: 1 << 40},
	} {
		device := newScripted(takes...)
		task := newTask(len(takes))
		task.writes, task.flushes = c.writes, c.writes
		s := &turned{clock: &device.clock, takes: 100_000, done: func() int { return int(task.done.Load()) }}
		task.turn, task.turnEvery = s.turn, c.every
		task.runSynchronous(device)
		flush := int64(0)
		if c.writes {
			flush = 1000
		}
		for i, ticks := range task.ticks[:task.done.Load()] {
			if ticks != takes[i]+flush {
				t.Fatalf("%s: latency %d is %d ticks, want %d", c.name, i, ticks, takes[i]+flush)
			}
		}
		s.check(t, c.every, 40+flush)
		if task.done.Load() != 200 || len(s.at) != c.want {
			t.Errorf("%s: %d turns after %d I/Os, want %d after 200", c.name, len(s.at), task.done.Load(), c.want)
		}
		if !slices.IsSorted(s.after) || len(slices.Compact(slices.Clone(s.after))) != len(s.after) {
			t.Errorf("%s: turns without an I/O in between: after %v", c.name, s.after)
		}
	}
}

// The round's end is that of its last I/O: where the duration is over there is no more turn.
func TestNoTurnAfterTheRound(t *testing.T) {
	device := newScripted(10)
	task := newTask(100)
	task.duration = 30
	s := &turned{clock: &device.clock, takes: 1000, done: func() int { return device.done }}
	task.turn, task.turnEvery = s.turn, 30
	task.runSynchronous(device)
	if len(s.at) != 0 || task.done.Load() != 3 || task.ended-task.began != 30 {
		t.Errorf("%d turns, %d I/Os in %d ticks; want 0, 3 in 30", len(s.at), task.done.Load(), task.ended-task.began)
	}
}

// Where there is no turn none is called.
func TestLoopsWithoutATurn(t *testing.T) {
	device := newScripted(10)
	one := newTask(100)
	one.runSynchronous(device)
	q := &scriptedQueue{takes: 10}
	several := newQueuedTask(4, 100)
	left := several.runQueued(q, make([]int64, 4), make([]int64, 4), make([]int, 0, 4))
	if one.done.Load() != 100 || several.done.Load() != 100 || left != 0 {
		t.Errorf("%d and %d I/Os, %d left; want 100 each", one.done.Load(), several.done.Load(), left)
	}
}

// scriptedQueue is a device that works on all I/Os at a time, each for so many ticks. One I/O is
// reaped at a time.
type scriptedQueue struct {
	clock, takes int64
	flying       []flying
	ended        completion
	done, most   int
}

type flying struct {
	slot, bytes int
	ends        int64
}

func (q *scriptedQueue) now() int64 { return q.clock }

func (q *scriptedQueue) submit(slot int, block []byte, _ int64, _ bool) syscall.Errno {
	// Submitting takes a tick, so that the I/Os end one after the other.
	q.clock++
	q.flying = append(q.flying, flying{slot, len(block), q.clock + q.takes})
	q.most = max(q.most, len(q.flying))
	return 0
}

func (q *scriptedQueue) reap() (int, syscall.Errno) {
	first := q.flying[0]
	q.flying = q.flying[1:]
	q.clock = max(q.clock, first.ends)
	q.ended = completion{slot: first.slot, bytes: first.bytes}
	q.done++
	return 1, 0
}

func (q *scriptedQueue) completed(int) completion { return q.ended }

// newQueuedTask is newTask for a queue of that depth.
func newQueuedTask(depth, most int) *task {
	task := newTask(most)
	size := testBlock + variationBytes
	task.slots = newSlots(make([]byte, depth*size), depth, int64(size), dataPage)
	return task
}

// A queue is full again after each turn, and the turns come in time. Only the I/Os in flight in a
// turn, at most as many as the queue is deep, can be seen to end late.
func TestTurnsBetweenQueuedIOs(t *testing.T) {
	const depth, most, every, turnTakes = 4, 400, 500, 100_000
	q := &scriptedQueue{takes: 40}
	task := newQueuedTask(depth, most)
	s := &turned{clock: &q.clock, takes: turnTakes, done: func() int { return int(task.done.Load()) }}
	task.turn, task.turnEvery = s.turn, every
	left := task.runQueued(q, make([]int64, depth), make([]int64, depth), make([]int, 0, depth))
	if left != 0 || task.done.Load() != most || q.most != depth {
		t.Fatalf("%d I/Os done, %d left, %d in flight at most", task.done.Load(), left, q.most)
	}
	// An I/O ends each 11 ticks or so, so a turn comes after 45 or so.
	s.check(t, every, 100)
	if len(s.at) < 5 || len(s.at) > most/40 {
		t.Errorf("%d turns in %d I/Os", len(s.at), most)
	}
	late := 0
	for _, ticks := range task.ticks {
		if ticks > turnTakes {
			late++
		}
	}
	if late > len(s.at)*depth {
		t.Errorf("%d latencies contain a turn, with %d turns", late, len(s.at))
	}
}
