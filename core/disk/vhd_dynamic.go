package disk

import "io"

// vhdUnused marks a block that the file does not hold (section "Block Allocation Table").
const vhdUnused = 0xffffffff

// dynamicVHD reads a dynamic VHD. The block allocation table stays in the file: each read looks
// up the entries that it needs.
type dynamicVHD struct {
	r          io.ReaderAt
	fileBytes  int64
	size       int64
	table      uint64
	entries    uint64
	blockBytes int64
}

// check bounds every field before it is used.
func (d *dynamicVHD) check(diskBytes uint64) error {
	if diskBytes == 0 || diskBytes > vhdMaxBytes {
		return errorf(CodeVHDDamaged, "the VHD says that its disk has %d bytes, which no VHD can hold", diskBytes)
	}
	if d.blockBytes < SectorBytes || d.blockBytes > vhdMaxBlockBytes || !powerOfTwo(uint64(d.blockBytes)) {
		return errorf(CodeVHDDamaged, "the VHD's block size is %d bytes, which is no power of two from 512 to %d", d.blockBytes, vhdMaxBlockBytes)
	}
	needed := uint64((d.size + d.blockBytes - 1) / d.blockBytes)
	if d.entries < needed {
		return errorf(CodeVHDDamaged, "the VHD's block table has %d entries, but its disk of %d bytes needs %d", d.entries, d.size, needed)
	}
	if d.table > uint64(d.fileBytes) || needed*4 > uint64(d.fileBytes)-d.table {
		return errorf(CodeVHDDamaged, "the VHD's block table at byte %d does not fit into the file (%d bytes). Get a complete copy of the file", d.table, d.fileBytes)
	}
	return nil
}

// ReadAt implements io.ReaderAt over the disk's content.
func (d *dynamicVHD) ReadAt(p []byte, offset int64) (int, error) {
	return readBlocks(p, offset, d.size, d.blockBytes, d.readBlock)
}

// readBlock fills p from within one block.
func (d *dynamicVHD) readBlock(p []byte, block, within int64) error {
	at := int64(d.table) + block*4
	entry, err := readAt(d.r, d.fileBytes, at, 4)
	if err != nil {
		return unreadable("the VHD's block table", at, err)
	}
	sector := be.Uint32(entry)
	if sector == vhdUnused {
		clear(p)
		return nil
	}
	start := int64(sector) * SectorBytes
	bitmap := (d.blockBytes/SectorBytes + 7) / 8
	data := start + (bitmap+SectorBytes-1)/SectorBytes*SectorBytes
	if start == 0 || data+within > d.fileBytes || int64(len(p)) > d.fileBytes-data-within {
		return errorf(CodeVHDDamaged, "block %d of the VHD should lie at byte %d, outside the file (%d bytes). Get a complete copy of the file", block, start, d.fileBytes)
	}
	if n, err := d.r.ReadAt(p, data+within); n < len(p) {
		return unreadable("a block of the VHD", data+within, orUnexpectedEOF(err))
	}
	return d.blankUnwritten(p, start, within)
}

// blankUnwritten zeroes the sectors that the block's bitmap calls never written: bit 7 of byte 0
// is the first sector (section "Data Blocks").
func (d *dynamicVHD) blankUnwritten(p []byte, bitmapAt, within int64) error {
	first, last := within/SectorBytes, (within+int64(len(p))-1)/SectorBytes
	for from := first; from <= last; {
		// 8192 bits a piece keeps the buffer at 1 KiB whatever the read.
		to := min(from|8191, last)
		bits, err := readAt(d.r, d.fileBytes, bitmapAt+from/8, int(to/8-from/8+1))
		if err != nil {
			return unreadable("a block bitmap of the VHD", bitmapAt+from/8, err)
		}
		for sector := from; sector <= to; sector++ {
			if bits[sector/8-from/8]&(0x80>>(sector%8)) != 0 {
				continue
			}
			begin := max(sector*SectorBytes-within, 0)
			end := min((sector+1)*SectorBytes-within, int64(len(p)))
			clear(p[begin:end])
		}
		from = to + 1
	}
	return nil
}
