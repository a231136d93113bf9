package engine

import (
	"math/rand/v2"
	"sync/atomic"

	"diskaudit/core/contract"
)

// maxTable bounds the entries of a random order, over all threads: 32 MiB. A stretch of more
// blocks is sampled: one block from each of so many parts of it.
const maxTable = 1 << 22

// order is the sequence of offsets of one thread. Threads share no blocks.
//
// Random: a permutation made beforehand, so that no block comes twice before the thread's share
// of the stretch is used up; then the same again. Sequential: the thread's own part of the
// stretch from its beginning to its end, then again; the parts lie one after the other, as with
// diskspd's -T and fio's offset_increment. Threads that stand in for the queue depth of one thread
// take turns in its part.
//
// A table is read in order, so that one cache line serves eight I/Os.
type order struct {
	// table lists the offsets of a random order; nil is sequential.
	table []int64
	at    int

	first, next, end, step int64
	// turn is the number of blocks that were taken of a part with several threads; nil is a part
	// with one.
	turn *atomic.Int64

	taken int64
}

// take returns the next offset.
//
//go:nosplit
func (o *order) take() int64 {
	o.taken++
	if o.table != nil {
		offset := o.table[o.at]
		if o.at++; o.at == len(o.table) {
			o.at = 0
		}
		return offset
	}
	if o.turn != nil {
		return o.first + (o.turn.Add(1)-1)*o.step%(o.end-o.first)
	}
	offset := o.next
	if o.next += o.step; o.next == o.end {
		o.next = o.first
	}
	return offset
}

// size is the number of different blocks of the order.
func (o *order) size() int64 {
	if o.table != nil {
		return int64(len(o.table))
	}
	return (o.end - o.first) / o.step
}

// newOrders divides the stretch among so many threads, each of which may be several. There are at
// least as many blocks as threads in all.
func newOrders(s Spec, threads, each int) []order {
	orders := make([]order, threads*each)
	if s.Pattern == contract.PatternSequential {
		first := s.Offset
		for i := range orders {
			if i%each > 0 {
				orders[i] = orders[i-1]
				continue
			}
			length := share(s.blocks(), threads, i/each) * int64(s.BlockBytes)
			orders[i] = order{first: first, next: first, end: first + length, step: int64(s.BlockBytes)}
			if each > 1 {
				orders[i].turn = new(atomic.Int64)
			}
			first += length
		}
		return orders
	}
	table := randomOffsets(s, maxTable)
	total := int64(len(table))
	for i := range orders {
		count := share(total, len(orders), i)
		orders[i].table, table = table[:count:count], table[count:]
	}
	return orders
}

// distinctBlocks is the number of different blocks among those that were taken of the orders;
// taken tells how many of each.
func distinctBlocks(orders []*order, taken []int64) int64 {
	distinct := int64(0)
	turns := map[*atomic.Int64]int64{}
	for i, o := range orders {
		if o.turn == nil {
			distinct += min(taken[i], o.size())
			continue
		}
		before := turns[o.turn]
		turns[o.turn] = min(before+taken[i], o.size())
		distinct += turns[o.turn] - before
	}
	return distinct
}

// randomOffsets lists the offsets of the stretch's blocks in random order, at most most of them.
func randomOffsets(s Spec, most int64) []int64 {
	random := rand.New(rand.NewPCG(s.Seed, 0x6f72646572)) // "order": other streams than the data's
	blocks := s.blocks()
	count := min(blocks, most)
	offsets := make([]int64, count)
	first := int64(0)
	for i := range offsets {
		width := share(blocks, int(count), i)
		offsets[i] = s.Offset + (first+random.Int64N(width))*int64(s.BlockBytes)
		first += width
	}
	random.Shuffle(len(offsets), func(i, j int) { offsets[i], offsets[j] = offsets[j], offsets[i] })
	return offsets
}

// share is the size of part i when total things are divided as evenly as can be.
func share(total int64, parts, i int) int64 {
	size := total / int64(parts)
	if int64(i) < total%int64(parts) {
		size++
	}
	return size
}
