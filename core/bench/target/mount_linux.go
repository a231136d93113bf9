package target

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// deviceNumber is the number of a block device, or the anonymous one of a file system without.
type deviceNumber struct{ major, minor uint32 }

func (d deviceNumber) String() string { return fmt.Sprintf("%d:%d", d.major, d.minor) }

// mount is a line of mountinfo. Source: Documentation/filesystems/proc.rst of the kernel, 3.5.
type mount struct {
	id     uint64
	number string
	// root is the part of the file system that is mounted, point where.
	root, point  string
	kind, source string
	// options are those of the file system.
	options string
}

// mountLimit bounds how much of mountinfo is read, in bytes.
const mountLimit = 8 << 20

// mounts reads the mounts that this process sees, in the order in which they were mounted. Lines
// that are not understood are left out.
func mounts() []mount {
	data, err := readStart("/proc/self/mountinfo", mountLimit)
	if err != nil {
		return nil
	}
	return parseMounts(string(data))
}

func parseMounts(text string) []mount {
	var out []mount
	for line := range strings.Lines(text) {
		before, after, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		fields, rest := strings.Split(before, " "), strings.Split(after, " ")
		if !ok || len(fields) < 6 || len(rest) < 2 {
			continue
		}
		id, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil {
			continue
		}
		m := mount{id: id, number: fields[2], root: unescape(fields[3]), point: unescape(fields[4]), kind: rest[0], source: unescape(rest[1])}
		if len(rest) > 2 {
			m.options = rest[2]
		}
		out = append(out, m)
	}
	return out
}

// unescape decodes the octal escapes that the kernel writes for blanks and backslashes.
func unescape(field string) string {
	var out strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if value, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(value))
				i += 3
				continue
			}
		}
		out.WriteByte(field[i])
	}
	return out.String()
}

// mountOf finds the mount that holds what stat describes: by its id, which kernels tell since
// 5.8, by the device number, or by the path.
func mountOf(stat unix.Statx_t, path string) (mount, bool) {
	all := mounts()
	if stat.Mask&unix.STATX_MNT_ID != 0 {
		for _, m := range all {
			if m.id == stat.Mnt_id {
				return m, true
			}
		}
	}
	number := deviceNumber{stat.Dev_major, stat.Dev_minor}.String()
	for _, m := range all {
		if m.number == number {
			return m, true
		}
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return longestPrefix(all, resolved)
	}
	return mount{}, false
}

// mountAbove finds the mount that a path lies on by its name alone, without touching it.
func mountAbove(path string) (mount, bool) { return longestPrefix(mounts(), path) }

func longestPrefix(all []mount, path string) (found mount, ok bool) {
	for _, m := range all {
		inside := m.point == "/" || path == m.point || strings.HasPrefix(path, m.point+"/")
		// A later mount covers an earlier one at the same point.
		if inside && (!ok || len(m.point) >= len(found.point)) {
			found, ok = m, true
		}
	}
	return found, ok
}

// below is the device that a file system lies on. btrfs and the like have an anonymous number;
// then the source of the mount tells it, and for an overlay the folder that it writes to.
func (m mount) below(number deviceNumber) deviceNumber {
	if number.major != 0 {
		return number
	}
	var stat unix.Stat_t
	if strings.HasPrefix(m.source, "/dev/") && unix.Stat(m.source, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFBLK {
		return numberOf(uint64(stat.Rdev))
	}
	for option := range strings.SplitSeq(m.options, ",") {
		upper, ok := strings.CutPrefix(option, "upperdir=")
		if ok && m.kind == "overlay" && unix.Stat(unescape(upper), &stat) == nil {
			return numberOf(stat.Dev)
		}
	}
	return number
}

func numberOf(device uint64) deviceNumber {
	return deviceNumber{unix.Major(device), unix.Minor(device)}
}

// memoryKinds are the file systems that keep their files in memory.
var memoryKinds = map[string]bool{"tmpfs": true, "ramfs": true, "devtmpfs": true, "hugetlbfs": true, "rootfs": true}

// remoteKinds are the file systems whose files are on another computer, or on the host of a
// virtual machine.
var remoteKinds = map[string]bool{
	"nfs": true, "nfs4": true, "cifs": true, "smb3": true, "smbfs": true, "ncpfs": true, "afs": true, "coda": true,
	"9p": true, "virtiofs": true, "vboxsf": true, "vmhgfs": true, "prl_fs": true, "ceph": true, "glusterfs": true,
	"lustre": true, "beegfs": true, "gpfs": true, "orangefs": true, "pvfs2": true, "davfs": true, "acfs": true,
	"fuse.sshfs": true, "fuse.ceph": true, "fuse.ceph-fuse": true, "fuse.glusterfs": true, "fuse.rclone": true,
	"fuse.s3fs": true, "fuse.goofys": true, "fuse.mount-s3": true, "fuse.gcsfuse": true, "fuse.blobfuse": true,
	"fuse.blobfuse2": true, "fuse.juicefs": true, "fuse.JuiceFS": true, "fuse.mfs": true, "fuse.lizardfs": true,
	"fuse.davfs2": true, "fuse.curlftpfs": true, "fuse.smbnetfs": true, "fuse.gvfsd-fuse": true,
	"fuse.google-drive-ocamlfuse": true, "fuse.vmhgfs-fuse": true, "fuse.seaweedfs": true, "fuse.nfs": true,
}

// refuseRemote refuses what lies on a network file system.
func refuseRemote(path string, m mount) error {
	if !remoteKinds[m.kind] {
		return nil
	}
	return refuse("remote", "%s is on %s, a %s file system (%s): that would measure the network and another computer, not a disk of this one. Name a folder on a local disk, or run this where the disk is", path, m.point, m.kind, m.source)
}

// readStart reads a small file of the kernel's, no more than limit bytes of it.
func readStart(path string, limit int) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, int64(limit)))
}

// line reads a file of sysfs that holds one line.
func line(path string) (string, bool) {
	data, err := readStart(path, 64<<10)
	return strings.TrimRight(string(data), "\n"), err == nil
}
