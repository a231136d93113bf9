// Command endurance asks this computer again and again in one process, as status does, and prints
// after how many rounds the process holds how many handles and how much memory of its own.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"diskaudit/core/machine"
	computer "diskaudit/core/machine/windows"
)

// held is what the process holds after a number of rounds.
type held struct {
	Rounds, Volumes int
	Handles         int
	PrivateBytes    uintptr
	Goroutines      int
}

func main() {
	if err := endure(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "endurance:", err)
		os.Exit(1) //nolint:forbidigo // This is the program's main.
	}
}

func endure(arguments []string) error {
	const marks = 10
	if len(arguments) != 1 {
		return errors.New("usage: endurance ROUNDS")
	}
	rounds, err := strconv.Atoi(arguments[0])
	if err != nil || rounds < marks {
		return fmt.Errorf("%q is no number of rounds from %d on", arguments[0], marks)
	}
	startThreads()
	for round := 1; round <= rounds; round++ {
		volumes := ask()
		if round%(rounds/marks) != 0 {
			continue
		}
		now, err := look()
		if err != nil {
			return err
		}
		now.Rounds, now.Volumes = round, volumes
		if err := json.NewEncoder(os.Stdout).Encode(now); err != nil {
			return err
		}
	}
	return nil
}

// startThreads starts more threads at once than a collection uses. Go keeps a thread that it has
// started, so one that a busy computer made necessary late would look like a leak.
func startThreads() {
	const threads = 32
	var running, ended sync.WaitGroup
	running.Add(threads)
	for range threads {
		ended.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			running.Done()
			running.Wait()
		})
	}
	ended.Wait()
}

func ask() (volumes int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return len(machine.Collect(ctx, computer.ThisComputer(false), nil).Volumes)
}

// look asks after a garbage collection, so that what nobody holds any more does not count.
func look() (held, error) {
	runtime.GC()
	debug.FreeOSMemory()
	handles, err := handles()
	if err != nil {
		return held{}, err
	}
	memory, err := commitment()
	if err != nil {
		return held{}, err
	}
	return held{Handles: handles, PrivateBytes: memory, Goroutines: runtime.NumGoroutine()}, nil
}

// handle is SYSTEM_HANDLE_TABLE_ENTRY_INFO_EX, of which only the process matters here.
type handle struct {
	_       uintptr
	process uintptr
	_       [3]uint64
}

// handles counts this process's handles in the list of all. Wine has no count of its own behind
// GetProcessHandleCount.
func handles() (int, error) {
	const header = 2 * unsafe.Sizeof(uintptr(0))
	for size := uint32(1 << 20); size <= 1<<26; size *= 2 {
		buffer := make([]byte, size)
		err := windows.NtQuerySystemInformation(windows.SystemExtendedHandleInformation, unsafe.Pointer(&buffer[0]), size, nil)
		if errors.Is(err, windows.STATUS_INFO_LENGTH_MISMATCH) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("listing the handles: %w", err)
		}
		count := *(*uintptr)(unsafe.Pointer(&buffer[0]))
		if uint64(count) > (uint64(size)-uint64(header))/uint64(unsafe.Sizeof(handle{})) {
			return 0, errors.New("listing the handles: the list says that it is longer than it is")
		}
		own := 0
		for _, listed := range unsafe.Slice((*handle)(unsafe.Pointer(&buffer[header])), count) {
			if listed.process == uintptr(windows.GetCurrentProcessId()) {
				own++
			}
		}
		return own, nil
	}
	return 0, errors.New("listing the handles: there are too many")
}

var getProcessMemoryInfo = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// memoryCounters is PROCESS_MEMORY_COUNTERS
// (learn.microsoft.com/windows/win32/api/psapi/ns-psapi-process_memory_counters).
type memoryCounters struct {
	size, pageFaults               uint32
	peakWorkingSet, workingSet     uintptr
	peakPagedPool, pagedPool       uintptr
	peakNonPagedPool, nonPagedPool uintptr
	pagefile, peakPagefile         uintptr
}

// commitment is how much memory the process has to itself
// (learn.microsoft.com/windows/win32/api/psapi/nf-psapi-getprocessmemoryinfo).
func commitment() (uintptr, error) {
	counters := memoryCounters{size: uint32(unsafe.Sizeof(memoryCounters{}))}
	if ok, _, err := getProcessMemoryInfo.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&counters)), uintptr(counters.size)); ok == 0 {
		return 0, fmt.Errorf("asking for the memory in use: %w", err)
	}
	return counters.pagefile, nil
}
