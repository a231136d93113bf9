package disk

import (
	"bytes"
	"hash/crc32"
)

// probeExt recognises ext2, ext3 and ext4 by the superblock at byte 1024 ("ext4 Data Structures
// and Algorithms", chapter "Super Block", docs.kernel.org).
func probeExt(v *volume) (Content, bool) {
	const (
		at          = 1024
		hasJournal  = 0x4   // compatible feature
		journalOnly = 0x8   // incompatible feature: no file system, but the journal of one
		bits64      = 0x80  // incompatible feature
		newInExt4   = 0x2c0 // incompatible features: extents, 64 bit, flexible groups
		checksums   = 0x400 // read-only compatible feature
		newInExt4RO = 0x478 // read-only compatible: huge files, group and metadata sums, links, inode size
	)
	if len(v.boot) < at+1024 || le.Uint16(v.boot[at+56:]) != 0xef53 {
		return Content{}, false
	}
	s := v.boot[at : at+1024]
	shift, first := le.Uint32(s[24:]), le.Uint32(s[20:])
	compatible, incompatible, readOnly := le.Uint32(s[92:]), le.Uint32(s[96:]), le.Uint32(s[100:])
	if shift > 6 || le.Uint32(s[76:]) > 1 {
		return Content{}, false
	}
	if incompatible&journalOnly != 0 {
		return Content{Kind: KindMember, Name: "ext journal"}, true
	}
	block, blocks := uint64(1024)<<shift, uint64(le.Uint32(s[4:]))
	if incompatible&bits64 != 0 {
		blocks |= uint64(le.Uint32(s[336:])) << 32
	}
	inodes, perGroup, inodesPerGroup := le.Uint32(s), uint64(le.Uint32(s[32:])), uint64(le.Uint32(s[40:]))
	if !v.fits(blocks, block) || inodes == 0 || perGroup == 0 || perGroup > 8*block ||
		inodesPerGroup == 0 || inodesPerGroup > 8*block || first > 1 {
		v.doubted("there is a superblock of ext2, 3 or 4, but its sizes do not fit the volume")
		return Content{}, false
	}
	// The sum is kept without the final inversion that CRC-32C otherwise has.
	if readOnly&checksums != 0 && le.Uint32(s[1020:]) != ^crc32.Checksum(s[:1020], castagnoli()) {
		v.doubted("there is a superblock of ext4, but its checksum is wrong")
		return Content{}, false
	}
	name := "ext2"
	switch {
	case incompatible&newInExt4 != 0 || readOnly&newInExt4RO != 0:
		name = "ext4"
	case compatible&hasJournal != 0:
		name = "ext3"
	}
	return fileSystem(name, block).labelled(cText(s[120:136])), true
}

// probeXFS recognises XFS by its superblock ("XFS Algorithms & Data Structures", chapter
// "Superblocks"; big-endian).
func probeXFS(v *volume) (Content, bool) {
	if !v.has(0, "XFSB") {
		return Content{}, false
	}
	s := v.boot
	block, blocks, sector := uint64(be.Uint32(s[4:])), be.Uint64(s[8:]), int(be.Uint16(s[102:]))
	perGroup, groups := uint64(be.Uint32(s[84:])), uint64(be.Uint32(s[88:]))
	if !v.fits(blocks, block) || block < 512 || block > 64<<10 || !powerOfTwo(block) || 1<<s[120] != block ||
		sector < 512 || sector > 32<<10 || !powerOfTwo(uint64(sector)) ||
		groups == 0 || perGroup == 0 || blocks > perGroup*groups || blocks <= perGroup*(groups-1) {
		v.doubted("there is a superblock of XFS, but its sizes do not fit the volume")
		return Content{}, false
	}
	// Version 5 carries a CRC-32C over the sector, little-endian at byte 224.
	if be.Uint16(s[100:])&0xf == 5 {
		if s = v.at(0, sector); len(s) < sector {
			return Content{}, false
		}
		sum := crc32.Checksum(s[:224], castagnoli())
		sum = crc32.Update(sum, castagnoli(), make([]byte, 4))
		if crc32.Update(sum, castagnoli(), s[228:sector]) != le.Uint32(s[224:]) {
			v.doubted("there is a superblock of XFS, but its checksum is wrong")
			return Content{}, false
		}
	}
	return fileSystem("XFS", block).labelled(cText(s[108:120])), true
}

// probeBtrfs recognises Btrfs by its superblock at 64 KiB ("On-disk Format",
// btrfs.readthedocs.io).
func probeBtrfs(v *volume) (Content, bool) {
	const at, length = 64 << 10, 4 << 10
	if string(v.at(at+64, 8)) != "_BHRfS_M" {
		return Content{}, false
	}
	s := v.at(at, length)
	if len(s) < length {
		return Content{}, false
	}
	sector, node, here := uint64(le.Uint32(s[144:])), uint64(le.Uint32(s[148:])), le.Uint64(s[209:])
	if le.Uint64(s[48:]) != at || !powerOfTwo(sector) || sector < 512 || !powerOfTwo(node) || node < sector || node > 64<<10 || !v.fits(here, 1) {
		v.doubted("there is a superblock of Btrfs, but its sizes do not fit the volume")
		return Content{}, false
	}
	// Sum type 0 is CRC-32C over everything behind the 32 bytes for the sum.
	if le.Uint16(s[196:]) == 0 && le.Uint32(s) != crc32.Checksum(s[32:], castagnoli()) {
		v.doubted("there is a superblock of Btrfs, but its checksum is wrong")
		return Content{}, false
	}
	return fileSystem("Btrfs", sector).labelled(cText(s[299:555])), true
}

// probeF2FS recognises F2FS by its superblock at byte 1024 (docs.kernel.org, "Flash-Friendly
// File System", and the kernel's include/linux/f2fs_fs.h for the layout).
func probeF2FS(v *volume) (Content, bool) {
	const at = 1024
	if len(v.boot) < at+640 || le.Uint32(v.boot[at:]) != 0xf2f52010 {
		return Content{}, false
	}
	s := v.boot[at:]
	shift, blocks := le.Uint32(s[16:]), le.Uint64(s[36:])
	if shift != 12 && shift != 14 || le.Uint32(s[8:])+le.Uint32(s[12:]) != shift || le.Uint32(s[20:]) != 9 || !v.fits(blocks, 1<<shift) {
		v.doubted("there is a superblock of F2FS, but its sizes do not fit the volume")
		return Content{}, false
	}
	return fileSystem("F2FS", 1<<shift).labelled(utf16LE(s[124:636])), true
}

// probeSwap recognises Linux swap space: the kernel's union swap_header in include/linux/swap.h.
// The mark ends the first page, whose size is that of the machine that made it.
func probeSwap(v *volume) (Content, bool) {
	for _, page := range []int64{4 << 10, 8 << 10, 16 << 10, 64 << 10} {
		if string(v.at(page-10, 10)) != "SWAPSPACE2" {
			continue
		}
		last := uint64(le.Uint32(v.boot[1028:]))
		if le.Uint32(v.boot[1024:]) != 1 || !v.fits(last+1, uint64(page)) {
			v.doubted("there is the mark of Linux swap space, but its size does not fit the volume")
			return Content{}, false
		}
		label := cText(v.boot[1052:1068])
		return Content{Kind: KindSwap, Name: "swap", Label: &label}, true
	}
	return Content{}, false
}

// probeSquashFS recognises version 4 of SquashFS (docs.kernel.org, "SquashFS").
func probeSquashFS(v *volume) (Content, bool) {
	s := v.boot
	if !v.has(0, "hsqs") {
		return Content{}, false
	}
	block, shift, used := uint64(le.Uint32(s[12:])), le.Uint16(s[22:]), le.Uint64(s[40:])
	if le.Uint16(s[28:]) != 4 || shift < 12 || shift > 20 || block != 1<<shift || !v.fits(used, 1) {
		v.doubted("there is a superblock of SquashFS, but its sizes do not fit the volume")
		return Content{}, false
	}
	return fileSystem("SquashFS", block), true
}

// cText returns the text before the first zero byte.
func cText(data []byte) string {
	text, _, _ := bytes.Cut(data, []byte{0})
	return string(text)
}
