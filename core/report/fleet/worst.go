package fleet

import (
	"container/heap"
	"slices"
)

// mostWorst bounds the lists of single computers.
const mostWorst = 500

// worst keeps those of many things that come first in an order.
type worst[T any] struct {
	// before tells whether a comes before b.
	before func(a, b T) bool
	kept   []T
}

func (w *worst[T]) add(x T) {
	if len(w.kept) < mostWorst {
		heap.Push(w, x)
		return
	}
	if w.before(x, w.kept[0]) {
		w.kept[0] = x
		heap.Fix(w, 0)
	}
}

// sorted returns what is kept, in order.
func (w *worst[T]) sorted() []T {
	kept := slices.Clone(w.kept)
	slices.SortFunc(kept, func(a, b T) int {
		switch {
		case w.before(a, b):
			return -1
		case w.before(b, a):
			return 1
		}
		return 0
	})
	return kept
}

// Len, Less, Swap, Push and Pop make a heap with the last in the order on top.
func (w *worst[T]) Len() int           { return len(w.kept) }
func (w *worst[T]) Less(i, j int) bool { return w.before(w.kept[j], w.kept[i]) }
func (w *worst[T]) Swap(i, j int)      { w.kept[i], w.kept[j] = w.kept[j], w.kept[i] }
func (w *worst[T]) Push(x any)         { w.kept = append(w.kept, x.(T)) }
func (w *worst[T]) Pop() any {
	last := len(w.kept) - 1
	x := w.kept[last]
	w.kept = w.kept[:last]
	return x
}
