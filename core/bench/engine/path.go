package engine

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
)

// Path is a target that is read block by block, one read at a time, with the same calls as a
// session at queue depth 1. It is for one goroutine; Timed gives it the conditions of a round.
type Path struct {
	spec   Spec
	file   *file
	memory []byte
	block  []byte
}

// OpenPath opens a file or device for unbuffered reads of blockBytes, a multiple of the target's
// alignment.
func OpenPath(path string, blockBytes int) (*Path, error) {
	spec := Spec{Path: path, ReadOnly: true, BlockBytes: blockBytes, QueueDepth: 1, Threads: 1, Length: math.MaxInt64 - math.MaxInt64%minAlignment}.complete()
	if err := spec.check(); err != nil {
		return nil, err
	}
	// Where the target ends does not matter before a read reaches it.
	spec.Length = 0
	file, err := openFile(spec)
	if err != nil {
		return nil, err
	}
	memory, err := mapMemory(spec.slotBytes())
	if err != nil {
		return nil, errors.Join(err, file.close())
	}
	return &Path{spec: spec, file: file, memory: memory, block: memory[:blockBytes]}, nil
}

// Read reads the block at offset and returns how long that took, in ns. A latency of 0 is one
// that the clock cannot tell from 0. It allocates nothing unless it fails.
func (p *Path) Read(offset int64) (ns int64, err error) {
	if p.memory == nil {
		return 0, fmt.Errorf("reading %s: it is closed", p.spec.Path)
	}
	start := p.file.now()
	bytes, errno := p.file.transfer(p.block, offset)
	end := p.file.now()
	if errno != 0 || bytes != len(p.block) {
		return 0, fault{what: faultTransfer, offset: offset, bytes: bytes, errno: errno, set: true}.error(p.spec)
	}
	if end < start {
		return 0, fmt.Errorf("reading %s at offset %d: the clock went backwards by %d ns", p.spec.Path, offset, nanoseconds(start-end))
	}
	return nanoseconds(end - start), nil
}

// Block holds the bytes of the last read, until the next.
func (p *Path) Block() []byte { return p.block }

// Close frees everything. Calling it again does nothing.
func (p *Path) Close() error {
	if p.memory == nil {
		return nil
	}
	err := errors.Join(p.file.close(), unmapMemory(p.memory))
	p.memory, p.block = nil, nil
	return err
}

// Timed runs f on a thread of its own, bound to a processor (or free when it is negative), under
// the conditions of a round: the collector is off and no signals interrupt the thread. All is
// restored at the end. A panic in f is one of the caller's.
func Timed(processor int, f func()) error {
	if err := runtimeState.enter(1); err != nil {
		return err
	}
	defer runtimeState.leave(1)
	thread, err := startThread(processor)
	if err != nil {
		return err
	}
	defer func() {
		thread.end()
		<-thread.gone
	}()
	var panicked any
	thread.do(func() {
		defer func() {
			if panicked = recover(); panicked != nil {
				panicked = fmt.Sprintf("%v\n%s", panicked, debug.Stack())
			}
		}()
		f()
	})
	if panicked != nil {
		panic(panicked)
	}
	return nil
}
