package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"diskaudit/core/contract"
)

const (
	// sampledBlocks are read back, and repeatedBlocks are read three times each.
	sampledBlocks  = 96
	repeatedBlocks = 50
	// proofLimit ends the sampling on a very slow disk; what was read until then counts.
	proofLimit = 5 * time.Second
	// proofGivesUp is when even one read does not return.
	proofGivesUp = 30 * time.Second
)

// prove looks whether the target's bytes are on the disk, before anything is timed.
func (t *Target) prove(ctx context.Context, r Request) error {
	if t.Kind != contract.TargetDevice {
		t.Proof.AllocatedBytes, t.Proof.Transformed = allocation(t.file, t.SizeBytes, &t.Facts)
	}
	s := &sampler{target: t, unit: max(block, t.Alignment), pool: r.Pool, random: rand.New(rand.NewPCG(r.Seed, 1))}
	seen, err := await(ctx, proofGivesUp, func() {}, s.run)
	switch {
	case errors.Is(err, errTooLong):
		return refuse("too-slow", "%s: a read has not returned within %v. Look whether the disk is busy or failing", t.Shown, proofGivesUp)
	case err != nil:
		return explain("reading back", t.Shown, err)
	}
	t.Proof.SampledBlocks, t.Proof.WrongBlocks = seen.compared, seen.wrong
	t.Proof.RepeatReadNs, t.Proof.MemoryCopyNs = seen.repeat, seen.copy
	if t.Facts.content == nil && seen.read > 0 {
		text := fmt.Sprintf("%d of %d sampled blocks of %d bytes hold only zeros", seen.zeros, seen.read, s.unit)
		zeros := 2*seen.zeros > seen.read
		t.Facts.note(FactZeros, &zeros, text)
	}
	return nil
}

// sampler reads blocks at random, unbuffered.
type sampler struct {
	target *Target
	unit   int
	random *rand.Rand
	// pool is memory to copy from.
	pool []byte
}

// seen is what the sampler saw.
type seen struct {
	read, compared, wrong, zeros uint64
	repeat, copy                 *float64
}

func (s *sampler) run(ctx context.Context) (seen, error) {
	var out seen
	blocks := s.target.SizeBytes / int64(s.unit)
	if blocks == 0 {
		return out, nil
	}
	ends := time.Now().Add(proofLimit)
	got, want := aligned(s.unit, s.unit), make([]byte, s.unit)
	for i := range min(sampledBlocks, blocks) {
		if out.read > 0 && time.Now().After(ends) {
			break
		}
		if err := ctx.Err(); err != nil {
			return out, context.Cause(ctx)
		}
		// One out of each of as many equal stretches.
		first, next := i*blocks/min(sampledBlocks, blocks), (i+1)*blocks/min(sampledBlocks, blocks)
		offset := (first + s.random.Int64N(next-first)) * int64(s.unit)
		if _, err := s.target.file.ReadAt(got, offset); err != nil {
			return out, err
		}
		out.count(got, want, offset, s.target.Facts.content)
	}
	return out, s.repeat(ctx, &out, got, blocks, ends)
}

// count compares a block with what was written, if it was written here, or with zeros.
func (o *seen) count(got, want []byte, offset int64, c *content) {
	o.read++
	if c == nil {
		if bytes.Count(got, []byte{0}) == len(got) {
			o.zeros++
		}
		return
	}
	o.compared++
	c.fill(want, offset)
	if !bytes.Equal(got, want) {
		o.wrong++
	}
}

// repeat reads blocks three times each and keeps the second and third times: what they take if
// something in front of the disk answers. Beside it, what copying as much in memory takes.
func (s *sampler) repeat(ctx context.Context, out *seen, buffer []byte, blocks int64, ends time.Time) error {
	var reads, copies []int64
	for i := range min(repeatedBlocks, blocks) {
		if i > 0 && time.Now().After(ends) {
			break
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		offset := s.random.Int64N(blocks) * int64(s.unit)
		for time := range 3 {
			before := now()
			if _, err := s.target.file.ReadAt(buffer, offset); err != nil {
				return err
			}
			if took := now() - before; time > 0 {
				reads = append(reads, took)
			}
		}
	}
	for range repeatedBlocks {
		copies = append(copies, s.copies(buffer))
	}
	out.repeat, out.copy = median(reads, 1), median(copies, copiesAtOnce)
	return nil
}

// copiesAtOnce is how many copies are timed together: one is shorter than the clock can tell.
const copiesAtOnce = 16

// copies times copying blocks from places of a large memory that no processor cache holds.
func (s *sampler) copies(buffer []byte) int64 {
	var offsets [copiesAtOnce]int
	for i := range offsets {
		offsets[i] = int(s.random.Int64N(int64(len(s.pool)-len(buffer)+block)/block)) * block
	}
	before := now()
	for _, offset := range offsets {
		copy(buffer, s.pool[offset:])
	}
	return now() - before
}

// median returns the median of times of n things each; nil without times.
func median(times []int64, n float64) *float64 {
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	middle := (float64(times[(len(times)-1)/2]) + float64(times[len(times)/2])) / 2 / n
	return &middle
}
