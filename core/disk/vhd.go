package disk

import (
	"io"
	"unicode/utf16"
)

// Virtual Hard Disk Image Format Specification 1.0 (Microsoft, October 2006). All numbers are
// big-endian. A footer of one sector ends the file; in a dynamic disk a copy begins it.
const (
	vhdCookie        = "conectix"
	vhdDynamicCookie = "cxsparse"
	vhdFooterBytes   = 512
	vhdHeaderBytes   = 1024

	// Disk types, section "Hard Disk Footer Format".
	vhdFixed        = 2
	vhdDynamic      = 3
	vhdDifferencing = 4

	// Microsoft's tools go up to 2040 GiB, section "Block Allocation Table and Data Blocks"; what
	// the 32-bit sector offsets of the table can address is the bound here.
	vhdMaxBytes = 1 << 41
	// Microsoft's block is 2 MiB and 512 KiB is the other size in use; larger ones are only
	// bounded so that the arithmetic holds.
	vhdMaxBlockBytes = 256 << 20
)

// vhdFooter holds the fields of a footer that matter for reading.
type vhdFooter struct {
	dataOffset uint64
	diskBytes  uint64
	diskType   uint32
	intact     bool
}

// parseVHDFooter returns false when data is no footer at all. A footer whose checksum is wrong
// is returned as not intact.
func parseVHDFooter(data []byte) (vhdFooter, bool) {
	if string(data[:8]) != vhdCookie {
		return vhdFooter{}, false
	}
	return vhdFooter{
		dataOffset: be.Uint64(data[16:]),
		diskBytes:  be.Uint64(data[48:]),
		diskType:   be.Uint32(data[60:]),
		intact:     be.Uint32(data[64:]) == vhdChecksum(data, 64),
	}, true
}

// vhdChecksum is the one's complement of the sum of all bytes but the checksum itself.
func vhdChecksum(data []byte, checksumAt int) uint32 {
	var sum uint32
	for i, b := range data {
		if i < checksumAt || i >= checksumAt+4 {
			sum += uint32(b)
		}
	}
	return ^sum
}

// openVHD returns nil and no error when the image is no VHD. first is its first sector.
func openVHD(r io.ReaderAt, size int64, first []byte) (*Image, error) {
	footer, found, footerBytes, err := readVHDFooter(r, size)
	if err != nil {
		return nil, err
	}
	var issues []Issue
	if !found || !footer.intact {
		front, frontFound := parseVHDFooter(first)
		switch {
		case frontFound && front.intact && front.diskType != vhdFixed:
			footer = front
			footerBytes = 0
			issues = append(issues, issuef(IssueVHDFooterDamaged,
				"the VHD's footer at the end of the file is missing or damaged, so the file may be cut short; the copy at its beginning is used"))
		case frontFound && !found:
			return nil, errorf(CodeVHDDamaged, "the VHD has no footer at its end and a damaged copy at its beginning, so its layout is unknown. Get a complete copy of the file")
		case !found:
			return nil, nil
		case footer.diskType != vhdFixed:
			return nil, errorf(CodeVHDDamaged, "both copies of the VHD's footer are damaged, so its layout is unknown. Get an intact copy of the file")
		default:
			issues = append(issues, issuef(IssueVHDFooterDamaged,
				"the checksum of the VHD's footer is wrong; the file is read as a fixed disk, which is what the footer says"))
		}
	}
	switch footer.diskType {
	case vhdFixed:
		return openFixedVHD(r, size-footerBytes, footer, issues)
	case vhdDynamic, vhdDifferencing:
		return openDynamicVHD(r, size, footer, issues)
	}
	return nil, errorf(CodeVHDDamaged, "the VHD's footer names disk type %d, which does not exist", footer.diskType)
}

// readVHDFooter looks for the footer in the last 512 and in the last 511 bytes: disks made
// before Virtual PC 2004 have the shorter one (section "Hard Disk Footer Format").
func readVHDFooter(r io.ReaderAt, size int64) (footer vhdFooter, found bool, length int64, err error) {
	end, err := readAt(r, size, size-vhdFooterBytes, vhdFooterBytes)
	if err != nil {
		return vhdFooter{}, false, 0, unreadable("the image's last sector", size-vhdFooterBytes, err)
	}
	if footer, found = parseVHDFooter(end); found {
		return footer, true, vhdFooterBytes, nil
	}
	if size%SectorBytes == vhdFooterBytes-1 {
		short := append(end[1:], 0)
		if footer, found = parseVHDFooter(short); found {
			return footer, true, vhdFooterBytes - 1, nil
		}
	}
	return vhdFooter{}, false, 0, nil
}

func openFixedVHD(r io.ReaderAt, available int64, footer vhdFooter, issues []Issue) (*Image, error) {
	size := available
	if footer.intact {
		if footer.diskBytes == 0 || footer.diskBytes > uint64(available) {
			return nil, errorf(CodeVHDDamaged, "the fixed VHD says that its disk has %d bytes, but the file holds %d. Get a complete copy of the file", footer.diskBytes, available)
		}
		size = int64(footer.diskBytes)
	}
	if size <= 0 {
		return nil, errorf(CodeVHDDamaged, "the fixed VHD holds nothing but its footer")
	}
	return &Image{
		ReaderAt: io.NewSectionReader(r, 0, size), size: size, format: FormatVHD, allocation: Fixed,
		sectorBytes: SectorBytes, issues: issues,
	}, nil
}

func openDynamicVHD(r io.ReaderAt, size int64, footer vhdFooter, issues []Issue) (*Image, error) {
	if footer.dataOffset > uint64(size) {
		return nil, errorf(CodeVHDDamaged, "the VHD's header should lie at byte %d, beyond the end of the file (%d bytes). Get a complete copy of the file", footer.dataOffset, size)
	}
	header, err := readAt(r, size, int64(footer.dataOffset), vhdHeaderBytes)
	if err != nil {
		if isTruncation(err) {
			return nil, errorf(CodeVHDDamaged, "the file ends inside the VHD's header. Get a complete copy of the file")
		}
		return nil, unreadable("the VHD's header", int64(footer.dataOffset), err)
	}
	if string(header[:8]) != vhdDynamicCookie {
		return nil, errorf(CodeVHDDamaged, "the VHD's header at byte %d is missing or damaged. Get an intact copy of the file", footer.dataOffset)
	}
	if footer.diskType == vhdDifferencing {
		return nil, needsParent(FormatVHD, utf16BE(header[64:64+512]))
	}
	if be.Uint32(header[36:]) != vhdChecksum(header, 36) {
		issues = append(issues, issuef(IssueVHDHeaderDamaged, "the checksum of the VHD's header is wrong; its fields are used as far as they fit the file"))
	}
	disk := &dynamicVHD{
		r: r, fileBytes: size, size: int64(footer.diskBytes),
		table:      be.Uint64(header[16:]),
		entries:    uint64(be.Uint32(header[28:])),
		blockBytes: int64(be.Uint32(header[32:])),
	}
	if err := disk.check(footer.diskBytes); err != nil {
		return nil, err
	}
	return &Image{
		ReaderAt: disk, size: disk.size, format: FormatVHD, allocation: Dynamic,
		sectorBytes: SectorBytes, issues: issues,
	}, nil
}

// needsParent refuses a differencing disk: it holds only what differs from its parent.
func needsParent(format Format, parent string) *Error {
	name := "its parent"
	if parent != "" {
		name = "its parent " + parent
	}
	e := errorf(CodeDifferencing, "the %s is a differencing disk (a checkpoint): it holds only what differs from %s, which is not read here. Merge it into its parent, or open the parent", format, name)
	e.Parent = parent
	return e
}

func utf16BE(data []byte) string {
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		unit := be.Uint16(data[i:])
		if unit == 0 {
			break
		}
		units = append(units, unit)
	}
	return string(utf16.Decode(units))
}
