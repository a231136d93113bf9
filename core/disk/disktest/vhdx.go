package disktest

import (
	"hash/crc32"
	"unicode/utf16"
)

// VHDXOptions says how a VHDX is made. The zero value is a dynamic one with blocks of 1 MiB and
// sectors of 512 bytes.
type VHDXOptions struct {
	// Block is the block size in bytes; 0 is 1 MiB.
	Block int64
	// Sector is the logical sector in bytes; 0 is 512.
	Sector int
	// Fixed allocates every block.
	Fixed bool
	// Parent makes it a differencing disk with that parent.
	Parent string
	// Log leaves changes pending in the log.
	Log *VHDXLog
}

// VHDXLog describes pending changes: the block table in the file is zero or rubbish, and the
// true one is in the log.
type VHDXLog struct {
	// Start is the sector of 4 KiB in the log at which the first entry lies; the log is a circle
	// of 256 sectors.
	Start int
	// Torn adds an entry that was not written completely. It must be ignored.
	Torn bool
}

// Where the parts of a VHDX that is built here lie.
const (
	VHDXHeader1  = 64 << 10
	VHDXHeader2  = 128 << 10
	VHDXRegions1 = 192 << 10
	VHDXRegions2 = 256 << 10
	VHDXLogAt    = 1 * mib
	VHDXMetadata = 2 * mib
	VHDXTable    = 3 * mib
)

const (
	vhdxLogGUID = "0d0e0f10-1112-4314-9516-1718191a1b1c"
	vhdxSector  = 4 << 10
)

// VHDX wraps a disk as a VHDX (MS-VHDX). The disk's size must be a multiple of the sector.
func VHDX(disk *Image, o VHDXOptions) *Image {
	if o.Block == 0 {
		o.Block = mib
	}
	if o.Sector == 0 {
		o.Sector = 512
	}
	blocks := (disk.size + o.Block - 1) / o.Block
	ratio := int64(8<<20) * int64(o.Sector) / o.Block
	entries := blocks + (blocks-1)/ratio
	if o.Parent != "" {
		entries = (blocks + ratio - 1) / ratio * (ratio + 1)
	}
	tableBytes := (entries*8 + mib - 1) / mib * mib
	table := make([]byte, tableBytes)
	end := VHDXTable + tableBytes
	type placed struct{ block, at int64 }
	var present []placed
	for b := range blocks {
		if o.Fixed || disk.holdsData(b*o.Block, o.Block) {
			le.PutUint64(table[8*(b+b/ratio):], uint64(end)|6)
			present = append(present, placed{b, end})
			end += o.Block
		}
	}
	out := New(end)
	out.Put(0, append([]byte("vhdxfile"), text16("disktest")...))
	logGUID := make([]byte, 16)
	if o.Log != nil {
		logGUID = GUID(vhdxLogGUID)
		putVHDXLog(out, *o.Log, table)
	} else {
		out.Put(VHDXTable, table)
	}
	out.Put(VHDXHeader1, vhdxHeader(7, logGUID)).Put(VHDXHeader2, vhdxHeader(8, logGUID))
	regions := vhdxRegions(uint32(tableBytes))
	out.Put(VHDXRegions1, regions).Put(VHDXRegions2, regions)
	out.Put(VHDXMetadata, vhdxMetadata(disk.size, o))
	for _, p := range present {
		out.put(p.at, min(o.Block, disk.size-p.block*o.Block), disk, p.block*o.Block)
	}
	return out
}

// SealVHDX puts the right CRC-32C into a header, a region table or an entry of the log, and
// returns it.
func SealVHDX(data []byte) []byte {
	copy(data[4:8], []byte{0, 0, 0, 0})
	le.PutUint32(data[4:], crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
	return data
}

func vhdxHeader(sequence uint64, logGUID []byte) []byte {
	h := make([]byte, 4<<10)
	copy(h, "head")
	le.PutUint64(h[8:], sequence)
	copy(h[16:], GUID(DiskGUID))
	copy(h[32:], GUID(DiskGUID))
	copy(h[48:], logGUID)
	le.PutUint16(h[66:], 1)
	le.PutUint32(h[68:], mib)
	le.PutUint64(h[72:], VHDXLogAt)
	return SealVHDX(h)
}

func vhdxRegions(tableBytes uint32) []byte {
	r := make([]byte, 64<<10)
	copy(r, "regi")
	le.PutUint32(r[8:], 2)
	for i, region := range []struct {
		id     string
		at     uint64
		length uint32
	}{
		{"2dc27766-f623-4200-9d64-115e9bfd4a08", VHDXTable, tableBytes},
		{"8b7ca206-4790-4b9a-b8fe-575f050f886e", VHDXMetadata, mib},
	} {
		e := r[16+32*i:]
		copy(e, GUID(region.id))
		le.PutUint64(e[16:], region.at)
		le.PutUint32(e[24:], region.length)
		le.PutUint32(e[28:], 1)
	}
	return SealVHDX(r)
}

func vhdxMetadata(size int64, o VHDXOptions) []byte {
	const itemsAt = 64 << 10
	parameters := le.AppendUint32(nil, uint32(o.Block))
	flags := uint32(0)
	if o.Fixed {
		flags |= 1
	}
	if o.Parent != "" {
		flags |= 2
	}
	items := []struct {
		id    string
		flags uint32 // 2: of the virtual disk, 4: required
		data  []byte
	}{
		{"caa16737-fa36-4d43-b3b6-33f0aa44e76b", 4, le.AppendUint32(parameters, flags)},
		{"2fa54224-cd1b-4876-b211-5dbed83bf4b8", 6, le.AppendUint64(nil, uint64(size))},
		{"beca12ab-b2e6-4523-93ef-c309e000c746", 6, GUID(DiskGUID)},
		{"8141bf1d-a96f-4709-ba47-f233a8faab5f", 6, le.AppendUint32(nil, uint32(o.Sector))},
		{"cda348c7-445d-4471-9cc9-e9885251c556", 6, le.AppendUint32(nil, 4096)},
	}
	if o.Parent != "" {
		items = append(items, struct {
			id    string
			flags uint32
			data  []byte
		}{"a8d35f2d-b30b-454d-abf7-d3d84834ab0c", 4, vhdxLocator(o.Parent)})
	}
	m := make([]byte, itemsAt+64<<10)
	copy(m, "metadata")
	le.PutUint16(m[10:], uint16(len(items)))
	at := itemsAt
	for i, item := range items {
		e := m[32+32*i:]
		copy(e, GUID(item.id))
		le.PutUint32(e[16:], uint32(at))
		le.PutUint32(e[20:], uint32(len(item.data)))
		le.PutUint32(e[24:], item.flags)
		copy(m[at:], item.data)
		at += (len(item.data) + 7) / 8 * 8
	}
	return m
}

func vhdxLocator(parent string) []byte {
	key, value := text16("absolute_win32_path"), text16(parent)
	l := append(GUID("b04aefb7-d19e-4a81-b789-25b8e9445913"), 0, 0, 1, 0)
	l = le.AppendUint32(l, 32)
	l = le.AppendUint32(l, uint32(32+len(key)))
	l = le.AppendUint16(l, uint16(len(key)))
	l = le.AppendUint16(l, uint16(len(value)))
	return append(append(l, key...), value...)
}

func text16(text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = le.AppendUint16(out, unit)
	}
	return out
}

// putVHDXLog writes the block table into the log, one sector an entry. The first entry also
// clears rubbish in the second sector of the table's place.
func putVHDXLog(out *Image, log VHDXLog, table []byte) {
	out.Put(VHDXTable+vhdxSector, []byte("rubbish that the log clears"))
	at, sequence := log.Start, uint64(100)
	write := func(entry []byte) {
		for len(entry) > 0 {
			out.Put(VHDXLogAt+int64(at%256)*vhdxSector, entry[:vhdxSector])
			entry = entry[vhdxSector:]
			at++
		}
		sequence++
	}
	tail := uint32(log.Start % 256 * vhdxSector)
	write(vhdxLogEntry(sequence, tail, VHDXTable+vhdxSector, nil))
	for sector := int64(0); sector < int64(len(table)); sector += vhdxSector {
		data := table[sector : sector+vhdxSector]
		if New(vhdxSector).Put(0, data).holdsData(0, vhdxSector) {
			write(vhdxLogEntry(sequence, tail, uint64(VHDXTable+sector), data))
		}
	}
	if log.Torn {
		entry := vhdxLogEntry(sequence, tail, VHDXTable, make([]byte, vhdxSector))
		entry[len(entry)-1] ^= 0xff
		write(entry)
	}
}

// vhdxLogEntry builds one entry with one descriptor: a sector of data, or for nil a sector to
// be cleared.
func vhdxLogEntry(sequence uint64, tail uint32, at uint64, data []byte) []byte {
	e := make([]byte, vhdxSector)
	d := e[64:]
	le.PutUint64(d[16:], at)
	le.PutUint64(d[24:], sequence)
	if data == nil {
		copy(d, "zero")
		le.PutUint64(d[8:], vhdxSector)
	} else {
		copy(d, "desc")
		copy(d[4:8], data[4092:])
		copy(d[8:16], data[:8])
		sector := append([]byte(nil), data...)
		copy(sector, "data")
		le.PutUint32(sector[4:], uint32(sequence>>32))
		le.PutUint32(sector[4092:], uint32(sequence))
		e = append(e, sector...)
	}
	copy(e, "loge")
	le.PutUint32(e[8:], uint32(len(e)))
	le.PutUint32(e[12:], tail)
	le.PutUint64(e[16:], sequence)
	le.PutUint32(e[24:], 1)
	copy(e[32:], GUID(vhdxLogGUID))
	le.PutUint64(e[48:], 3*mib)
	le.PutUint64(e[56:], 3*mib)
	return SealVHDX(e)
}
