package engine

import (
	"cmp"
	"slices"
)

// logicalProcessor is what decides about the order of binding.
type logicalProcessor struct {
	number int
	// core is the same for the processors of one physical core.
	core int
	// speed compares cores: more is faster. It is 0 where nothing is known.
	speed int64
}

// bindingOrder lists the numbers: the first processor of each physical core, fast cores before
// slow ones, then the second of each, and so on. Among equals the lower number comes first.
func bindingOrder(processors []logicalProcessor) []int {
	sorted := slices.SortedFunc(slices.Values(processors), func(a, b logicalProcessor) int { return cmp.Compare(a.number, b.number) })
	rank := map[int]int{}
	seen := map[int]int{}
	for _, p := range sorted {
		rank[p.number] = seen[p.core]
		seen[p.core]++
	}
	slices.SortStableFunc(sorted, func(a, b logicalProcessor) int {
		return cmp.Or(cmp.Compare(rank[a.number], rank[b.number]), cmp.Compare(b.speed, a.speed))
	})
	numbers := make([]int, len(sorted))
	for i, p := range sorted {
		numbers[i] = p.number
	}
	return numbers
}

// Processors lists the logical processors in the order in which threads are bound: one of each
// physical core first, performance cores before efficient ones, then their siblings; only those
// that this process may run on. On Windows a number is 64 times the group plus the number within.
// It is never empty.
func Processors() []int {
	if numbers := bindingOrder(logicalProcessors()); len(numbers) > 0 {
		return numbers
	}
	return []int{0}
}
