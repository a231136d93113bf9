package ondisk

import (
	"encoding/binary"
	"fmt"
)

const (
	headerBytes = 512
	copyCount   = 3
	signature   = "-FVE-FS-"
)

// Format is which of BitLocker's volume headers a volume has.
type Format string

// The formats.
const (
	// Standard is that of Windows 7 and later.
	Standard Format = "bitlocker"
	// ToGo is BitLocker To Go on a volume that looks like FAT32 to older systems.
	ToGo Format = "bitlocker-to-go"
	// Vista is that of Windows Vista.
	Vista Format = "bitlocker-vista"
)

// Header is what the volume's first sector says.
type Header struct {
	// Format tells which header it is.
	Format Format
	// SectorBytes is the sector that the cipher works on; 0 when the header holds nonsense.
	SectorBytes uint16
	// UsedSpaceOnly is true for "encrypt on write", false for a whole volume, nil for an
	// identifier that is neither.
	UsedSpaceOnly *bool
	// Offsets are where the copies of the metadata lie.
	Offsets [copyCount]uint64
}

// Identifiers in the header (cryptsetup, lib/bitlk/bitlk.c).
const (
	normalGUID         = "4967d63b-2e29-4ad8-8399-f6a339e3d001"
	encryptOnWriteGUID = "92a84d3b-dd80-4d0e-9e4e-b1e3284eaed8"
)

// layouts lists the headers that exist. At 11, all have the BIOS parameter block's sector size.
var layouts = []struct {
	format     Format
	jump       string
	oem        string
	identifier int
	offsets    int
}{
	{Standard, "\xeb\x58\x90", signature, 160, 176},
	{ToGo, "\xeb\x58\x90", "MSWIN4.1", 424, 440},
	{Vista, "\xeb\x52\x90", signature, 0, 0},
}

// likeness is how far a first sector looks like that of a BitLocker volume.
type likeness int

const (
	unlike likeness = iota
	// likeFAT may be FAT32 made by another program, or To Go whose identifier is damaged: whether
	// there is metadata where it would be decides.
	likeFAT
	certain
)

func parseHeader(sector []byte) (Header, likeness) {
	if len(sector) < headerBytes {
		return Header{}, unlike
	}
	for _, layout := range layouts {
		if string(sector[:3]) != layout.jump || string(sector[3:11]) != layout.oem {
			continue
		}
		header := Header{Format: layout.format, SectorBytes: sectorBytes(sector)}
		if layout.format == Vista {
			return header, certain
		}
		like := certain
		identifier := guid(sector[layout.identifier:])
		switch identifier {
		case normalGUID, encryptOnWriteGUID:
			usedSpaceOnly := identifier == encryptOnWriteGUID
			header.UsedSpaceOnly = &usedSpaceOnly
		default:
			if layout.format == ToGo {
				like = likeFAT
			}
		}
		for i := range header.Offsets {
			header.Offsets[i] = binary.LittleEndian.Uint64(sector[layout.offsets+8*i:])
		}
		return header, like
	}
	return Header{}, unlike
}

func sectorBytes(sector []byte) uint16 {
	size := binary.LittleEndian.Uint16(sector[11:])
	if size < 512 || size > 4096 || size&(size-1) != 0 {
		return 0
	}
	return size
}

// guid formats 16 bytes in Microsoft's mixed order.
func guid(b []byte) string {
	return fmt.Sprintf("%08x-%04x-%04x-%x-%x",
		binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:]),
		binary.LittleEndian.Uint16(b[6:]), b[8:10], b[10:16])
}
