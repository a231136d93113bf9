// Package ondisktest makes BitLocker volumes for tests: header and metadata by the public
// descriptions of the format, around data that means nothing.
package ondisktest

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"time"
	"unicode/utf16"
)

// Spec describes a volume. Its zero value is not useful; begin with Default.
type Spec struct {
	ToGo          bool
	Vista         bool
	UsedSpaceOnly bool
	// Identifier replaces the header's identifier when it is not all zero.
	Identifier  [16]byte
	SectorBytes uint16
	SizeBytes   int64
	Offsets     [3]int64
	State, Next uint16
	// EncryptedBytes is SizeBytes when 0.
	EncryptedBytes int64
	GUID           [16]byte
	Nonces         [3]uint32
	Method         uint16
	Created        time.Time
	Description    string
	Protectors     []Protector
}

// Protector is one key protector.
type Protector struct {
	ID         [16]byte
	Protection uint16
	// Version of the entry; 3 occurs with clear keys.
	Version uint16
	// Extra is how many further bytes the entry has.
	Extra int
}

// Default is a 64 MiB volume as Windows 11 makes them: XTS-AES 128, a TPM and a recovery password.
func Default() Spec {
	return Spec{
		SectorBytes: 512,
		SizeBytes:   64 << 20,
		Offsets:     [3]int64{34603008, 46256128, 57909248},
		State:       4, Next: 4,
		GUID:        [16]byte{0x67, 0x45, 0x23, 0x01, 0xab, 0x89, 0xef, 0xcd, 1, 2, 3, 4, 5, 6, 7, 8},
		Nonces:      [3]uint32{10, 10, 10},
		Method:      0x8004,
		Created:     time.Date(2025, 3, 9, 9, 6, 10, 0, time.UTC),
		Description: "PC-1 C: 09/03/2025",
		Protectors: []Protector{
			{ID: [16]byte{1}, Protection: 0x0100, Version: 1, Extra: 180},
			{ID: [16]byte{2}, Protection: 0x0800, Version: 1, Extra: 280},
		},
	}
}

// Image is a volume's bytes: the parts that hold something, and zeros between them.
type Image struct {
	Size  int64
	Parts []Part
}

// Part is a run of bytes in an Image.
type Part struct {
	Offset int64
	Data   []byte
}

// ReadAt reads like a file of Size bytes.
func (image *Image) ReadAt(p []byte, offset int64) (int, error) {
	if offset >= image.Size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), image.Size-offset))
	clear(p[:n])
	for _, part := range image.Parts {
		from, to := max(part.Offset, offset), min(part.Offset+int64(len(part.Data)), offset+int64(n))
		if from < to {
			copy(p[from-offset:to-offset], part.Data[from-part.Offset:])
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// AreaBytes is the room of each copy of the metadata.
const AreaBytes = 64 << 10

// Build makes the volume. Its parts are the header and the three copies, in this order.
func Build(spec Spec) *Image {
	image := &Image{Size: spec.SizeBytes, Parts: []Part{{0, Header(spec)}}}
	for i, offset := range spec.Offsets {
		image.Parts = append(image.Parts, Part{offset, Copy(spec, i)})
	}
	return image
}

// Header makes the volume's first sector.
func Header(spec Spec) []byte {
	sector := make([]byte, 512)
	identifier := [16]byte{0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a, 0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 0x01}
	if spec.UsedSpaceOnly {
		identifier = [16]byte{0x3b, 0x4d, 0xa8, 0x92, 0x80, 0xdd, 0x0e, 0x4d, 0x9e, 0x4e, 0xb1, 0xe3, 0x28, 0x4e, 0xae, 0xd8}
	}
	if spec.Identifier != [16]byte{} {
		identifier = spec.Identifier
	}
	copy(sector, "\xeb\x58\x90-FVE-FS-")
	at := 160
	switch {
	case spec.ToGo:
		copy(sector[3:], "MSWIN4.1")
		copy(sector[82:], "FAT32   ")
		at = 424
	case spec.Vista:
		copy(sector, "\xeb\x52\x90")
	}
	binary.LittleEndian.PutUint16(sector[11:], spec.SectorBytes)
	sector[13] = 8
	sector[510], sector[511] = 0x55, 0xaa
	if spec.Vista {
		binary.LittleEndian.PutUint64(sector[56:], uint64(spec.Offsets[0]/4096))
		return sector
	}
	copy(sector[at:], identifier[:])
	for i, offset := range spec.Offsets {
		binary.LittleEndian.PutUint64(sector[at+16+8*i:], uint64(offset))
	}
	return sector
}

// Copy makes copy number i (0 to 2) of the metadata, as large as its area.
func Copy(spec Spec, i int) []byte {
	var entries []byte
	entry := func(kind, valueType, version uint16, value []byte) {
		head := make([]byte, 8)
		binary.LittleEndian.PutUint16(head, uint16(8+len(value)))
		binary.LittleEndian.PutUint16(head[2:], kind)
		binary.LittleEndian.PutUint16(head[4:], valueType)
		binary.LittleEndian.PutUint16(head[6:], version)
		entries = append(append(entries, head...), value...)
	}
	if spec.Description != "" {
		var text []byte
		for _, unit := range append(utf16.Encode([]rune(spec.Description)), 0) {
			text = binary.LittleEndian.AppendUint16(text, unit)
		}
		entry(7, 2, 1, text)
	}
	for _, protector := range spec.Protectors {
		value := make([]byte, 28+protector.Extra)
		copy(value, protector.ID[:])
		binary.LittleEndian.PutUint16(value[26:], protector.Protection)
		entry(2, 8, protector.Version, value)
	}
	entry(3, 5, 1, make([]byte, 72))

	length := 48 + len(entries)
	size := (64 + length + 15) / 16 * 16
	area := make([]byte, AreaBytes)
	copy(area, "-FVE-FS-")
	binary.LittleEndian.PutUint16(area[8:], uint16(size/16))
	binary.LittleEndian.PutUint16(area[10:], 2)
	binary.LittleEndian.PutUint16(area[12:], spec.State)
	binary.LittleEndian.PutUint16(area[14:], spec.Next)
	encrypted := spec.EncryptedBytes
	if encrypted == 0 {
		encrypted = spec.SizeBytes
	}
	binary.LittleEndian.PutUint64(area[16:], uint64(encrypted))
	binary.LittleEndian.PutUint32(area[28:], 16)
	for j, offset := range spec.Offsets {
		binary.LittleEndian.PutUint64(area[32+8*j:], uint64(offset))
	}
	header := area[64:]
	binary.LittleEndian.PutUint32(header, uint32(length))
	binary.LittleEndian.PutUint32(header[4:], 1)
	binary.LittleEndian.PutUint32(header[8:], 48)
	binary.LittleEndian.PutUint32(header[12:], uint32(length))
	copy(header[16:], spec.GUID[:])
	binary.LittleEndian.PutUint32(header[32:], spec.Nonces[i])
	binary.LittleEndian.PutUint16(header[36:], spec.Method)
	binary.LittleEndian.PutUint16(header[38:], spec.Method)
	if !spec.Created.IsZero() {
		binary.LittleEndian.PutUint64(header[40:], uint64(spec.Created.Unix()+11_644_473_600)*10_000_000)
	}
	copy(header[48:], entries)
	Seal(area)
	return area
}

// Seal writes the validation header of a copy of the metadata: its checksum made right.
func Seal(area []byte) {
	size := int(binary.LittleEndian.Uint16(area[8:])) * 16
	if size+8 > len(area) {
		return
	}
	binary.LittleEndian.PutUint16(area[size:], uint16(len(area)-size))
	binary.LittleEndian.PutUint16(area[size+2:], 2)
	binary.LittleEndian.PutUint32(area[size+4:], crc32.ChecksumIEEE(area[:size]))
}
