package disktest

import "unicode/utf16"

// FixedVHD wraps a disk as a fixed VHD (Virtual Hard Disk Image Format Specification 1.0). The
// disk's size must be a multiple of 512.
func FixedVHD(disk *Image) *Image {
	return New(disk.size+512).PutImage(0, disk).Put(disk.size, vhdFooter(disk.size, 2, 1<<64-1))
}

// DynamicVHD wraps a disk as a dynamic VHD with blocks of the given size; blocks of zeros are
// left out. Microsoft's block is 2 MiB.
func DynamicVHD(disk *Image, block int64) *Image {
	return dynamicVHD(disk, block, 3, "")
}

// DifferencingVHD is like DynamicVHD, but says that it has a parent.
func DifferencingVHD(disk *Image, block int64, parent string) *Image {
	return dynamicVHD(disk, block, 4, parent)
}

func dynamicVHD(disk *Image, block int64, kind uint32, parent string) *Image {
	const tableAt = 512 + 1024
	entries := (disk.size + block - 1) / block
	table := make([]byte, (entries*4+511)/512*512)
	for i := range table {
		table[i] = 0xff
	}
	bitmap := (block/512/8 + 511) / 512 * 512
	var present []int64
	end := int64(tableAt + len(table))
	for i := range entries {
		if disk.holdsData(i*block, block) {
			present = append(present, i)
			be.PutUint32(table[4*i:], uint32(end/512))
			end += bitmap + block
		}
	}
	footer := vhdFooter(disk.size, kind, 512)
	out := New(end+512).Put(0, footer).Put(end, footer)
	out.Put(512, vhdHeader(tableAt, uint32(entries), uint32(block), parent)).Put(tableAt, table)
	ones := make([]byte, bitmap)
	for i := range block / 512 / 8 {
		ones[i] = 0xff
	}
	if block < 512*8 {
		ones[0] = 0xff << (8 - block/512)
	}
	for n, i := range present {
		at := int64(tableAt+len(table)) + int64(n)*(bitmap+block)
		out.Put(at, ones)
		out.put(at+bitmap, min(block, disk.size-i*block), disk, i*block)
	}
	return out
}

func vhdFooter(size int64, kind uint32, header uint64) []byte {
	f := make([]byte, 512)
	copy(f, "conectix")
	be.PutUint32(f[8:], 2)
	be.PutUint32(f[12:], 0x00010000)
	be.PutUint64(f[16:], header)
	be.PutUint32(f[24:], 0x2a2a2a2a)
	copy(f[28:], "win ")
	be.PutUint32(f[32:], 0x000a0000)
	copy(f[36:], "Wi2k")
	be.PutUint64(f[40:], uint64(size))
	be.PutUint64(f[48:], uint64(size))
	cylinders, heads, sectors := vhdGeometry(size / 512)
	be.PutUint16(f[56:], cylinders)
	f[58], f[59] = heads, sectors
	be.PutUint32(f[60:], kind)
	copy(f[68:], GUID(DiskGUID))
	return SealVHD(f, 64)
}

func vhdHeader(table uint64, entries, block uint32, parent string) []byte {
	h := make([]byte, 1024)
	copy(h, "cxsparse")
	be.PutUint64(h[8:], 1<<64-1)
	be.PutUint64(h[16:], table)
	be.PutUint32(h[24:], 0x00010000)
	be.PutUint32(h[28:], entries)
	be.PutUint32(h[32:], block)
	for i, unit := range utf16.Encode([]rune(parent)) {
		be.PutUint16(h[64+2*i:], unit)
	}
	return SealVHD(h, 36)
}

// SealVHD puts the right checksum into a VHD's footer (at 64) or header (at 36), and returns it.
func SealVHD(data []byte, at int) []byte {
	copy(data[at:at+4], []byte{0, 0, 0, 0})
	var sum uint32
	for _, b := range data {
		sum += uint32(b)
	}
	be.PutUint32(data[at:], ^sum)
	return data
}

// vhdGeometry is the calculation of the specification's appendix, for a number of sectors.
func vhdGeometry(total int64) (cylinders uint16, heads, sectors byte) {
	total = min(total, 65535*16*255)
	perTrack, head := int64(255), int64(16)
	tracks := total / perTrack
	if total < 65535*16*63 {
		perTrack = 17
		tracks = total / perTrack
		head = max((tracks+1023)/1024, 4)
		if tracks >= head*1024 || head > 16 {
			perTrack, head = 31, 16
			tracks = total / perTrack
		}
		if tracks >= head*1024 {
			perTrack, head = 63, 16
			tracks = total / perTrack
		}
	}
	return uint16(tracks / head), byte(head), byte(perTrack)
}
