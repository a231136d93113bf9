package validity

import (
	"fmt"

	"diskaudit/core/contract"
)

func fact(fact Fact, text string) string {
	if !fact.Known || !fact.True {
		return ""
	}
	return fmt.Sprintf(text, fact.Evidence)
}

// Cases P1, P26: holes are answered by the file system, not by the disk.
func targetSparse(e Evidence) string {
	return fact(e.Facts.Sparse, "Parts of the target are holes (%s): reading them does not reach the disk. Measure a file that is really written: name a folder, and a new file is made.")
}

// Cases P3, P4, P27: what was never written may be answered without touching the medium.
func targetUnwritten(e Evidence) string {
	return fact(e.Facts.Unwritten, "Parts of the target were never written (%s): the file system or the disk answers without looking. Name a folder, and a new file is really written.")
}

// Case P49.
func targetCompressed(e Evidence) string {
	if e.inMemory() {
		return ""
	}
	return fact(e.Facts.Compressed, "The file system compresses the target (%s): other bytes are moved than are counted. Measure in a folder without compression.")
}

func targetEncrypted(e Evidence) string {
	return fact(e.Facts.Encrypted, "The file system itself encrypts the target (%s), so its cost would be taken for the disk's. Measure in a folder that is not encrypted by the file system.")
}

func targetContentWrong(e Evidence) string {
	proof := e.Target.Proof
	if proof == nil || proof.WrongBlocks == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d blocks that were read back are not what was written: nothing that this target returns can be relied on. Check the disk.", proof.WrongBlocks, proof.SampledBlocks)
}

// floorNs is below what any path to a disk takes, and above a call that copies a page from a cache:
// 0.5 to 0.7 us for 4 KiB.
const floorNs = 1000

// Cases P31, P44, P72: the second reading of a block takes as long as copying it in memory.
func cached(e Evidence) string {
	if e.inMemory() {
		return ""
	}
	if text := fact(e.Facts.Cached, "A cache in front of the disk answers (%s). Measure the device below it, or make its layer bypass the cache."); text != "" {
		return text
	}
	proof := e.Target.Proof
	if proof != nil && proof.RepeatReadNs != nil {
		limit := float64(floorNs)
		if proof.MemoryCopyNs != nil {
			limit = max(limit, 3**proof.MemoryCopyNs)
		}
		if *proof.RepeatReadNs < limit {
			return fmt.Sprintf("A block that was just read comes back in %.1f us, which is as fast as memory: a cache in front of the disk answers. Measure on a file system that supports unbuffered I/O, or the device below it.", *proof.RepeatReadNs/1000)
		}
	}
	if p50 := e.Test.LatencyNs.P50; p50 != nil && *p50 < floorNs {
		return fmt.Sprintf("Half of the I/Os took less than %.2f us, which no path to a disk can: a cache answers. Measure on a file system that supports unbuffered I/O, or the device below it.", *p50/1000)
	}
	return ""
}

func memoryBacked(e Evidence) string {
	return fact(e.Facts.InMemory, "The target lies in memory (%s), so the figures are those of memory and processor, not of a disk.")
}

// Case P1: no disk is faster than memory.
func fasterThanMemory(e Evidence) string {
	proof, rate := e.Target.Proof, e.Test.MBPerSecond
	if e.inMemory() || proof == nil || proof.MemoryCopyNs == nil || *proof.MemoryCopyNs <= 0 || rate == nil {
		return ""
	}
	const copied = 4096
	// A device moves its data without the processor's help, so some room is left above what one
	// thread copies; each measuring thread could copy at that rate.
	const room = 3
	limit := room * copied / *proof.MemoryCopyNs * 1000 * float64(max(1, e.Test.Threads))
	if *rate <= limit {
		return ""
	}
	return fmt.Sprintf("%.0f MB/s is far more than this computer copies in memory (%.0f MB/s): the data did not come from a disk.", *rate, limit/room)
}

// links are the most that a bus carries, in MB/s of 10^6 bytes, with room for rounding: SATA 3.x 6
// Gbit/s with 8b/10b coding (serial ATA revision 3.5), NVMe over PCIe 6.0 x4 (PCI-SIG: 64 GT/s a
// lane), USB4 version 2 (80 Gbit/s), SD UHS-III (624 MB/s), SAS-4 (22.5 Gbit/s), eMMC 5.1 HS400,
// UFS 4.0.
var links = map[contract.Bus]float64{
	contract.BusSATA: 600,
	contract.BusATA:  600,
	contract.BusNVMe: 32_000,
	contract.BusUSB:  10_000,
	contract.BusSD:   1_000,
	contract.BusMMC:  400,
	contract.BusSAS:  2_400,
	contract.BusUFS:  4_600,
}

// Case P1.
func aboveLinkSpeed(e Evidence) string {
	rate, disk := e.Test.MBPerSecond, e.Context.Disk
	if rate == nil || disk == nil || disk.Bus == nil {
		return ""
	}
	limit, ok := links[*disk.Bus]
	if !ok || *rate <= limit {
		return ""
	}
	return fmt.Sprintf("%.0f MB/s is more than %s carries (%.0f MB/s): something in front of the disk answers.", *rate, *disk.Bus, limit)
}

// flashFloorNs is below what NAND flash needs to read a page: about 40 us on the fastest drives,
// and below what a drive's own cache needs to answer through PCIe.
const flashFloorNs = 5000

func fasterThanFlash(e Evidence) string {
	mean := e.Test.LatencyNs.Mean
	if mean == nil || *mean >= flashFloorNs || e.Test.Operation != contract.OperationRead || e.Test.Pattern != contract.PatternRandom ||
		e.inMemory() {
		return ""
	}
	return fmt.Sprintf("Random reads of %.1f us on average are faster than flash memory can be read: something in front of the disk answers, such as the cache of a virtual machine's host or of a controller, or the disk is memory.", *mean/1000)
}

// smallSpanBytes is what the mapping cache of an SSD without memory of its own covers easily, and
// what fits into the caches of many disks.
const smallSpanBytes = 1 << 30

// Cases P35, P47, P53.
func smallSpan(e Evidence) string {
	size := e.Target.SizeBytes
	if size == nil || *size >= smallSpanBytes || e.Test.Pattern != contract.PatternRandom {
		return ""
	}
	return fmt.Sprintf("The target has only %d MiB: the disk's own cache may hold much of it. Use a larger --size to see the medium.", *size>>20)
}

func notProven(e Evidence) string {
	if proof := e.Target.Proof; proof != nil && (proof.SampledBlocks > 0 || proof.AllocatedBytes != nil || proof.RepeatReadNs != nil) {
		return ""
	}
	return "It could not be verified that the target's bytes are on the disk."
}
