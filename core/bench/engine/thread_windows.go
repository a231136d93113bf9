package engine

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	setThreadGroupAffinity = kernel32.NewProc("SetThreadGroupAffinity")
	getThreadTimes         = kernel32.NewProc("GetThreadTimes")
	createWaitableTimerEx  = kernel32.NewProc("CreateWaitableTimerExW")
	setWaitableTimer       = kernel32.NewProc("SetWaitableTimer")
)

// mainThread is the first thread of the process: package variables are set there.
var mainThread = windows.GetCurrentThreadId()

func onMainThread() bool { return windows.GetCurrentThreadId() == mainThread }

// isolateThread binds the calling thread. Windows has no signals to keep away.
func isolateThread(processor int) error {
	if processor < 0 {
		return nil
	}
	want := groupAffinity{mask: 1 << (processor % groupSize), group: uint16(processor / groupSize)}
	if err := setAffinity(&want); err != nil {
		return fmt.Errorf("binding to processor %d of group %d: %w", processor%groupSize, processor/groupSize, err)
	}
	return nil
}

// setAffinity gives the calling thread its processors. It allocates nothing, since the timed loops
// have it called.
func setAffinity(want *groupAffinity) error {
	ok, _, errno := syscall.SyscallN(setThreadGroupAffinity.Addr(), uintptr(windows.CurrentThread()), uintptr(unsafe.Pointer(want)), 0)
	if uint32(ok) == 0 {
		return errno
	}
	return nil
}

// groupAffinity is GROUP_AFFINITY.
type groupAffinity struct {
	mask  uintptr
	group uint16
	_     [3]uint16
}

// sleep suspends the calling thread with a timer of high resolution, which Windows has since 10
// 1803, or else with Sleep, which may be late by a tick of 15.6 ms.
func sleep(d time.Duration) {
	const highResolution, allAccess = 2, 0x1f0003
	timer, _, _ := createWaitableTimerEx.Call(0, 0, highResolution, allAccess)
	if timer == 0 {
		windows.SleepEx(uint32(d/time.Millisecond), false)
		return
	}
	defer func() { _ = windows.CloseHandle(windows.Handle(timer)) }()
	// Negative is relative, in steps of 100 ns.
	due := -int64(d / 100)
	if ok, _, _ := setWaitableTimer.Call(timer, uintptr(unsafe.Pointer(&due)), 0, 0, 0, 0); uint32(ok) != 0 {
		_, _ = windows.WaitForSingleObject(windows.Handle(timer), windows.INFINITE)
	}
}

// threadCPU is the processor time of the calling thread in ns, user and kernel
// (https://learn.microsoft.com/windows/win32/api/processthreadsapi/nf-processthreadsapi-getthreadtimes).
// Its granularity is the tick of the system, 15.6 ms as a rule. QueryThreadCycleTime is finer, but
// its documentation forbids to turn cycles into time.
func threadCPU() int64 {
	var created, exited, kernel, user windows.Filetime
	ok, _, _ := syscall.SyscallN(getThreadTimes.Addr(), uintptr(windows.CurrentThread()), uintptr(unsafe.Pointer(&created)),
		uintptr(unsafe.Pointer(&exited)), uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user)))
	if uint32(ok) == 0 {
		return 0
	}
	return filetimeNs(kernel) + filetimeNs(user)
}

// filetimeNs is a duration in steps of 100 ns.
func filetimeNs(t windows.Filetime) int64 {
	return (int64(t.HighDateTime)<<32 | int64(t.LowDateTime)) * 100
}
