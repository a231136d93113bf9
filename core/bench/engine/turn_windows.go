package engine

import (
	"runtime"
	"time"
)

// turnEvery is half of what a goroutine may run before the runtime wants its processor slot back.
const turnEvery = 5 * time.Millisecond

// turns tells how often a timed loop has to give the runtime's scheduler a turn, and how. On Windows
// every system call passes the scheduler. To it a loop of calls is one goroutine that has run all
// the time, and after 10 ms its watching thread takes the slot away within each call and looks again
// every 20 microseconds: that costs each call the way back to a slot, and under Wine, where both
// threads wait for one server, half of all I/Os.
//
// The goroutine stays on its thread, which waits for another thread to hand the slot back. At a
// queue depth of 1 that lies between two I/Os; deeper, it adds some microseconds to those in flight
// at that time, one in some hundred of a fast disk.
func turns() (turn func(), every time.Duration) { return runtime.Gosched, turnEvery }
