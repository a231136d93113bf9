package engine

import (
	"fmt"
	"syscall"
)

// The names by which documents call the ways to do I/O.
const (
	apiPread    = "pread/pwrite"
	apiURing    = "io_uring"
	apiReadFile = "ReadFile/WriteFile"
	apiIOCP     = "IOCP"
)

// calls is what a timed section calls: a clock and one I/O after the other. Its methods have no
// stack check and allocate nothing.
type calls interface {
	// now reads the clock, in ticks.
	now() int64
	// transfer reads or writes block at offset and returns how many bytes were moved.
	transfer(block []byte, offset int64) (int, syscall.Errno)
	// flush makes the device store what it has.
	flush() syscall.Errno
}

// queue keeps several I/Os in flight. Its methods have no stack check and allocate nothing.
type queue interface {
	now() int64
	// submit starts the I/O of a slot. When wait is set it may wait for the end of any I/O in the
	// same system call. An I/O that could not be started is not in flight.
	submit(slot int, block []byte, offset int64, wait bool) syscall.Errno
	// reap waits for the end of at least one I/O and returns how many have ended, for completed
	// to tell one by one.
	reap() (int, syscall.Errno)
	// completed is an I/O that ended.
	completed(i int) completion
}

// completion is the end of an I/O.
type completion struct {
	slot  int
	bytes int
	errno syscall.Errno
}

// fault is what ended a round before its limit: the first I/O that failed.
type fault struct {
	what   string
	offset int64
	bytes  int
	errno  syscall.Errno
	set    bool
}

// The calls that can fail.
const (
	faultTransfer = "transfer"
	faultFlush    = "flush"
	faultWait     = "wait"
)

// error puts a fault into words.
func (f fault) error(s Spec) error {
	if !f.set {
		return nil
	}
	verb := "reading"
	if s.writes() {
		verb = "writing"
	}
	switch {
	case f.what == faultFlush:
		return fmt.Errorf("flushing %s after the write at offset %d: %w", s.Path, f.offset, f.errno)
	case f.what == faultWait:
		return fmt.Errorf("waiting for the end of I/O on %s: %w", s.Path, f.errno)
	case f.errno != 0:
		return fmt.Errorf("%s %d bytes at offset %d of %s: %w", verb, s.BlockBytes, f.offset, s.Path, f.errno)
	}
	return fmt.Errorf("%s %d bytes at offset %d of %s: only %d were transferred", verb, s.BlockBytes, f.offset, s.Path, f.bytes)
}
