package disk

import (
	"errors"
	"io"
)

// Kind says what a volume's bytes are.
type Kind string

// The kinds of content.
const (
	// KindFileSystem is a file system in the clear: its structures were seen, not just a name.
	KindFileSystem Kind = "file-system"
	// KindSwap is swap space in the clear.
	KindSwap Kind = "swap"
	// KindBitLocker is a volume with BitLocker's boot sector.
	KindBitLocker Kind = "bitlocker"
	// KindEncrypted is a volume encrypted by something else, such as LUKS.
	KindEncrypted Kind = "encrypted"
	// KindMember is a part of something larger - LVM, RAID, ZFS, an APFS container - that can
	// hold plain and encrypted volumes.
	KindMember Kind = "member"
	// KindBlank means that everything which was looked at is zero.
	KindBlank Kind = "blank"
	// KindUnknown means that nothing was recognised. It can be encrypted data without any header.
	KindUnknown Kind = "unknown"
)

// Content is what a volume holds.
type Content struct {
	Kind Kind
	// Name is the file system or format as it names itself: NTFS, FAT32, exFAT, ReFS, ext4, XFS,
	// Btrfs, LUKS2, "LVM2", "Linux RAID"; empty when nothing was recognised.
	Name string
	// ClusterBytes is the file system's unit of allocation; nil when there is none or it was not read.
	ClusterBytes *uint64
	// Label is the volume's label; empty when it has none, nil when it was not read.
	Label *string
	// Doubt says why something that looks like a file system was not accepted as one, for
	// people: "the boot sector is that of NTFS, but ...". Empty when there is nothing to say.
	Doubt string
}

// Recognize looks at a volume of size bytes and tells what it holds. It reads a few KiB. What it
// calls a file system has fields that fit the volume and more than one of its structures in
// place. An error means that a part could not be read, and so that unknown is only that.
func Recognize(r io.ReaderAt, size int64) (Content, error) {
	v := &volume{r: r, size: size}
	v.boot = v.at(0, volumeBootBytes)
	if v.boot == nil {
		if v.err == nil {
			return Content{Kind: KindUnknown, Doubt: "the volume is smaller than one sector of 512 bytes"}, nil
		}
		return Content{Kind: KindUnknown}, v.err
	}
	for _, probe := range probes {
		if content, ok := probe(v); ok {
			return content, nil
		}
	}
	if v.err == nil && v.blank() && !v.cut {
		return Content{Kind: KindBlank}, nil
	}
	if v.cut {
		v.doubted("the image was cut short, so that not everything could be looked at")
	}
	return Content{Kind: KindUnknown, Doubt: v.doubt}, v.err
}

// probes lists what is recognised, in the order of trying. BitLocker comes first, because its
// boot sector can pass for one of FAT or NTFS.
var probes = []func(*volume) (Content, bool){
	probeBitLocker,
	probeLUKS,
	probeNTFS,
	probeExFAT,
	probeReFS,
	probeFAT,
	probeLVM,
	probeRAID,
	probeXFS,
	probeSquashFS,
	probeAPFS,
	probeExt,
	probeF2FS,
	probeHFSPlus,
	probeSwap,
	probeZFS,
	probeISO,
	probeUDF,
	probeBtrfs,
}

// volumeBootBytes is what is read first; most structures lie within it.
const volumeBootBytes = 2 << 10

// volume is what the probes look at. It remembers whether everything they saw was zero.
type volume struct {
	r    io.ReaderAt
	size int64
	// boot is the beginning of the volume: 2 KiB, or less of a smaller one, at least 512 bytes.
	boot    []byte
	nonZero bool
	// cut is true when the image ended at a place that should have been looked at.
	cut   bool
	doubt string
	err   error
}

// at returns up to length bytes at offset, or nil when the volume has less than 512 there, or
// less than length if that is smaller. A failing read is kept for the caller of Recognize.
func (v *volume) at(offset int64, length int) []byte {
	if offset < 0 || offset >= v.size {
		return nil
	}
	least := min(length, SectorBytes)
	length = int(min(int64(length), v.size-offset))
	if length < least {
		return nil
	}
	data, err := readAt(v.r, v.size, offset, length)
	if err != nil {
		if !isTruncation(err) || offset == 0 {
			v.err = errors.Join(v.err, unreadable("the volume", offset, err))
		} else {
			v.cut = true
		}
		return nil
	}
	v.nonZero = v.nonZero || !allZero(data)
	return data
}

// blank reports whether all that was seen is zero, and the volume's middle and end too.
func (v *volume) blank() bool {
	if v.nonZero {
		return false
	}
	v.at(v.size/2&^511, SectorBytes)
	v.at(max(v.size-SectorBytes, 0)&^511, SectorBytes)
	return !v.nonZero && v.err == nil
}

// doubted notes the first reason why something was not accepted.
func (v *volume) doubted(reason string) {
	if v.doubt == "" {
		v.doubt = reason
	}
}

// fits reports whether count units of unit bytes fit into the volume.
func (v *volume) fits(count, unit uint64) bool {
	return count != 0 && unit != 0 && count <= uint64(v.size)/unit
}

// has reports whether the beginning of the volume has text at offset.
func (v *volume) has(offset int, text string) bool {
	return offset+len(text) <= len(v.boot) && string(v.boot[offset:offset+len(text)]) == text
}

func fileSystem(name string, clusterBytes uint64) Content {
	return Content{Kind: KindFileSystem, Name: name, ClusterBytes: &clusterBytes}
}

func (c Content) labelled(label string) Content {
	c.Label = &label
	return c
}

// isVolumeBoot reports whether a disk's first sector is the boot sector of a volume that fills
// the whole disk, as on a superfloppy, and not a partition table. Both end with 55 AA.
func isVolumeBoot(sector []byte) bool {
	if isBitLockerBoot(sector) || isReFSBoot(sector) {
		return true
	}
	if !hasBootSignature(sector) {
		return false
	}
	name := string(sector[3:11])
	if name == ntfsName || name == exFATName {
		return true
	}
	_, err := parseFAT(sector)
	return err == nil
}
