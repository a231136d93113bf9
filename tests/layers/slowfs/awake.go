//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// spinning is the argument by which this program is told to keep a processor awake.
const spinning = "keep-awake"

// keepAwake starts a process for each processor that this one may run on. Each has the lowest
// priority there is, SCHED_IDLE, so that it gives way at once to everything else (sched(7)), and
// ends with this process.
func keepAwake() (stop func(), err error) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return nil, fmt.Errorf("asking for the processors: %w", err)
	}
	var spinners []*exec.Cmd
	stop = func() {
		for _, s := range spinners {
			s.Process.Kill() //nolint:errcheck // It may have ended.
			s.Wait()         //nolint:errcheck // It was killed.
		}
	}
	// The end of the thread that starts a process is what the signal is sent for.
	runtime.LockOSThread()
	for processor := range len(allowed) * 64 {
		if !allowed.IsSet(processor) {
			continue
		}
		spinner := exec.Command("/proc/self/exe", spinning, strconv.Itoa(processor))
		spinner.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := spinner.Start(); err != nil {
			stop()
			return nil, fmt.Errorf("keeping processor %d awake: %w", processor, err)
		}
		spinners = append(spinners, spinner)
	}
	return stop, nil
}

// spinForever keeps one processor awake until the process is killed.
func spinForever(processor string) error {
	number, err := strconv.Atoi(processor)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	var one unix.CPUSet
	one.Set(number)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	if err := unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0); err != nil {
		return err
	}
	// Whoever started it may have been killed before the signal was asked for.
	for os.Getppid() != 1 {
		spin(now() + int64(time.Second))
	}
	return nil
}
