package disk

import "fmt"

// exFAT: "exFAT file system specification" on learn.microsoft.com, section 3.1.
const exFATName = "EXFAT   "

func probeExFAT(v *volume) (Content, bool) {
	b := v.boot
	if !v.has(3, exFATName) {
		return Content{}, false
	}
	refuse := func(format string, args ...any) (Content, bool) {
		v.doubted("the boot sector is that of exFAT, but " + fmt.Sprintf(format, args...))
		return Content{}, false
	}
	// 3.1.3: what is the parameter block of FAT must be zero.
	if !hasBootSignature(b) || !allZero(b[11:64]) {
		return refuse("its fields make no sense")
	}
	sectorShift, clusterShift := uint64(b[108]), uint64(b[109])
	if sectorShift < 9 || sectorShift > 12 || clusterShift > 25-sectorShift {
		return refuse("its sector or cluster size is impossible")
	}
	sectors, fatAt, fatSectors := le.Uint64(b[72:]), uint64(le.Uint32(b[80:])), uint64(le.Uint32(b[84:]))
	heap, clusters, root := uint64(le.Uint32(b[88:])), uint64(le.Uint32(b[92:])), uint64(le.Uint32(b[96:]))
	if !v.fits(sectors, 1<<sectorShift) {
		return refuse("it speaks of %d sectors of %d bytes where the volume has %d bytes", sectors, 1<<sectorShift, v.size)
	}
	if fatAt < 24 || fatAt+fatSectors > heap || heap+clusters<<clusterShift > sectors || root < 2 || root > clusters+1 ||
		(clusters+2)*4 > fatSectors<<sectorShift {
		return refuse("its sizes contradict each other")
	}
	// 4.1: the first two entries of the table are reserved.
	table := v.at(int64(fatAt<<sectorShift), 8)
	if len(table) < 8 || le.Uint32(table) != 0xfffffff8 || le.Uint32(table[4:]) != 0xffffffff {
		return refuse("there is no file allocation table where it says")
	}
	content := fileSystem("exFAT", 1<<(sectorShift+clusterShift))
	if label, ok := exFATLabel(v.at(int64((heap+(root-2)<<clusterShift)<<sectorShift), SectorBytes)); ok {
		content = content.labelled(label)
	}
	return content, true
}

// exFATLabel looks for the label's entry (7.3) at the beginning of the root directory, where
// formatting puts it.
func exFATLabel(directory []byte) (string, bool) {
	for ; len(directory) >= 32; directory = directory[32:] {
		switch count := int(directory[1]); {
		case directory[0] == 0x83 && count <= 11:
			return utf16LE(directory[2 : 2+2*count]), true
		case directory[0] == 0x03 || directory[0] == 0:
			return "", true // an entry not in use, or the end of the directory
		}
	}
	return "", false
}
