package remediate

import (
	"fmt"

	"diskaudit/core/contract"
)

// unplaced are verdicts on the changed volumes of which it is not known on what disks they lie.
func (p *planning) unplaced(risk string) []verdict {
	known := map[string]bool{}
	for _, disk := range p.request.Status.Disks {
		known[disk.ID] = true
	}
	return each(p.changed(), func(volume contract.Volume) verdict {
		missing := ""
		for _, extent := range volume.Extents {
			if !known[extent.DiskID] {
				missing = extent.DiskID
			}
		}
		v := verdict{
			result: contract.GuardUnknown, risk: risk,
			way: "Look at the disk with Get-PhysicalDisk and Get-StorageReliabilityCounter, and make sure that there is a backup.",
		}
		switch {
		case len(volume.Extents) == 0:
			v.fact = fmt.Sprintf("On which disk %s lies is not known.", named(volume))
		case missing != "":
			v.fact = fmt.Sprintf("Nothing is known of the disk %s, on which %s lies.", missing, named(volume))
		default:
			return verdict{}
		}
		return v
	})
}

// judgeHealth: a conversion reads and writes all that is encrypted, which a failing one may not survive.
func (p *planning) judgeHealth() []verdict {
	if !p.converts() {
		return nil
	}
	const risk = "A conversion rewrites the data of a volume; a disk that fails half-way leaves data that is hard to rescue."
	below, _ := p.disks()
	var verdicts []verdict
	for _, disk := range below {
		v := verdict{target: disk.ID, result: contract.GuardAllow, risk: risk, way: "Copy the data to another disk first, and replace this one if its report stands."}
		bad, unknown := ailments(disk)
		switch {
		case len(bad) > 0:
			v.result, v.fact = contract.GuardRefuse, fmt.Sprintf("%s is not healthy: %s.", disk.ID, listed(bad))
		case len(unknown) > 0:
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("Whether %s is healthy is not known: it does not tell %s.", disk.ID, listed(unknown))
			v.way = "Look at it with Get-PhysicalDisk or its maker's tool, and make sure that there is a backup."
		default:
			v.fact = disk.ID + " reports no failure."
		}
		verdicts = append(verdicts, v)
	}
	return append(verdicts, p.unplaced(risk)...)
}

// ailments are what a disk says against itself, and what it should say and does not. An NVMe disk tells
// all in one log page (NVM Express Base Specification, SMART / Health Information); of another, its own
// verdict is all there is.
func ailments(disk contract.Disk) (bad, unknown []string) {
	h := disk.Health
	if h.OK != nil && !*h.OK {
		bad = append(bad, "it warns of its own failure (ok false)")
	}
	if h.CriticalWarning != nil && *h.CriticalWarning != 0 {
		bad = append(bad, fmt.Sprintf("its critical warning is 0x%02x (criticalWarning)", *h.CriticalWarning))
	}
	if h.MediaErrors != nil && *h.MediaErrors > 0 {
		bad = append(bad, fmt.Sprintf("it could not correct %d errors (mediaErrors)", *h.MediaErrors))
	}
	if h.AvailableSparePercent != nil && h.SpareThresholdPercent != nil && *h.AvailableSparePercent < *h.SpareThresholdPercent {
		bad = append(bad, fmt.Sprintf("its spare blocks are at %g %%, below its threshold of %g %% (availableSparePercent)", *h.AvailableSparePercent, *h.SpareThresholdPercent))
	}
	log := disk.NVMe != nil && *disk.NVMe ||
		h.CriticalWarning != nil || h.MediaErrors != nil || h.AvailableSparePercent != nil || h.SpareThresholdPercent != nil
	for _, fact := range []struct {
		name    string
		missing bool
		asked   bool
	}{
		{"its own verdict", h.OK == nil, true},
		{"its critical warning", h.CriticalWarning == nil, log},
		{"its media errors", h.MediaErrors == nil, log},
		{"its spare blocks", h.AvailableSparePercent == nil, log},
		{"the threshold of its spare blocks", h.SpareThresholdPercent == nil, log},
	} {
		if fact.asked && fact.missing {
			unknown = append(unknown, fact.name)
		}
	}
	return bad, unknown
}

// judgeSpeedUp: without flushing, what a hard disk's write cache holds is lost with the power, file
// system and metadata alike. On other disks there is nothing to gain by it.
func (p *planning) judgeSpeedUp() []verdict {
	if !p.request.SpeedUp {
		return nil
	}
	const risk = "Without flushing, a loss of power in the midst of the conversion can cost data that programs hold for written."
	way := "Leave --speed-up-conversion out."
	switched := map[string]bool{}
	for _, step := range p.steps {
		if step.Change == contract.ChangeFlushing {
			switched[step.Target] = true
		}
	}
	below, _ := p.disks()
	for _, disk := range below {
		switched[disk.ID] = true
	}
	var verdicts []verdict
	for _, disk := range p.request.Status.Disks {
		if !switched[disk.ID] {
			continue
		}
		v := speedUp(disk, p.request.Status.Machine.Power)
		v.target, v.risk, v.way = disk.ID, risk, way
		verdicts = append(verdicts, v)
	}
	unplaced := p.unplaced(risk)
	for i := range unplaced {
		unplaced[i].way = way
	}
	return append(verdicts, unplaced...)
}

// speedUp tells whether flushing of a disk's write cache may be turned off: what speaks against it comes
// before what is not known.
func speedUp(disk contract.Disk, power contract.Power) verdict {
	media, cache := disk.Media, disk.WriteCache
	fed := powered(power)
	refuse := func(format string, arguments ...any) verdict {
		return verdict{result: contract.GuardRefuse, fact: "The flushing of " + disk.ID + " must not be turned off: " + fmt.Sprintf(format, arguments...)}
	}
	switch {
	case media != nil && media.Recognized() && *media != contract.MediaHDD && *media != contract.MediaUnspecified:
		return refuse("it is no hard disk, but %s.", media)
	case cache.Type != nil && (*cache.Type == contract.WriteCacheNone || *cache.Type == contract.WriteThrough):
		return refuse("its write cache is of the type %s, which holds nothing back.", cache.Type)
	case cache.Enabled != nil && !*cache.Enabled:
		return refuse("its write cache is off.")
	case fed.result == contract.GuardRefuse:
		return refuse("this computer runs on its battery.")
	}
	unknown := ""
	switch {
	case media == nil || *media != contract.MediaHDD:
		unknown = "what it stores data on is " + worded(media)
	case cache.Type == nil || *cache.Type != contract.WriteBack:
		unknown = "the type of its write cache is " + worded(cache.Type)
	case cache.Enabled == nil:
		unknown = "whether its write cache is on is not known"
	case cache.PowerProtected == nil:
		unknown = "whether it is flushed now is not known"
	case fed.result != contract.GuardAllow:
		unknown = "what feeds this computer is not known"
	}
	if unknown != "" {
		return verdict{result: contract.GuardUnknown, fact: fmt.Sprintf("Whether the flushing of %s may be turned off is not known: %s.", disk.ID, unknown)}
	}
	if *cache.PowerProtected {
		return verdict{result: contract.GuardAllow, fact: disk.ID + " is not flushed anyway, and is left so."}
	}
	return verdict{result: contract.GuardAllow, fact: disk.ID + " is a hard disk with a write cache that is on, and this computer runs on mains power."}
}
