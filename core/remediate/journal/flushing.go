package journal

import (
	"slices"

	"diskaudit/core/contract"
)

// The states of the flushing of a disk's write cache, in the words of a plan.
const (
	on  = "on"
	off = "off"
)

// FlushingOff are the disks whose flushing a run has turned off, or may have, and no later step has turned on
// again or found turned on; newest first.
func (h History) FlushingOff() []Done {
	var disks chains
	for _, next := range h.changes() {
		if next.Change != contract.ChangeFlushing {
			continue
		}
		at := slices.IndexFunc(disks, func(one chain) bool { return one.sameDisk(next) })
		switch {
		case next.New == off && !next.found:
			if at >= 0 {
				disks.drop(at)
			}
			disks = append(disks, chain{change: next})
		case next.New == on && next.Ended && at >= 0:
			disks.drop(at)
		}
	}
	return newestFirst(disks)
}

// sameDisk tells whether two changes were made to one disk: by what it is, and by its number only where
// that is all that is known.
func (c change) sameDisk(other change) bool {
	if c.Identity != "" && other.Identity != "" {
		return c.Identity == other.Identity
	}
	return c.Target == other.Target
}
