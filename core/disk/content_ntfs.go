package disk

import (
	"fmt"
	"unicode/utf16"
)

// NTFS: boot sector as documented on learn.microsoft.com ("NTFS boot sector" in the Windows
// Server resource kit pages); file records and attributes as in the linux-ntfs documentation.
const (
	ntfsName = "NTFS    "

	ntfsMaxRecord      = 4 << 10
	ntfsVolumeRecord   = 3 // the file record of $Volume
	ntfsLabelAttribute = 0x60
	ntfsEndAttribute   = 0xffffffff
)

func probeNTFS(v *volume) (Content, bool) {
	b := v.boot
	if !v.has(3, ntfsName) {
		return Content{}, false
	}
	refuse := func(format string, args ...any) (Content, bool) {
		v.doubted("the boot sector is that of NTFS, but " + fmt.Sprintf(format, args...))
		return Content{}, false
	}
	if !hasBootSignature(b) {
		return refuse("it lacks the boot signature 55 AA")
	}
	sector := uint64(le.Uint16(b[11:]))
	cluster := ntfsUnits(b[13], sector, sector)
	// Reserved sectors, FATs, root entries and the small counts of sectors do not exist here.
	if sector < 256 || sector > 4096 || !powerOfTwo(sector) || cluster < sector || cluster > 2<<20 || !powerOfTwo(cluster) ||
		le.Uint16(b[14:]) != 0 || b[16] != 0 || le.Uint16(b[17:]) != 0 || le.Uint16(b[19:]) != 0 || le.Uint16(b[22:]) != 0 {
		return refuse("its fields make no sense")
	}
	sectors, table := le.Uint64(b[40:]), le.Uint64(b[48:])
	if !v.fits(sectors, sector) {
		return refuse("it speaks of %d sectors of %d bytes where the volume has %d bytes", sectors, sector, v.size)
	}
	record := ntfsUnits(b[64], cluster, 1)
	if record < SectorBytes || record > ntfsMaxRecord || !powerOfTwo(record) || table >= sectors*sector/cluster {
		return refuse("it does not say where the file table lies")
	}
	at := int64(table * cluster)
	if magic := v.at(at, 4); string(magic) != "FILE" {
		return refuse("there is no file table where it says (byte %d)", at)
	}
	content := fileSystem("NTFS", cluster)
	if label, ok := ntfsLabel(v.at(at+ntfsVolumeRecord*int64(record), int(record))); ok {
		content = content.labelled(label)
	}
	return content, true
}

// ntfsUnits decodes a size in bytes: a number of units, or above 0x80 a negative power of two
// that counts powerUnit - sectors for a cluster, bytes for a file record.
func ntfsUnits(value byte, unit, powerUnit uint64) uint64 {
	if value <= 0x80 {
		return uint64(value) * unit
	}
	return powerUnit << min(256-int(value), 31)
}

// ntfsLabel reads the label out of the file record of $Volume. A record whose sectors do not
// end with the record's update sequence number was written only in part and says nothing.
func ntfsLabel(record []byte) (string, bool) {
	if len(record) < SectorBytes || string(record[:4]) != "FILE" || !ntfsFixUp(record) {
		return "", false
	}
	for at := int(le.Uint16(record[20:])); at+24 <= len(record); {
		kind, length := le.Uint32(record[at:]), int(le.Uint32(record[at+4:]))
		if kind == ntfsEndAttribute {
			return "", true
		}
		if length < 24 || length > len(record)-at {
			return "", false
		}
		if kind == ntfsLabelAttribute {
			size, value := int(le.Uint32(record[at+16:])), int(le.Uint16(record[at+20:]))
			if record[at+8] != 0 || value > length || size < 0 || size > length-value {
				return "", false
			}
			return utf16LE(record[at+value : at+value+size]), true
		}
		at += length
	}
	return "", false
}

// ntfsFixUp puts back the last two bytes of each sector, which hold the update sequence number
// on disk.
func ntfsFixUp(record []byte) bool {
	array, count := int(le.Uint16(record[4:])), int(le.Uint16(record[6:]))
	if count != len(record)/SectorBytes+1 || array+2*count > SectorBytes-2 {
		return false
	}
	for i := 1; i < count; i++ {
		end := record[i*SectorBytes-2:]
		if end[0] != record[array] || end[1] != record[array+1] {
			return false
		}
		copy(end[:2], record[array+2*i:])
	}
	return true
}

func utf16LE(data []byte) string {
	units := make([]uint16, 0, len(data)/2)
	for ; len(data) >= 2 && (data[0] != 0 || data[1] != 0); data = data[2:] {
		units = append(units, le.Uint16(data))
	}
	return string(utf16.Decode(units))
}
