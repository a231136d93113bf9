package disk

import (
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// MS-VHDX (Virtual Hard Disk v2 File Format). All numbers are little-endian.
const (
	vhdxSignature = "vhdxfile" // 2.2.1

	// 2.2: the header section is 1 MiB, made of 64 KiB pieces.
	vhdxHeader1Offset  = 64 << 10
	vhdxHeader2Offset  = 128 << 10
	vhdxRegions1Offset = 192 << 10
	vhdxRegions2Offset = 256 << 10
	vhdxHeaderBytes    = 4 << 10  // 2.2.2
	vhdxRegionsBytes   = 64 << 10 // 2.2.3
	vhdxMaxEntries     = 2047     // 2.2.3.1 and 2.6.1.1

	// Everything outside the header section lies on MiB boundaries (2.2.3.2, 2.5.1).
	vhdxAlign = 1 << 20
)

var (
	vhdxBATRegion      = parseGUID("2dc27766-f623-4200-9d64-115e9bfd4a08") // 2.2.3.2
	vhdxMetadataRegion = parseGUID("8b7ca206-4790-4b9a-b8fe-575f050f886e") // 2.2.3.2
)

// castagnoli makes the table of CRC-32C when it is first needed, which for most images is never.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// vhdxHeader holds the fields of a header that matter for reading (2.2.2).
type vhdxHeader struct {
	sequence   uint64
	logGUID    guid
	logVersion uint16
	version    uint16
	logBytes   uint32
	logOffset  uint64
}

// vhdxRegion is one entry of the region table (2.2.3.2).
type vhdxRegion struct {
	offset int64
	length int64
}

func vhdxDamaged(format string, args ...any) *Error {
	return errorf(CodeVHDXDamaged, "the VHDX is damaged: %s. Get an intact copy of the file", fmt.Sprintf(format, args...))
}

func openVHDX(r io.ReaderAt, size int64) (*Image, error) {
	header, issues, err := readVHDXHeader(r, size)
	if err != nil {
		return nil, err
	}
	if header.version != 1 {
		return nil, errorf(CodeVHDXUnsupported, "the VHDX has version %d; only version 1 exists in the specification", header.version)
	}
	// Region table and metadata may be in the log too, so it is replayed before they are read.
	file, issue, err := replayVHDXLog(r, size, header)
	if err != nil {
		return nil, err
	}
	if issue != nil {
		issues = append(issues, *issue)
	}
	regions, issue, err := readVHDXRegions(file, size)
	if err != nil {
		return nil, err
	}
	if issue != nil {
		issues = append(issues, *issue)
	}
	metadata, err := readVHDXMetadata(file, size, regions[vhdxMetadataRegion])
	if err != nil {
		return nil, err
	}
	disk := &vhdxBlocks{
		r: file, fileBytes: size, size: metadata.diskBytes, blockBytes: metadata.blockBytes,
		bat:        regions[vhdxBATRegion],
		chunkRatio: (8 << 20) * int64(metadata.sectorBytes) / metadata.blockBytes,
	}
	if err := disk.check(); err != nil {
		return nil, err
	}
	allocation := Dynamic
	if metadata.fixed {
		allocation = Fixed
	}
	return &Image{
		ReaderAt: disk, size: metadata.diskBytes, format: FormatVHDX, allocation: allocation,
		sectorBytes: metadata.sectorBytes, physicalBytes: metadata.physicalBytes, issues: issues,
	}, nil
}

// readVHDXHeader returns the current header: the valid one with the higher sequence number.
func readVHDXHeader(r io.ReaderAt, size int64) (vhdxHeader, []Issue, error) {
	var found []vhdxHeader
	var lastErr error
	for _, offset := range []int64{vhdxHeader1Offset, vhdxHeader2Offset} {
		data, err := readAt(r, size, offset, vhdxHeaderBytes)
		if err != nil {
			lastErr = unreadable("a header of the VHDX", offset, err)
			continue
		}
		if string(data[:4]) != "head" || !vhdxChecksumFits(data) {
			continue
		}
		found = append(found, vhdxHeader{
			sequence: le.Uint64(data[8:]), logGUID: guidAt(data[48:]),
			logVersion: le.Uint16(data[64:]), version: le.Uint16(data[66:]),
			logBytes: le.Uint32(data[68:]), logOffset: le.Uint64(data[72:]),
		})
	}
	switch {
	case len(found) == 2 && found[1].sequence > found[0].sequence:
		return found[1], nil, nil
	case len(found) == 2:
		return found[0], nil, nil
	case len(found) == 1:
		// A writer replaces the older header in place (2.2.2.1), so losing it loses nothing.
		return found[0], []Issue{issuef(IssueVHDXHeaderDamaged, "one of the two headers of the VHDX is damaged; the other one is used")}, nil
	case lastErr != nil && !isTruncation(lastErr):
		return vhdxHeader{}, nil, lastErr
	}
	return vhdxHeader{}, nil, vhdxDamaged("both of its headers are missing or wrong")
}

// vhdxChecksumFits compares the CRC-32C at byte 4 with that of data taken with the field zero.
func vhdxChecksumFits(data []byte) bool {
	return le.Uint32(data[4:]) == vhdxChecksum(data)
}

func vhdxChecksum(data []byte) uint32 {
	sum := crc32.Update(0, castagnoli(), data[:4])
	sum = crc32.Update(sum, castagnoli(), make([]byte, 4))
	return crc32.Update(sum, castagnoli(), data[8:])
}

// readVHDXRegions reads the first region table, or the second when the first is damaged.
func readVHDXRegions(r io.ReaderAt, size int64) (map[guid]vhdxRegion, *Issue, error) {
	for i, offset := range []int64{vhdxRegions1Offset, vhdxRegions2Offset} {
		data, err := readAt(r, size, offset, vhdxRegionsBytes)
		if err != nil {
			if isTruncation(err) {
				return nil, nil, vhdxDamaged("the file ends inside its region table")
			}
			return nil, nil, unreadable("the VHDX's region table", offset, err)
		}
		if string(data[:4]) != "regi" || !vhdxChecksumFits(data) {
			continue
		}
		regions, err := parseVHDXRegions(data, size)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			return regions, nil, nil
		}
		issue := issuef(IssueVHDXRegionsDamaged, "the first region table of the VHDX is damaged; the second one is used")
		return regions, &issue, nil
	}
	return nil, nil, vhdxDamaged("both of its region tables are wrong")
}

func parseVHDXRegions(data []byte, size int64) (map[guid]vhdxRegion, error) {
	count := le.Uint32(data[8:])
	if count > vhdxMaxEntries {
		return nil, vhdxDamaged("its region table claims %d entries", count)
	}
	regions := map[guid]vhdxRegion{}
	for i := range int(count) {
		entry := data[16+32*i:]
		id, offset, length, required := guidAt(entry), le.Uint64(entry[16:]), le.Uint32(entry[24:]), le.Uint32(entry[28:])&1 != 0
		if id != vhdxBATRegion && id != vhdxMetadataRegion {
			if required {
				return nil, errorf(CodeVHDXUnsupported, "the VHDX needs the region %s to be understood, which no specification names", id)
			}
			continue
		}
		if offset < vhdxAlign || offset%vhdxAlign != 0 || length == 0 || offset > uint64(size) || uint64(length) > uint64(size)-offset {
			return nil, vhdxDamaged("a region of %d bytes should lie at byte %d, which does not fit into the file (%d bytes)", length, offset, size)
		}
		if _, double := regions[id]; double {
			return nil, vhdxDamaged("its region table names the region %s twice", id)
		}
		regions[id] = vhdxRegion{offset: int64(offset), length: int64(length)}
	}
	for _, id := range []guid{vhdxBATRegion, vhdxMetadataRegion} {
		if _, ok := regions[id]; !ok {
			return nil, vhdxDamaged("its region table lacks the region %s", id)
		}
	}
	return regions, nil
}
