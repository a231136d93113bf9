package engine

import (
	"sync/atomic"
	"time"
)

// task is one worker's part of a round: what it works on and what it leaves behind. Only its
// worker writes to it while the round runs.
type task struct {
	blockBytes int
	writes     bool
	flushes    bool
	order      *order
	// taken is how many blocks the order had given before the round.
	taken int64
	slots []slot
	// number is that of the last write; the upper bits are the worker's own.
	number *uint64

	// ticks has room for one latency an I/O; the task ends when it is full.
	ticks []int64
	// duration is how long to start I/Os, in ticks; 0 is without end.
	duration int64
	spacing  int64
	stop     *atomic.Bool

	// turn is called between I/Os every turnEvery ticks; nil is never.
	turn      func()
	turnEvery int64

	// done is the number of latencies, published I/O by I/O: it is looked at from outside when an
	// I/O hangs.
	done    counter
	flushed int64
	began   int64
	ended   int64
	cpu     int64
	fault   fault
}

// counter is a number that one thread writes and others may read. Its store is a plain one: on
// amd64 the store of package atomic empties the processor's store buffer, which costs as much as
// the rest of the loop. A word that is aligned is written as a whole all the same.
type counter struct{ value int64 }

//go:norace
//go:nosplit
func (c *counter) publish(value int64) { c.value = value }

func (c *counter) Load() int64 { return atomic.LoadInt64(&c.value) }

// runSynchronous does one I/O after the other. Two readings of the clock lie straight around each
// I/O: the choice of the block, the stamps of a write and the accounting are outside.
//
// Nothing that the loop calls has a stack check (they are nosplit or inlined), so that the
// scheduler cannot make the goroutine yield, and nothing allocates.
//
// A reading of the clock takes 26 ns on the Linux computer this was made on. A latency contains
// one of them: 0.8 % of the 3.5 µs that a RAM disk takes for 4 KiB, 0.1 % of a fast NVMe disk's 20.
// One reading for the end of an I/O and the start of the next would halve that and put the choice
// of the block and the stamps into the latencies. All that is outside takes about 85 ns an I/O.
// Between tables of offsets of 32 MiB and of 32 KiB no difference showed beyond the noise of 5 %.
//
//go:norace
func (t *task) runSynchronous(c calls) {
	order, slot, stop := t.order, &t.slots[0], t.stop
	block := slot.memory[:t.blockBytes]
	done := 0
	t.began = c.now()
	end := t.began
	next, turned := t.began, t.began
	for done < len(t.ticks) && !stop.Load() {
		if t.spacing != 0 {
			if !t.pause(c, next) {
				break
			}
		}
		offset := order.take()
		if t.writes {
			*t.number++
			block = slot.prepare(t.blockBytes, offset, *t.number)
		}
		start := c.now()
		bytes, errno := c.transfer(block, offset)
		if t.flushes && errno == 0 && bytes == len(block) {
			if failed := c.flush(); failed != 0 {
				t.fault = fault{what: faultFlush, offset: offset, errno: failed, set: true}
				break
			}
			t.flushed++
		}
		end = c.now()
		if errno != 0 || bytes != len(block) {
			t.fault = fault{what: faultTransfer, offset: offset, bytes: bytes, errno: errno, set: true}
			break
		}
		t.ticks[done] = end - start
		done++
		t.done.publish(int64(done))
		if t.duration != 0 && end-t.began >= t.duration {
			break
		}
		if t.turn != nil && end-turned >= t.turnEvery {
			t.turn()
			turned = c.now()
		}
		next = start + t.spacing
	}
	t.ended = end
	if t.fault.set {
		stop.Store(true)
	}
}

// pauseSlice is how long a pause sleeps at a time, so that it ends soon when the round is stopped.
const pauseSlice = 50 * time.Millisecond

// pauseSpin is how long before its end a pause stops sleeping: longer than a sleep runs over.
const pauseSpin = 200 * time.Microsecond

// pause waits until the clock reads next. It returns false when the round is over before that.
func (t *task) pause(c calls, next int64) bool {
	if t.duration != 0 && next-t.began >= t.duration {
		return false
	}
	for {
		left := time.Duration(nanoseconds(next - c.now()))
		switch {
		case t.stop.Load():
			return false
		case left <= 0:
			return true
		case left > pauseSpin:
			sleep(min(left-pauseSpin, pauseSlice))
		}
	}
}

// runQueued keeps all slots in flight. Each I/O is submitted by itself with a reading of the clock
// straight before, and the I/Os that are reaped together share one reading straight after, as in
// diskspd and fio. It returns the number of I/Os that are still in flight, which is not 0 only
// when the system refuses to tell their end.
//
//go:norace
func (t *task) runQueued(q queue, starts, offsets []int64, free []int) int {
	order, stop := t.order, t.stop
	started, done, inFlight := 0, 0, 0
	free = free[:0]
	for i := range t.slots {
		free = append(free, i)
	}
	t.began = q.now()
	end := t.began
	over, turned := false, t.began
	for {
		for len(free) > 0 && !over {
			if started >= len(t.ticks) || stop.Load() {
				over = true
				break
			}
			slot := free[len(free)-1]
			free = free[:len(free)-1]
			offset := order.take()
			block := t.slots[slot].memory[:t.blockBytes]
			if t.writes {
				*t.number++
				block = t.slots[slot].prepare(t.blockBytes, offset, *t.number)
			}
			offsets[slot] = offset
			starts[slot] = q.now()
			if errno := q.submit(slot, block, offset, len(free) == 0); errno != 0 {
				t.fail(fault{what: faultTransfer, offset: offset, errno: errno, set: true})
				free = append(free, slot)
				over = true
				break
			}
			started++
			inFlight++
		}
		if inFlight == 0 {
			break
		}
		count, errno := q.reap()
		if errno != 0 {
			t.fail(fault{what: faultWait, errno: errno, set: true})
			break
		}
		end = q.now()
		for i := range count {
			ended := q.completed(i)
			inFlight--
			free = append(free, ended.slot)
			if ended.errno != 0 || ended.bytes != t.blockBytes {
				t.fail(fault{what: faultTransfer, offset: offsets[ended.slot], bytes: ended.bytes, errno: ended.errno, set: true})
				over = true
				continue
			}
			t.ticks[done] = end - starts[ended.slot]
			done++
		}
		t.done.publish(int64(done))
		if t.duration != 0 && end-t.began >= t.duration {
			over = true
		}
		if t.turn != nil && end-turned >= t.turnEvery {
			t.turn()
			turned = q.now()
		}
	}
	t.ended = end
	return inFlight
}

// fail keeps the first fault and ends the round for all workers.
func (t *task) fail(f fault) {
	if !t.fault.set {
		t.fault = f
	}
	t.stop.Store(true)
}
