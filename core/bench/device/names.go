package device

import "diskaudit/core/machine/pattern"

// The names by which Windows opens volumes and disks as such. With a separator at its end the
// name of a volume is that of its root folder
// (learn.microsoft.com/windows/win32/fileio/naming-a-volume).
var (
	letterName = pattern.New(`(?i)^\\\\[.?]\\([a-z]:)$`)
	volumeName = pattern.New(`(?i)^\\\\[.?]\\(volume\{[0-9a-f-]{36}\})$`)
	diskName   = pattern.New(`(?i)^\\\\[.?]\\(physicaldrive[0-9]{1,6}|harddisk[0-9]{1,6}partition[0-9]{1,6}|harddiskvolume[0-9]{1,6})$`)
)

// rootOf is the root folder of a volume that is named as a device; "" for all else.
func rootOf(path string) string {
	if found := letterName.Regexp().FindStringSubmatch(path); found != nil {
		return found[1] + `\`
	}
	if found := volumeName.Regexp().FindStringSubmatch(path); found != nil {
		return `\\?\` + found[1] + `\`
	}
	return ""
}

// isDisk tells whether a path names a disk, or a partition, by what it is on the disk.
func isDisk(path string) bool { return diskName.Regexp().MatchString(path) }

// volumeEnd is how much of a volume's end is left alone: more than its largest cluster, 2 MiB.
const volumeEnd = 4 << 20

// readableOf is how much of a volume of size bytes a handle of the volume reads: a file system
// ends before its volume does, and what follows is refused without FSCTL_ALLOW_EXTENDED_DASD_IO
// (learn.microsoft.com/windows/win32/api/winioctl/ni-winioctl-ioctl_disk_get_length_info, remarks).
func readableOf(size int64) int64 { return size - min(size/16, volumeEnd) }
