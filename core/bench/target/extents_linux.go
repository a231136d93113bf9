package target

import (
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The interface that tells where a file's bytes are.
// Source: Documentation/filesystems/fiemap.rst and include/uapi/linux/fiemap.h of the kernel.
const (
	fsIocFiemap   = 0xc020660b
	fiemapSync    = 0x1
	fiemapBatch   = 512
	fiemapMost    = 1 << 20
	extentLast    = 0x1
	extentNowhere = 0x2 | 0x4 // UNKNOWN, DELALLOC
	extentEncoded = 0x8
	extentCrypted = 0x80
	extentInline  = 0x200
	extentUnused  = 0x800 // UNWRITTEN
	extentShared  = 0x2000
)

type fiemapHeader struct {
	start, length                     uint64
	flags, mapped, count, unusedField uint32
}

type fiemapExtent struct {
	logical, physical, length uint64
	_                         [2]uint64
	flags                     uint32
	_                         [3]uint32
}

// extents sums up a file's extents, in bytes.
type extents struct {
	written, unwritten, encoded, encrypted, inline, shared int64
}

// add counts the part of an extent that lies within size.
func (e *extents) add(x fiemapExtent, size int64) {
	if x.logical >= uint64(size) {
		return
	}
	length := int64(min(x.length, uint64(size)-x.logical))
	switch {
	case x.flags&(extentNowhere|extentUnused) != 0:
		e.unwritten += length
	default:
		e.written += length
	}
	for flag, sum := range map[uint32]*int64{extentEncoded: &e.encoded, extentCrypted: &e.encrypted, extentInline: &e.inline, extentShared: &e.shared} {
		if x.flags&flag != 0 {
			*sum += length
		}
	}
}

// readExtents asks for the extents of the file's first size bytes.
func readExtents(file *os.File, size int64) (extents, error) {
	var sum extents
	buffer := make([]uint64, (int(unsafe.Sizeof(fiemapHeader{}))+fiemapBatch*int(unsafe.Sizeof(fiemapExtent{})))/8)
	header := (*fiemapHeader)(unsafe.Pointer(&buffer[0]))
	list := unsafe.Slice((*fiemapExtent)(unsafe.Pointer(&buffer[unsafe.Sizeof(fiemapHeader{})/8])), fiemapBatch)
	start := uint64(0)
	for range fiemapMost / fiemapBatch {
		*header = fiemapHeader{start: start, length: math.MaxUint64 - start, flags: fiemapSync, count: fiemapBatch}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, file.Fd(), fsIocFiemap, uintptr(unsafe.Pointer(header)))
		if errno != 0 {
			return sum, errno
		}
		mapped := list[:min(header.mapped, fiemapBatch)]
		for _, x := range mapped {
			sum.add(x, size)
			if x.flags&extentLast != 0 || x.logical >= uint64(size) {
				return sum, nil
			}
			if x.logical+x.length <= start {
				return sum, errors.New("the file system's list of extents goes backwards")
			}
			start = x.logical + x.length
		}
		if len(mapped) == 0 {
			return sum, nil
		}
	}
	return sum, fmt.Errorf("the file has more than %d extents", fiemapMost)
}

// allocation finds out which of the file's first size bytes are allocated and written, and
// whether the file system stores something else than what was written.
func allocation(file *os.File, size int64, facts *Facts) (allocated *uint64, transformed *bool) {
	sum, err := readExtents(file, size)
	if err != nil {
		return allocatedByHoles(file, size, facts, err), attributes(file, facts)
	}
	text := fmt.Sprintf("%d of %d bytes are in written extents, %d in unwritten ones, %d in compressed or encoded ones, %d in shared ones (FIEMAP)",
		sum.written, size, sum.unwritten, sum.encoded, sum.shared)
	facts.note(FactProof, nil, text)
	if sum.written < size {
		facts.yes(FactSparse, text)
	} else {
		facts.no(FactSparse, text)
	}
	inside := attributes(file, facts)
	changed := inside != nil && *inside
	switch {
	case sum.encrypted > 0:
		facts.yes(FactEncrypted, fmt.Sprintf("the file system encrypts %d of %d bytes (FIEMAP)", sum.encrypted, size))
		changed = true
	case sum.encoded > 0:
		facts.yes(FactCompressed, text)
		changed = true
	default:
		facts.no(FactCompressed, text)
		facts.no(FactEncrypted, text)
	}
	written := uint64(sum.written)
	return &written, &changed
}

// allocatedByHoles is for file systems without FIEMAP: what is neither a hole nor missing from
// the count of blocks is allocated. Source: lseek(2), SEEK_DATA and SEEK_HOLE; stat(2), st_blocks.
func allocatedByHoles(file *os.File, size int64, facts *Facts, reason error) *uint64 {
	data, err := dataBytes(file, size)
	var stat unix.Stat_t
	if err == nil {
		err = unix.Fstat(int(file.Fd()), &stat)
	}
	if err != nil {
		facts.note(FactSparse, nil, fmt.Sprintf("the file system tells neither extents (%v) nor holes (%v)", reason, err))
		return nil
	}
	blocks := stat.Blocks * 512
	text := fmt.Sprintf("%d of %d bytes are no holes (SEEK_HOLE), and %d bytes are allocated (st_blocks); the file system does not tell extents (%v)", data, size, blocks, reason)
	facts.note(FactProof, nil, text)
	allocated := uint64(min(data, blocks))
	if allocated < uint64(size) {
		facts.yes(FactSparse, text)
	} else {
		facts.no(FactSparse, text)
	}
	return &allocated
}

// dataBytes counts the bytes that are no holes.
func dataBytes(file *os.File, size int64) (int64, error) {
	sum, at := int64(0), int64(0)
	for range fiemapMost {
		data, err := unix.Seek(int(file.Fd()), at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) || err == nil && data >= size {
			return sum, nil
		}
		if err != nil {
			return 0, err
		}
		hole, err := unix.Seek(int(file.Fd()), data, unix.SEEK_HOLE)
		if err != nil {
			return 0, err
		}
		if hole <= data {
			return 0, errors.New("a hole that begins before the data in front of it")
		}
		sum += min(hole, size) - data
		at = hole
	}
	return 0, fmt.Errorf("the file has more than %d holes", fiemapMost)
}

// attributes asks the file system whether it compresses or encrypts the file; nil when it does
// not say. Source: statx(2), stx_attributes.
func attributes(file *os.File, facts *Facts) *bool {
	var stat unix.Statx_t
	if err := unix.Statx(int(file.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS, &stat); err != nil {
		return nil
	}
	var said, changed bool
	for _, a := range []struct {
		bit  uint64
		fact Fact
		name string
	}{{unix.STATX_ATTR_COMPRESSED, FactCompressed, "compressed"}, {unix.STATX_ATTR_ENCRYPTED, FactEncrypted, "encrypted"}} {
		if stat.Attributes_mask&a.bit == 0 {
			continue
		}
		said = true
		if stat.Attributes&a.bit != 0 {
			changed = true
			facts.yes(a.fact, "the file system marks the file as "+a.name)
		} else {
			facts.no(a.fact, "the file system does not mark the file as "+a.name)
		}
	}
	if !said {
		return nil
	}
	return &changed
}

// noCompression is FS_NOCOMP_FL of include/uapi/linux/fs.h.
const noCompression = 0x400

// dontTransform asks the file system not to compress the file. It leaves copy-on-write and
// checksums as they are, for they belong to what is measured. Not all file systems know it.
func dontTransform(file *os.File, facts *Facts) {
	flags, err := unix.IoctlGetUint32(int(file.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil || facts.FUSE != nil && *facts.FUSE {
		return
	}
	// A file system that does not know the flag refuses it; the proof tells whether it compresses.
	_ = unix.IoctlSetPointerInt(int(file.Fd()), unix.FS_IOC_SETFLAGS, int(flags|noCompression))
}
