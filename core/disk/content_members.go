package disk

import (
	"hash/crc32"
	"strconv"
)

// probeLUKS recognises LUKS 1 and 2: "LUKS1 On-Disk Format Specification" and "LUKS2 On-Disk
// Format Specification", both of the cryptsetup project; big-endian.
func probeLUKS(v *volume) (Content, bool) {
	if !v.has(0, "LUKS\xba\xbe") {
		return Content{}, false
	}
	content := Content{Kind: KindEncrypted}
	switch version := be.Uint16(v.boot[6:]); version {
	case 1:
		content.Name = "LUKS1"
	case 2:
		content.Name = "LUKS2"
		if label := cText(v.boot[24:72]); label != "" {
			content.Label = &label
		}
	default:
		content.Name = "LUKS version " + strconv.Itoa(int(version))
	}
	return content, true
}

// probeLVM recognises a physical volume of LVM2 by its label, which lies in one of the first
// four sectors (lib/format_text/layout.h of the LVM2 project).
func probeLVM(v *volume) (Content, bool) {
	const seed = 0xf597a6cf
	for sector := range min(4, len(v.boot)/SectorBytes) {
		s := v.boot[sector*SectorBytes : (sector+1)*SectorBytes]
		if string(s[:8]) != "LABELONE" || string(s[24:32]) != "LVM2 001" || le.Uint64(s[8:]) != uint64(sector) {
			continue
		}
		// The sum is a CRC-32 with a start value of its own and without the inversions.
		if le.Uint32(s[16:]) != ^crc32.Update(^uint32(seed), crc32.IEEETable, s[20:]) {
			v.doubted("there is a label of LVM2, but its checksum is wrong")
			continue
		}
		return Content{Kind: KindMember, Name: "LVM2"}, true
	}
	return Content{}, false
}

// probeRAID recognises a member of Linux software RAID: the kernel's
// include/uapi/linux/raid/md_p.h. Version 1 has its superblock at the beginning, 4 KiB behind
// it, or 8 KiB before the end; version 0.90 has it in the last 64 KiB but one.
func probeRAID(v *volume) (Content, bool) {
	const magic = 0xa92b4efc
	found := Content{Kind: KindMember, Name: "Linux RAID"}
	for _, at := range []int64{0, 4 << 10, (v.size/512 - 16) / 8 * 8 * 512} {
		if s := v.at(at, 152); len(s) == 152 && le.Uint32(s) == magic && le.Uint32(s[4:]) == 1 && le.Uint64(s[144:])*512 == uint64(at) {
			return found, true
		}
	}
	if s := v.at(v.size&^(64<<10-1)-64<<10, 16); len(s) == 16 && le.Uint32(s) == magic && le.Uint32(s[4:]) == 0 && le.Uint32(s[8:]) == 90 {
		return found, true
	}
	return Content{}, false
}

// probeZFS recognises a member of a ZFS pool by the list of names and values in its first label
// ("ZFS On-Disk Specification", chapter 1.3), whose first pair is the version.
func probeZFS(v *volume) (Content, bool) {
	const (
		at      = 16 << 10
		version = "version\x00"
	)
	s := v.at(at, 64)
	// XDR form, either byte order of the writer; version 0 with unique names; then the pair's
	// two sizes, the length of its name, the name, the type (64-bit number), the count 1.
	if len(s) < 64 || s[0] != 1 || s[1] > 1 || be.Uint32(s[4:]) != 0 || be.Uint32(s[8:]) != 1 || be.Uint32(s[20:]) != uint32(len(version)-1) ||
		string(s[24:32]) != version || be.Uint32(s[32:]) != 8 || be.Uint32(s[36:]) != 1 {
		return Content{}, false
	}
	if n := be.Uint64(s[40:]); n == 0 || n > 5000 {
		return Content{}, false
	}
	return Content{Kind: KindMember, Name: "ZFS"}, true
}
