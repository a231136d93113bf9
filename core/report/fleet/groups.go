package fleet

import (
	"cmp"
	"maps"
	"slices"
)

// mostGroups bounds the groups of one kind. What comes after is counted together as the rest.
const mostGroups = 200

// groups are the groups of one kind by key.
type groups[K comparable, V any] struct {
	of map[K]*V
	// rest counts what found no place; nil while there is none.
	rest *V
}

func newGroups[K comparable, V any]() *groups[K, V] {
	return &groups[K, V]{of: map[K]*V{}}
}

// get returns the group of a key, new or not, or the rest.
func (g *groups[K, V]) get(key K) *V {
	if group, ok := g.of[key]; ok {
		return group
	}
	if len(g.of) == mostGroups {
		if g.rest == nil {
			g.rest = new(V)
		}
		return g.rest
	}
	group := new(V)
	g.of[key] = group
	return group
}

// sorted returns the keys, the groups with the highest number first.
func (g *groups[K, V]) sorted(number func(*V) uint64, order func(a, b K) int) []K {
	return slices.SortedFunc(maps.Keys(g.of), func(a, b K) int {
		return cmp.Or(cmp.Compare(number(g.of[b]), number(g.of[a])), order(a, b))
	})
}
