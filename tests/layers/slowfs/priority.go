//go:build linux

package main

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// raised is set in the environment once the priority has been asked for.
const raised = "SLOWFS_PRIORITY"

// raise runs this program anew with a real-time priority, where that is allowed: so a delay is as
// long as it should be also while other programs want the processor. All threads inherit it from
// the one that starts them, which only the first thread of a new program can see to (sched(7)).
func raise() {
	if os.Getenv(raised) != "" {
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// The lowest one: higher than every usual program, lower than whatever else is real-time.
	attributes := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
	if unix.SchedSetAttr(0, &attributes, 0) != nil {
		return
	}
	// On failure this process goes on, which is as good but for its older threads.
	unix.Exec("/proc/self/exe", os.Args, append(os.Environ(), raised+"=1")) //nolint:errcheck // See above.
}
