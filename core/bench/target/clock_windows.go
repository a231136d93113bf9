package target

import (
	"math/bits"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The performance counter: the clock of Go moves in steps of up to 15.6 ms here.
// Source: https://learn.microsoft.com/windows/win32/sysinfo/acquiring-high-resolution-time-stamps
var (
	kernel32             = windows.NewLazySystemDLL("kernel32.dll")
	performanceCounter   = kernel32.NewProc("QueryPerformanceCounter").Addr
	performanceFrequency = frequency()
)

func frequency() uint64 {
	var f int64
	_, _, _ = syscall.SyscallN(kernel32.NewProc("QueryPerformanceFrequency").Addr(), uintptr(unsafe.Pointer(&f)))
	return uint64(max(f, 1))
}

// now reads the performance counter, in ns. It does not fail on any Windows since XP.
func now() int64 {
	var ticks int64
	_, _, _ = syscall.SyscallN(performanceCounter(), uintptr(unsafe.Pointer(&ticks)))
	high, low := bits.Mul64(uint64(ticks), 1e9)
	if high >= performanceFrequency {
		return 0
	}
	ns, _ := bits.Div64(high, low, performanceFrequency)
	return int64(ns)
}
