package disk

import (
	"bytes"
	"io"
	"sort"
)

// The log (MS-VHDX 2.3) holds changes of metadata - block table, metadata, region table, never
// the disk's own data - that a writer had not put into place yet when it stopped or when the
// file was copied. Replaying them is needed to find the blocks; it happens in memory, over the
// file as it is.
const (
	vhdxLogSector     = 4 << 10 // 2.3.1
	vhdxLogEntryHead  = 64      // 2.3.1.1
	vhdxLogDescriptor = 32      // 2.3.1.2, 2.3.1.3

	// Hyper-V makes logs of 1 MiB. Looking for entries costs 64 bytes a sector, so a log of
	// this length costs 64 KiB.
	vhdxMaxLog = 4 << 20
	// What the active sequence may add up to, and so what is read and kept.
	vhdxMaxReplay = 640 << 10
	// Behind the newest entry only one that was being written can be torn; a few more are tried.
	vhdxMaxCandidates = 8

	vhdxLogAdvice = "Attach the disk once on Windows and detach it again, which completes it, or copy it while it is not in use"
)

// vhdxLogEntry is the head of one entry.
type vhdxLogEntry struct {
	at       int64 // within the log
	length   int64
	tail     int64
	sequence uint64
	count    uint32
	flushed  uint64
}

// replayVHDXLog returns the file as it would be after replaying its log, and an issue that says
// so when there was something to replay.
func replayVHDXLog(r io.ReaderAt, size int64, header vhdxHeader) (io.ReaderAt, *Issue, error) {
	if header.logGUID == (guid{}) {
		return r, nil, nil // 2.2.2: a zero LogGuid means that the log is empty
	}
	if header.logVersion != 0 {
		return nil, nil, errorf(CodeVHDXLog, "the VHDX has changes pending in a log of version %d, which is not known. %s", header.logVersion, vhdxLogAdvice)
	}
	if header.logBytes == 0 || header.logBytes > vhdxMaxLog {
		return nil, nil, errorf(CodeVHDXLog, "the VHDX has changes pending in a log of %d bytes, more than is replayed here. %s", header.logBytes, vhdxLogAdvice)
	}
	if header.logOffset < vhdxAlign || header.logOffset > uint64(size) || uint64(header.logBytes) > uint64(size)-header.logOffset ||
		header.logBytes%vhdxAlign != 0 || header.logOffset%vhdxAlign != 0 {
		return nil, nil, vhdxDamaged("its log of %d bytes should lie at byte %d, which does not fit into the file (%d bytes)", header.logBytes, header.logOffset, size)
	}
	log := &vhdxLog{r: r, size: size, offset: int64(header.logOffset), length: int64(header.logBytes), id: header.logGUID, entries: map[int64][]byte{}}
	sequences, err := log.sequences()
	if err != nil {
		return nil, nil, err
	}
	for _, sequence := range sequences {
		overlay := &vhdxOverlay{r: r, size: size}
		ok, err := log.replay(sequence, overlay)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			continue
		}
		// 2.3.1.1, FlushedFileOffset: a file shorter than that has lost its end.
		if flushed := sequence[len(sequence)-1].flushed; flushed > uint64(size) {
			return nil, nil, vhdxDamaged("the file has %d bytes, but its log says that it had %d", size, flushed)
		}
		issue := issuef(IssueVHDXLogReplayed,
			"the VHDX was in use or not closed when it was copied; the changes pending in its log (%d entries) were taken into account", len(sequence))
		return overlay, &issue, nil
	}
	return nil, nil, errorf(CodeVHDXLog, "the VHDX has changes pending in its log, but the log is damaged. %s", vhdxLogAdvice)
}

type vhdxLog struct {
	r      io.ReaderAt
	size   int64
	offset int64
	length int64
	id     guid
	// entries holds what was read of the log by position, nil for a damaged entry; candidates
	// share most of their entries. Together they stay below vhdxMaxReplay.
	entries map[int64][]byte
	held    int64
}

// read returns bytes of the log, which is circular.
func (l *vhdxLog) read(at int64, length int) ([]byte, error) {
	at %= l.length
	first := min(int64(length), l.length-at)
	data, err := readAt(l.r, l.size, l.offset+at, int(first))
	if err != nil {
		return nil, unreadable("the VHDX's log", l.offset+at, err)
	}
	if first < int64(length) {
		rest, err := readAt(l.r, l.size, l.offset, length-int(first))
		if err != nil {
			return nil, unreadable("the VHDX's log", l.offset, err)
		}
		data = append(data, rest...)
	}
	return data, nil
}

// sequences returns the chains of entries that can be the active one, the one with the highest
// sequence number first (2.3.2). Only the heads of entries have been looked at.
func (l *vhdxLog) sequences() ([][]vhdxLogEntry, error) {
	heads := map[int64]vhdxLogEntry{}
	for at := int64(0); at < l.length; at += vhdxLogSector {
		data, err := l.read(at, vhdxLogEntryHead)
		if err != nil {
			return nil, err
		}
		if entry, ok := l.parse(at, data); ok {
			heads[at] = entry
		}
	}
	// The last entry of the active sequence says where the sequence begins. From there the
	// entries must follow each other, in place and in number, up to that last one.
	ends := make([]vhdxLogEntry, 0, len(heads))
	for _, entry := range heads {
		ends = append(ends, entry)
	}
	sort.Slice(ends, func(i, j int) bool { return ends[i].sequence > ends[j].sequence })
	var found [][]vhdxLogEntry
	for _, end := range ends[:min(len(ends), vhdxMaxCandidates)] {
		var chain []vhdxLogEntry
		for at := end.tail; len(chain) <= len(heads); {
			entry, ok := heads[at]
			if !ok || len(chain) > 0 && entry.sequence != chain[len(chain)-1].sequence+1 {
				break
			}
			chain = append(chain, entry)
			if at == end.at {
				found = append(found, chain)
				break
			}
			at = (at + entry.length) % l.length
		}
	}
	return found, nil
}

func (l *vhdxLog) parse(at int64, data []byte) (vhdxLogEntry, bool) {
	entry := vhdxLogEntry{
		at: at, length: int64(le.Uint32(data[8:])), tail: int64(le.Uint32(data[12:])),
		sequence: le.Uint64(data[16:]), count: le.Uint32(data[24:]), flushed: le.Uint64(data[48:]),
	}
	ok := string(data[:4]) == "loge" && guidAt(data[32:]) == l.id && entry.sequence != 0 &&
		entry.length >= vhdxLogSector && entry.length <= l.length && entry.length%vhdxLogSector == 0 &&
		entry.tail < l.length && entry.tail%vhdxLogSector == 0 &&
		int64(entry.count) <= entry.length/vhdxLogDescriptor
	return entry, ok
}

// replay puts a sequence into the overlay. It returns false when an entry of it is damaged. To
// fall back on an older sequence because this one is too long would be to miss changes, so that
// is an error.
func (l *vhdxLog) replay(sequence []vhdxLogEntry, overlay *vhdxOverlay) (bool, error) {
	for _, entry := range sequence {
		data, read := l.entries[entry.at]
		if !read {
			if l.held+entry.length > vhdxMaxReplay {
				return false, errorf(CodeVHDXLog, "the VHDX has more than %d KiB of changes pending in its log, which is more than is replayed here. %s", vhdxMaxReplay>>10, vhdxLogAdvice)
			}
			var err error
			if data, err = l.read(entry.at, int(entry.length)); err != nil {
				return false, err
			}
			l.held += entry.length
			if !vhdxChecksumFits(data) {
				data = nil
			}
			l.entries[entry.at] = data
		}
		if data == nil || !overlay.apply(entry, data) {
			return false, nil
		}
	}
	return true, nil
}

// vhdxOverlay is the file with the changes of the log on top, later ones over earlier ones.
type vhdxOverlay struct {
	r       io.ReaderAt
	size    int64
	patches []vhdxPatch
}

// vhdxPatch replaces length bytes at offset by data, or by zeros when data is nil.
type vhdxPatch struct {
	offset, length int64
	data           []byte
}

// apply adds one entry: a zero descriptor clears a range (2.3.1.2), a data descriptor replaces
// one sector, whose first 8 and last 4 bytes it carries itself (2.3.1.3, 2.3.1.4).
func (o *vhdxOverlay) apply(entry vhdxLogEntry, data []byte) bool {
	descriptors := vhdxLogEntryHead + int64(entry.count)*vhdxLogDescriptor
	sectors := (descriptors + vhdxLogSector - 1) / vhdxLogSector * vhdxLogSector
	if descriptors > int64(len(data)) {
		return false
	}
	for i := range int64(entry.count) {
		d := data[vhdxLogEntryHead+i*vhdxLogDescriptor:]
		offset := le.Uint64(d[16:])
		if le.Uint64(d[24:]) != entry.sequence || offset%vhdxLogSector != 0 || offset >= 1<<62 {
			return false
		}
		switch string(d[:4]) {
		case "zero":
			length := le.Uint64(d[8:])
			if length%vhdxLogSector != 0 || length >= 1<<62 {
				return false
			}
			o.patches = append(o.patches, vhdxPatch{offset: int64(offset), length: int64(length)})
		case "desc":
			if sectors+vhdxLogSector > int64(len(data)) {
				return false
			}
			sector := bytes.Clone(data[sectors : sectors+vhdxLogSector])
			sectors += vhdxLogSector
			number := uint64(le.Uint32(sector[4:]))<<32 | uint64(le.Uint32(sector[4092:]))
			if string(sector[:4]) != "data" || number != entry.sequence {
				return false
			}
			copy(sector[:8], d[8:16])
			copy(sector[4092:], d[4:8])
			o.patches = append(o.patches, vhdxPatch{offset: int64(offset), length: vhdxLogSector, data: sector})
		default:
			return false
		}
	}
	return true
}

// ReadAt implements io.ReaderAt. What the log writes behind the end of the file is not seen.
func (o *vhdxOverlay) ReadAt(p []byte, offset int64) (int, error) {
	n, err := o.r.ReadAt(p, offset)
	if n < len(p) {
		return n, err
	}
	end := offset + int64(len(p))
	for _, patch := range o.patches {
		from, to := max(offset, patch.offset), min(end, patch.offset+patch.length)
		if from >= to {
			continue
		}
		if patch.data == nil {
			clear(p[from-offset : to-offset])
			continue
		}
		copy(p[from-offset:to-offset], patch.data[from-patch.offset:])
	}
	return n, err
}
