package remediate

import (
	"slices"

	"diskaudit/core/contract"
)

// candidate is a volume that the action is for, as far as its state tells, or may be for.
type candidate struct {
	volume contract.Volume
	// bar is the id of the guard that keeps every step away from it: guardLocked, guardState,
	// guardDamaged or guardCluster; empty for none. Overriding such a guard leaves the volume out; it is
	// never changed.
	bar string
}

// planning is a plan in the making.
type planning struct {
	request    Request
	candidates []candidate
	steps      []contract.PlanStep
	// conflicts are guards that come with a step: what it would take back is no longer as it was left.
	conflicts []contract.Guard
	// problems say what the plan leaves as it is.
	problems []contract.Problem
}

// changed are the volumes that a step changes, in the order of the facts.
func (p *planning) changed() []contract.Volume {
	var changed []contract.Volume
	for _, volume := range p.request.Status.Volumes {
		if slices.ContainsFunc(p.steps, func(step contract.PlanStep) bool {
			return step.Target == volume.ID && step.Change != contract.ChangeWait && step.Change != contract.ChangeVerify
		}) {
			changed = append(changed, volume)
		}
	}
	return changed
}

// disks are the disks below the volumes that a step changes, in the order of the facts, and whether
// it is known for each of those volumes on which disks it lies.
func (p *planning) disks() (below []contract.Disk, known bool) {
	known = true
	wanted := map[string]bool{}
	for _, volume := range p.changed() {
		known = known && len(volume.Extents) > 0
		for _, extent := range volume.Extents {
			wanted[extent.DiskID] = true
		}
	}
	for _, disk := range p.request.Status.Disks {
		if wanted[disk.ID] {
			below = append(below, disk)
			delete(wanted, disk.ID)
		}
	}
	return below, known && len(wanted) == 0
}

// has tells whether the plan has a step of this kind.
func (p *planning) has(change contract.Change) bool {
	return slices.ContainsFunc(p.steps, func(step contract.PlanStep) bool { return step.Change == change })
}

func (p *planning) overridden(guard string) bool {
	return slices.Contains(p.request.Overrides, guard)
}
