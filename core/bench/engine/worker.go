package engine

import (
	"errors"
	"fmt"
)

// worker is a measuring thread with a handle, buffers and blocks of its own. It makes and frees
// them itself: a worker whose I/O hangs keeps them until the I/O ends.
type worker struct {
	*thread
	spec      Spec
	processor int

	file   *file
	queue  deepQueue
	memory []byte
	slots  []slot
	order  order
	number uint64

	// For the I/Os in flight, by slot.
	starts, offsets []int64
	free            []int

	// lost is the number of I/Os that the system may still work on when the worker ends.
	lost int
}

// newWorker starts worker number of a session. The spec's queue depth is the worker's own: 1 is
// synchronous.
func newWorker(s Spec, number, processor int, blocks order) (*worker, error) {
	thread, err := startThread(processor)
	if err != nil {
		return nil, err
	}
	w := &worker{
		thread: thread, spec: s, processor: processor, order: blocks,
		// Far from the numbers of the other workers.
		number: uint64(number) << 40,
		starts: make([]int64, s.QueueDepth), offsets: make([]int64, s.QueueDepth), free: make([]int, 0, s.QueueDepth),
	}
	thread.do(func() { err = w.open(number) })
	if err != nil {
		thread.end()
		<-thread.gone
		return nil, err
	}
	return w, nil
}

// open makes what the worker needs, on its thread.
func (w *worker) open(number int) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, w.release())
		}
	}()
	if w.file, err = openFile(w.spec); err != nil {
		return err
	}
	bytes, unit := w.spec.slotBytes(), w.spec.memoryUnit()
	if w.memory, err = mapMemory(bytes*int64(w.spec.QueueDepth) + int64(unit-dataPage)); err != nil {
		return err
	}
	memory := aligned(w.memory, unit)
	w.slots = newSlots(memory, w.spec.QueueDepth, bytes, unit)
	if w.spec.writes() {
		fill(w.slots, w.spec.Data, number*w.spec.QueueDepth*int(bytes/dataPage))
	}
	w.spec.Data = nil
	if w.spec.QueueDepth > 1 {
		w.queue, err = openQueue(w.file, memory, w.spec)
	}
	return err
}

// release gives everything back, on the worker's thread.
func (w *worker) release() error {
	if w.lost > 0 {
		return fmt.Errorf("%s: %d I/Os have not ended; their memory is kept", w.spec.Path, w.lost)
	}
	var errs []error
	if w.queue != nil {
		errs = append(errs, w.queue.close())
	}
	if w.file != nil {
		errs = append(errs, w.file.close())
	}
	if w.memory != nil {
		errs = append(errs, unmapMemory(w.memory))
	}
	w.queue, w.file, w.memory = nil, nil, nil
	return errors.Join(errs...)
}

// run does the worker's part of a round, on its thread.
func (w *worker) run(t *task) {
	t.blockBytes, t.writes, t.flushes = w.spec.BlockBytes, w.spec.writes(), w.spec.flushes()
	t.order, t.slots, t.number = &w.order, w.slots, &w.number
	turn, every := turns()
	t.turn, t.turnEvery = turn, scale(int64(every), 1e9, ticksPerSecond())
	before := threadCPU()
	if w.queue != nil {
		w.lost = t.runQueued(w.queue, w.starts, w.offsets, w.free)
	} else {
		t.runSynchronous(w.file)
	}
	t.cpu = threadCPU() - before
}

// deepQueue is a queue with what is around it.
type deepQueue interface {
	queue
	// registered tells whether the buffers are known to the system beforehand.
	registered() bool
	close() error
}
