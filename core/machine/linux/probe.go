package linux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// probed is what the Probe said of one device.
type probed struct {
	encryption contract.Encryption
	facts      ProbeFacts
	problems   []contract.Problem
}

// probe opens a device and lets the Probe read it.
func (m *Machine) probe(ctx context.Context, d *device) (probed, error) {
	file, err := m.open(d)
	if err != nil {
		return probed{}, err
	}
	defer file.Close()
	size := int64(min(d.size, math.MaxInt64))
	reader := &watchedReader{ctx: ctx, device: file, size: size}
	var out probed
	out.encryption, out.facts, out.problems = m.options.Probe(ctx, d.id, reader, size)
	if err := reader.failure(); err != nil {
		problem := m.deviceProblem(machine.StageVolumes, d, err)
		if out.encryption.Format != nil {
			// What was asked for is known all the same: the metadata is kept several times.
			problem.Level = contract.LevelWarning
		}
		if !slices.ContainsFunc(out.problems, func(p contract.Problem) bool { return p.Code == problem.Code }) {
			out.problems = append(out.problems, problem)
		}
	}
	return out, nil
}

// open opens a device unless reading it would wait forever.
func (m *Machine) open(d *device) (blockDevice, error) {
	if d.suspended {
		return nil, errSuspended
	}
	return m.kernel.open(d.nodeName(), d.number)
}

// watchedReader is a device of a known size that remembers the first read that failed, and
// stops when ctx ends.
type watchedReader struct {
	ctx    context.Context
	device io.ReaderAt
	size   int64

	mu    sync.Mutex
	first error
}

// ReadAt implements io.ReaderAt.
func (w *watchedReader) ReadAt(p []byte, offset int64) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	if offset < 0 {
		return 0, fmt.Errorf("reading at the negative offset %d", offset)
	}
	if offset >= w.size {
		return 0, io.EOF
	}
	end := error(nil)
	if int64(len(p)) > w.size-offset {
		p, end = p[:w.size-offset], io.EOF
	}
	n, err := w.device.ReadAt(p, offset)
	switch {
	case n == len(p):
		return n, end
	case err == nil, errors.Is(err, io.EOF):
		err = fmt.Errorf("it ends at byte %d of %d: %w", offset+int64(n), w.size, io.ErrUnexpectedEOF)
	default:
		err = fmt.Errorf("at byte %d: %w", offset, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == nil {
		w.first = err
	}
	return n, err
}

func (w *watchedReader) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first
}

// offsets asks the kernel, and the headers on the devices, where mappings begin. The table of
// an encrypted mapping is never asked for: it holds the key. LUKS says it in its header.
func (m *Machine) offsets() offsets {
	return offsets{
		table: func(d *device) ([]linearTarget, bool) {
			if d.mapping == "" || d.kind == kindCrypt {
				return nil, false
			}
			table, err := m.kernel.linearTable(d.mapping)
			return table, err == nil
		},
		payload: func(d, below *device) (uint64, bool) {
			file, err := m.open(below)
			if err != nil {
				return 0, false
			}
			defer file.Close()
			header, err := readLUKS(file)
			if err != nil || header.payload == nil || !header.belongsTo(d.mappingID) {
				return 0, false
			}
			return *header.payload, true
		},
	}
}
