package engine

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// queueAPI is the name of the calls for several I/Os at a time.
const queueAPI = apiURing

// refusals are the errors with which io_uring is refused, in words. Every error of setting it up
// leads to the fallback; these have an explanation.
var refusals = map[error]string{
	unix.ENOSYS: "this kernel does not have it",
	unix.EPERM:  "the system forbids it to this program: the sysctl kernel.io_uring_disabled or a filter of system calls, as in containers",
	unix.ENOMEM: "it needs more locked memory than the limit RLIMIT_MEMLOCK allows",
}

// openQueue sets up the io_uring of a worker, on its thread.
func openQueue(f *file, memory []byte, s Spec) (deepQueue, error) {
	r, err := setUpRing(f, memory, s.QueueDepth, s.writes())
	if err == nil {
		return r, nil
	}
	for code, text := range refusals {
		if errors.Is(err, code) {
			err = fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil, &unavailableError{err}
}

// setUpRing is openRing but in tests of what happens without io_uring.
var setUpRing = openRing
