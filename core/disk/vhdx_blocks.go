package disk

import "io"

// States of a payload block (MS-VHDX 2.5.1.1). A block that is not present, undefined, zero or
// unmapped reads as zeros.
const (
	vhdxBlockNotPresent     = 0
	vhdxBlockUnmapped       = 3
	vhdxBlockFullyPresent   = 6
	vhdxBlockPartialPresent = 7
)

// vhdxBlocks reads the content of a fixed or dynamic VHDX. The block allocation table stays in
// the file: each read looks up the entries that it needs.
type vhdxBlocks struct {
	r          io.ReaderAt
	fileBytes  int64
	size       int64
	blockBytes int64
	bat        vhdxRegion
	// chunkRatio is the number of payload blocks before each entry for a sector bitmap (2.5).
	chunkRatio int64
}

// check makes sure that the table has an entry for every block (2.5).
func (d *vhdxBlocks) check() error {
	last := (d.size - 1) / d.blockBytes
	if needed := (d.entry(last) + 1) * 8; needed > d.bat.length {
		return vhdxDamaged("its block table has %d bytes, but its disk of %d bytes needs %d", d.bat.length, d.size, needed)
	}
	return nil
}

func (d *vhdxBlocks) entry(block int64) int64 {
	return block + block/d.chunkRatio
}

// ReadAt implements io.ReaderAt over the disk's content.
func (d *vhdxBlocks) ReadAt(p []byte, offset int64) (int, error) {
	return readBlocks(p, offset, d.size, d.blockBytes, d.readBlock)
}

func (d *vhdxBlocks) readBlock(p []byte, block, within int64) error {
	at := d.bat.offset + d.entry(block)*8
	data, err := readAt(d.r, d.fileBytes, at, 8)
	if err != nil {
		return unreadable("the VHDX's block table", at, err)
	}
	entry := le.Uint64(data)
	state, offset := entry&7, entry>>20<<20
	switch {
	case state >= vhdxBlockNotPresent && state <= vhdxBlockUnmapped:
		clear(p)
		return nil
	case state == vhdxBlockPartialPresent:
		return vhdxDamaged("block %d lies partly in a parent disk, but the file names no parent", block)
	case state != vhdxBlockFullyPresent:
		return vhdxDamaged("block %d has the state %d, which does not exist", block, state)
	}
	end := offset + uint64(within) + uint64(len(p))
	if offset < vhdxAlign || offset > uint64(d.fileBytes) || end > uint64(d.fileBytes) {
		return vhdxDamaged("block %d should lie at byte %d, outside the file (%d bytes)", block, offset, d.fileBytes)
	}
	if n, err := d.r.ReadAt(p, int64(offset)+within); n < len(p) {
		return unreadable("a block of the VHDX", int64(offset)+within, orUnexpectedEOF(err))
	}
	return nil
}
