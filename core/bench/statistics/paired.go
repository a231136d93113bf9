package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

const (
	// leastBlocks is the number of blocks below which their scatter says too little.
	leastBlocks = 12
	// mostBlocks bounds the number of blocks: fewer and longer ones depend less on each other,
	// and more would hardly narrow the interval.
	mostBlocks = 20
	// resamples is how often the blocks are drawn anew.
	resamples = 2000
)

// PairedShift estimates by how much one of two paired measurements lies above the other, from
// their differences in the order of time, in the unit of those: the median of the means of every
// two differences, in both orders and each with itself (Hodges and Lehmann, Estimates of Location
// Based on Rank Tests, Annals of Mathematical Statistics 34, 1963). For skewed differences this
// lies between their median and their mean.
//
// Neighbouring pairs share the disk's and the computer's state, so the scatter is taken from
// blocks of at least blockLength consecutive pairs: long enough when pairs that far apart have
// little to do with each other. The 95 % interval consists, as Wilcoxon's does, of the means whose
// rank is so far from the middle as chance can take it; how far that is, is bootstrapped over
// the blocks: see halfWidth. More than 20 blocks are joined to 20 longer ones.
//
// The interval holds from 12 blocks on; below it returns false, as when a difference is not a
// number or when the blocks disagree so much that no interval follows from them. Differences that
// are equal because a clock is coarse can give an interval narrower than the clock's step.
// The same seed gives the same interval.
func PairedShift(differences []float64, blockLength int, seed uint64) (Interval, bool) {
	n := len(differences)
	if blockLength < 1 || n/blockLength < leastBlocks || !finite(differences) {
		return Interval{}, false
	}
	halves := make([]float64, n) // whose sums are the means, and cannot overflow
	for i, d := range differences {
		halves[i] = d / 2
	}
	sorted := slices.Sorted(slices.Values(halves))
	means := pairwise{sorted, sorted}
	estimate := means.median()
	blocks := imbalances(halves, sorted, estimate, min(n/blockLength, mostBlocks))
	pairs := means.pairs()
	away := math.Ceil(float64(pairs) * halfWidth(blocks, seed))
	if !(away < float64(pairs)/2) {
		return Interval{}, false
	}
	return Interval{
		Low:        means.ranked((pairs+1)/2 - int64(away)),
		Estimate:   estimate,
		High:       means.ranked(pairs/2 + 1 + int64(away)),
		Confidence: Confidence,
	}, true
}

// imbalances returns, for each of so many blocks, the part of the means above center less the
// part below, among the means that a value of the block has a part in.
func imbalances(halves, sorted []float64, center float64, count int) []float64 {
	n := len(halves)
	blocks := make([]float64, count)
	for b := range blocks {
		block := halves[bound(b, count, n):bound(b+1, count, n)]
		sum := 0.0
		for _, h := range block {
			below := sort.Search(n, func(i int) bool { return h+sorted[i] >= center })
			above := n - below - sort.Search(n-below, func(i int) bool { return h+sorted[below+i] > center })
			sum += float64(above-below) / float64(n)
		}
		blocks[b] = sum / float64(len(block))
	}
	return blocks
}

// halfWidth returns how far from one half the part of the means that lie below the true shift
// can be, with probability Confidence.
//
// That part is, but for terms that vanish, the mean of the blocks' imbalances (Hoeffding, A Class
// of Statistics with Asymptotically Normal Distribution, Annals of Mathematical Statistics 19,
// 1948). Its distribution is bootstrapped studentized and symmetric, which holds for few
// blocks where percentiles do not (Hall, On Symmetric Bootstrap Confidence Intervals, Journal of
// the Royal Statistical Society B 50, 1988), on the estimating function instead of the estimate
// (Hu and Kalbfleisch, The Estimating Function Bootstrap, Canadian Journal of Statistics 28,
// 2000), over blocks (Carlstein, The Use of Subseries Values for Estimating the Variance of a
// General Statistic from a Stationary Sequence, Annals of Statistics 14, 1986). What neighbouring
// blocks still have in common is added to the variance (at one lag, as in Newey and West, A
// Simple, Positive Semi-Definite, Heteroskedasticity and Autocorrelation Consistent Covariance
// Matrix, Econometrica 55, 1987, with full weight); where they seem opposed nothing is taken off.
func halfWidth(blocks []float64, seed uint64) float64 {
	n := float64(len(blocks))
	center := 0.0
	for _, b := range blocks {
		center += b / n
	}
	deviations := make([]float64, len(blocks))
	squares, neighbours := 0.0, 0.0
	for i, b := range blocks {
		deviations[i] = b - center
		squares += deviations[i] * deviations[i]
		if i > 0 {
			neighbours += deviations[i] * deviations[i-1]
		}
	}
	if squares == 0 {
		return 0
	}
	spread := math.Sqrt(squares + 2*max(neighbours, 0))
	return studentized(deviations, seed) * spread / n
}

// studentized returns the value that the ratio of the sum of resampled deviations to the root of
// their summed squares, either sign, exceeds with no more than 1 - Confidence.
func studentized(deviations []float64, seed uint64) float64 {
	random := rand.New(rand.NewPCG(seed, uint64(len(deviations))))
	ratios := make([]float64, resamples)
	for r := range ratios {
		sum, squares := 0.0, 0.0
		for range deviations {
			d := deviations[random.IntN(len(deviations))]
			sum += d
			squares += d * d
		}
		around := squares - sum*sum/float64(len(deviations))
		ratios[r] = math.Abs(sum) / math.Sqrt(max(around, math.SmallestNonzeroFloat64))
	}
	slices.Sort(ratios)
	return ratios[int(math.Ceil(Confidence*resamples))-1]
}
