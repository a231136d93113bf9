package allocation

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// ext2, ext3 and ext4: "ext4 Data Structures and Algorithms" on docs.kernel.org, chapters "Super
// Block", "Block Group Descriptors", "Block and Inode Bitmaps" and "Bigalloc".
const (
	extSuperblock = 1024
	extMagic      = 0xef53

	// Incompatible features.
	extJournalDevice = 0x8
	extMetaGroups    = 0x10
	ext64Bit         = 0x80
	// Read-only compatible features.
	extGroupChecksum    = 0x10
	extBigalloc         = 0x200
	extMetadataChecksum = 0x400

	// extBitmapUnset is the flag of a group whose block bitmap was never written.
	extBitmapUnset = 0x2
	// extLeastGroup is the smallest group that mke2fs makes, in blocks.
	extLeastGroup = 256
)

// extGeometry is what the superblock says.
type extGeometry struct {
	// block and cluster are bytes; a cluster is what a bit of the bitmaps stands for.
	block, cluster int64
	// blocks is the number of all blocks, first the first that belongs to a group.
	blocks, first int64
	// perGroup is the number of blocks in a group.
	perGroup int64
	// descriptor is the size of a group descriptor in bytes.
	descriptor int64
	wide       bool
	// flagged is true when the flags of group descriptors mean something.
	flagged bool
}

// extRanges reads the block bitmaps of all groups. Of a group whose bitmap was never written
// nothing is said to be in use; it holds at most copies of the superblock.
func extRanges(r io.ReaderAt, size int64) ([]Range, error) {
	v := &volume{r: r, size: size}
	g, err := extSuper(v)
	if err != nil {
		return nil, err
	}
	var found collector
	groups := (g.blocks - g.first + g.perGroup - 1) / g.perGroup
	// The descriptors follow the superblock's block, which with bigalloc is not always the first.
	descriptors := (extSuperblock/g.block + 1) * g.block
	perRead := max(g.block/g.descriptor, 1)
	var some []byte
	for group := int64(0); group < groups; group++ {
		if group%perRead == 0 {
			read, err := v.at(descriptors+group*g.descriptor, int(min(perRead, groups-group)*g.descriptor))
			if err != nil {
				return nil, fmt.Errorf("reading the group descriptors of ext4: %w", err)
			}
			some = slices.Clone(read)
		}
		d := some[group%perRead*g.descriptor:][:g.descriptor]
		if g.flagged && le.Uint16(d[18:])&extBitmapUnset != 0 {
			continue
		}
		if err := extGroup(v, g, group, d, &found); err != nil {
			return nil, fmt.Errorf("reading the block bitmap of group %d of ext4: %w", group, err)
		}
	}
	return found.ranges, nil
}

// extGroup reads the bitmap of one group.
func extGroup(v *volume, g extGeometry, group int64, descriptor []byte, found *collector) error {
	at := uint64(le.Uint32(descriptor))
	if g.wide {
		at |= uint64(le.Uint32(descriptor[32:])) << 32
	}
	if at < uint64(g.first) || at >= uint64(g.blocks) {
		return fmt.Errorf("it is said to be block %d, but the volume has %d; check the file system (e2fsck)", at, g.blocks)
	}
	bitmap, err := v.at(int64(at)*g.block, int(g.block))
	if err != nil {
		return err
	}
	begin := (g.first + group*g.perGroup) * g.block
	end := min(begin+g.perGroup*g.block, g.blocks*g.block)
	return bitRuns(bitmap, (end-begin+g.cluster-1)/g.cluster, func(bit, length int64) error {
		offset := begin + bit*g.cluster
		return found.add(offset, min(length*g.cluster, end-offset))
	})
}

// extSuper reads the superblock. A volume without one is ErrUnknown.
func extSuper(v *volume) (extGeometry, error) {
	if v.size < 2*extSuperblock {
		return extGeometry{}, ErrUnknown
	}
	s, err := v.at(extSuperblock, 1024)
	if err != nil {
		return extGeometry{}, fmt.Errorf("reading the superblock: %w", err)
	}
	blockShift, clusterShift := le.Uint32(s[24:]), le.Uint32(s[28:])
	if le.Uint16(s[56:]) != extMagic || blockShift > 6 || le.Uint32(s[76:]) > 1 {
		return extGeometry{}, ErrUnknown
	}
	incompatible, readOnly := le.Uint32(s[96:]), le.Uint32(s[100:])
	if le.Uint32(s[76:]) == 0 {
		incompatible, readOnly = 0, 0 // the first revision had no features
	}
	switch {
	case incompatible&extJournalDevice != 0:
		return extGeometry{}, ErrUnknown
	case incompatible&extMetaGroups != 0:
		return extGeometry{}, errors.New("the ext4 file system keeps its group descriptors spread over the groups (meta_bg), which is not read here")
	}
	g := extGeometry{
		block: 1024 << blockShift, cluster: 1024 << blockShift,
		blocks: int64(le.Uint32(s[4:])), first: int64(le.Uint32(s[20:])),
		perGroup: int64(le.Uint32(s[32:])), descriptor: 32,
		wide:    incompatible&ext64Bit != 0,
		flagged: readOnly&(extGroupChecksum|extMetadataChecksum) != 0,
	}
	perCluster := int64(1)
	if readOnly&extBigalloc != 0 {
		if clusterShift < blockShift || clusterShift > 20 {
			return g, fmt.Errorf("the superblock of ext4 makes no sense: its clusters are 2 to the power of %d KiB", clusterShift)
		}
		g.cluster = 1024 << clusterShift
		perCluster = g.cluster / g.block
	}
	if g.wide {
		g.descriptor = int64(le.Uint16(s[254:]))
		g.blocks |= int64(le.Uint32(s[336:])) << 32
	}
	if g.descriptor < 32 || g.wide && g.descriptor < 64 || g.descriptor > 1024 || !powerOfTwo(g.descriptor) ||
		g.perGroup < extLeastGroup || g.perGroup%8 != 0 || g.perGroup > 8*g.block*perCluster ||
		g.first > 1 || g.blocks <= g.first {
		return g, errors.New("the superblock of ext4 makes no sense; check the file system (e2fsck)")
	}
	if g.blocks > v.size/g.block {
		return g, fmt.Errorf("the superblock of ext4 speaks of %d blocks of %d bytes, but the volume has %d bytes", g.blocks, g.block, v.size)
	}
	return g, nil
}
