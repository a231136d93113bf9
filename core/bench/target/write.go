package target

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
	"unsafe"
)

// writer is what a file is written through: unbuffered, at aligned offsets.
type writer interface {
	WriteAt(p []byte, offset int64) (int, error)
	// Sync makes what was written survive a loss of power: fsync, FlushFileBuffers.
	Sync() error
}

// preparation writes a file from its start to its end.
type preparation struct {
	name      string
	size, min int64
	limit     time.Duration
	content   *content
	alignment int
	progress  func(done, total int64)
}

const (
	// smallestWrite and largestWrite bound one write: short enough to stop in between on a slow
	// disk, long enough for the full speed of a fast one.
	smallestWrite = chunk
	largestWrite  = 8 * chunk
	quickWrite    = 10 * time.Millisecond
	slowWrite     = 100 * time.Millisecond
	// hardLimit is how many times its limit the writing may take to reach the minimum.
	hardLimit = 3
	// lastMoment is how long an I/O that is under way may take to end when nobody waits any more.
	lastMoment    = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// errTooLong is that a hard limit on time was reached.
var errTooLong = errors.New("took too long")

// run writes the file and flushes it. It returns the length that the tests may use, and how much
// was written in all.
func (p *preparation) run(ctx context.Context, w writer) (length, written int64, err error) {
	var done atomic.Int64
	started := time.Now()
	limit := time.Duration(0)
	if p.limit > 0 {
		limit = hardLimit * p.limit
	}
	tell := func() {
		if p.progress != nil {
			p.progress(done.Load(), p.size)
		}
	}
	type result struct{ length, written int64 }
	out, err := await(ctx, limit, tell, func(ctx context.Context) (result, error) {
		length, written, err := p.write(ctx, w, started, &done)
		return result{length, written}, err
	})
	switch {
	case errors.Is(err, errTooLong):
		return 0, done.Load(), refuse("too-slow", "writing %s: in %v no more than %s were written and confirmed, and the tests need at least %s. Ask for a smaller size or allow more time to prepare, or look whether the disk is busy or failing", p.name, time.Since(started).Round(time.Millisecond), bytesText(done.Load()), bytesText(max(p.min, chunk)))
	case err != nil:
		return 0, done.Load(), explain("writing", p.name, err)
	}
	return out.length, out.written, nil
}

// write does what run waits for.
func (p *preparation) write(ctx context.Context, w writer, started time.Time, done *atomic.Int64) (length, written int64, err error) {
	buffer := aligned(largestWrite, max(p.alignment, block))
	size := int64(smallestWrite)
	for length < p.size {
		if err := ctx.Err(); err != nil {
			return 0, 0, context.Cause(ctx)
		}
		if p.limit > 0 && length >= max(p.min, chunk) && time.Since(started) >= p.limit {
			break
		}
		part := buffer[:min(size, p.size-length)]
		p.content.fill(part, length)
		before := time.Now()
		n, err := w.WriteAt(part, length)
		done.Add(int64(n))
		if err != nil {
			return 0, 0, err
		}
		length += int64(len(part))
		switch took := time.Since(before); {
		case took < quickWrite:
			size = min(size*2, largestWrite)
		case took > slowWrite:
			size = smallestWrite
		}
	}
	last := buffer[:max(block, p.alignment)]
	p.content.trailer(last, length)
	if _, err := w.WriteAt(last, length); err != nil {
		return 0, 0, err
	}
	if err := w.Sync(); err != nil {
		return 0, 0, err
	}
	return length, length + int64(len(last)), nil
}

// await runs f in a goroutine of its own, for I/O that is under way cannot be called back. It
// returns when f does, or soon after ctx ends or the limit is reached; then f goes on until its
// I/O returns and its result is dropped. tell is called now and then meanwhile, and at the end.
func await[T any](ctx context.Context, limit time.Duration, tell func(), f func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value    T
		err      error
		panicked any
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make(chan outcome, 1)
	go func() {
		var out outcome
		defer func() {
			out.panicked = recover()
			results <- out
		}()
		out.value, out.err = f(ctx)
	}()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	var tooLong <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		tooLong = timer.C
	}
	for {
		select {
		case out := <-results:
			if out.panicked != nil {
				// Here the caller's deferred calls still remove the file.
				panic(out.panicked)
			}
			tell()
			return out.value, out.err
		case <-ticker.C:
			tell()
			continue
		case <-tooLong:
			cancel(errTooLong)
		case <-ctx.Done():
		}
		select {
		case <-results:
		case <-time.After(lastMoment):
		}
		var none T
		return none, context.Cause(ctx)
	}
}

// aligned returns memory that begins at a multiple of unit, a power of two. The collector does
// not move what it manages, so it stays there.
func aligned(size, unit int) []byte {
	memory := make([]byte, size+unit)
	skip := int(-uintptr(unsafe.Pointer(&memory[0])) & uintptr(unit-1))
	return memory[skip : skip+size : skip+size]
}
