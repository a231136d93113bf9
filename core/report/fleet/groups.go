package fleet

import (
	"cmp"
	"maps"
	"slices"
)

const (
	// mostGroups bounds the groups of one kind that a report has: the most frequent. The others are
	// counted together as the rest.
	mostGroups = 200
	// mostKept bounds the groups of one kind while documents are counted, so that the first documents do
	// not decide which the most frequent are.
	mostKept = 5000
	// mostNew bounds the new groups of one kind that one document can make.
	mostNew = 100
)

// groups are the groups of one kind by key.
type groups[K comparable, V any] struct {
	of map[K]*V
	// rest counts what found no place; nil while there is none.
	rest *V
	// merge adds one group's counts to another's.
	merge func(into, from *V)
	// expected tells of keys that have a place whatever comes before them; nil when there are none.
	expected func(K) bool
	// made counts the groups that the document made which is being counted.
	made int
}

func newGroups[K comparable, V any](merge func(into, from *V), expected func(K) bool) *groups[K, V] {
	return &groups[K, V]{of: map[K]*V{}, merge: merge, expected: expected}
}

// next begins with another document.
func (g *groups[K, V]) next() { g.made = 0 }

func (g *groups[K, V]) expects(key K) bool { return g.expected != nil && g.expected(key) }

// get returns the group of a key, new or not, or the rest.
func (g *groups[K, V]) get(key K) *V {
	if group, ok := g.of[key]; ok {
		return group
	}
	if !g.expects(key) {
		if len(g.of) >= mostKept || g.made == mostNew {
			return g.others()
		}
		g.made++
	}
	group := new(V)
	g.of[key] = group
	return group
}

func (g *groups[K, V]) others() *V {
	if g.rest == nil {
		g.rest = new(V)
	}
	return g.rest
}

// cut leaves the groups with the highest number, those that are expected before all others, and adds what
// is left out to the rest.
func (g *groups[K, V]) cut(number func(*V) uint64, order func(a, b K) int) {
	keys := g.sorted(number, order)
	slices.SortStableFunc(keys, func(a, b K) int {
		switch x, y := g.expects(a), g.expects(b); {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	for i, key := range keys {
		if i >= mostGroups {
			g.merge(g.others(), g.of[key])
			delete(g.of, key)
		}
	}
}

// sorted returns the keys, the groups with the highest number first.
func (g *groups[K, V]) sorted(number func(*V) uint64, order func(a, b K) int) []K {
	return slices.SortedFunc(maps.Keys(g.of), func(a, b K) int {
		return cmp.Or(cmp.Compare(number(g.of[b]), number(g.of[a])), order(a, b))
	})
}
