package disk

import (
	"fmt"
	"io"
)

// Scheme is the kind of a partition table.
type Scheme string

// The schemes. With SchemeNone the image as a whole is one volume, or nothing at all.
const (
	SchemeGPT  Scheme = "gpt"
	SchemeMBR  Scheme = "mbr"
	SchemeNone Scheme = "none"
)

const (
	// maxPartitions bounds what one table may bring up. Windows knows 128 partitions a disk.
	maxPartitions = 128
	// maxIssues bounds how many wrong entries are listed one by one.
	maxIssues = 16
)

// Table is what a disk says about its partitions.
type Table struct {
	// Scheme is the kind of table. A GPT of which no copy can be read is still SchemeGPT, with
	// no partitions and an issue.
	Scheme Scheme
	// SectorBytes is the sector that the table counts in.
	SectorBytes int
	// DiskID is the GPT's disk GUID in lower case, or the MBR's signature as 8 hexadecimal
	// digits; empty without a table.
	DiskID string
	// Partitions lists the partitions in the order of the table.
	Partitions []Partition
	// Issues lists what is wrong with the table.
	Issues []Issue

	// leftOut counts the issues about single partitions.
	leftOut int
}

// Partition is one partition.
type Partition struct {
	// Index is the number that tools show, from 1: the place in a GPT; 1 to 4 for the primary
	// partitions of an MBR, from 5 for the logical ones.
	Index int
	// OffsetBytes is where the partition begins on the disk.
	OffsetBytes int64
	// LengthBytes is its length by the table; reads end earlier when Truncated.
	LengthBytes int64
	// Type is the GPT's type GUID in lower case, or the MBR's type as "0x07".
	Type string
	// TypeName is what the type is called, empty when it is not a common one.
	TypeName string
	// GUID is the partition's own GUID in lower case; empty in an MBR.
	GUID string
	// Name is its name in the GPT; empty in an MBR.
	Name string
	// Attributes are the GPT's attribute bits (UEFI specification, table 5.8); 0 in an MBR.
	Attributes uint64
	// Active is the MBR's boot flag.
	Active bool
	// Logical is true for a partition inside the MBR's extended partition.
	Logical bool
	// Truncated is true when the image ends before the partition does.
	Truncated bool
}

// Reader returns the partition's content out of the disk r.
func (p Partition) Reader(r io.ReaderAt) *io.SectionReader {
	return io.NewSectionReader(r, p.OffsetBytes, p.LengthBytes)
}

// ReadTable finds the partitions of a disk of size bytes. sectorBytes is its logical sector,
// or 0 when that is not known; then both usual sizes are tried. A disk without a table is no
// error. An error is an *Error about a disk that cannot be read at all.
func ReadTable(r io.ReaderAt, size int64, sectorBytes int) (*Table, error) {
	if size < SectorBytes {
		return nil, errorf(CodeImageTooSmall, "%d bytes are less than one sector of 512: this is no disk or volume", size)
	}
	first, err := readAt(r, size, 0, SectorBytes)
	if err != nil {
		return nil, unreadable("the first sector", 0, err)
	}
	none := &Table{Scheme: SchemeNone, SectorBytes: orSectorBytes(sectorBytes)}
	if isVolumeBoot(first) {
		return none, nil
	}
	d := &tableReader{r: r, size: size, stated: sectorBytes, mbr: parseMBR(first)}
	table := d.gpt()
	// A boot signature without any partition entry is a table only on a disk that was initialised
	// and not yet divided. Else it is what damage left of a volume's boot sector, and that volume
	// must not vanish.
	if table == nil && d.mbr.plausible && (len(d.mbr.used) > 0 || d.mbr.bare && !d.isOneVolume()) {
		table = d.mbrTable()
	}
	if table == nil {
		table = none
	}
	if d.stale {
		table.Issues = append(table.Issues, issuef(IssueGPTStale,
			"the disk had a GUID partition table before; its remains are ignored, because the first sector does not point to them"))
	}
	if d.unreadable != nil {
		table.Issues = append(table.Issues, lossf(IssueGPTUnreadable,
			"whether the disk has a GUID partition table is not known (%v)", d.unreadable))
	}
	table.Issues = condense(table.Issues)
	return table, nil
}

// condense keeps the first of many issues of one kind, and says how many there are.
func condense(issues []Issue) []Issue {
	const most = 3
	counts := map[string]int{}
	var kept []Issue
	for _, issue := range issues {
		counts[issue.Code]++
		if counts[issue.Code] <= most {
			kept = append(kept, issue)
		}
	}
	said := map[string]int{}
	for i := range kept {
		code := kept[i].Code
		said[code]++
		if more := counts[code] - most; said[code] == most && more > 0 {
			kept[i].Text += fmt.Sprintf("; %d more of this kind are not listed", more)
		}
	}
	return kept
}

func orSectorBytes(stated int) int {
	if stated == 0 {
		return SectorBytes
	}
	return stated
}

// tableReader gathers one table.
type tableReader struct {
	r      io.ReaderAt
	size   int64
	stated int
	mbr    mbrSector
	// stale is true when there is a GPT that does not count.
	stale bool
	// unreadable is why it is not known whether there is a GPT.
	unreadable error
	whole      *Content
}

// isOneVolume reports whether the disk as a whole holds something that is recognised.
func (d *tableReader) isOneVolume() bool {
	if d.whole == nil {
		content, err := Recognize(d.r, d.size)
		if err != nil {
			content = Content{Kind: KindUnknown}
		}
		d.whole = &content
	}
	return d.whole.Kind != KindUnknown && d.whole.Kind != KindBlank
}

// sectorSizes lists the sector sizes to try, the stated one first.
func (d *tableReader) sectorSizes() []int {
	if d.stated == 4096 {
		return []int{4096, 512}
	}
	return []int{512, 4096}
}

// add checks a partition's place against the disk and the partitions before it, and takes it up.
func (t *Table) add(p Partition, startSector, sectors uint64, size int64) {
	sector := uint64(t.SectorBytes)
	total := uint64(size) / sector
	switch {
	case sectors == 0 || startSector == 0 || startSector >= total || sectors > 1<<62/sector:
		t.leaveOut(lossf(IssuePartitionOutOfRange,
			"partition %d (sector %d, %d sectors) does not lie within the image (%d sectors of %d bytes) and is left out", p.Index, startSector, sectors, total, sector))
		return
	case len(t.Partitions) == maxPartitions:
		t.leaveOut(lossf(IssuePartitionLimit,
			"partition %d is left out, because no more than %d are looked at", p.Index, maxPartitions))
		return
	}
	p.OffsetBytes, p.LengthBytes = int64(startSector*sector), int64(sectors*sector)
	for _, other := range t.Partitions {
		if p.OffsetBytes < other.OffsetBytes+other.LengthBytes && other.OffsetBytes < p.OffsetBytes+p.LengthBytes {
			t.leaveOut(lossf(IssuePartitionOverlaps, "partition %d overlaps partition %d and is left out", p.Index, other.Index))
			return
		}
	}
	if p.LengthBytes > size-p.OffsetBytes {
		p.Truncated = true
		t.leaveOut(lossf(IssuePartitionTruncated,
			"partition %d has %d bytes, of which the image holds %d: the image was cut short", p.Index, p.LengthBytes, size-p.OffsetBytes))
	}
	t.Partitions = append(t.Partitions, p)
}

// leaveOut notes what was left out. A table full of nonsense is not listed entry by entry.
func (t *Table) leaveOut(issue Issue) {
	switch t.leftOut++; {
	case t.leftOut <= maxIssues:
		t.Issues = append(t.Issues, issue)
	case t.leftOut == maxIssues+1:
		t.Issues = append(t.Issues, lossf(IssuePartitionLimit, "the table has more wrong or surplus entries, which are not listed"))
	}
}
