package audit

import (
	"fmt"
	"math/bits"
	"strings"

	"diskaudit/core/contract"
)

// cacheFlushDisabled finds "Turn off Windows write-cache buffer flushing". Windows then drops
// flushes, which loses data without power protection and makes measurements of writes look good.
// Where this program did it, conversion-speed-up speaks.
func cacheFlushDisabled(_ facts, d contract.Disk) *conclusion {
	cache := d.WriteCache
	if cache.SpeedUpJournal != nil || !yes(cache.PowerProtected) && !yes(cache.StoredPowerProtected) {
		return nil
	}
	c := &conclusion{
		title: say("Windows does not flush the write cache of disk %s", d.ID),
		evidence: evidence(fact("powerProtected", cache.PowerProtected), fact("stored powerProtected", cache.StoredPowerProtected),
			fact("write cache enabled", cache.Enabled), fact("type", cache.Type), fact("model", d.Model)),
	}
	var when phrase
	switch {
	case !yes(cache.PowerProtected):
		c.severity = contract.SeverityNotice
		c.title = say("Windows is set to stop flushing the write cache of disk %s", d.ID)
		when = say("The stored setting takes effect when the disk starts next.")
	case no(cache.StoredPowerProtected):
		when = say("The stored setting is off, so it ends when the disk starts next.")
	}
	c.advice = sentences(
		say("The disk counts as safe against power loss, so Windows drops requests to write the cache to the medium. If power fails, data that programs hold for written can be lost, and file systems and databases can be damaged."),
		when,
		say("Keep it only if the disk or its controller really has power-loss protection."),
		say("Otherwise clear \"%s\" in Device Manager, properties of the disk, Policies; if it was set to speed up an encryption, clear it when the encryption is complete.", "Turn off Windows write-cache buffer flushing"),
		say("Figures for writes that were measured meanwhile are too good."),
	)
	return c
}

// solidStatePage is the smallest unit that solid state disks work in, whatever they report.
const solidStatePage = 4096

// partitionMisaligned finds volumes whose blocks straddle the disk's, as partitions do that were
// made by Windows XP and its tools at sector 63.
func partitionMisaligned(f facts, v contract.Volume) *conclusion {
	var crooked []string
	for _, extent := range v.Extents {
		disk, ok := f.disks[extent.DiskID]
		// A size that is no power of two is no sector's; some bridges make one up.
		if !ok || disk.PhysicalSectorBytes == nil || bits.OnesCount64(*disk.PhysicalSectorBytes) != 1 {
			continue
		}
		unit := *disk.PhysicalSectorBytes
		if unit < solidStatePage && is(disk.Media, contract.MediaSSD) {
			unit = solidStatePage
		}
		if extent.OffsetBytes%unit != 0 {
			crooked = append(crooked, evidence(fmt.Sprintf("disk %s", extent.DiskID), fact("media", disk.Media),
				fmt.Sprintf("offset %d bytes, no multiple of %d", extent.OffsetBytes, unit),
				fact("physical sector", disk.PhysicalSectorBytes)))
		}
	}
	if len(crooked) == 0 {
		return nil
	}
	c := &conclusion{
		title:    say("Volume %s is not aligned to the sectors of its disk", name(v)),
		evidence: strings.Join(crooked, "; "),
		advice: sentences(
			say("A write of one block touches two sectors, which the disk has to read first and write both: small writes are slower, and a solid state disk wears more. Encryption neither causes nor cures it."),
			say("It cannot be mended in place. At the next chance back the volume up, delete and create the partition anew (Windows aligns it to 1 MiB), and restore."),
		),
	}
	if len(v.MountPoints) == 0 && !isType(v, contract.OperatingSystem) {
		c.severity = contract.SeverityInfo
	}
	return c
}

const (
	databaseCluster = 64 << 10
	// databaseVolume is the size from which a data volume of a server is worth the question.
	databaseVolume = 100_000_000_000
)

// smallClusterForDatabase asks a question rather than judging: that a volume holds a database is
// not among the facts.
func smallClusterForDatabase(f facts, v contract.Volume) *conclusion {
	if !f.server() || !isType(v, contract.Data) || !is(v.FileSystem, "NTFS", "ReFS") ||
		v.ClusterBytes == nil || *v.ClusterBytes == 0 || *v.ClusterBytes >= databaseCluster ||
		v.SizeBytes == nil || *v.SizeBytes < databaseVolume {
		return nil
	}
	return &conclusion{
		title: say("Volume %s has clusters of %s bytes: too small if it holds SQL Server databases", name(v), *v.ClusterBytes),
		evidence: evidence(fact("edition", f.status.Machine.Edition), fact("file system", v.FileSystem),
			fact("clusterBytes", v.ClusterBytes), fact("sizeBytes", v.SizeBytes)),
		advice: sentences(
			say("For volumes with data files of SQL Server, Microsoft recommends clusters of 64 KiB, the size of the extents that it reads and writes."),
			say("The size is chosen when formatting (%s), which erases the volume: change it only together with a planned move of the databases.", "Format-Volume -AllocationUnitSize 65536"),
			say("For a volume without databases, nothing follows from this."),
		),
	}
}

// nvmeWarnings are the critical warning bits of the NVM Express Base Specification, SMART /
// Health Information log page.
var nvmeWarnings = []struct {
	bit     uint64
	text    string
	failing bool
}{
	{0x01, "spare blocks below the threshold", true},
	{0x02, "temperature out of range", false},
	{0x04, "reliability degraded by media errors", true},
	{0x08, "medium is read-only", true},
	{0x10, "backup of the volatile memory failed", true},
	{0x20, "persistent memory region read-only or unreliable", true},
}

// diskHealth passes on what the disk says of itself.
func diskHealth(f facts, d contract.Disk) *conclusion {
	h := d.Health
	var failing, worn []string
	if no(h.OK) {
		failing = append(failing, "the disk's own verdict is failing")
	}
	if h.CriticalWarning != nil {
		rest := *h.CriticalWarning
		for _, warning := range nvmeWarnings {
			if rest&warning.bit == 0 {
				continue
			}
			rest &^= warning.bit
			if warning.failing {
				failing = append(failing, "critical warning: "+warning.text)
			} else {
				worn = append(worn, "critical warning: "+warning.text)
			}
		}
		if rest != 0 {
			failing = append(failing, fmt.Sprintf("critical warning 0x%02x", rest))
		}
	}
	if h.AvailableSparePercent != nil && h.SpareThresholdPercent != nil && *h.AvailableSparePercent < *h.SpareThresholdPercent {
		failing = append(failing, fmt.Sprintf("spare %s %%, below the threshold of %s %%", number(*h.AvailableSparePercent), number(*h.SpareThresholdPercent)))
	}
	if h.PercentUsed != nil && *h.PercentUsed >= 100 {
		worn = append(worn, fmt.Sprintf("rated endurance used up: %s %%", number(*h.PercentUsed)))
	}
	if h.MediaErrors != nil && *h.MediaErrors > 0 {
		worn = append(worn, fmt.Sprintf("%d errors that the disk could not correct", *h.MediaErrors))
	}
	all := append(failing, worn...)
	if len(all) == 0 {
		return nil
	}
	look := say("Look closer with %s, and replace the disk if the report stands.", "Get-PhysicalDisk | Get-StorageReliabilityCounter | Format-List")
	if !f.windows() {
		look = say("Look closer with %s of the smartmontools, and replace the disk if the report stands.", "smartctl -a")
	}
	c := &conclusion{
		title:    say("Disk %s reports that it is failing", d.ID),
		evidence: evidence(strings.Join(all, "; "), fact("model", d.Model), fact("temperature", h.TemperatureCelsius), fact("powerOnHours", h.PowerOnHours)),
	}
	if len(failing) == 0 {
		c.severity = contract.SeverityWarning
		c.title = say("Disk %s reports wear, heat or errors", d.ID)
	}
	c.advice = sentences(
		say("Back up its data before anything else."),
		say("Do not start an encryption or a decryption on it: both rewrite the whole volume, and a disk error half-way leaves a volume that is hard to rescue."),
		look,
	)
	return c
}
