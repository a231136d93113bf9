package engine

import (
	"slices"
	"testing"

	"diskaudit/core/contract"
)

// No block comes twice before the stretch is used up, threads share none, and all come (P47).
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		name                        string
		offset, length              int64
		block, threads, each, total int
	}{
		{"one thread", 0, 1000 * 4096, 4096, 1, 1, 1000},
		{"a rest that fills no block", 8192, 1000*4096 + 4095, 4096, 1, 1, 1000},
		{"uneven threads", 1 << 40, 1000 * 512, 512, 7, 1, 1000},
		{"a block for each", 0, 8 << 20, 1 << 20, 8, 1, 8},
		{"threads that stand in for depth", 4096, 100 * 4096, 4096, 3, 5, 100},
	} {
		for _, pattern := range []contract.AccessPattern{contract.PatternRandom, contract.PatternSequential} {
			s := Spec{Pattern: pattern, BlockBytes: c.block, Offset: c.offset, Length: c.length, Seed: 3}
			orders := newOrders(s, c.threads, c.each)
			for pass := range 2 {
				seen := map[int64]int{}
				for i := range orders {
					count := orders[i].size()
					if orders[i].turn != nil {
						// The part is everybody's: take it all when the first of them is asked.
						if i%c.each > 0 {
							continue
						}
					}
					for range count {
						offset := orders[i].take()
						seen[offset]++
						if offset < c.offset || offset+int64(c.block) > c.offset+c.length || (offset-c.offset)%int64(c.block) != 0 {
							t.Fatalf("%s %s: offset %d", c.name, pattern, offset)
						}
					}
				}
				if len(seen) != c.total {
					t.Errorf("%s %s, pass %d: %d different blocks, want %d", c.name, pattern, pass, len(seen), c.total)
				}
				for offset, times := range seen {
					if times != 1 {
						t.Errorf("%s %s, pass %d: offset %d came %d times", c.name, pattern, pass, offset, times)
					}
				}
			}
		}
	}
}

func TestSequentialAscends(t *testing.T) {
	orders := newOrders(Spec{Pattern: contract.PatternSequential, BlockBytes: 4096, Offset: 4096, Length: 5 * 4096}, 2, 1)
	for i, want := range [][]int64{{4096, 8192, 12288, 4096}, {16384, 20480, 16384, 20480}} {
		var got []int64
		for range 4 {
			got = append(got, orders[i].take())
		}
		if !slices.Equal(got, want) {
			t.Errorf("thread %d: %v, want %v", i, got, want)
		}
	}
}

// A stretch of more blocks than a table may have is sampled over its whole length.
func TestSampledOrder(t *testing.T) {
	const blocks, most = 1 << 41, 10000
	s := Spec{BlockBytes: 512, Length: blocks * 512, Seed: 5}
	offsets := randomOffsets(s, most)
	if len(offsets) != most {
		t.Fatalf("%d blocks, want %d", len(offsets), most)
	}
	slices.Sort(offsets)
	for i, offset := range offsets {
		if i > 0 && offset == offsets[i-1] {
			t.Errorf("offset %d came twice", offset)
		}
		// One of each part of the stretch.
		if part := offset / 512 / (blocks / most); part < int64(i)-1 || part > int64(i)+1 {
			t.Fatalf("block %d of the sample lies in part %d", i, part)
		}
	}
}

func TestSeed(t *testing.T) {
	s := Spec{BlockBytes: 4096, Length: 1000 * 4096, Seed: 1}
	first := randomOffsets(s, maxTable)
	if !slices.Equal(first, randomOffsets(s, maxTable)) {
		t.Error("the same seed gave two orders")
	}
	s.Seed = 2
	if slices.Equal(first, randomOffsets(s, maxTable)) {
		t.Error("two seeds gave one order")
	}
	if slices.IsSorted(first) {
		t.Error("the order is not random")
	}
}

func TestDistinctBlocks(t *testing.T) {
	random := newOrders(Spec{BlockBytes: 4096, Length: 10 * 4096}, 2, 1)
	shared := newOrders(Spec{Pattern: contract.PatternSequential, BlockBytes: 4096, Length: 10 * 4096}, 1, 2)
	for _, c := range []struct {
		orders []order
		taken  []int64
		want   int64
	}{
		{random, []int64{0, 0}, 0},
		{random, []int64{3, 100}, 8},
		{shared, []int64{3, 4}, 7},
		{shared, []int64{9, 4}, 10},
	} {
		if got := distinctBlocks([]*order{&c.orders[0], &c.orders[1]}, c.taken); got != c.want {
			t.Errorf("%v: %d, want %d", c.taken, got, c.want)
		}
	}
}
