package engine

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const clockSource = "QueryPerformanceCounter"

var (
	kernel32                = windows.NewLazySystemDLL("kernel32.dll")
	queryPerformanceCounter = kernel32.NewProc("QueryPerformanceCounter").Addr()
	performanceFrequency    = queryPerformanceFrequency()
)

// now reads the performance counter, which systems since Windows XP always have
// (https://learn.microsoft.com/windows/win32/sysinfo/acquiring-high-resolution-time-stamps).
// Go's own clock moves in steps of 0.5 to 15.6 ms on Windows.
//
// The counter is written to this function's own stack, which cannot move: neither it nor what it
// calls has a stack check. So it allocates nothing.
//
//go:norace
//go:nosplit
func now() int64 {
	var ticks int64
	at := uintptr(unsafe.Pointer(&ticks))
	_, _, _ = syscall.SyscallN(queryPerformanceCounter, at)
	return ticks
}

// queryPerformanceFrequency is fixed when the system starts.
func queryPerformanceFrequency() int64 {
	var frequency int64
	_, _, _ = syscall.SyscallN(kernel32.NewProc("QueryPerformanceFrequency").Addr(), uintptr(unsafe.Pointer(&frequency)))
	return max(frequency, 1)
}

func ticksPerSecond() int64 { return performanceFrequency }
