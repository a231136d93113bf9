package target

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// align finds the unit that unbuffered I/O on the file or device has to keep to: what the file
// system asks for (statx, STATX_DIOALIGN, since Linux 6.1), and the device's logical sector.
func align(file *os.File, s *site, facts *Facts) (int, error) {
	unit := 512
	evidence := "the least there is"
	if s.logical >= unit {
		unit, evidence = s.logical, "the device's logical sector"
	}
	if s.logical > 0 {
		facts.LogicalSectorBytes = &s.logical
	}
	if s.physical > 0 {
		facts.PhysicalSectorBytes = &s.physical
	}
	var stat unix.Statx_t
	err := unix.Statx(int(file.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &stat)
	if err == nil && stat.Mask&unix.STATX_DIOALIGN != 0 {
		if stat.Dio_offset_align == 0 {
			return 0, refuseNoDirect(file.Name(), unix.EINVAL)
		}
		if asked := int(max(stat.Dio_offset_align, stat.Dio_mem_align)); asked > unit {
			unit, evidence = asked, "what the file system asks for"
		}
	} else if s.fileSystem != nil && !sectorKinds[*s.fileSystem] || s.logical == 0 {
		// btrfs, for one, takes smaller pieces through the cache without a word.
		if own := fileSystemBlock(file); own > unit {
			unit, evidence = own, "the file system's block, for it does not say what unbuffered I/O takes"
		}
	}
	if unit&(unit-1) != 0 || unit > chunk {
		return 0, fmt.Errorf("%s: unbuffered I/O would have to keep to units of %d bytes, which is no power of two up to 1 MiB", file.Name(), unit)
	}
	facts.note(FactAlignment, nil, fmt.Sprintf("%d bytes: %s", unit, evidence))
	return unit, nil
}

// sectorKinds are the file systems that do unbuffered I/O in sectors of the device, also on
// kernels on which they do not say so.
var sectorKinds = map[string]bool{"ext2": true, "ext3": true, "ext4": true, "xfs": true}

// fileSystemBlock is the unit in which a file system manages space, a page when it does not say.
func fileSystemBlock(file *os.File) int {
	var stat unix.Statfs_t
	if unix.Fstatfs(int(file.Fd()), &stat) != nil || stat.Bsize < 512 || stat.Bsize > chunk || stat.Bsize&(stat.Bsize-1) != 0 {
		return os.Getpagesize()
	}
	return int(stat.Bsize)
}
