package engine

import (
	"errors"
	"fmt"
	"math"
	"time"
	"unsafe"
)

// Limit says when a round ends; 0 is no limit, and the first that is reached counts. I/Os that
// are in flight then are waited for and counted.
//
// A round also ends when memory for the latencies is used up: 64 million I/Os over all threads,
// or as many as the threads can do within Duration if that is less.
type Limit struct {
	// Duration is the time in which I/Os are started.
	Duration time.Duration
	// Ops is the number of I/Os of all threads together; each does its share.
	Ops int64
	// Bytes is not exceeded by the I/Os of all threads together.
	Bytes int64
}

func (l Limit) check(s Spec) error {
	switch {
	case l.Duration < 0 || l.Ops < 0 || l.Bytes < 0:
		return fmt.Errorf("limit of a round: duration %v, %d I/Os, %d bytes: none can be negative", l.Duration, l.Ops, l.Bytes)
	case l == Limit{}:
		return errors.New("limit of a round: there is none; give a duration, a number of I/Os or of bytes")
	case l.Bytes > 0 && l.Bytes < int64(s.BlockBytes):
		return fmt.Errorf("limit of a round: %d bytes are less than a block of %d", l.Bytes, s.BlockBytes)
	}
	return nil
}

const (
	// mostLatencies bounds the memory for latencies: 512 MiB, of which only what is used is
	// really taken from the system.
	mostLatencies = 1 << 26
	// fastestOps and fastestBytes are what one thread can do in a second at most: some times more
	// than the fastest that are known.
	fastestOps   = 4e6
	fastestBytes = 100e9
	// touchedLatencies are touched beforehand, over all threads: 16 MiB.
	touchedLatencies = 1 << 21
)

// opsOf is the most I/Os that each of the workers may do.
func (l Limit) opsOf(s Spec, workers int) []int {
	total := int64(math.MaxInt64)
	if l.Ops > 0 {
		total = l.Ops
	}
	if l.Bytes > 0 {
		total = min(total, l.Bytes/int64(s.BlockBytes))
	}
	most := int64(mostLatencies / workers)
	if l.Duration > 0 {
		perSecond := min(fastestOps, fastestBytes/float64(s.BlockBytes))
		if s.Spacing > 0 {
			perSecond = min(perSecond, 1/s.Spacing.Seconds())
		}
		// A few more: the first I/O starts at 0, and the I/Os in flight are waited for.
		most = int64(min(float64(most), perSecond*l.Duration.Seconds()+float64(s.QueueDepth)+2))
	}
	counts := make([]int, workers)
	for i := range counts {
		counts[i] = int(min(most, share(total, workers, i)))
	}
	return counts
}

// latencyMemory makes memory for as many latencies outside of Go's heap, where large memory is
// filled with zeros first, or takes the old if it is large enough. It touches the beginning of
// each worker's part, so that the system provides it before the round instead of within.
func latencyMemory(old []int64, counts []int) ([]int64, error) {
	total := 0
	for _, count := range counts {
		total += count
	}
	memory := old
	if len(memory) < total {
		if err := freeLatencies(old); err != nil {
			return nil, err
		}
		bytes, err := reserveMemory(int64(total) * latencyBytes)
		if err != nil {
			return nil, err
		}
		memory = unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(bytes))), total)
	}
	const page = dataPage / latencyBytes
	rest := memory
	for _, count := range counts {
		for at := 0; at < min(count, touchedLatencies/len(counts)); at += page {
			rest[at] = 0
		}
		rest = rest[count:]
	}
	return memory, nil
}

const latencyBytes = 8

func freeLatencies(memory []int64) error {
	if len(memory) == 0 {
		return nil
	}
	return unmapMemory(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)*latencyBytes))
}
