package journal

import (
	"slices"

	"diskaudit/core/contract"
)

// InForce is what is still in force of what the runs changed, newest first.
//
// For a setting it is the net change: from the state before the first run that changed it to the one that
// the last left; nothing once that is back where it was. Where somebody else changed it in between, it counts
// from what they left. For a volume it is the last change, unless an undo has taken it back. A change of which
// it is not known whether it was made is there with Ended false.
func (h History) InForce() []Done {
	var settings, volumes chains
	for _, change := range h.changes() {
		switch {
		case isSetting[change.Change]:
			settings.set(change)
		case isVolume[change.Change] && !change.found:
			volumes.turn(change)
		}
	}
	return newestFirst(slices.Concat(settings, volumes))
}

var isSetting = map[contract.Change]bool{contract.ChangePrevent: true, contract.ChangeFlushing: true}

var isVolume = map[contract.Change]bool{
	contract.ChangeDecrypt: true, contract.ChangePause: true, contract.ChangeResume: true, contract.ChangeClearAutoUnlock: true,
}

// chain is what the changes of one setting or volume come to.
type chain struct {
	change
	// possible are the states in which the last change left it: two when it is not known whether that was made.
	possible []string
}

type chains []chain

// set goes on with a setting's chain. What an undo has put back is not to be taken back itself.
func (c *chains) set(next change) {
	if next.undo {
		c.undone(next)
		return
	}
	begun := chain{next, possible(next)}
	at := c.find(next.Target)
	if next.found {
		if at >= 0 && (*c)[at].Old == next.New {
			c.drop(at)
		}
		return
	}
	if at < 0 {
		if next.Old != next.New {
			*c = append(*c, begun)
		}
		return
	}
	before := &(*c)[at]
	if slices.Contains(before.possible, next.Old) {
		begun.Old = before.Old
	}
	switch {
	case begun.Old != begun.New:
		*before = begun
	case next.Ended:
		c.drop(at)
	case next.Old != next.New:
		// It may be back: what there is to take back is as before, if it is still there.
		before.New, before.Ended, before.possible = next.Old, false, begun.possible
	}
}

// undone ends a setting's chain, or leaves it open while it is not known whether the undo was made.
func (c *chains) undone(next change) {
	at := c.find(next.Target)
	switch {
	case at < 0:
	case next.Ended:
		c.drop(at)
	default:
		before := &(*c)[at]
		before.New, before.Ended, before.possible = next.Old, false, possible(next)
	}
}

// possible are the states in which a change may have left what it was made to.
func possible(made change) []string {
	if made.Ended {
		return []string{made.New}
	}
	return []string{made.Old, made.New}
}

// turn goes on with a volume's chain.
func (c *chains) turn(next change) {
	at := c.find(next.Target)
	switch {
	case at < 0 && next.undo && next.Ended:
	case at < 0:
		*c = append(*c, chain{change: next})
	case !next.undo:
		(*c)[at] = chain{change: next}
	case next.Ended:
		c.drop(at)
	default:
		(*c)[at].Ended = false
	}
}

func (c *chains) find(target string) int {
	return slices.IndexFunc(*c, func(one chain) bool { return one.Target == target })
}

func (c *chains) drop(at int) { *c = slices.Delete(*c, at, at+1) }

func newestFirst(all chains) []Done {
	slices.SortFunc(all, func(a, b chain) int { return b.order - a.order })
	var done []Done
	for _, one := range all {
		done = append(done, one.Done)
	}
	return done
}
