package disk

import (
	"bytes"
	"io"
)

// Format is the container that an image file is.
type Format string

// The formats that Open reads.
const (
	FormatRaw  Format = "raw"
	FormatVHD  Format = "vhd"
	FormatVHDX Format = "vhdx"
)

// Allocation is how a container stores the disk.
type Allocation string

// The allocations. A raw image is fixed.
const (
	Fixed   Allocation = "fixed"
	Dynamic Allocation = "dynamic"
)

// Image is the content of an image file: the bytes of a disk or a volume, without container.
// It may be read from several goroutines if the reader below may.
type Image struct {
	io.ReaderAt
	size          int64
	format        Format
	allocation    Allocation
	sectorBytes   int
	physicalBytes int
	issues        []Issue
}

// Size is the length of the content in bytes.
func (i *Image) Size() int64 { return i.size }

// Format is the container's format.
func (i *Image) Format() Format { return i.format }

// Allocation tells whether the container stores every block or only those in use.
func (i *Image) Allocation() Allocation { return i.allocation }

// LogicalSectorBytes is the logical sector size that the container states: 512 for a VHD, 512
// or 4096 for a VHDX, 0 for a raw image, which does not say.
func (i *Image) LogicalSectorBytes() int { return i.sectorBytes }

// PhysicalSectorBytes is the physical sector size that the container states; 0 when it does not.
func (i *Image) PhysicalSectorBytes() int { return i.physicalBytes }

// Issues lists what is wrong with the container although it could be opened.
func (i *Image) Issues() []Issue { return i.issues }

// Table finds the partitions, by the sector size that the container states.
func (i *Image) Table() (*Table, error) {
	return ReadTable(i, i.size, i.sectorBytes)
}

// foreign lists formats that hold a disk but are not read here, so that such a file is refused
// by name instead of being taken for a disk full of noise.
var foreign = []struct {
	name   string
	offset int
	magic  string
	advice string
}{
	{"a QCOW2 disk", 0, "QFI\xfb", convertAdvice},
	{"a QED disk", 0, "QED\x00", convertAdvice},
	{"a VMware disk (VMDK)", 0, "KDMV", convertAdvice},
	{"a VMware disk (VMDK)", 0, "COWD", convertAdvice},
	{"the descriptor of a VMware disk (VMDK)", 0, "# Disk DescriptorFile", convertAdvice},
	{"a VirtualBox disk (VDI)", 64, "\x7f\x10\xda\xbe", convertAdvice},
	{"a Parallels disk", 0, "WithoutFreeSpace", convertAdvice},
	{"a Parallels disk", 0, "WithouFreSpacExt", convertAdvice},
	{"an EnCase image (E01)", 0, "EVF\x09\x0d\x0a\xff\x00", "Export it to a raw image first, for example with ewfexport."},
	{"an EnCase image (Ex01)", 0, "EVF2\x0d\x0a\x81\x00", "Export it to a raw image first, for example with ewfexport."},
	{"an Advanced Forensic Format image", 0, "AFF10\x0d\x0a\x00", "Export it to a raw image first."},
	{"a Windows image (WIM)", 0, "MSWIM\x00\x00\x00", "It holds files, not a disk."},
	{"compressed (gzip)", 0, "\x1f\x8b\x08", unpackAdvice},
	{"compressed (xz)", 0, "\xfd7zXZ\x00", unpackAdvice},
	{"compressed (bzip2)", 0, "BZh91AY&SY", unpackAdvice},
	{"compressed (Zstandard)", 0, "\x28\xb5\x2f\xfd", unpackAdvice},
	{"compressed (7z)", 0, "7z\xbc\xaf\x27\x1c", unpackAdvice},
	{"compressed (ZIP)", 0, "PK\x03\x04", unpackAdvice},
}

const (
	convertAdvice = "Convert it first: qemu-img convert -O raw FILE disk.img"
	unpackAdvice  = "Unpack it first."
)

// Open finds out which container r is and returns its content. size is the length of r in
// bytes. Anything that is no container is a raw image. An image that cannot be used is an
// *Error: empty, too small, a format that is not read here, a differencing disk, or damaged.
func Open(r io.ReaderAt, size int64) (*Image, error) {
	if size <= 0 {
		return nil, errorf(CodeImageEmpty, "the image is empty")
	}
	if size < SectorBytes {
		return nil, errorf(CodeImageTooSmall, "the image has %d bytes, less than one sector of 512: it is no disk or volume", size)
	}
	start, err := readAt(r, size, 0, SectorBytes)
	if err != nil {
		return nil, unreadable("the image's first sector", 0, err)
	}
	if bytes.HasPrefix(start, []byte(vhdxSignature)) {
		return openVHDX(r, size)
	}
	for _, f := range foreign {
		if bytes.HasPrefix(start[f.offset:], []byte(f.magic)) && !hasBootSignature(start) {
			return nil, errorf(CodeFormatUnsupported, "the image is %s, which is not read here. %s", f.name, f.advice)
		}
	}
	image, err := openVHD(r, size, start)
	if image != nil || err != nil {
		return image, err
	}
	image = &Image{ReaderAt: io.NewSectionReader(r, 0, size), size: size, format: FormatRaw, allocation: Fixed}
	if size%SectorBytes != 0 {
		image.issues = append(image.issues, issuef(IssueImageUnaligned,
			"the image has %d bytes, which is not a multiple of 512: it may have been cut short", size))
	}
	return image, nil
}

// hasBootSignature reports whether a sector ends as boot sectors and partition tables do
// (UEFI specification 5.2.1).
func hasBootSignature(sector []byte) bool {
	return sector[510] == 0x55 && sector[511] == 0xaa
}
