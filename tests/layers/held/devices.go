//go:build linux

package held

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// RAMDiskControl is the file that makes zram devices when it is read
// (docs.kernel.org/admin-guide/blockdev/zram.html).
const RAMDiskControl = "/sys/class/zram-control/hot_add"

// RAMDisk makes a block device in memory of the given size, a multiple of 4096, and fills it with
// random bytes: they cannot be compressed, so each block takes its full size of memory, and no
// block reads as a hole. The thing's path is the device.
func RAMDisk(size int64, seed uint64) (*Thing, error) {
	if size <= 0 || size%4096 != 0 {
		return nil, fmt.Errorf("a RAM disk of %d bytes cannot be made: the size has to be a multiple of 4096", size)
	}
	const script = `
n=$(cat "$2")
undo() { retry sh -c "echo 1 >/sys/block/zram$n/reset && echo $n >/sys/class/zram-control/hot_remove"; }
if ! echo "$1" >/sys/block/zram$n/disksize; then undo; exit 1; fi
for i in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/zram$n ] && break; sleep 0.1; done
hold /dev/zram$n
undo
`
	disk, err := hold("a RAM disk", script, strconv.FormatInt(size, 10), RAMDiskControl)
	if err != nil {
		return nil, err
	}
	if err := fill(disk.Path, size, seed); err != nil {
		return nil, errors.Join(fmt.Errorf("filling the RAM disk %s: %w", disk.Path, err), disk.Release())
	}
	return disk, nil
}

// Loop makes a loop device over a file or device, from offset to its end, with direct I/O, so
// that no cache of the kernel's lies between the two. The thing's path is the device.
func Loop(path string, offset int64) (*Thing, error) {
	sector := logicalBlock(path)
	if offset%sector != 0 {
		return nil, fmt.Errorf("a loop device at byte %d of %s cannot use direct I/O: the offset has to be a multiple of %d", offset, path, sector)
	}
	const script = `
device=$(losetup --find --show --direct-io=on --sector-size "$3" --offset "$2" -- "$1")
if [ "$(cat "/sys/block/${device#/dev/}/loop/dio")" != 1 ]; then
  losetup -d "$device"
  echo "the kernel did not turn on direct I/O for a loop device over $1" >&2
  exit 1
fi
hold "$device"
retry losetup -d "$device"
gone() { [ ! -e "/sys/block/${device#/dev/}/loop/backing_file" ]; }
retry gone
`
	return hold("a loop device", script, path, strconv.FormatInt(offset, 10), strconv.FormatInt(sector, 10))
}

// logicalBlock returns the unit in which direct I/O on path has to be done, or 512 for a file.
func logicalBlock(path string) int64 {
	name, found := strings.CutPrefix(path, "/dev/")
	if !found {
		return 512
	}
	text, err := os.ReadFile("/sys/class/block/" + name + "/queue/logical_block_size")
	if errors.Is(err, fs.ErrNotExist) { // A partition: its disk says it.
		text, err = os.ReadFile("/sys/class/block/" + name + "/../queue/logical_block_size")
	}
	size, parseErr := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || parseErr != nil || size < 512 {
		return 512
	}
	return size
}
