package engine

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	getSystemTimes      = kernel32.NewProc("GetSystemTimes")
	activeProcessorsOf  = kernel32.NewProc("GetActiveProcessorCount")
	activeGroups        = kernel32.NewProc("GetActiveProcessorGroupCount")
	ntdll               = windows.NewLazySystemDLL("ntdll.dll")
	querySystemInGroup  = ntdll.NewProc("NtQuerySystemInformationEx")
	systemTickNs        = int64(15625000)
	processorTimesClass = uintptr(8) // SystemProcessorPerformanceInformation
)

// readSystemTimes reads the processors' times, which move by the tick of the system. GetSystemTimes
// knows the calling thread's processor group alone, so that with several groups each is asked.
func readSystemTimes() systemTimes {
	groups, _, _ := activeGroups.Call()
	busy, ok := int64(0), false
	if groups > 1 {
		busy, ok = busyOfGroups(int(groups))
	} else {
		busy, ok = busyOfSystem()
	}
	if !ok {
		return systemTimes{}
	}
	return systemTimes{atNs: nanoseconds(now()), busyNs: busy, granularityNs: systemTickNs}
}

// busyOfSystem is kernel time, which contains the idle time, plus user time less idle time
// (https://learn.microsoft.com/windows/win32/api/processthreadsapi/nf-processthreadsapi-getsystemtimes).
func busyOfSystem() (int64, bool) {
	var idle, kernel, user windows.Filetime
	ok, _, _ := getSystemTimes.Call(uintptr(unsafe.Pointer(&idle)), uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user)))
	return filetimeNs(kernel) + filetimeNs(user) - filetimeNs(idle), uint32(ok) != 0
}

// processorTimes is SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION, in steps of 100 ns
// (https://learn.microsoft.com/windows/win32/api/winternl/nf-winternl-ntquerysysteminformation).
type processorTimes struct {
	idle, kernel, user, dpc, interrupt int64
	interrupts                         uint32
	_                                  uint32
}

func busyOfGroups(groups int) (int64, bool) {
	if querySystemInGroup.Find() != nil {
		return 0, false
	}
	busy := int64(0)
	for group := range groups {
		count, _, _ := activeProcessorsOf.Call(uintptr(group))
		if count == 0 || count > groupSize {
			return 0, false
		}
		times := make([]processorTimes, count)
		number := uint16(group)
		returned := uint32(0)
		status, _, _ := syscall.SyscallN(querySystemInGroup.Addr(), processorTimesClass, uintptr(unsafe.Pointer(&number)), unsafe.Sizeof(number),
			uintptr(unsafe.Pointer(&times[0])), count*unsafe.Sizeof(times[0]), uintptr(unsafe.Pointer(&returned)))
		if uint32(status) != 0 {
			return 0, false
		}
		for _, t := range times {
			busy += (t.kernel + t.user - t.idle) * 100
		}
	}
	return busy, true
}
