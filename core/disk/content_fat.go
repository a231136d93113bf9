package disk

import (
	"errors"
	"fmt"
	"strings"
)

// FAT12, FAT16 and FAT32: Microsoft Extensible Firmware Initiative FAT32 File System
// Specification 1.03; the same in ECMA-107 and in learn.microsoft.com's description.
const (
	fatDirectoryEntry = 32
	fatVolumeLabel    = 0x08 // attribute of the entry that holds the label
	fatLongName       = 0x0f
	fatDeleted        = 0xe5
	// The label is the first entry of the root directory as format makes it; more than this of
	// the directory is not searched.
	fatSearchBytes = 512
)

// fat holds the layout that a boot sector describes.
type fat struct {
	name         string
	sectorBytes  uint64
	clusterBytes uint64
	total        uint64 // sectors
	fatAt        int64  // bytes
	rootAt       int64  // bytes
	media        byte
}

// parseFAT checks the fields of a boot sector (section "Boot Sector and BPB").
func parseFAT(b []byte) (fat, error) {
	// The jump is EB xx 90 or E9 xx xx; MS-DOS formatted nothing else.
	if !hasBootSignature(b) || !(b[0] == 0xeb && b[2] == 0x90 || b[0] == 0xe9) {
		return fat{}, errNoFAT
	}
	sector, perCluster := uint64(le.Uint16(b[11:])), uint64(b[13])
	reserved, fats := uint64(le.Uint16(b[14:])), uint64(b[16])
	if sector < 512 || sector > 4096 || !powerOfTwo(sector) || !powerOfTwo(perCluster) || reserved == 0 || fats < 1 || fats > 2 {
		return fat{}, errNoFAT
	}
	media := b[21]
	if media != 0xf0 && media < 0xf8 {
		return fat{}, errNoFAT
	}
	rootEntries, total, perFAT := uint64(le.Uint16(b[17:])), uint64(le.Uint16(b[19:])), uint64(le.Uint16(b[22:]))
	if total == 0 {
		total = uint64(le.Uint32(b[32:]))
	}
	f := fat{sectorBytes: sector, clusterBytes: sector * perCluster, total: total, media: media}
	wide := perFAT == 0
	if wide {
		perFAT = uint64(le.Uint32(b[36:]))
	}
	rootSectors := (rootEntries*fatDirectoryEntry + sector - 1) / sector
	overhead := reserved + fats*perFAT + rootSectors
	if perFAT == 0 || total <= overhead || wide != (rootEntries == 0) {
		return fat{}, errors.New("its sizes contradict each other")
	}
	clusters := (total - overhead) / perCluster
	// Section "FAT Type Determination": the number of clusters alone decides.
	bits := uint64(32)
	switch {
	case wide:
		f.name = "FAT32"
	case clusters < 4085:
		f.name, bits = "FAT12", 12
	default:
		f.name, bits = "FAT16", 16
	}
	if clusters == 0 || (clusters+2)*bits > perFAT*sector*8 {
		return fat{}, errors.New("its file allocation table is too small for it")
	}
	f.fatAt = int64(reserved * sector)
	f.rootAt = int64((reserved + fats*perFAT) * sector)
	if wide {
		root := uint64(le.Uint32(b[44:]))
		if root < 2 || root >= clusters+2 || le.Uint16(b[42:]) != 0 {
			return fat{}, errors.New("it does not say where the root directory lies")
		}
		f.rootAt += int64((root - 2) * f.clusterBytes)
	}
	return f, nil
}

// errNoFAT tells that a sector does not look like one of FAT at all.
var errNoFAT = errors.New("not a boot sector of FAT")

func probeFAT(v *volume) (Content, bool) {
	f, err := parseFAT(v.boot)
	if errors.Is(err, errNoFAT) {
		return Content{}, false
	}
	if err == nil && !v.fits(f.total, f.sectorBytes) {
		err = fmt.Errorf("it speaks of %d sectors of %d bytes where the volume has %d bytes", f.total, f.sectorBytes, v.size)
	}
	if err == nil {
		// The first two entries of the table are reserved: the media byte and ones.
		table := v.at(f.fatAt, 4)
		if len(table) < 4 || table[0] != f.media || table[1] != 0xff || table[2] != 0xff {
			err = errors.New("there is no file allocation table where it says")
		}
	}
	if err != nil {
		v.doubted("the boot sector is that of FAT, but " + err.Error())
		return Content{}, false
	}
	content := fileSystem(f.name, f.clusterBytes)
	if label, ok := fatLabel(v.at(f.rootAt, fatSearchBytes)); ok {
		content = content.labelled(label)
	}
	return content, true
}

// fatLabel looks for the label in the root directory, which is the one that Windows shows and
// changes; the one in the boot sector stays as it was formatted.
func fatLabel(directory []byte) (string, bool) {
	for ; len(directory) >= fatDirectoryEntry; directory = directory[fatDirectoryEntry:] {
		attributes := directory[11]
		switch {
		case directory[0] == 0:
			return "", true // the end of the directory
		case directory[0] != fatDeleted && attributes&fatLongName != fatLongName && attributes&fatVolumeLabel != 0:
			return oemText(directory[:11]), true
		}
	}
	return "", false
}

// oemText decodes a name in the code page of whoever formatted the volume, which is not known:
// ASCII stays, anything else becomes a question mark, as it does in Windows for a foreign page.
func oemText(data []byte) string {
	text := make([]byte, 0, len(data))
	for _, b := range data {
		if b < 0x20 || b > 0x7e {
			b = '?'
		}
		text = append(text, b)
	}
	return strings.TrimRight(string(text), " ")
}
