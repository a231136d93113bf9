//go:build linux

package held

import (
	"fmt"
	"slices"
	"strings"
)

// formatters are the programs that make each file system, with the option by which they overwrite
// what is there. A file system without one needs no device.
var formatters = map[string][]string{
	"ext4":  {"mkfs.ext4", "-q", "-F"},
	"xfs":   {"mkfs.xfs", "-q", "-f"},
	"btrfs": {"mkfs.btrfs", "-q", "-f"},
	"tmpfs": nil,
}

// Formatter returns the program that makes a file system; "" if none is needed. It fails for a
// kind that FileSystem does not know.
func Formatter(kind string) (string, error) {
	formatter, known := formatters[kind]
	if !known {
		kinds := make([]string, 0, len(formatters))
		for name := range formatters {
			kinds = append(kinds, name)
		}
		slices.Sort(kinds)
		return "", fmt.Errorf("no file system %q: there are %s", kind, strings.Join(kinds, ", "))
	}
	if formatter == nil {
		return "", nil
	}
	return formatter[0], nil
}

// FileSystem makes a file system on a device, whose content is lost, and mounts it in a new
// folder with the given mount options. The thing's path is the folder. For "tmpfs" the device is
// not looked at, and an option such as "size=64m" gives its size.
func FileSystem(device, kind string, options ...string) (*Thing, error) {
	if _, err := Formatter(kind); err != nil {
		return nil, err
	}
	const script = `
kind=$1 device=$2 options=$3
shift 3
if [ $# -gt 0 ]; then "$@" "$device" >/dev/null; fi
folder=$(mktemp -d)
if ! mount -t "$kind" -o "$options" "$device" "$folder"; then rmdir "$folder"; exit 1; fi
hold "$folder"
n=0
until umount "$folder" 2>/dev/null; do
  n=$((n+1))
  if [ $n -ge 20 ]; then umount -l "$folder"; break; fi
  sleep 0.1
done
rmdir "$folder"
`
	if kind == "tmpfs" {
		device = "tmpfs"
	}
	args := append([]string{kind, device, strings.Join(append([]string{"nodev"}, options...), ",")}, formatters[kind]...)
	return hold(kind+" on "+device, script, args...)
}

// Dislocker opens a BitLocker volume, an image or a device, by its password with dislocker-fuse.
// The thing's path is the decrypted volume, a file in a FUSE mount, which can be written only if
// writable says so.
func Dislocker(image, password string, writable bool) (*Thing, error) {
	// The program goes to the background by itself once the mount stands, and ends with it.
	const script = `
folder=$(mktemp -d)
if ! dislocker-fuse $3 -V "$1" "-u$2" -- "$folder" >&2; then rmdir "$folder"; exit 1; fi
shown() { [ -e "$folder/dislocker-file" ]; }
if ! retry shown; then umount -l "$folder"; rmdir "$folder"; echo "dislocker-fuse shows no volume in $1" >&2; exit 1; fi
hold "$folder/dislocker-file"
n=0
until umount "$folder" 2>/dev/null; do
  n=$((n+1))
  if [ $n -ge 20 ]; then umount -l "$folder"; break; fi
  sleep 0.1
done
rmdir "$folder"
`
	return hold("a view of the BitLocker volume "+image, script, image, password, map[bool]string{false: "-r"}[writable])
}
