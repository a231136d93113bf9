package disk

import (
	"errors"
	"fmt"
)

// Master boot record: UEFI specification 2.10, chapter 5.2.1. Extended partitions hold a chain
// of records of the same form.
const (
	mbrEntriesAt = 446
	mbrEntrySize = 16

	mbrProtective = 0xee // UEFI 5.2.3
	// mbrMaxChain bounds how many records of an extended partition are followed.
	mbrMaxChain = maxPartitions
)

// mbrExtended lists the types of extended partitions: CHS, LBA, Linux.
var mbrExtended = map[byte]bool{0x05: true, 0x0f: true, 0x85: true}

// mbrEntry is one entry in use.
type mbrEntry struct {
	slot   int
	active bool
	kind   byte
	start  uint32
	count  uint32
}

// mbrSector is the first sector read as a master boot record.
type mbrSector struct {
	// plausible is true when the sector can be a master boot record.
	plausible  bool
	protective bool
	signature  uint32
	used       []mbrEntry
	// bare is true when there is nothing but a disk signature before the entries, as where a disk
	// was initialised and not yet divided. A volume's damaged boot sector has more.
	bare bool
}

func parseMBR(sector []byte) mbrSector {
	m := mbrSector{signature: le.Uint32(sector[440:])}
	if !hasBootSignature(sector) {
		return m
	}
	for slot := range 4 {
		e := sector[mbrEntriesAt+slot*mbrEntrySize:]
		// The boot flag is 0x80 or 0; anything else is code or text of some other boot sector.
		if e[0] != 0 && e[0] != 0x80 {
			return mbrSector{signature: m.signature}
		}
		if e[4] == 0 {
			continue
		}
		m.used = append(m.used, mbrEntry{slot: slot + 1, active: e[0] == 0x80, kind: e[4], start: le.Uint32(e[8:]), count: le.Uint32(e[12:])})
		m.protective = m.protective || e[4] == mbrProtective
	}
	m.plausible = true
	m.bare = m.signature != 0 && allZero(sector[:440])
	return m
}

// mbrTable reads the MBR's partitions.
func (d *tableReader) mbrTable() *Table {
	sector := d.mbrSectorBytes()
	t := &Table{Scheme: SchemeMBR, SectorBytes: sector, DiskID: fmt.Sprintf("%08x", d.mbr.signature)}
	if d.stated != 0 && d.stated != sector {
		t.Issues = append(t.Issues, issuef(IssueSectorSizeDiffers,
			"the disk has sectors of %d bytes, but its partition table was made for %d; it is read as it was made", d.stated, sector))
	}
	var extended *mbrEntry
	for _, e := range d.mbr.used {
		switch {
		case !mbrExtended[e.kind]:
			t.add(mbrPartition(e.slot, e, false), uint64(e.start), uint64(e.count), d.size)
		case extended == nil:
			extended = &e
		default:
			t.Issues = append(t.Issues, lossf(IssueMBRChainBroken,
				"the disk has a second extended partition (number %d); only the first is read", e.slot))
		}
	}
	if extended != nil {
		d.readChain(t, uint64(extended.start), uint64(extended.count))
	}
	return t
}

func mbrPartition(index int, e mbrEntry, logical bool) Partition {
	return Partition{
		Index: index, Type: fmt.Sprintf("0x%02x", e.kind), TypeName: mbrTypeNames[e.kind],
		Active: e.active, Logical: logical,
	}
}

// readChain follows the records inside the extended partition. In each the first entry is a
// logical partition, counted from the record; the second points to the next record, counted
// from the beginning of the extended partition.
func (d *tableReader) readChain(t *Table, start, count uint64) {
	sector := uint64(t.SectorBytes)
	seen := map[uint64]bool{}
	index := 5
	for record := start; ; {
		if seen[record] {
			t.Issues = append(t.Issues, lossf(IssueMBRChainLoops,
				"the chain of logical partitions leads back to sector %d; it is read up to there", record))
			return
		}
		if len(seen) == mbrMaxChain {
			t.Issues = append(t.Issues, lossf(IssuePartitionLimit,
				"the chain of logical partitions has more than %d records; the rest is left out", mbrMaxChain))
			return
		}
		seen[record] = true
		entries, err := d.readRecord(record, sector)
		if err != nil {
			t.Issues = append(t.Issues, lossf(IssueMBRChainBroken,
				"the chain of logical partitions breaks in sector %d (%v); partitions behind it are not known", record, err))
			return
		}
		var next *mbrEntry
		for _, e := range entries {
			switch {
			case mbrExtended[e.kind] && next == nil:
				next = &e
			case !mbrExtended[e.kind] && e.slot <= 2:
				t.add(mbrPartition(index, e, true), record+uint64(e.start), uint64(e.count), d.size)
				index++
			}
		}
		if next == nil {
			return
		}
		if uint64(next.start) >= count {
			t.Issues = append(t.Issues, lossf(IssueMBRChainBroken,
				"the chain of logical partitions leads out of the extended partition (sector %d); partitions behind it are not known", start+uint64(next.start)))
			return
		}
		record = start + uint64(next.start)
	}
}

func (d *tableReader) readRecord(record, sector uint64) ([]mbrEntry, error) {
	data, err := readAt(d.r, d.size, int64(record*sector), SectorBytes)
	if err != nil {
		return nil, err
	}
	m := parseMBR(data)
	if !m.plausible {
		return nil, errors.New("there is no partition record")
	}
	return m.used, nil
}

// mbrSectorBytes finds the unit of the table, which does not name it: the first entry that leads
// to something by one of the two sizes - a volume's boot sector, or the record of an extended
// partition - decides.
func (d *tableReader) mbrSectorBytes() int {
	sizes := d.sectorSizes()
	for _, e := range d.mbr.used {
		if e.start == 0 {
			continue
		}
		for _, size := range sizes {
			at := int64(e.start) * int64(size)
			sector, err := readAt(d.r, d.size, at, SectorBytes)
			if err != nil {
				continue
			}
			record := parseMBR(sector)
			if isVolumeBoot(sector) && !mbrExtended[e.kind] || mbrExtended[e.kind] && record.plausible && len(record.used) > 0 {
				return size
			}
		}
	}
	return sizes[0]
}
