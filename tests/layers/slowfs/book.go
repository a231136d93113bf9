//go:build linux

package main

import (
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"diskaudit/tests/layers/layer"
)

// book keeps the faults and counts what was asked and answered.
type book struct {
	mu       sync.Mutex
	faults   []*fault
	counters map[layer.View]*counters
	// resumed is closed, and replaced, when hangs are to end well; closed when the mount ends.
	resumed, closed chan struct{}
	closing         sync.Once
}

type counters struct {
	layer.Counters
	added, answer []int64
}

// samples is how many times are kept for the medians; later ones only count.
const samples = 1 << 20

func newBook(faults []layer.Fault) *book {
	b := &book{counters: map[layer.View]*counters{}, resumed: make(chan struct{}), closed: make(chan struct{})}
	for _, f := range faults {
		b.faults = append(b.faults, &fault{Fault: f})
	}
	return b
}

func (b *book) of(view layer.View) *counters {
	if b.counters[view] == nil {
		b.counters[view] = &counters{}
	}
	return b.counters[view]
}

// meet counts a request and returns the first fault that it meets.
func (b *book) meet(r request) struck {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.of(r.view)
	switch r.operation {
	case layer.Read:
		c.Reads++
	case layer.Write:
		c.Writes++
	case layer.Flush:
		c.Flushes++
	}
	for _, f := range b.faults {
		if f.strikes(r) {
			c.Faults++
			return struck{f.Kind}
		}
	}
	return struck{}
}

// read counts an answered read, with the delay in it and the whole time, in ns.
func (b *book) read(view layer.View, bytes, added, answer int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.of(view)
	c.ReadBytes += bytes
	if len(c.added) < samples {
		c.added = append(c.added, added)
		c.answer = append(c.answer, answer)
	}
}

// wrote counts an answered write.
func (b *book) wrote(view layer.View, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of(view).WrittenBytes += bytes
}

// written returns the bytes written in all.
func (b *book) written() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := int64(0)
	for _, c := range b.counters {
		sum += c.WrittenBytes
	}
	return sum
}

func (b *book) report() map[layer.View]layer.Counters {
	b.mu.Lock()
	defer b.mu.Unlock()
	result := map[layer.View]layer.Counters{}
	for view, c := range b.counters {
		c.Added, c.Answer = times(c.added), times(c.answer)
		result[view] = c.Counters
	}
	return result
}

func times(ns []int64) layer.Times {
	if len(ns) == 0 {
		return layer.Times{}
	}
	sorted := slices.Sorted(slices.Values(ns))
	return layer.Times{
		Count: int64(len(sorted)), Min: time.Duration(sorted[0]),
		Median: time.Duration(sorted[len(sorted)/2]), Max: time.Duration(sorted[len(sorted)-1]),
	}
}

// hang waits until resume, which answers well, or close, which answers with an error.
func (b *book) hang() syscall.Errno {
	b.mu.Lock()
	resumed := b.resumed
	b.mu.Unlock()
	select {
	case <-resumed:
		return 0
	case <-b.closed:
		return unix.EIO
	}
}

// resume ends the hangs of now; later requests that meet the fault hang again.
func (b *book) resume() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.resumed)
	b.resumed = make(chan struct{})
}

// close ends all hangs for good.
func (b *book) close() { b.closing.Do(func() { close(b.closed) }) }
