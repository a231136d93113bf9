package statistics

import (
	"cmp"
	"slices"
)

// exactRanks is the number of values up to which distributions of ranks are computed exactly;
// beyond, they differ from the normal distribution by less than matters.
const exactRanks = 60

// doubledRanks returns twice the rank of each value among all, so that ranks of equal values,
// which share the mean of their places, are whole numbers; and the sizes of the groups of
// equal values.
func doubledRanks(values []float64) (ranks []int, groups []int) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks = make([]int, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = from + 1 + to
		}
		groups = append(groups, to-from)
		from = to
	}
	return ranks, groups
}

// rankSums returns the probability of each sum of k ranks that are drawn at random without
// replacement, equal ranks allowed (the shift algorithm of Streitberg and Röhmel, Exact
// Distributions for Permutation and Rank Tests, Statistical Software Newsletter 12, 1986).
func rankSums(ranks []int, k int) []float64 {
	total := 0
	for _, rank := range ranks {
		total += rank
	}
	ways := make([][]float64, k+1) // by number of ranks drawn, by their sum
	for i := range ways {
		ways[i] = make([]float64, total+1)
	}
	ways[0][0] = 1
	reached := 0
	for i, rank := range ranks {
		for drawn := min(k, i+1); drawn > 0; drawn-- {
			for sum := reached; sum >= 0; sum-- {
				ways[drawn][sum+rank] += ways[drawn-1][sum]
			}
		}
		reached += rank
	}
	all := 0.0
	for _, w := range ways[k] {
		all += w
	}
	for sum := range ways[k] {
		ways[k][sum] /= all
	}
	return ways[k]
}

// pairsBelow returns the probability of each number of pairs, one value of m and one of n, in
// which the second is the smaller, when all values are different and come from one
// distribution: the distribution of Mann and Whitney's U.
func pairsBelow(m, n int) []float64 {
	ranks := make([]int, m+n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	k := min(m, n)
	least := k * (k + 1) / 2
	return rankSums(ranks, k)[least : least+m*n+1]
}

// tieTerm is the sum of t^3 - t over the groups of equal values, by which ties shrink the
// variance of sums of ranks.
func tieTerm(groups []int) float64 {
	sum := 0.0
	for _, t := range groups {
		sum += float64(t) * (float64(t)*float64(t) - 1)
	}
	return sum
}
