package engine

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// queueAPI is the name of the calls for several I/Os at a time.
const queueAPI = apiIOCP

var (
	getQueuedCompletionStatusEx = kernel32.NewProc("GetQueuedCompletionStatusEx").Addr()
)

const (
	// fileSkipSetEventOnHandle saves signalling the handle at each I/O's end
	// (https://learn.microsoft.com/windows/win32/api/winbase/nf-winbase-setfilecompletionnotificationmodes).
	fileSkipSetEventOnHandle = 2
	// batch is how many ends are taken from the port at once, as diskspd does.
	batch = 16
	// infinite is the time to wait for an end.
	infinite = 0xffffffff
)

// entry is OVERLAPPED_ENTRY, the end of an I/O.
type entry struct {
	key         uintptr
	overlapped  *windows.Overlapped
	internal    uintptr
	transferred uint32
}

// portState is what the calls point to; it lies outside of Go's heap and is kept until every I/O
// has ended.
type portState struct {
	entries [batch]entry
	count   uint32
}

// port is an I/O completion port with one target, used by one thread.
type port struct {
	handle      windows.Handle
	file        *file
	memory      []byte
	state       *portState
	overlapped  []windows.Overlapped
	firstOfThem uintptr
}

// openQueue makes the completion port of a worker.
func openQueue(f *file, _ []byte, s Spec) (deepQueue, error) {
	stateBytes := unsafe.Sizeof(portState{})
	memory, err := mapMemory(int64(stateBytes) + int64(s.QueueDepth)*int64(unsafe.Sizeof(windows.Overlapped{})))
	if err != nil {
		return nil, err
	}
	p := &port{file: f, memory: memory, state: (*portState)(unsafe.Pointer(&memory[0]))}
	p.overlapped = unsafe.Slice((*windows.Overlapped)(unsafe.Pointer(&memory[stateBytes])), s.QueueDepth)
	p.firstOfThem = uintptr(unsafe.Pointer(&p.overlapped[0]))
	if p.handle, err = windows.CreateIoCompletionPort(f.handle, 0, 0, 1); err != nil {
		return nil, errors.Join(fmt.Errorf("making a completion port for %s: %w", s.Path, err), unmapMemory(memory))
	}
	// Without it the I/O is the same, only a little slower.
	_ = windows.SetFileCompletionNotificationModes(f.handle, fileSkipSetEventOnHandle)
	return p, nil
}

// registered is false: completion ports have no registered buffers.
func (p *port) registered() bool { return false }

// close gives everything back. No I/O may be in flight.
func (p *port) close() error {
	return errors.Join(windows.CloseHandle(p.handle), unmapMemory(p.memory))
}

//go:norace
//go:nosplit
func (p *port) now() int64 { return now() }

// submit implements queue. It never waits. An I/O that ended at once has its end in the port as
// well.
//
//go:norace
//go:nosplit
func (p *port) submit(slot int, block []byte, offset int64, _ bool) syscall.Errno {
	overlapped := &p.overlapped[slot]
	*overlapped = windows.Overlapped{Offset: uint32(offset), OffsetHigh: uint32(offset >> 32)}
	ok, _, errno := syscall.SyscallN(p.file.call, uintptr(p.file.handle), uintptr(unsafe.Pointer(unsafe.SliceData(block))), uintptr(len(block)),
		0, uintptr(unsafe.Pointer(overlapped)))
	if uint32(ok) == 0 && errno != windows.ERROR_IO_PENDING {
		return orInvalid(errno)
	}
	return 0
}

// reap implements queue.
//
//go:norace
//go:nosplit
func (p *port) reap() (int, syscall.Errno) {
	ok, _, errno := syscall.SyscallN(getQueuedCompletionStatusEx, uintptr(p.handle), uintptr(unsafe.Pointer(&p.state.entries)), batch,
		uintptr(unsafe.Pointer(&p.state.count)), infinite, 0)
	if uint32(ok) == 0 {
		return 0, orInvalid(errno)
	}
	return int(p.state.count), 0
}

// completed implements queue. The status of an I/O is an NTSTATUS in its OVERLAPPED: 0 is
// success.
//
//go:norace
//go:nosplit
func (p *port) completed(i int) completion {
	e := &p.state.entries[i]
	slot := (uintptr(unsafe.Pointer(e.overlapped)) - p.firstOfThem) / unsafe.Sizeof(windows.Overlapped{})
	ended := completion{slot: int(slot), bytes: int(e.transferred)}
	if status := uint32(e.overlapped.Internal); status != 0 {
		ended.bytes, ended.errno = 0, windows.NTStatus(status).Errno()
	}
	return ended
}
