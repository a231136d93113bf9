package hive

import (
	"encoding/binary"
	"errors"
	"io"
)

const (
	// headerBytes is the length of the base block, with which a hive begins. What an offset in a hive
	// counts from, the hive bins data, comes after it.
	headerBytes = 4096
	// summedBytes are those at the front of the base block that its checksum covers and is among.
	summedBytes = 512
	checksumAt  = 508
	// binBytes is what the hive bins data is a multiple of.
	binBytes = 4096

	signature    = "regf"
	binSignature = "hbin"

	// File type and versions of the base block. SYSTEM hives have 1.5 since Windows XP; 1.6 was only seen
	// on hives of containers, which hold what differs from another hive. Source: section "Format versions" in
	// the format's description at https://github.com/libyal/libregf.
	typePrimary       = 0
	majorVersion      = 1
	oldestMinor       = 3
	newestMinor       = 5
	differencingMinor = 6

	// offsetNowhere is the offset that leads nowhere.
	offsetNowhere = 0xffffffff

	// budgetCells bounds how many cells of a hive are looked at, whatever it says. A SYSTEM hive needs
	// some hundreds: its root has about 15 keys, and Control about 150.
	budgetCells = 1 << 16
)

var le = binary.LittleEndian

// image is a hive in a file. Its cells are read as they are needed; none is kept.
type image struct {
	r    io.ReaderAt
	path string
	// bins is the length of the hive bins data in bytes.
	bins int64
	// rootAt is the offset of the root key.
	rootAt uint32
	// cells is how many more cells may be looked at.
	cells int
}

// newImage checks the base block of a hive.
func newImage(r io.ReaderAt, size int64, path string) (*image, error) {
	i := &image{r: r, path: path, cells: budgetCells}
	if size < headerBytes {
		return nil, i.noHive()
	}
	header := make([]byte, summedBytes)
	if err := i.readAt(header, 0); err != nil {
		return nil, err
	}
	if string(header[:4]) != signature {
		return nil, i.noHive()
	}
	if err := i.checkKind(header); err != nil {
		return nil, err
	}
	i.rootAt = le.Uint32(header[36:])
	i.bins = int64(le.Uint32(header[40:]))
	if i.bins < binBytes || i.bins%binBytes != 0 {
		return nil, i.damaged("its header gives its data a length of %d bytes", i.bins)
	}
	if i.bins > size-headerBytes {
		return nil, i.damaged("it is cut short: its header speaks of %d bytes, and there are %d", i.bins, size-headerBytes)
	}
	bin := make([]byte, 4)
	if err := i.readAt(bin, headerBytes); err != nil {
		return nil, err
	}
	if string(bin) != binSignature {
		return nil, i.damaged("its data does not begin as that of a hive does")
	}
	return i, nil
}

// checkKind refuses a hive that is not a primary file in a known format, as its last writer meant it
// to be. A hive is dirty when the checksum of the base block is wrong, or when its two sequence
// numbers differ.
func (i *image) checkKind(header []byte) error {
	first, second := le.Uint32(header[4:]), le.Uint32(header[8:])
	major, minor, kind := le.Uint32(header[20:]), le.Uint32(header[24:]), le.Uint32(header[28:])
	switch {
	case le.Uint32(header[checksumAt:]) != checksum(header):
		return i.dirty("the checksum of its header is wrong")
	case kind != typePrimary:
		return i.refuse(CodeNotAHive, "is not the hive itself but a transaction log of one. Name the file without .LOG, .LOG1 or .LOG2")
	case major == majorVersion && minor == differencingMinor:
		return i.refuse(CodeVersion, "is a hive of format 1.6, which containers use for what differs from another hive, so what is not in it may be in the other. Name the SYSTEM hive of an installed Windows or of an installation image")
	case major != majorVersion || minor < oldestMinor || minor > newestMinor:
		return i.refuse(CodeVersion, "is a hive of format %d.%d; this program knows 1.3 to 1.5, which all Windows from NT 4 to 11 use. Set the value with the tools of the Windows that it belongs to", major, minor)
	case first != second:
		return i.dirty("its sequence numbers are %d and %d", first, second)
	}
	return nil
}

// checksum is that of a base block: the exclusive or of its words, with two values left out.
func checksum(header []byte) uint32 {
	var sum uint32
	for at := 0; at < checksumAt; at += 4 {
		sum ^= le.Uint32(header[at:])
	}
	switch sum {
	case 0:
		return 1
	case 0xffffffff:
		return 0xfffffffe
	}
	return sum
}

// readAt fills a buffer. A file that ends early is a damaged hive; anything else is the disk.
func (i *image) readAt(buffer []byte, offset int64) error {
	n, err := i.r.ReadAt(buffer, offset)
	if n == len(buffer) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return i.damaged("it ends at byte %d, in the middle of its data", offset+int64(n))
	}
	refused := i.refuse(CodeUnreadable, "cannot be read at byte %d: %v. Check the disk that it is on, and copy the file elsewhere", offset, reason(err))
	refused.Err = err
	return refused
}

func (i *image) refuse(code, format string, arguments ...any) *Error {
	return refuse(i.path, code, format, arguments...)
}

func (i *image) noHive() *Error {
	return i.refuse(CodeNotAHive, "is no registry hive. Name the file SYSTEM in the image's folder Windows\\System32\\config")
}

func (i *image) dirty(format string, arguments ...any) *Error {
	return i.refuse(CodeDirty, "was not closed properly: "+format+
		". Changes to it may still be in its transaction logs, SYSTEM.LOG1 and SYSTEM.LOG2, so what it says cannot be relied on. Shut the Windows that it belongs to down with shutdown /s /t 0; or, with these logs beside it, let Windows bring them together from an elevated Command Prompt: %s, then %s",
		append(arguments, loadLine(i.path), unloadLine)...)
}

func (i *image) damaged(format string, arguments ...any) *Error {
	return i.refuse(CodeDamaged, "is damaged: "+format+". Take it from the image or from a backup again", arguments...)
}
