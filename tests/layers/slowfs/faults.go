//go:build linux

package main

import (
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"diskaudit/tests/layers/layer"
)

// request is what the kernel asks for.
type request struct {
	view           layer.View
	operation      layer.Operation
	offset, length int64
}

// fault is a layer.Fault with what has met it so far.
type fault struct {
	layer.Fault
	requests, bytes, met int64
}

// strikes tells whether a request goes wrong, and counts it.
func (f *fault) strikes(r request) bool {
	operation := f.Operation
	if operation == "" {
		operation = layer.Read
	}
	if operation != r.operation || f.View != "" && f.View != r.view {
		return false
	}
	if operation != layer.Flush && (r.offset+r.length <= f.From || f.To > 0 && r.offset >= f.To) {
		return false
	}
	f.requests++
	f.bytes += r.length
	if f.requests <= f.AfterRequests || f.AfterBytes > 0 && f.bytes <= f.AfterBytes || f.Times > 0 && f.met >= f.Times {
		return false
	}
	f.met++
	return true
}

// struck is the fault that a request has met; its zero value is none.
type struck struct{ kind layer.Kind }

// errno returns the error to answer with, after the hang if that is the fault.
func (s struck) errno(book *book) syscall.Errno {
	switch s.kind {
	case layer.IOError:
		return unix.EIO
	case layer.NoSpace:
		return unix.ENOSPC
	case layer.Hang:
		return book.hang()
	}
	return 0
}

// changes makes each changed answer another one.
var changes atomic.Uint64

// spoil returns what a read answers instead of content, which it may change.
func (s struck) spoil(content []byte) []byte {
	switch s.kind {
	case layer.Short:
		return content[:shortened(len(content))]
	case layer.Changing:
		turn := mix(changes.Add(1))
		for i := range content {
			content[i] ^= byte(turn >> (i % 8 * 8))
		}
	}
	return content
}

// shortened is half of a length, in whole sectors of 512.
func shortened(length int) int { return length / 2 / 512 * 512 }
