package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
)

// Every block that is read is what the file has at its place, whatever the way and the order.
func TestReadsGiveTheBlocks(t *testing.T) {
	needUnbuffered(t)
	// Divisible by the I/Os in flight of every variant.
	const blocks = 24
	for _, block := range blockSizes(512, 16<<10) {
		path := newFile(t, int64(blocks*block))
		for _, v := range variants {
			for _, pattern := range []contract.AccessPattern{contract.PatternRandom, contract.PatternSequential} {
				t.Run(v.name+" "+string(pattern), func(t *testing.T) {
					spec := v.of(readSpec(path, blocks))
					spec.BlockBytes, spec.Length, spec.Pattern = block, int64(blocks*block), pattern
					checkReads(t, open(t, spec))
				})
			}
		}
	}
}

// blockSizes are those to test with: one page alone with -short.
func blockSizes(others ...int) []int {
	if testing.Short() {
		return []int{testBlock}
	}
	return append(others, testBlock)
}

// checkReads reads the whole stretch twice, as many blocks at a time as are in flight, and looks
// at what lies in the buffers.
func checkReads(t *testing.T, s *Session) {
	t.Helper()
	spec := s.spec
	seen := map[int64]int{}
	for range 2 * spec.blocks() / int64(spec.inFlight()) {
		runRound(t, s, Limit{Ops: int64(spec.inFlight())})
		for _, w := range s.workers {
			for i := range w.slots {
				offset := lastOffset(w, i)
				if !bytes.Equal(w.slots[i].memory[:spec.BlockBytes], content(offset, spec.BlockBytes)) {
					t.Fatalf("not the bytes of offset %d", offset)
				}
				clear(w.slots[i].memory)
				seen[offset]++
			}
		}
	}
	for offset := spec.Offset; offset < spec.Offset+spec.Length; offset += int64(spec.BlockBytes) {
		if seen[offset] != 2 {
			t.Errorf("offset %d was read %d times in two passes", offset, seen[offset])
		}
	}
	if got := s.DistinctBlocks(); got != spec.blocks() {
		t.Errorf("%d distinct blocks, want %d", got, spec.blocks())
	}
}

// lastOffset is where a slot's last I/O was.
func lastOffset(w *worker, slot int) int64 {
	if w.queue != nil {
		return w.offsets[slot]
	}
	o := &w.order
	switch {
	case o.table != nil:
		return o.table[(o.at+len(o.table)-1)%len(o.table)]
	case o.next == o.first:
		return o.end - o.step
	}
	return o.next - o.step
}

// Writes land where they should, with data from the pool and stamps of which no two are equal;
// and nothing else is touched (P5, P6, P48).
func TestWritesLand(t *testing.T) {
	needUnbuffered(t)
	const blocks = 64
	durabilities := map[contract.Durability][]variant{
		contract.DurabilityDeviceCache:  variants,
		contract.DurabilityWriteThrough: variants,
		contract.DurabilityFlush:        variants[:2],
	}
	for _, block := range blockSizes(512, 12<<10) {
		for durability, variants := range durabilities {
			for _, v := range variants {
				t.Run(v.name+" "+string(durability), func(t *testing.T) {
					path := newFile(t, int64((blocks+2)*block))
					spec := v.of(writeSpec(path, blocks))
					spec.BlockBytes, spec.Offset, spec.Length, spec.Durability = block, int64(block), int64(blocks*block), durability
					s := open(t, spec)
					for range 3 {
						runRound(t, s, Limit{Ops: blocks})
					}
					checkWrites(t, spec, path)
				})
			}
		}
	}
}

func checkWrites(t *testing.T, s Spec, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := s.Length + 2*int64(s.BlockBytes); int64(len(data)) != want {
		t.Fatalf("the file has %d bytes, want %d", len(data), want)
	}
	for _, offset := range []int64{0, s.Offset + s.Length} {
		if !bytes.Equal(data[offset:offset+int64(s.BlockBytes)], content(offset, s.BlockBytes)) {
			t.Errorf("the block at %d, outside of the stretch, was written to", offset)
		}
	}
	numbers := map[uint64]bool{}
	for offset := s.Offset; offset < s.Offset+s.Length; offset += int64(s.BlockBytes) {
		block := data[offset : offset+int64(s.BlockBytes)]
		number := binary.LittleEndian.Uint64(block[8:])
		if numbers[number] {
			t.Errorf("two writes have the number %d", number)
		}
		numbers[number] = true
		for at := 0; at < len(block); at += dataPage {
			page := block[at:min(at+dataPage, len(block))]
			if got := binary.LittleEndian.Uint64(page); got != uint64(offset)+uint64(at) {
				t.Fatalf("the page at %d has the stamp of %d, original %v", offset+int64(at), got, bytes.Equal(page, content(offset+int64(at), len(page))))
			}
			if got := binary.LittleEndian.Uint64(page[8:]); got != number {
				t.Errorf("the page at %d has the number %d instead of %d", offset+int64(at), got, number)
			}
			if !bytes.Contains(s.Data, page[16:]) {
				t.Errorf("the page at %d has bytes that are not the pool's", offset+int64(at))
			}
		}
	}
}

// A round ends at its limit and not beyond it.
func TestLimits(t *testing.T) {
	needUnbuffered(t)
	path := newFile(t, 64*testBlock)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			s := open(t, v.of(readSpec(path, 64)))
			for _, ops := range []int64{1, 2, 7, 200} {
				if r := runRound(t, s, Limit{Ops: ops}); r.Ops != ops {
					t.Errorf("%d I/Os, want %d", r.Ops, ops)
				}
			}
			if r := runRound(t, s, Limit{Bytes: 10*testBlock + 5}); r.Bytes != 10*testBlock {
				t.Errorf("%d bytes, want 10 blocks", r.Bytes)
			}
			if r := runRound(t, s, Limit{Ops: 20, Bytes: 5 * testBlock, Duration: time.Hour}); r.Ops != 5 {
				t.Errorf("%d I/Os, want 5", r.Ops)
			}
			r := runRound(t, s, Limit{Duration: 30 * time.Millisecond})
			if r.ElapsedNs < 30e6 || r.Ops < 1 {
				t.Errorf("%d I/Os in %d ns, want some in at least 30 ms", r.Ops, r.ElapsedNs)
			}
			for name, limit := range map[string]Limit{
				"there is none": {}, "negative": {Ops: -1}, "less than a block": {Bytes: testBlock - 1},
			} {
				if _, err := s.Round(context.Background(), limit); err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("%+v: %v, want %q", limit, err, name)
				}
			}
		})
	}
}

// What was measured before the end of the context stays (P34).
func TestContextEnd(t *testing.T) {
	needUnbuffered(t)
	path := newFile(t, 64*testBlock)
	cause := errors.New("interrupted by the test")
	for _, v := range variants {
		for _, spacing := range []time.Duration{0, 150 * time.Millisecond} {
			if spacing > 0 && v.depth > 1 {
				continue
			}
			t.Run(v.name+" "+spacing.String(), func(t *testing.T) {
				spec := v.of(readSpec(path, 64))
				spec.Spacing = spacing
				s := open(t, spec)
				var r Round
				var ctx context.Context
				// As long as it takes a busy computer to begin.
				for delay := 100 * time.Millisecond; r.Ops == 0 && delay < time.Minute; delay *= 2 {
					var cancel context.CancelCauseFunc
					ctx, cancel = context.WithCancelCause(context.Background())
					time.AfterFunc(delay, func() { cancel(cause) })
					var err error
					r, err = s.Round(ctx, Limit{Duration: time.Hour})
					if !errors.Is(err, cause) || !errors.Is(r.Err, cause) {
						t.Fatalf("%v and %v, want the cause", err, r.Err)
					}
				}
				if r.Ops == 0 {
					t.Error("nothing was measured")
				}
				checkRound(t, s, r)
				if _, err := s.Round(ctx, Limit{Ops: 1}); !errors.Is(err, cause) {
					t.Errorf("a round with the same context: %v", err)
				}
				runRound(t, s, Limit{Ops: 8})
			})
		}
	}
}

// I/Os that succeed before one that fails are kept, and the error names what failed.
func TestErrorInTheMiddle(t *testing.T) {
	needUnbuffered(t)
	for _, v := range []variant{{"one at a time", 1, 1}, {"queue", 4, 1}} {
		t.Run(v.name, func(t *testing.T) {
			path := newFile(t, 64*testBlock)
			spec := v.of(readSpec(path, 64))
			spec.Pattern = contract.PatternSequential
			s := open(t, spec)
			if err := os.Truncate(path, 10*testBlock+512); err != nil {
				t.Fatal(err)
			}
			r, err := s.Round(context.Background(), Limit{Ops: 64})
			if err == nil || !strings.Contains(err.Error(), "at offset 4") || !strings.Contains(err.Error(), path) {
				t.Errorf("%v, want one that names an offset from 40960 and the file", err)
			}
			if r.Ops != 10 {
				t.Errorf("%d I/Os were kept, want 10", r.Ops)
			}
			checkRound(t, s, r)
		})
	}
}

// With spacing the I/Os of a thread start an interval apart.
func TestSpacing(t *testing.T) {
	needUnbuffered(t)
	spec := readSpec(newFile(t, 64*testBlock), 64)
	spec.Spacing = 20 * time.Millisecond
	s := open(t, spec)
	r := runRound(t, s, Limit{Ops: 5})
	// From the start of the first to the start of the fifth.
	if r.ElapsedNs < 80e6 {
		t.Errorf("5 I/Os in %d ns, want at least 80 ms", r.ElapsedNs)
	}
	if r := runRound(t, s, Limit{Duration: 50 * time.Millisecond}); r.Ops > 3 {
		t.Errorf("%d I/Os in 50 ms, want 3 at most", r.Ops)
	}
}

// One timed read gives the block and its time; what cannot be read is an error.
func TestPath(t *testing.T) {
	needUnbuffered(t)
	path := newFile(t, 16*testBlock)
	p, err := OpenPath(path, testBlock)
	if err != nil {
		t.Fatal(err)
	}
	for _, offset := range []int64{0, 15 * testBlock, 3 * testBlock} {
		ns, err := p.Read(offset)
		if err != nil || ns < 0 || !bytes.Equal(p.Block(), content(offset, testBlock)) {
			t.Errorf("offset %d: %d ns, %v", offset, ns, err)
		}
	}
	if _, err := p.Read(16 * testBlock); err == nil {
		t.Error("a read behind the end succeeded")
	}
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Read(0); err == nil {
		t.Error("a read after Close succeeded")
	}
	if _, err := OpenPath(path, 1000); err == nil || !strings.Contains(err.Error(), "multiple of 512") {
		t.Errorf("a block of 1000 bytes: %v", err)
	}
}

func TestCloseTwice(t *testing.T) {
	needUnbuffered(t)
	s := open(t, readSpec(newFile(t, 64*testBlock), 64))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Round(context.Background(), Limit{Ops: 1}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a round after Close: %v", err)
	}
}
