package engine

import _ "unsafe" // for go:linkname

const clockSource = "CLOCK_MONOTONIC"

// now reads CLOCK_MONOTONIC in ns, through the vDSO and so without a system call.
//
// It is what time.Since reads, too. It is called by its own name because it has no stack check:
// the scheduler asks a goroutine to yield every 10 ms, and a goroutine answers at its next stack
// check, which would be the one of time.Since, between the end of an I/O and the reading of the
// clock. The runtime promises to keep the name and the type (https://go.dev/issue/67401).
//
//go:linkname now runtime.nanotime
//go:noescape
func now() int64

func ticksPerSecond() int64 { return 1e9 }
