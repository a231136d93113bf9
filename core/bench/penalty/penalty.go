// Package penalty finds out what a layer such as BitLocker or dm-crypt adds to a read on this
// very computer: by reading in turns through the path above the layer and the path below it, or,
// where that is not possible, from two results of the other state.
package penalty

import (
	"context"
	"time"

	"diskaudit/core/bench/allocation"
	"diskaudit/core/contract"
)

// Path reads one block at a time, unbuffered. engine.Path is one.
type Path interface {
	// Read reads the block at offset and returns how long that took, in ns.
	Read(offset int64) (ns int64, err error)
	// Block returns the bytes of the last read, until the next one.
	Block() []byte
}

// Range is a run of bytes of the upper path.
type Range = allocation.Range

// DefaultThresholdPercent is the penalty from which it is called material, in percent of the
// latency without the layer, unless the caller says otherwise.
const DefaultThresholdPercent = 10

// Setup says what to measure and for how long.
type Setup struct {
	// Upper is the path above the layer, Lower the one below it.
	Upper, Lower Path
	// Ranges are the bytes to draw blocks from, as offsets of the upper path: those in use.
	Ranges []Range
	// LowerOffset is where the upper path's first byte lies in the lower path.
	LowerOffset int64
	// Control is a plain region of the same disk that is reached by the same two ways; nil when there
	// is none, and the lower path is compared with itself.
	Control *Region
	// BlockBytes is the size of one read; blocks begin at multiples of it in the upper path.
	BlockBytes int
	// Seed makes the order of blocks and of paths repeatable.
	Seed uint64
	// Budget is the time for everything.
	Budget time.Duration
	// ThresholdPercent is what the verdict will be asked about: measuring ends early once the
	// interval lies on one side of it and is narrow. 0 is DefaultThresholdPercent.
	ThresholdPercent float64
	// Processor is the logical processor to run on, -1 for any.
	Processor int
	// SystemCPU returns the busy time of all processors since some moment, in ns; nil when there
	// is no such clock.
	SystemCPU func() (ns int64, ok bool)
	// Progress, when not nil, is told about four times a second how far measuring is.
	Progress func(done, total time.Duration)
}

// Region is a plain volume: what its two paths differ by is not encryption.
type Region struct {
	Upper, Lower Path
	// Ranges are the bytes in use, as offsets of the upper path.
	Ranges []Range
	// LowerOffset is where the upper path's first byte lies in the lower path.
	LowerOffset int64
}

// Measure compares the two paths by reads at queue depth 1 on one thread. It reads in short
// bursts, one path after the other in random order, because that is how a disk is used: single
// reads in turns make either path slower than it is, each finding the processor's caches full of
// the other's code. No block is read twice through one path. Between the bursts that are compared
// are as many that do the same to a plain region of the disk, which finds what the other layers on
// the way cost, or else compare the lower path with itself; what those find is subtracted.
//
// The result estimates the difference of the typical (median) latency: a burst pair is reduced
// to the median of all differences of its reads (Hodges and Lehmann's shift of two samples), the
// pairs to the median of their pairwise means (their estimate for one sample), and the interval
// comes from resampling stretches of consecutive pairs, so that it holds what changes slowly. It is
// widened by what programs that measure the same differ by: see methodPercent.
//
// Nothing that fails is returned as an error: a result without a valid figure says why in Reason.
// When ctx ends, what was measured until then counts.
func Measure(ctx context.Context, s Setup) contract.Penalty {
	return measure(ctx, s, systemConditions)
}

func measure(ctx context.Context, s Setup, under conditions) contract.Penalty {
	result := contract.Penalty{Evidence: contract.EvidencePaired}
	if s.ThresholdPercent == 0 {
		s.ThresholdPercent = DefaultThresholdPercent
	}
	drawn, reason := check(s)
	if reason != nil {
		result.Reason = reason
		return result
	}
	operation, blockBytes := contract.OperationRead, uint64(s.BlockBytes)
	result.Operation, result.BlockBytes = &operation, &blockBytes

	m := newMeasurement(s, drawn, under)
	// The proof reads on the processor that will measure, so that it leaves a layer's threads where
	// reads from there find them.
	if err := m.timed(s.Processor, func() {
		if result.Proof, reason = m.prove(ctx); reason == nil {
			m.proveControl(ctx)
		}
	}); err != nil {
		reason = unprepared(err)
	}
	if reason == nil {
		reason = contradiction(*result.Proof)
	}
	if reason != nil {
		result.Reason = reason
		if reason.Code == codeInterrupted {
			result.Ended = new(endedInterrupted)
		}
		return result
	}
	ended := m.run(ctx)
	result.Ended = &ended
	if m.fault == nil && ended != endedInterrupted {
		result.CPUNsPerIO = m.processorTime(ctx)
	}
	m.conclude(&result)
	return result
}

// Ways in which measuring ends, as contract.Penalty.Ended has them.
const (
	endedPrecise     = "precise"
	endedTime        = "time"
	endedBlocks      = "blocks"
	endedInterrupted = "interrupted"
)
