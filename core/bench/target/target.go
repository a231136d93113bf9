// Package target makes, proves, locks and removes what a benchmark measures: a new file that is
// really written, or an existing file or a device that is only read. What is measured has to be
// on the disk, all of it, and nothing of it may stay there afterwards.
package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"diskaudit/core/contract"
)

// Request says what is to be measured.
type Request struct {
	// Path is a file that does not exist yet, a folder, on Windows a drive such as C:, an existing
	// file or a device.
	Path string
	// SizeBytes is how much of it the tests are to use. A new file gets this length, rounded down
	// to 1 MiB, when there is time and room for it.
	SizeBytes int64
	// MinBytes is the least that the tests can do with.
	MinBytes int64
	// PrepareFor limits the time to write a new file: then it stays as long as it got, if that is
	// at least MinBytes. 0 is no limit.
	PrepareFor time.Duration
	// Seed makes the file's content.
	Seed uint64
	// Pool is what NewPool made; nil makes one here.
	Pool []byte
	// Writes tells that the tests will write.
	Writes bool
	// BlockBytes is the block of all tests, which has to keep to the target's alignment: found out
	// before a file is written. 0 is tests of several blocks.
	BlockBytes int64
	// Progress is told about every 100 ms how many bytes of the file are written. It is called
	// from the goroutine that called Open; nil is nobody.
	Progress func(done, total int64)
}

// Target is what is measured. It stays locked against a second run until Close.
type Target struct {
	// Path is what to open for I/O. On Linux it can be a path that only this process can open.
	Path string
	// Shown is the path for people: the file's, the device's, or the folder that holds a file
	// without a name.
	Shown string
	Kind  contract.TargetKind
	// SizeBytes is how much of the target the tests may use, from its beginning.
	SizeBytes int64
	// Written counts the bytes that were written to make it.
	Written int64
	// Alignment is the unit in bytes that unbuffered I/O has to keep to, in offset, length and
	// memory.
	Alignment int
	// FileSystem is its name as the system gives it; nil for a device and when unknown.
	FileSystem *string
	// Device is the path of the block device or volume below; "" when unknown.
	Device string
	// Proof is what was looked at before the first timed I/O.
	Proof contract.TargetProof
	// Facts is what else is known about it.
	Facts Facts

	file *os.File
	// remove removes a file that was made, and closes it.
	remove  func() error
	release func() error
	closing sync.Once
	closed  error
}

// Close removes the file that Open made, if it made one, and lets the next run in. It may be
// called more than once; an existing file and a device stay as they were.
func (t *Target) Close() error {
	t.closing.Do(func() {
		var errs []error
		switch {
		case t.remove != nil:
			errs = append(errs, t.remove())
		case t.file != nil:
			errs = append(errs, t.file.Close())
		}
		if t.release != nil {
			errs = append(errs, t.release())
		}
		t.closed = errors.Join(errs...)
	})
	return t.closed
}

// Open makes the target ready: it finds out what Path is, locks the volume against a second run,
// makes and writes the file, and proves that its bytes are on the disk. The error is a *Refusal
// where the user can do something about it. When Open fails or ctx ends, nothing is left behind.
func Open(ctx context.Context, r Request) (*Target, error) {
	return open(ctx, r, choices{})
}

// choices are what tests do differently.
type choices struct {
	// named makes the file under a name even where one without a name is possible.
	named bool
	// wrap replaces what writes the file.
	wrap func(writer) writer
}

func open(ctx context.Context, r Request, c choices) (*Target, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("preparing %s: %w", r.Path, context.Cause(ctx))
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	place, err := find(r.Path)
	if err != nil {
		return nil, err
	}
	if place.kind != contract.TargetFile && r.Writes {
		return nil, refuseWrites(place)
	}
	t := &Target{Kind: place.kind, Shown: place.path}
	ready := false
	// Also when something below panics.
	defer func() {
		if !ready {
			t.Close()
		}
	}()
	if place.kind == contract.TargetFile {
		err = t.make(ctx, r, c, place)
	} else {
		err = t.take(r, place)
	}
	if err == nil {
		err = t.prove(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	ready = true
	return t, nil
}

// chunk is the unit of a new file's length.
const chunk = 1 << 20

// check refuses what no target can satisfy and fills in what may be left out.
func (r *Request) check() error {
	if r.Path == "" {
		return refuse("not-a-target", "no path was given; name a folder, a new file, an existing file or a device")
	}
	if r.SizeBytes < chunk || r.MinBytes < 0 || r.MinBytes > r.SizeBytes {
		return fmt.Errorf("a target of %d bytes, at least %d, was asked for: it takes 1 MiB or more, and not less than its own minimum", r.SizeBytes, r.MinBytes)
	}
	if r.Pool == nil {
		r.Pool = NewPool(r.Seed, defaultPool)
	}
	if len(r.Pool) < chunk || len(r.Pool)%block != 0 {
		return fmt.Errorf("a pool of %d bytes was given: it takes 1 MiB or more, and a multiple of %d", len(r.Pool), block)
	}
	r.SizeBytes -= r.SizeBytes % chunk
	return nil
}

func refuseWrites(p place) error {
	if p.kind == contract.TargetDevice {
		return refuse("is-written-to", "%s is a device, and some of the tests write: that would destroy what is on it, so devices are only ever read. Leave the write tests out, or name a folder on a file system of this device; a file is made there and removed afterwards", p.path)
	}
	return refuse("is-written-to", "%s exists already, and some of the tests write: existing files are only ever read. Leave the write tests out, or name a folder or a file that does not exist; it is made there and removed afterwards", p.path)
}

// take opens an existing file or a device for reading.
func (t *Target) take(r Request, p place) error {
	site, err := survey(p)
	if err != nil {
		return err
	}
	t.settle(site)
	if t.release, err = lock(site, p.at()); err != nil {
		return err
	}
	file, size, err := openExisting(p)
	if err != nil {
		return err
	}
	t.file, t.Path = file, p.path
	if t.Alignment, err = align(file, site, &t.Facts); err != nil {
		return err
	}
	if err := t.checkBlock(r); err != nil {
		return err
	}
	t.Facts.WholeBytes = &size
	usable := min(size, r.SizeBytes)
	t.SizeBytes = usable - usable%int64(t.Alignment)
	if least := max(r.MinBytes, int64(t.Alignment)); t.SizeBytes < least {
		return refuse("too-small", "%s has %s, and the tests need at least %s. Name a larger file, or a folder to have one made", p.path, bytesText(size), bytesText(least))
	}
	return nil
}

// settle takes over what is known about the place.
func (t *Target) settle(s *site) {
	t.FileSystem, t.Device, t.Facts = s.fileSystem, s.device, s.facts
}

// make makes a new file in the first of the place's folders that takes one.
func (t *Target) make(ctx context.Context, r Request, c choices, p place) error {
	var refused error
	for i := range p.folders {
		p.folder = p.folders[i]
		err := t.begin(r, c, p)
		if err == nil {
			return t.fill(ctx, r, c)
		}
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Code != "access-denied" {
			return err
		}
		if refused == nil {
			refused = err
		}
		if t.release != nil {
			if err := t.release(); err != nil {
				return err
			}
			t.release = nil
		}
	}
	return refused
}

// begin makes the empty file, on a volume that has room for it and that no other run measures.
func (t *Target) begin(r Request, c choices, p place) error {
	site, err := survey(p)
	if err != nil {
		return err
	}
	t.settle(site)
	if t.release, err = lock(site, p.at()); err != nil {
		return err
	}
	swept, err := Sweep(p.folder)
	t.Facts.Swept = swept
	if err != nil {
		t.Facts.note(FactSwept, nil, err.Error())
	}
	if t.SizeBytes, err = t.roomFor(r, p.folder); err != nil {
		return err
	}
	made, err := create(p, c)
	if err != nil {
		return err
	}
	t.file, t.Path, t.Shown, t.remove = made.file, made.path, made.shown, made.remove
	if t.Alignment, err = align(t.file, site, &t.Facts); err != nil {
		return err
	}
	return t.checkBlock(r)
}

// checkBlock refuses a block that unbuffered I/O on the target cannot have.
func (t *Target) checkBlock(r Request) error {
	if r.BlockBytes%int64(t.Alignment) == 0 {
		return nil
	}
	return refuse("block-not-aligned", "unbuffered I/O on %s has to be a multiple of %d bytes, and a block of %d is not. Choose such a multiple", t.Shown, t.Alignment, r.BlockBytes)
}

// fill writes the file from its start to its end.
func (t *Target) fill(ctx context.Context, r Request, c choices) error {
	dontTransform(t.file, &t.Facts)
	id, err := identity(t.file)
	if err != nil {
		return err
	}
	name := t.Shown
	if t.Path != t.Shown {
		name = "a test file in " + t.Shown
	}
	p := preparation{
		name: name, size: t.SizeBytes, min: r.MinBytes, limit: r.PrepareFor,
		content: newContent(r.Pool, r.Seed, id), alignment: t.Alignment, progress: r.Progress,
	}
	var w writer = t.file
	if c.wrap != nil {
		w = c.wrap(w)
	}
	t.SizeBytes, t.Written, err = p.run(ctx, w)
	if err != nil {
		return err
	}
	t.Facts.content = p.content
	return nil
}
