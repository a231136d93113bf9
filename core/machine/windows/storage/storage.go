// Package storage asks a running Windows for its volumes and disks: where volumes are mounted and
// on which disks they lie, what the disks are, how their write cache is set, how they feel. It
// reads only, and uses documented control codes only.
//
// What interprets the answers takes a System, so that it is tested anywhere; the calls themselves
// are in the files whose names end in _windows.
package storage

import (
	"context"
	"time"

	"diskaudit/core/machine/windows/registry"
)

// questionTimeout is how long one volume or disk may take to answer before it is left behind.
const questionTimeout = 10 * time.Second

// Reader reads volumes and disks.
type Reader struct {
	system   System
	registry registry.Reader
	timeout  time.Duration
	// journals are looked up beside what the disks tell; nil when nobody keeps them.
	journals Journals
}

// New returns a Reader that asks a system and, for the settings of disks, its registry.
func New(system System, reg registry.Reader) *Reader {
	return &Reader{system: system, registry: reg, timeout: questionTimeout}
}

// limit is how long one volume or disk may take. It stays below what ctx leaves, so that one that
// hangs is reported, and the others with it, before the whole run ends.
func (r *Reader) limit(ctx context.Context) time.Duration {
	limit := r.timeout
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)*3/4)
	}
	return limit
}
