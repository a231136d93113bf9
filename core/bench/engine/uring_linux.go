package engine

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel's interface, from its include/uapi/linux/io_uring.h and io_uring_setup(2),
// io_uring_enter(2), io_uring_register(2). The numbers of the calls are the same on every
// architecture that Go runs on.
const (
	sysURingSetup    = 425
	sysURingEnter    = 426
	sysURingRegister = 427

	setupCoopTaskrun  = 1 << 8
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	featureSingleMmap = 1 << 0
	featureNoDrop     = 1 << 1
	featureReadWrite  = 1 << 3

	offsetRings   = 0
	offsetEntries = 0x10000000

	registerBuffers   = 0
	unregisterBuffers = 1
	registerFiles     = 2
	unregisterFiles   = 3
	registerWorkers   = 17
	registerRings     = 20
	unregisterRings   = 21

	enterGetEvents      = 1 << 0
	enterRegisteredRing = 1 << 4

	opReadFixed  = 4
	opWriteFixed = 5
	opRead       = 22
	opWrite      = 23

	flagFixedFile = 1 << 0
)

// submissionOffsets and completionOffsets tell where the parts of the rings lie in their memory.
type submissionOffsets struct {
	head, tail, mask, entries, flags, dropped, array, _ uint32
	_                                                   uint64
}

type completionOffsets struct {
	head, tail, mask, entries, overflow, entriesAt, flags, _ uint32
	_                                                        uint64
}

// ringParameters is struct io_uring_params.
type ringParameters struct {
	submissions, completions, flags, threadCPU, threadIdle, features, workqueue uint32
	_                                                                           [3]uint32
	submission                                                                  submissionOffsets
	completion                                                                  completionOffsets
}

// submissionEntry is struct io_uring_sqe.
type submissionEntry struct {
	operation, flags uint8
	priority         uint16
	descriptor       int32
	offset           uint64
	address          uint64
	length           uint32
	operationFlags   uint32
	userData         uint64
	buffer           uint16
	personality      uint16
	splice           int32
	_                [2]uint64
}

// completionEntry is struct io_uring_cqe.
type completionEntry struct {
	userData uint64
	result   int32
	flags    uint32
}

// ring is an io_uring with one target and one piece of memory, used by one thread.
type ring struct {
	descriptor uintptr
	// entrance and entranceFlag are how io_uring_enter is told the ring: the descriptor, or a
	// number that spares looking it up (Linux 5.18).
	entrance, entranceFlag uintptr
	operation              uint8
	// target tells that the target is registered, so that the kernel does not look it up for
	// every I/O.
	target bool
	// fixed tells that the memory is registered, so that the kernel does not have to pin its
	// pages for every I/O.
	fixed bool

	memory, entryMemory []byte

	submissionTail  *uint32
	submissionMask  uint32
	submissionArray []uint32
	submissions     []submissionEntry

	completionHead, completionTail *uint32
	completionMask                 uint32
	completions                    []completionEntry

	reaped []completion
}

// ringSetups are the ways to set up a ring, best first. With DEFER_TASKRUN the kernel finishes
// I/Os when the thread waits for them instead of interrupting it (Linux 6.1); COOP_TASKRUN does
// without the interrupt alone (5.19).
//
// Random 4 KiB reads at depth 32 took 2.92 µs of processor time with the first, 3.62 µs with the
// second and 3.02 µs with neither on a loop device, whose I/Os end in another thread; and 2.16,
// 2.12 and 2.08 µs on a RAM disk, which does them in the submitting thread.
var ringSetups = []uint32{setupSingleIssuer | setupDeferTaskrun, setupCoopTaskrun, 0}

// openRing sets up a ring for depth I/Os of f in flight, on the thread that will use it.
func openRing(f *file, memory []byte, depth int, write bool) (*ring, error) {
	var parameters ringParameters
	var descriptor uintptr
	errno := syscall.Errno(0)
	for _, flags := range ringSetups {
		parameters = ringParameters{flags: flags}
		descriptor, _, errno = syscall.Syscall(sysURingSetup, uintptr(depth), uintptr(unsafe.Pointer(&parameters)), 0)
		if errno != unix.EINVAL {
			break
		}
	}
	if errno != 0 {
		return nil, fmt.Errorf("io_uring_setup: %w", errno)
	}
	r := &ring{descriptor: descriptor, entrance: descriptor, operation: opRead, reaped: make([]completion, depth)}
	if write {
		r.operation = opWrite
	}
	if err := r.prepare(&parameters, f, memory); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// prepare maps the rings and registers the target and the memory.
func (r *ring) prepare(p *ringParameters, f *file, memory []byte) error {
	if p.features&featureSingleMmap == 0 || p.features&featureNoDrop == 0 {
		return fmt.Errorf("io_uring of this kernel lacks features of Linux 5.5: it has %#x", p.features)
	}
	unix.CloseOnExec(int(r.descriptor))
	size := max(p.submission.array+p.submissions*4, p.completion.entriesAt+p.completions*uint32(unsafe.Sizeof(completionEntry{})))
	var err error
	if r.memory, err = mapRing(r.descriptor, offsetRings, int(size)); err != nil {
		return err
	}
	if r.entryMemory, err = mapRing(r.descriptor, offsetEntries, int(p.submissions)*int(unsafe.Sizeof(submissionEntry{}))); err != nil {
		return err
	}
	at := func(offset uint32) unsafe.Pointer { return unsafe.Pointer(&r.memory[offset]) }
	r.submissionTail = (*uint32)(at(p.submission.tail))
	r.submissionMask = *(*uint32)(at(p.submission.mask))
	r.submissionArray = unsafe.Slice((*uint32)(at(p.submission.array)), p.submissions)
	r.submissions = unsafe.Slice((*submissionEntry)(unsafe.Pointer(&r.entryMemory[0])), p.submissions)
	r.completionHead = (*uint32)(at(p.completion.head))
	r.completionTail = (*uint32)(at(p.completion.tail))
	r.completionMask = *(*uint32)(at(p.completion.mask))
	r.completions = unsafe.Slice((*completionEntry)(at(p.completion.entriesAt)), p.completions)
	if int(p.submissions) < len(r.reaped) {
		return fmt.Errorf("io_uring has room for %d I/Os instead of %d", p.submissions, len(r.reaped))
	}

	files := [1]int32{int32(f.descriptor)}
	if errno := r.register(registerFiles, unsafe.Pointer(&files), 1); errno != 0 {
		return fmt.Errorf("registering the target with io_uring: %w", errno)
	}
	r.target = true
	buffer := unix.Iovec{Base: &memory[0], Len: uint64(len(memory))}
	if errno := r.register(registerBuffers, unsafe.Pointer(&buffer), 1); errno == 0 {
		r.fixed = true
		r.operation -= opRead - opReadFixed
	} else if p.features&featureReadWrite == 0 {
		return fmt.Errorf("registering the buffers with io_uring, which this kernel cannot do without: %w", errno)
	}
	r.freeWorkers()
	update := ringUpdate{offset: anyOffset, data: uint64(r.descriptor)}
	if errno := r.register(registerRings, unsafe.Pointer(&update), 1); errno == 0 {
		r.entrance, r.entranceFlag = uintptr(update.offset), enterRegisteredRing
	}
	return nil
}

// freeWorkers sends the kernel's own threads, which do the I/O of targets that cannot do it
// without waiting, to the other processors of this process. They would take over the binding of
// this thread and then wait for the processor that it keeps busy: random 4 KiB reads of a RAM disk
// at depth 32 came to 200,000 a second that way, and come to 420,000 so. A kernel without this
// call (before Linux 5.14) leaves them where they are.
func (r *ring) freeWorkers() {
	var workers, own unix.CPUSet
	// The process's first thread is bound by nobody here.
	if unix.SchedGetaffinity(unix.Getpid(), &workers) != nil || unix.SchedGetaffinity(0, &own) != nil {
		return
	}
	for i := range workers {
		workers[i] &^= own[i]
	}
	if workers.Count() > 0 {
		_ = r.register(registerWorkers, unsafe.Pointer(&workers), unsafe.Sizeof(workers))
	}
}

// ringUpdate is struct io_uring_rsrc_update; with anyOffset the kernel chooses a free number.
type ringUpdate struct {
	offset, _ uint32
	data      uint64
}

const anyOffset = 1<<32 - 1

func (r *ring) registered() bool { return r.fixed }

func mapRing(descriptor uintptr, offset int64, size int) ([]byte, error) {
	memory, err := unix.Mmap(int(descriptor), offset, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("mapping io_uring's memory: %w", err)
	}
	return memory, nil
}

func (r *ring) register(what uintptr, argument unsafe.Pointer, count uintptr) syscall.Errno {
	_, _, errno := syscall.Syscall6(sysURingRegister, r.descriptor, what, uintptr(argument), count, 0, 0)
	return errno
}

// close gives everything back. No I/O may be in flight. What is registered is given back first:
// the kernel would keep it a little longer than the descriptor, and the target would be in use
// when it is to be unmounted.
func (r *ring) close() error {
	var errs []error
	if r.entranceFlag != 0 {
		update := ringUpdate{offset: uint32(r.entrance)}
		if errno := r.register(unregisterRings, unsafe.Pointer(&update), 1); errno != 0 {
			errs = append(errs, fmt.Errorf("giving back the number of an io_uring: %w", errno))
		}
	}
	for what, registered := range map[uintptr]bool{unregisterFiles: r.target, unregisterBuffers: r.fixed} {
		if !registered {
			continue
		}
		if errno := r.register(what, nil, 0); errno != 0 {
			errs = append(errs, fmt.Errorf("giving back what was registered with io_uring: %w", errno))
		}
	}
	for _, memory := range [][]byte{r.memory, r.entryMemory} {
		if memory != nil {
			errs = append(errs, unix.Munmap(memory))
		}
	}
	return errors.Join(append(errs, unix.Close(int(r.descriptor)))...)
}

//go:norace
//go:nosplit
func (r *ring) now() int64 { return now() }

// submit implements queue. One system call submits the I/O and, when wait is set, waits for one
// that ends.
//
//go:norace
//go:nosplit
func (r *ring) submit(slot int, block []byte, offset int64, wait bool) syscall.Errno {
	tail := *r.submissionTail
	index := tail & r.submissionMask
	r.submissions[index] = submissionEntry{
		operation: r.operation,
		flags:     flagFixedFile,
		offset:    uint64(offset),
		address:   uint64(uintptr(unsafe.Pointer(unsafe.SliceData(block)))),
		length:    uint32(len(block)),
		userData:  uint64(slot),
	}
	r.submissionArray[index] = index
	atomic.StoreUint32(r.submissionTail, tail+1)
	least, flags := uintptr(0), r.entranceFlag
	if wait {
		least, flags = 1, flags|enterGetEvents
	}
	for {
		submitted, _, errno := syscall.RawSyscall6(sysURingEnter, r.entrance, 1, least, flags, 0, 0)
		switch {
		case errno == 0 && submitted == 1:
			return 0
		case errno == 0:
			errno = unix.EIO
		case errno == unix.EINTR:
			continue
		}
		// The kernel did not take it.
		atomic.StoreUint32(r.submissionTail, tail)
		return errno
	}
}

// reap implements queue.
//
//go:norace
//go:nosplit
func (r *ring) reap() (int, syscall.Errno) {
	head := *r.completionHead
	tail := atomic.LoadUint32(r.completionTail)
	for head == tail {
		_, _, errno := syscall.RawSyscall6(sysURingEnter, r.entrance, 0, 1, enterGetEvents|r.entranceFlag, 0, 0)
		if errno != 0 && errno != unix.EINTR {
			return 0, errno
		}
		tail = atomic.LoadUint32(r.completionTail)
	}
	count := 0
	for ; head != tail && count < len(r.reaped); head++ {
		entry := &r.completions[head&r.completionMask]
		ended := completion{slot: int(entry.userData), bytes: int(entry.result)}
		if entry.result < 0 {
			ended.bytes, ended.errno = 0, syscall.Errno(-entry.result)
		}
		r.reaped[count] = ended
		count++
	}
	atomic.StoreUint32(r.completionHead, head)
	return count, 0
}

//go:norace
//go:nosplit
func (r *ring) completed(i int) completion { return r.reaped[i] }
