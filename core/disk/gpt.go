package disk

import (
	"errors"
	"fmt"
	"hash/crc32"
	"unicode/utf16"
)

// GUID partition table, UEFI specification 2.10, chapter 5.3.
const (
	gptSignature   = "EFI PART" // table 5.5
	gptHeaderBytes = 92         // table 5.5: HeaderSize is at least that
	gptEntryBytes  = 128        // table 5.5: SizeOfPartitionEntry is 128 times a power of two

	// The specification reserves 16 KiB for the entries; tools that allow more make a few
	// hundred of them. What a header may claim ends here: the whole array must be read to check it.
	gptMaxArrayBytes = 128 << 10
	gptPieceBytes    = 16 << 10
)

// gptHeader is one header with its entries in use.
type gptHeader struct {
	sectorBytes int
	current     uint64
	other       uint64
	disk        guid
	entriesAt   uint64
	entryCount  uint32
	entryBytes  uint32
	entriesSum  uint32
	entries     []gptEntry
}

// gptEntry is one partition entry in use (table 5.6).
type gptEntry struct {
	slot       int
	typeID, id guid
	first      uint64
	last       uint64
	attributes uint64
	name       string
}

// errNoGPT tells that there is no header, as opposed to a damaged one.
var errNoGPT = errors.New("there is no header")

// gptUnreadable is a failure of the reader: it says nothing about whether there is a GPT.
type gptUnreadable struct{ err error }

func (e *gptUnreadable) Error() string { return "it cannot be read: " + e.err.Error() }
func (e *gptUnreadable) Unwrap() error { return e.err }

// gptRank orders what was learnt of one copy: damage says more than a failing read, and that
// more than the absence of a header.
func gptRank(err error) int {
	var unreadable *gptUnreadable
	switch {
	case err == nil || errors.Is(err, errNoGPT):
		return 0
	case errors.As(err, &unreadable):
		return 1
	}
	return 2
}

// gpt returns nil when the disk has no GPT that counts.
func (d *tableReader) gpt() *Table {
	primary, primaryErr := d.findGPT(func(int) uint64 { return 1 })
	if d.mbr.plausible && !d.mbr.protective && len(d.mbr.used) > 0 {
		// UEFI 5.2.3: without a protective entry the MBR rules. A GPT is what an earlier
		// partitioning left behind.
		d.stale = primary != nil
		return nil
	}
	var backup *gptHeader
	var backupErr error
	if primary != nil {
		backup, backupErr = d.readGPT(primary.sectorBytes, primary.other)
	} else {
		backup, backupErr = d.findGPT(func(sector int) uint64 { return uint64(d.size)/uint64(sector) - 1 })
	}
	rank := max(gptRank(primaryErr), gptRank(backupErr))
	if primary != nil || backup != nil {
		rank = 2
	}
	switch {
	case !d.mbr.protective && rank == 2 && d.isOneVolume():
		d.stale = true
		return nil
	case primary != nil || backup != nil:
		return d.gptTable(primary, backup, primaryErr, backupErr)
	case d.mbr.protective || rank == 2:
		return &Table{
			Scheme: SchemeGPT, SectorBytes: orSectorBytes(d.stated),
			Issues: []Issue{lossf(IssueGPTDamaged,
				"the disk has a GUID partition table, but neither copy can be used (first: %v; backup: %v), so its partitions are not known", primaryErr, backupErr)},
		}
	case rank == 1:
		d.unreadable = errors.Join(primaryErr, backupErr)
	}
	return nil
}

// findGPT looks for one copy by each sector size. Of several failures it returns the one that
// says most.
func (d *tableReader) findGPT(place func(sectorBytes int) uint64) (*gptHeader, error) {
	var failure error
	for _, sector := range d.sectorSizes() {
		header, err := d.readGPT(sector, place(sector))
		if err == nil {
			return header, nil
		}
		if failure == nil || gptRank(err) > gptRank(failure) {
			failure = err
		}
	}
	return nil, failure
}

// readGPT reads and checks one copy: the header in the given sector and its entries.
func (d *tableReader) readGPT(sectorBytes int, sector uint64) (*gptHeader, error) {
	if sector == 0 || sector >= uint64(d.size)/uint64(sectorBytes) {
		return nil, fmt.Errorf("%w in the image, which ends before sector %d", errNoGPT, sector)
	}
	data, err := readAt(d.r, d.size, int64(sector)*int64(sectorBytes), SectorBytes)
	if err != nil {
		return nil, &gptUnreadable{err}
	}
	if string(data[:8]) != gptSignature {
		return nil, errNoGPT
	}
	length := le.Uint32(data[12:])
	if length < gptHeaderBytes || length > SectorBytes {
		return nil, fmt.Errorf("its header claims a length of %d bytes", length)
	}
	sum := le.Uint32(data[16:])
	clear(data[16:20])
	if crc32.ChecksumIEEE(data[:length]) != sum {
		return nil, errors.New("the checksum of its header is wrong")
	}
	header := &gptHeader{
		sectorBytes: sectorBytes, current: le.Uint64(data[24:]), other: le.Uint64(data[32:]), disk: guidAt(data[56:]),
		entriesAt: le.Uint64(data[72:]), entryCount: le.Uint32(data[80:]), entryBytes: le.Uint32(data[84:]), entriesSum: le.Uint32(data[88:]),
	}
	if header.current != sector {
		return nil, fmt.Errorf("its header says that it lies in sector %d instead of %d", header.current, sector)
	}
	if err := d.readGPTEntries(header); err != nil {
		return nil, err
	}
	return header, nil
}

// readGPTEntries reads the entries piece by piece and keeps those in use.
func (d *tableReader) readGPTEntries(h *gptHeader) error {
	size := uint64(h.entryBytes)
	if size < gptEntryBytes || size > gptPieceBytes || !powerOfTwo(size) {
		return fmt.Errorf("its entries claim a length of %d bytes each", size)
	}
	if uint64(h.entryCount)*size > gptMaxArrayBytes {
		return fmt.Errorf("it claims %d entries of %d bytes, more than are read here (%d KiB)", h.entryCount, size, gptMaxArrayBytes>>10)
	}
	if h.entriesAt >= uint64(d.size)/uint64(h.sectorBytes) {
		return fmt.Errorf("its entries should begin in sector %d, outside the image", h.entriesAt)
	}
	at, left := int64(h.entriesAt)*int64(h.sectorBytes), int64(h.entryCount)*int64(size)
	var sum uint32
	for slot := 0; left > 0; {
		piece, err := readAt(d.r, d.size, at, int(min(left, gptPieceBytes)))
		if err != nil {
			if isTruncation(err) {
				return errors.New("the image ends inside its entries")
			}
			return &gptUnreadable{err}
		}
		sum = crc32.Update(sum, crc32.IEEETable, piece)
		at, left = at+int64(len(piece)), left-int64(len(piece))
		for ; len(piece) > 0; piece = piece[size:] {
			slot++
			if guidAt(piece) != (guid{}) {
				h.entries = append(h.entries, parseGPTEntry(slot, piece))
			}
		}
	}
	if sum != h.entriesSum {
		return errors.New("the checksum of its entries is wrong")
	}
	return nil
}

func parseGPTEntry(slot int, data []byte) gptEntry {
	var name []uint16
	for at := 56; at < gptEntryBytes; at += 2 {
		unit := le.Uint16(data[at:])
		if unit == 0 {
			break
		}
		name = append(name, unit)
	}
	return gptEntry{
		slot: slot, typeID: guidAt(data), id: guidAt(data[16:]), first: le.Uint64(data[32:]),
		last: le.Uint64(data[40:]), attributes: le.Uint64(data[48:]), name: string(utf16.Decode(name)),
	}
}

// gptTable makes the table out of the copies that could be read; at least one is there.
func (d *tableReader) gptTable(primary, backup *gptHeader, primaryErr, backupErr error) *Table {
	header := primary
	if header == nil {
		header = backup
	}
	t := &Table{Scheme: SchemeGPT, SectorBytes: header.sectorBytes, DiskID: header.disk.String()}
	switch {
	case primary == nil:
		t.Issues = append(t.Issues, issuef(IssueGPTPrimaryDamaged,
			"the first copy of the partition table is damaged (%v); the backup at the end of the disk is used", primaryErr))
	case backup == nil && primary.other >= uint64(d.size)/uint64(primary.sectorBytes):
		t.Issues = append(t.Issues, issuef(IssueGPTBackupMissing,
			"the backup of the partition table should lie in sector %d, but the image has only %d: it was cut short", primary.other, d.size/int64(primary.sectorBytes)))
	case backup == nil:
		t.Issues = append(t.Issues, issuef(IssueGPTBackupDamaged,
			"the backup of the partition table is damaged (%v); the first copy is used", backupErr))
	case primary.disk != backup.disk || primary.entriesSum != backup.entriesSum:
		t.Issues = append(t.Issues, issuef(IssueGPTCopiesDiffer,
			"the partition table and its backup are both intact, but not the same; the first copy is used"))
	}
	switch {
	case d.mbr.protective && len(d.mbr.used) > 1:
		t.Issues = append(t.Issues, issuef(IssueGPTHybridMBR,
			"the disk has a hybrid MBR, which names partitions beside the GPT; the GPT is used"))
	case !d.mbr.protective:
		t.Issues = append(t.Issues, issuef(IssueGPTNotProtected,
			"the disk has a GPT, but its first sector holds no protective MBR; Windows would not accept the table"))
	}
	if d.stated != 0 && d.stated != header.sectorBytes {
		t.Issues = append(t.Issues, issuef(IssueSectorSizeDiffers,
			"the disk has sectors of %d bytes, but its partition table was made for %d; it is read as it was made", d.stated, header.sectorBytes))
	}
	for _, e := range header.entries {
		p := Partition{
			Index: e.slot, Type: e.typeID.String(), TypeName: gptTypeNames[e.typeID.String()],
			GUID: e.id.String(), Name: e.name, Attributes: e.attributes,
		}
		sectors := uint64(0)
		if e.last >= e.first && e.last-e.first != 1<<64-1 {
			sectors = e.last - e.first + 1
		}
		t.add(p, e.first, sectors, d.size)
	}
	return t
}
