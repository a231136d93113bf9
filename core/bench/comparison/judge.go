package comparison

import (
	"slices"

	"diskaudit/core/contract"
)

// falseAlarms is the chance that a run in which nothing changed is said to have changed in one
// direction.
const falseAlarms = 0.05

// judge decides all figures of the run together.
func (c *comparer) judge() {
	var slower, faster []float64
	for _, f := range c.pending {
		if f.shift != nil {
			slower, faster = append(slower, f.oneSided(true)), append(faster, f.oneSided(false))
		}
	}
	limitSlower, limitFaster := largestRejected(slower, falseAlarms), largestRejected(faster, falseAlarms)
	withRounds, heldBack := 0, 0
	for _, f := range c.pending {
		if f.shift == nil {
			f.Result = f.withoutRounds()
		} else {
			withRounds++
			f.Result = f.fromShift(c.out.ThresholdPercent)
			if f.Result == contract.ChangeSlower && f.oneSided(true) > limitSlower ||
				f.Result == contract.ChangeFaster && f.oneSided(false) > limitFaster {
				f.Result = contract.ChangeUndecided
				heldBack++
			}
		}
		c.out.Regression = c.out.Regression || f.Result == contract.ChangeSlower
		c.out.Tests = append(c.out.Tests, f.TestComparison)
	}
	if heldBack > 0 {
		c.note("many-figures", "%d of %d figures changed by more than the threshold, but so few changes are to be expected by chance among so many (Benjamini-Hochberg, 5 %%); they are undecided. Measure these tests alone.", heldBack, withRounds)
	}
	if few := len(c.pending) - withRounds; few > 0 && c.baseline.Document != nil {
		c.note("without-rounds", "%d figures have fewer than 4 rounds on a side, too few to tell chance by: a change of up to %d %% is undecided. Measure at least 6 rounds.", few, BandWithoutRounds)
	}
}

// oneSided is the probability by chance of a shift as far as this in one direction.
func (f *figure) oneSided(slower bool) float64 {
	if (f.shift.Estimate > 0) == (f.moreIsSlower == slower) {
		return f.p / 2
	}
	return 1 - f.p/2
}

// fromShift decides a figure with rounds by itself: the change shown and the rounds' shift exceed
// the threshold on the same side, chance is below 5 %, and the interval excludes 0.
func (f *figure) fromShift(threshold float64) contract.ChangeResult {
	const chance = 0.05
	if f.shift.Low >= -threshold && f.shift.High <= threshold {
		return contract.ChangeSame
	}
	if f.p >= chance {
		return contract.ChangeUndecided
	}
	switch {
	case f.shift.Low > 0 && f.shift.Estimate > threshold && f.ChangePercent > threshold:
		return f.more()
	case f.shift.High < 0 && f.shift.Estimate < -threshold && f.ChangePercent < -threshold:
		return f.less()
	}
	return contract.ChangeUndecided
}

// withoutRounds decides a figure by the band, and by the rounds of the one side that may have
// some. It is never "same": nothing tells how far the other side varies.
func (f *figure) withoutRounds() contract.ChangeResult {
	switch {
	case !f.apart:
		return contract.ChangeUndecided
	case f.ChangePercent > f.band:
		return f.more()
	case f.ChangePercent < -f.band:
		return f.less()
	}
	return contract.ChangeUndecided
}

func (f *figure) more() contract.ChangeResult {
	if f.moreIsSlower {
		return contract.ChangeSlower
	}
	return contract.ChangeFaster
}

func (f *figure) less() contract.ChangeResult {
	if f.moreIsSlower {
		return contract.ChangeFaster
	}
	return contract.ChangeSlower
}

// largestRejected is the step-up method of Benjamini and Hochberg: the largest probability that
// still counts when at most a part alpha of what counts may be chance; 0 when none does.
func largestRejected(p []float64, alpha float64) float64 {
	sorted := slices.Sorted(slices.Values(p))
	for i := len(sorted) - 1; i >= 0; i-- {
		if sorted[i] <= alpha*float64(i+1)/float64(len(sorted)) {
			return sorted[i]
		}
	}
	return 0
}
