package engine

import (
	"math/bits"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// getThreadGroupAffinity is documented at
// learn.microsoft.com/windows/win32/api/processtopologyapi/nf-processtopologyapi-getthreadgroupaffinity.
var getThreadGroupAffinity = kernel32.NewProc("GetThreadGroupAffinity")

// affinity is that of the calling thread.
func affinity(t *testing.T) groupAffinity {
	t.Helper()
	var is groupAffinity
	if ok, _, err := getThreadGroupAffinity.Call(uintptr(windows.CurrentThread()), uintptr(unsafe.Pointer(&is))); uint32(ok) == 0 {
		t.Errorf("asking for the thread's processors: %v", err)
	}
	return is
}

// After any number of turns the worker's goroutine is on its own thread, which is bound to its one
// processor.
func TestTurnsKeepTheThreadBound(t *testing.T) {
	processor := lastProcessor(t)
	w := boundWorker(t, processor)
	want := groupAffinity{mask: 1 << (processor % groupSize), group: uint16(processor / groupSize)}
	bound := func(when string) {
		if is := affinity(t); bits.OnesCount64(uint64(is.mask)) != 1 || is != want {
			t.Errorf("%s the thread has processors %#x of group %d, want %#x of %d", when, is.mask, is.group, want.mask, want.group)
		}
	}
	w.do(func() {
		bound("before all turns")
		turn, _ := turns()
		for range 300 {
			turn()
			bound("after a turn")
		}
		// What is locked stays on its thread although others want it, also when it waits.
		own := windows.GetCurrentThreadId()
		for range 300 {
			runtime.Gosched()
			<-time.After(time.Microsecond)
			if is := windows.GetCurrentThreadId(); is != own {
				t.Errorf("the goroutine went from thread %d to %d: it is not locked", own, is)
				return
			}
		}
	})
	w.do(func() {
		task := newTask(1 << 20)
		task.duration = scale(int64(time.Second), 1e9, ticksPerSecond())
		begun := time.Now()
		w.run(task)
		// Windows counts processor time in ticks of 15.6 ms as a rule.
		elapsed := time.Since(begun) + 16*time.Millisecond
		if cpu := time.Duration(task.cpu); cpu < 0 || cpu > elapsed {
			t.Errorf("a processor time of %v in %v", cpu, elapsed)
		}
		if task.fault.set || task.done.Load() == 0 {
			t.Errorf("%d I/Os, %v", task.done.Load(), task.fault.error(w.spec))
		}
		bound("after a round")
	})
}

// lastProcessor is one that this process may run on.
func lastProcessor(t *testing.T) int {
	t.Helper()
	processors := logicalProcessors()
	if len(processors) == 0 {
		t.Fatal("no processor is known")
	}
	return processors[len(processors)-1].number
}

// boundWorker reads a file one I/O at a time, bound to a processor, until the test's end.
func boundWorker(t *testing.T, processor int) *worker {
	t.Helper()
	spec := readSpec(newFile(t, 64*testBlock), 64).complete()
	w, err := newWorker(spec, 0, processor, newOrders(spec, 1, 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.do(func() {
			if err := w.release(); err != nil {
				t.Error(err)
			}
		})
		w.end()
		<-w.gone
	})
	return w
}

// A turn allocates nothing: the collector is off in a round, however many turns it has.
func TestTurnAllocatesNothing(t *testing.T) {
	w := boundWorker(t, lastProcessor(t))
	least := ^uint64(0)
	turn, _ := turns()
	// Something else in the process may allocate at the same time: then another try is free of it.
	for range 5 {
		w.do(func() {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 100 {
				turn()
			}
			runtime.ReadMemStats(&after)
			least = min(least, after.Mallocs-before.Mallocs)
		})
	}
	if least != 0 {
		t.Errorf("%d allocations in 100 turns", least)
	}
}
