package engine

import (
	"errors"
	"fmt"
	"time"

	"diskaudit/core/contract"
)

// The largest values that Open takes.
const (
	// MaxQueueDepth is the largest queue depth of a thread.
	MaxQueueDepth = 4096
	// MaxThreads is the largest number of threads.
	MaxThreads = 1024
	// maxInFlight bounds the I/Os in flight over all threads.
	maxInFlight = 16384
	// maxBlockBytes is what io_uring takes as one registered buffer.
	maxBlockBytes = 1 << 30
	// maxBufferBytes bounds the buffers of all threads together.
	maxBufferBytes = 4 << 30
	maxAlignment   = 1 << 20
	minAlignment   = 512
)

// dataPage is the unit in which data to write is stamped and in which Spec.Data is measured.
const dataPage = 4096

// Spec is one test: what is done to which part of which target, and how.
type Spec struct {
	// Path of the file or device.
	Path string
	// ReadOnly forbids writes: Open refuses Operation write.
	ReadOnly bool
	// Operation is the direction. Writes go to ordinary files alone.
	Operation contract.Operation
	// Pattern is the order of the blocks.
	Pattern contract.AccessPattern
	// BlockBytes is the length of one I/O, a multiple of Alignment.
	BlockBytes int
	// QueueDepth is the number of I/Os that each thread keeps in flight, 1 to MaxQueueDepth.
	QueueDepth int
	// Threads is the number of threads, 1 to MaxThreads.
	Threads int
	// Durability says when a write counts as done; "" for reads.
	Durability contract.Durability
	// Offset and Length are the stretch of the target that is used, in bytes. What does not fill
	// a block at its end is left out.
	Offset, Length int64
	// Spacing is the time from the start of one I/O of a thread to the start of its next; 0 is
	// back to back. An I/O that takes longer is followed at once by the next.
	Spacing time.Duration
	// Seed decides the order of the blocks: the same number gives the same order.
	Seed uint64
	// Data is the pool of incompressible bytes that writes are made from; its length is a
	// multiple of 4096. It is copied by Open.
	Data []byte
	// Pin binds the threads to processors, one to each in the order of Processors(). Threads that
	// are more than the processors are left to the scheduler, which can move one when two are in
	// each other's way: 8 threads on 2 processors came to 290,000 reads a second bound, 380,000 not.
	Pin bool
	// Alignment is the unit of unbuffered I/O on the target in bytes, a power of two; 0 is 512.
	Alignment int
}

func (s Spec) writes() bool { return s.Operation == contract.OperationWrite }

func (s Spec) flushes() bool { return s.Durability == contract.DurabilityFlush }

// inFlight is the number of I/Os in flight over all threads.
func (s Spec) inFlight() int { return s.Threads * s.QueueDepth }

// blocks is the number of whole blocks in the stretch.
func (s Spec) blocks() int64 { return s.Length / int64(s.BlockBytes) }

// slotBytes is the memory of one I/O in flight.
func (s Spec) slotBytes() int64 {
	bytes := int64(s.BlockBytes)
	if s.writes() {
		bytes += variationBytes
	}
	unit := int64(s.memoryUnit())
	return (bytes + unit - 1) / unit * unit
}

// memoryUnit is what the memory of an I/O is aligned to.
func (s Spec) memoryUnit() int { return max(dataPage, s.Alignment) }

// complete fills in what a zero value stands for.
func (s Spec) complete() Spec {
	if s.Operation == "" {
		s.Operation = contract.OperationRead
	}
	if s.Pattern == "" {
		s.Pattern = contract.PatternRandom
	}
	if s.Alignment == 0 {
		s.Alignment = minAlignment
	}
	return s
}

// check tells what is wrong with a Spec, naming the option.
func (s Spec) check() error {
	for _, check := range []func(Spec) error{checkNames, checkDurability, checkSizes, checkStretch, checkData} {
		if err := check(s); err != nil {
			return err
		}
	}
	return nil
}

func checkNames(s Spec) error {
	switch {
	case s.Path == "":
		return errors.New("path: there is none")
	case s.Operation != contract.OperationRead && s.Operation != contract.OperationWrite:
		return fmt.Errorf("operation %q: it is read or write", s.Operation)
	case s.Pattern != contract.PatternRandom && s.Pattern != contract.PatternSequential:
		return fmt.Errorf("pattern %q: it is random or sequential", s.Pattern)
	case s.ReadOnly && s.writes():
		return fmt.Errorf("operation write: %s is only read; give a folder in which a new file can be made instead", s.Path)
	}
	return nil
}

func checkDurability(s Spec) error {
	switch s.Durability {
	case "":
		if s.writes() {
			return errors.New("durability: writes need one of device-cache, write-through, flush")
		}
	case contract.DurabilityDeviceCache, contract.DurabilityWriteThrough, contract.DurabilityFlush:
		if !s.writes() {
			return fmt.Errorf("durability %s: it says when a write counts as done, and this test reads", s.Durability)
		}
	default:
		return fmt.Errorf("durability %q: it is device-cache, write-through or flush", s.Durability)
	}
	if s.flushes() && s.QueueDepth != 1 {
		return fmt.Errorf("queue depth %d: with durability flush it is 1, for a flush covers all writes in flight", s.QueueDepth)
	}
	return nil
}

func checkSizes(s Spec) error {
	switch {
	case s.Alignment < minAlignment || s.Alignment > maxAlignment || s.Alignment&(s.Alignment-1) != 0:
		return fmt.Errorf("alignment %d: it is a power of two from %d to %d", s.Alignment, minAlignment, maxAlignment)
	case s.BlockBytes <= 0 || s.BlockBytes > maxBlockBytes:
		return fmt.Errorf("block size %d: it is from %d to %d bytes", s.BlockBytes, s.Alignment, maxBlockBytes)
	case s.BlockBytes%s.Alignment != 0:
		return fmt.Errorf("block size %d: unbuffered I/O on %s needs a multiple of %d bytes", s.BlockBytes, s.Path, s.Alignment)
	case s.QueueDepth < 1 || s.QueueDepth > MaxQueueDepth:
		return fmt.Errorf("queue depth %d: it is from 1 to %d", s.QueueDepth, MaxQueueDepth)
	case s.Threads < 1 || s.Threads > MaxThreads:
		return fmt.Errorf("threads %d: there can be 1 to %d", s.Threads, MaxThreads)
	case s.inFlight() > maxInFlight:
		return fmt.Errorf("threads %d, queue depth %d: together they may keep %d I/Os in flight", s.Threads, s.QueueDepth, maxInFlight)
	case int64(s.inFlight())*s.slotBytes() > maxBufferBytes:
		return fmt.Errorf("block size %d, threads %d, queue depth %d: their buffers would take more than %d bytes of memory; lower one of them",
			s.BlockBytes, s.Threads, s.QueueDepth, int64(maxBufferBytes))
	case s.Spacing < 0:
		return fmt.Errorf("spacing %v: it cannot be negative", s.Spacing)
	case s.Spacing > 0 && s.QueueDepth != 1:
		return fmt.Errorf("queue depth %d: with spacing it is 1", s.QueueDepth)
	}
	return nil
}

func checkStretch(s Spec) error {
	switch {
	case s.Offset < 0 || s.Offset%int64(s.Alignment) != 0:
		return fmt.Errorf("offset %d: unbuffered I/O on %s needs a multiple of %d bytes", s.Offset, s.Path, s.Alignment)
	case s.Length <= 0 || s.Offset+s.Length < s.Offset:
		return fmt.Errorf("length %d: the stretch has to have some bytes and to end below 2^63", s.Length)
	case s.blocks() < int64(s.inFlight()):
		return fmt.Errorf("length %d: it holds %d blocks of %d bytes, fewer than the %d that are in flight at once; take a larger stretch or smaller blocks",
			s.Length, s.blocks(), s.BlockBytes, s.inFlight())
	}
	return nil
}

func checkData(s Spec) error {
	if s.writes() && (len(s.Data) == 0 || len(s.Data)%dataPage != 0) {
		return fmt.Errorf("data: writes need a pool of bytes whose length is a multiple of %d; it has %d", dataPage, len(s.Data))
	}
	return nil
}

// checkEnd makes sure that the stretch lies within a target of size bytes.
func checkEnd(s Spec, size int64) error {
	if s.Offset+s.Length > size {
		return fmt.Errorf("offset %d, length %d: %s ends at byte %d", s.Offset, s.Length, s.Path, size)
	}
	return nil
}
