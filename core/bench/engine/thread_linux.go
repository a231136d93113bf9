package engine

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// onMainThread tells whether the calling thread is the first of the process.
func onMainThread() bool { return unix.Gettid() == unix.Getpid() }

// synchronousSignals come from what the thread itself does, and the runtime handles them there.
// 32 to 34 belong to the C library and to the runtime.
var synchronousSignals = []int{
	int(unix.SIGILL), int(unix.SIGTRAP), int(unix.SIGABRT), int(unix.SIGBUS), int(unix.SIGFPE),
	int(unix.SIGSEGV), int(unix.SIGSYS), 32, 33, 34,
}

// isolateThread binds the calling thread and keeps signals away from it: SIGURG, with which the
// runtime interrupts goroutines, and those that other threads can handle.
func isolateThread(processor int) error {
	if processor >= 0 {
		if err := bind(processor); err != nil {
			return err
		}
	}
	var mask unix.Sigset_t
	width := int(8 * unsafe.Sizeof(mask.Val[0]))
	for i := range mask.Val {
		mask.Val[i] = ^mask.Val[i]
	}
	for _, signal := range synchronousSignals {
		mask.Val[(signal-1)/width] &^= 1 << ((signal - 1) % width)
	}
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &mask, nil); err != nil {
		return fmt.Errorf("blocking signals: %w", err)
	}
	return nil
}

// turns is never: the system calls of the timed loops pass the runtime's scheduler by.
func turns() (turn func(), every time.Duration) { return nil, 0 }

// maxProcessors is the most that the kernel can be built for.
const maxProcessors = 8192

// bind binds the calling thread to one processor.
func bind(processor int) error {
	set := unix.NewCPUSet(maxProcessors)
	set.Set(processor)
	if err := unix.SchedSetaffinityDynamic(0, set); err != nil {
		return fmt.Errorf("binding to processor %d: %w", processor, err)
	}
	return nil
}

// allowedProcessors lists the processors that this process may run on, ascending. The calling
// thread must not be a bound one.
func allowedProcessors() ([]int, error) {
	set := unix.NewCPUSet(maxProcessors)
	if err := unix.SchedGetaffinityDynamic(0, set); err != nil {
		return nil, fmt.Errorf("asking on which processors this program may run: %w", err)
	}
	var allowed []int
	for processor := range maxProcessors {
		if set.IsSet(processor) {
			allowed = append(allowed, processor)
		}
	}
	return allowed, nil
}

// sleep suspends the calling thread (clock_nanosleep(2)), a little longer than asked.
func sleep(d time.Duration) {
	left := unix.NsecToTimespec(int64(d))
	// A signal ends it early, and the caller looks at the clock anyway.
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &left, nil)
}

// threadCPU is the processor time of the calling thread in ns. Its granularity is 1 ns: the
// scheduler's own count of the time that the thread ran (CLOCK_THREAD_CPUTIME_ID,
// clock_getres(2)). Kernel threads that work for it, such as those of io_uring, are not in it.
func threadCPU() int64 {
	var time unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &time) != nil {
		return 0
	}
	return time.Nano()
}
