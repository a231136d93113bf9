package disk

import (
	"io"
	"unicode/utf16"
)

// Metadata items (MS-VHDX 2.6.2).
var (
	vhdxFileParameters = parseGUID("caa16737-fa36-4d43-b3b6-33f0aa44e76b") // 2.6.2.1
	vhdxDiskSize       = parseGUID("2fa54224-cd1b-4876-b211-5dbed83bf4b8") // 2.6.2.2
	vhdxDiskID         = parseGUID("beca12ab-b2e6-4523-93ef-c309e000c746") // 2.6.2.3
	vhdxLogicalSector  = parseGUID("8141bf1d-a96f-4709-ba47-f233a8faab5f") // 2.6.2.4
	vhdxPhysicalSector = parseGUID("cda348c7-445d-4471-9cc9-e9885251c556") // 2.6.2.5
	vhdxParentLocator  = parseGUID("a8d35f2d-b30b-454d-abf7-d3d84834ab0c") // 2.6.2.6
)

// vhdxKnownItems has the least length of each known item in bytes; 0 is no fixed length.
var vhdxKnownItems = map[guid]int{
	vhdxFileParameters: 8, vhdxDiskSize: 8, vhdxDiskID: 16,
	vhdxLogicalSector: 4, vhdxPhysicalSector: 4, vhdxParentLocator: 0,
}

const (
	vhdxTableBytes = 64 << 10 // 2.6.1: items lie behind the first 64 KiB of the region
	vhdxMinBlock   = 1 << 20  // 2.6.2.1
	vhdxMaxBlock   = 256 << 20
	vhdxMaxDisk    = 64 << 40 // 2.6.2.2
	// Locators are a few hundred bytes; only the beginning of a longer one is looked at.
	vhdxMaxLocator = 4 << 10
)

// vhdxMetadata holds what the metadata region says of the disk.
type vhdxMetadata struct {
	blockBytes    int64
	diskBytes     int64
	sectorBytes   int
	physicalBytes int
	fixed         bool
}

type vhdxItem struct{ offset, length int64 }

func readVHDXMetadata(r io.ReaderAt, size int64, region vhdxRegion) (vhdxMetadata, error) {
	items, err := readVHDXItems(r, size, region)
	if err != nil {
		return vhdxMetadata{}, err
	}
	value := func(id guid) (uint64, error) {
		item, ok := items[id]
		length := vhdxKnownItems[id]
		if !ok || item.length < int64(length) {
			return 0, vhdxDamaged("its metadata lacks the item %s", id)
		}
		data, err := readAt(r, size, item.offset, length)
		if err != nil {
			return 0, unreadable("the VHDX's metadata", item.offset, err)
		}
		if length == 4 {
			return uint64(le.Uint32(data)), nil
		}
		return le.Uint64(data), nil
	}
	values := map[guid]uint64{}
	for _, id := range []guid{vhdxFileParameters, vhdxDiskSize, vhdxLogicalSector} {
		if values[id], err = value(id); err != nil {
			return vhdxMetadata{}, err
		}
	}
	// 2.6.2.1: bit 0 of the second half is LeaveBlockAllocated, bit 1 is HasParent.
	parameters := values[vhdxFileParameters]
	if parameters>>32&2 != 0 {
		return vhdxMetadata{}, needsParent(FormatVHDX, readVHDXParent(r, size, items[vhdxParentLocator]))
	}
	block, disk, sector := parameters&0xffffffff, values[vhdxDiskSize], values[vhdxLogicalSector]
	if block < vhdxMinBlock || block > vhdxMaxBlock || !powerOfTwo(block) {
		return vhdxMetadata{}, vhdxDamaged("its block size is %d bytes, which is no power of two from 1 MiB to 256 MiB", block)
	}
	if sector != 512 && sector != 4096 {
		return vhdxMetadata{}, vhdxDamaged("its logical sector has %d bytes, which is neither 512 nor 4096", sector)
	}
	if disk == 0 || disk > vhdxMaxDisk || disk%sector != 0 {
		return vhdxMetadata{}, vhdxDamaged("its disk has %d bytes, which is no whole number of sectors up to 64 TiB", disk)
	}
	metadata := vhdxMetadata{
		blockBytes: int64(block), diskBytes: int64(disk), sectorBytes: int(sector), fixed: parameters>>32&1 != 0,
	}
	if physical, err := value(vhdxPhysicalSector); err == nil && (physical == 512 || physical == 4096) {
		metadata.physicalBytes = int(physical)
	}
	return metadata, nil
}

// readVHDXItems reads the metadata table (2.6.1) and returns where the known items lie.
func readVHDXItems(r io.ReaderAt, size int64, region vhdxRegion) (map[guid]vhdxItem, error) {
	if region.length < vhdxTableBytes {
		return nil, vhdxDamaged("its metadata region has only %d bytes", region.length)
	}
	head, err := readAt(r, size, region.offset, 32)
	if err != nil {
		return nil, unreadable("the VHDX's metadata table", region.offset, err)
	}
	count := int(le.Uint16(head[10:]))
	if string(head[:8]) != "metadata" || count > vhdxMaxEntries {
		return nil, vhdxDamaged("its metadata table is missing or wrong")
	}
	table, err := readAt(r, size, region.offset+32, 32*count)
	if err != nil {
		return nil, unreadable("the VHDX's metadata table", region.offset+32, err)
	}
	items := map[guid]vhdxItem{}
	for ; len(table) > 0; table = table[32:] {
		// 2.6.1.2: bit 0 of the flags marks an item of the user's, bit 2 one that must be understood.
		id, offset, length, flags := guidAt(table), int64(le.Uint32(table[16:])), int64(le.Uint32(table[20:])), le.Uint32(table[24:])
		if _, known := vhdxKnownItems[id]; !known || flags&1 != 0 {
			if flags&4 != 0 {
				return nil, errorf(CodeVHDXUnsupported, "the VHDX needs the metadata item %s to be understood, which no specification names", id)
			}
			continue
		}
		if offset < vhdxTableBytes || offset > region.length || length > region.length-offset {
			return nil, vhdxDamaged("the metadata item %s lies outside its region", id)
		}
		items[id] = vhdxItem{offset: region.offset + offset, length: length}
	}
	return items, nil
}

// readVHDXParent returns a path of the parent disk out of the parent locator (2.6.2.6), or "".
func readVHDXParent(r io.ReaderAt, size int64, item vhdxItem) string {
	data, err := readAt(r, size, item.offset, int(min(item.length, vhdxMaxLocator)))
	if err != nil || len(data) < 20 {
		return ""
	}
	text := func(offset uint32, length uint16) string {
		if uint64(offset)+uint64(length) > uint64(len(data)) {
			return ""
		}
		units := make([]uint16, length/2)
		for i := range units {
			units[i] = le.Uint16(data[int(offset)+2*i:])
		}
		return string(utf16.Decode(units))
	}
	paths := map[string]string{}
	for i := range int(le.Uint16(data[18:])) {
		at := 20 + 12*i
		if at+12 > len(data) {
			break
		}
		entry := data[at:]
		key := text(le.Uint32(entry), le.Uint16(entry[8:]))
		paths[key] = text(le.Uint32(entry[4:]), le.Uint16(entry[10:]))
	}
	// 2.6.2.6.3, the ones that a person can read first.
	for _, key := range []string{"absolute_win32_path", "relative_path", "volume_path"} {
		if paths[key] != "" {
			return paths[key]
		}
	}
	return ""
}
