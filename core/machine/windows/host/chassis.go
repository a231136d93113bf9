package host

import (
	"encoding/binary"
	"slices"
)

// Chassis types of SMBIOS (DMTF DSP0134, System Enclosure or Chassis).
var (
	// portableChassis: portable, laptop, notebook, hand held, sub notebook, tablet, convertible, detachable.
	portableChassis = []byte{8, 9, 10, 11, 14, 30, 31, 32}
	// stationaryChassis: desktops, towers, all in one, servers, racks, blades, mini PCs.
	stationaryChassis = []byte{3, 4, 5, 6, 7, 13, 15, 16, 17, 23, 24, 25, 28, 29, 35, 36}
)

func isPortable(chassis []byte) bool {
	return slices.ContainsFunc(chassis, func(kind byte) bool { return slices.Contains(portableChassis, kind) })
}

// isStationary tells whether every enclosure is one of a computer that stays in its place. A
// docked laptop has two.
func isStationary(chassis []byte) bool {
	return len(chassis) > 0 && !slices.ContainsFunc(chassis, func(kind byte) bool { return !slices.Contains(stationaryChassis, kind) })
}

// decodeChassis lists the types of enclosures in a RawSMBIOSData, which is eight bytes of header,
// the last four the length, and the table
// (learn.microsoft.com/windows/win32/api/sysinfoapi/nf-sysinfoapi-getsystemfirmwaretable). A
// structure is its type, the length of its formatted part, a handle of two bytes, the rest of that
// part, and texts up to two zeros. What does not fit ends the list.
func decodeChassis(raw []byte) []byte {
	const (
		header    = 8
		enclosure = 3
		end       = 127
		kindAt    = 5
		// lock is the bit of the type that tells of a lock on the chassis.
		lock = 0x80
	)
	if len(raw) < header {
		return nil
	}
	table := raw[header:]
	if length := binary.LittleEndian.Uint32(raw[4:]); uint64(length) < uint64(len(table)) {
		table = table[:length]
	}
	var kinds []byte
	for len(table) >= 4 {
		kind, length := table[0], int(table[1])
		if length < 4 || length > len(table) || kind == end {
			break
		}
		if kind == enclosure && length > kindAt {
			kinds = append(kinds, table[kindAt]&^lock)
		}
		table = afterTexts(table[length:])
	}
	return kinds
}

// afterTexts is what follows the two zeros at the end of a structure's texts.
func afterTexts(table []byte) []byte {
	for i := 0; i+1 < len(table); i++ {
		if table[i] == 0 && table[i+1] == 0 {
			return table[i+2:]
		}
	}
	return nil
}
