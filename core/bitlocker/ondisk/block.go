package ondisk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"
	"unicode/utf16"
)

// Sizes of the fixed parts.
const (
	blockHeaderBytes    = 64
	metadataHeaderBytes = 48
	entriesAt           = blockHeaderBytes + metadataHeaderBytes
	validationBytes     = 8
	entryHeaderBytes    = 8
	vmkHeaderBytes      = 28
	// sizeUnit is what the size field of the block header counts, from version 2 on.
	sizeUnit = 16
	version  = 2
)

// Types and value types of entries (libbde, "FVE metadata entry").
const (
	entryVMK         = 0x0002
	entryDescription = 0x0007
	valueString      = 0x0002
	valueVMK         = 0x0008
)

// claimedBytes is how long a block says it is, its validation header included; 0 when the bytes
// are no block.
func claimedBytes(area []byte) int {
	if len(area) < blockHeaderBytes || string(area[:8]) != signature {
		return 0
	}
	return int(binary.LittleEndian.Uint16(area[8:]))*sizeUnit + validationBytes
}

// parseBlock checks and reads one copy of the metadata. Errors are phrases that say what is
// wrong with the copy.
func parseBlock(area []byte) (*Metadata, error) {
	if len(area) < entriesAt+validationBytes {
		return nil, errors.New("it is cut off")
	}
	if string(area[:8]) != signature {
		return nil, errors.New("its signature is missing")
	}
	if v := binary.LittleEndian.Uint16(area[10:]); v != version {
		return nil, fmt.Errorf("its version is %d, not %d", v, version)
	}
	size := int(binary.LittleEndian.Uint16(area[8:])) * sizeUnit
	if size < entriesAt || size+validationBytes > len(area) {
		return nil, fmt.Errorf("its size of %d bytes is impossible", size)
	}
	// The validation block follows the metadata: size u16, version u16, CRC-32 u32 of all before it.
	if stored, computed := binary.LittleEndian.Uint32(area[size+4:]), crc32.ChecksumIEEE(area[:size]); stored != computed {
		return nil, errors.New("its checksum is wrong")
	}
	return parseMetadata(area[:size])
}

func parseMetadata(block []byte) (*Metadata, error) {
	header := block[blockHeaderBytes:]
	length := int64(binary.LittleEndian.Uint32(header))
	if n := binary.LittleEndian.Uint32(header[8:]); n != metadataHeaderBytes {
		return nil, fmt.Errorf("its header of %d bytes is not of the known kind", n)
	}
	if length < metadataHeaderBytes || length > int64(len(block)-blockHeaderBytes) {
		return nil, fmt.Errorf("its metadata size of %d bytes is impossible", length)
	}
	metadata := &Metadata{
		State:          State(binary.LittleEndian.Uint16(block[12:])),
		NextState:      State(binary.LittleEndian.Uint16(block[14:])),
		EncryptedBytes: binary.LittleEndian.Uint64(block[16:]),
		MovedSectors:   binary.LittleEndian.Uint32(block[28:]),
		MovedTo:        binary.LittleEndian.Uint64(block[56:]),
		GUID:           guid(header[16:]),
		nonce:          binary.LittleEndian.Uint32(header[32:]),
		Method:         Method(binary.LittleEndian.Uint16(header[36:])),
		Created:        filetime(binary.LittleEndian.Uint64(header[40:])),
	}
	for i := range metadata.offsets {
		metadata.offsets[i] = binary.LittleEndian.Uint64(block[32+8*i:])
	}
	return metadata, metadata.readEntries(block[entriesAt : blockHeaderBytes+length])
}

func (m *Metadata) readEntries(data []byte) error {
	for len(data) >= entryHeaderBytes {
		size := int(binary.LittleEndian.Uint16(data))
		if size < entryHeaderBytes || size > len(data) {
			return fmt.Errorf("an entry of %d bytes in it is impossible", size)
		}
		entryType, valueType := binary.LittleEndian.Uint16(data[2:]), binary.LittleEndian.Uint16(data[4:])
		value := data[entryHeaderBytes:size]
		switch {
		case entryType == entryVMK && valueType == valueVMK:
			if len(value) < vmkHeaderBytes {
				return fmt.Errorf("a key protector of %d bytes in it is impossible", size)
			}
			m.Protectors = append(m.Protectors, Protector{
				ID:         guid(value),
				Protection: Protection(binary.LittleEndian.Uint16(value[26:])),
			})
		case entryType == entryDescription && valueType == valueString && m.Description == nil:
			text := utf16le(value)
			m.Description = &text
		}
		data = data[size:]
	}
	return nil
}

// utf16le decodes text up to its terminating zero; what is no character becomes U+FFFD.
func utf16le(data []byte) string {
	units := make([]uint16, 0, len(data)/2)
	for ; len(data) >= 2; data = data[2:] {
		unit := binary.LittleEndian.Uint16(data)
		if unit == 0 {
			break
		}
		units = append(units, unit)
	}
	return string(utf16.Decode(units))
}

// filetime converts 100 ns units since 1601 (FILETIME) to UTC, cut to whole seconds. Years that
// no date format can hold, and 0, give the zero time.
func filetime(ticks uint64) time.Time {
	const (
		ticksPerSecond = 10_000_000
		unixEpoch      = 11_644_473_600
		year10000      = 253_402_300_800
	)
	seconds := int64(ticks/ticksPerSecond) - unixEpoch
	if ticks == 0 || seconds >= year10000 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
