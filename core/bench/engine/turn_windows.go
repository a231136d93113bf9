package engine

import (
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// turnEvery is half of what a goroutine may run before the runtime wants its processor slot back.
const turnEvery = 5 * time.Millisecond

// turns tells how often a timed loop has to give the runtime's scheduler a turn. On Windows every
// system call passes the scheduler. To it a loop of calls is one goroutine that has run all the
// time, and after 10 ms its watching thread takes the slot away within each call and looks again
// every 20 microseconds: that costs each call the way back to a slot, and under Wine, where both
// threads wait for one server, half of all I/Os.
func (w *worker) turns() (turn func(), every time.Duration) {
	free := unbound(max(w.processor, 0))
	return func() { w.turn(&free) }, turnEvery
}

// turn gives the scheduler a turn. With its thread unlocked the goroutine goes on at once, as a
// rule on the same thread; locked, it would wait for another thread and back, with I/Os in flight.
// The thread's binding goes with the goroutine, and so does the count of its processor time.
func (w *worker) turn(free *groupAffinity) {
	w.cpu += threadCPU() - w.cpuRead
	if w.processor >= 0 {
		_ = setAffinity(free)
	}
	runtime.UnlockOSThread()
	runtime.Gosched()
	runtime.LockOSThread()
	// It worked before on a thread like this one; where it does not, the thread is a free one.
	_ = isolateThread(w.processor)
	w.cpuRead = threadCPU()
}

// unbound is the affinity of a thread that nothing was set for: the processors of this process in
// the processor's group. A process with threads in several groups has no mask of its own
// (learn.microsoft.com/windows/win32/api/winbase/nf-winbase-getprocessaffinitymask); its threads
// may use all of the group.
func unbound(processor int) groupAffinity {
	var own, all uintptr
	_, _, _ = getProcessAffinityMask.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&own)), uintptr(unsafe.Pointer(&all)))
	if own == 0 {
		count, _, _ := activeProcessorsOf.Call(uintptr(processor / groupSize))
		own = ^uintptr(0) >> (groupSize - min(uint32(count), groupSize))
	}
	return groupAffinity{mask: own, group: uint16(processor / groupSize)}
}
