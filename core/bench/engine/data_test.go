package engine

import (
	"testing"
	"unsafe"
)

// Memory of every I/O is aligned as the target asks, wherever the window of a write lies (P63).
func TestBuffersAreAligned(t *testing.T) {
	needUnbuffered(t)
	for _, unit := range []int{512, 4096, 64 << 10} {
		for _, base := range []Spec{readSpec("", 64), writeSpec("", 64)} {
			spec := base
			spec.Path = newFile(t, 1<<20)
			spec.BlockBytes, spec.Alignment, spec.Length, spec.QueueDepth = max(unit, 16<<10), unit, 1<<20, 3
			slots := open(t, spec).workers[0].slots
			for i := range slots {
				slot := &slots[i]
				for range 40 {
					block := slot.memory[:spec.BlockBytes]
					if spec.writes() {
						block = slot.prepare(spec.BlockBytes, 0, 1)
					}
					if at := uintptr(unsafe.Pointer(unsafe.SliceData(block))); at%uintptr(max(unit, 4096)) != 0 {
						t.Fatalf("%s in units of %d: a block at %#x", spec.Operation, unit, at)
					}
				}
			}
		}
	}
}

// The bytes of successive writes differ, and not by their stamps alone.
func TestWritesDiffer(t *testing.T) {
	pool := newPool(64)
	slots := newSlots(make([]byte, 2*(testBlock+variationBytes)), 2, testBlock+variationBytes, dataPage)
	fill(slots, pool, 61)
	seen := map[string]bool{}
	for i := range 16 {
		for s := range slots {
			bytes := string(slots[s].prepare(testBlock, 0, uint64(2*i+s))[16:])
			if seen[bytes] {
				t.Errorf("write %d of slot %d has the bytes of an earlier one", i, s)
			}
			seen[bytes] = true
		}
	}
}
