package linux

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// mount is one line of mountinfo. Source: Documentation/filesystems/proc.rst of the kernel, 3.5.
type mount struct {
	// number is the "major:minor" of the file system's device; anonymous for btrfs.
	number string
	// root is the part of the file system that is mounted: "/" for all of it.
	root string
	// point is the folder that it is mounted at.
	point string
	// kind is the type of the file system, source what was mounted, such as a device.
	kind, source string
}

// readMounts reads the mounts that this process sees, in the order in which they were mounted.
func readMounts(t tree) ([]mount, error) {
	data, err := t.bytes("proc/self/mountinfo", tableLimit)
	if err != nil && !errors.Is(err, errTooLong) {
		return nil, err
	}
	mounts, skipped := parseMounts(string(data))
	if err == nil && skipped > 0 {
		err = fmt.Errorf("%d lines of /proc/self/mountinfo are not understood", skipped)
	}
	return mounts, err
}

// parseMounts reads mountinfo and counts the lines that it cannot read.
func parseMounts(text string) (mounts []mount, skipped int) {
	for line := range strings.Lines(text) {
		before, after, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		fields, rest := strings.Split(before, " "), strings.Split(after, " ")
		if !ok || len(fields) < 6 || len(rest) < 2 {
			skipped++
			continue
		}
		mounts = append(mounts, mount{
			number: fields[2], root: unescape(fields[3]), point: unescape(fields[4]),
			kind: rest[0], source: unescape(rest[1]),
		})
	}
	return mounts, skipped
}

// unescape decodes the octal escapes that the kernel writes for blanks and backslashes.
func unescape(field string) string {
	if !strings.Contains(field, `\`) {
		return field
	}
	var out strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) && isOctal(field[i+1:i+4]) {
			value := int(field[i+1]-'0')<<6 | int(field[i+2]-'0')<<3 | int(field[i+3]-'0')
			if value <= 0xff {
				out.WriteByte(byte(value))
				i += 3
				continue
			}
		}
		out.WriteByte(field[i])
	}
	return out.String()
}

func isOctal(digits string) bool {
	return strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '7' }) < 0
}

// mountsByDevice tells for each device, by its kernel name, where it is mounted. The number
// tells it, or else the source: btrfs and the like have anonymous numbers.
func (inv *inventory) mountsByDevice(mounts []mount) map[string][]mount {
	out := map[string][]mount{}
	for _, m := range mounts {
		d, ok := inv.find(m.number)
		if !ok {
			d, ok = inv.bySource(m.source)
		}
		if ok {
			out[d.name] = append(out[d.name], m)
		}
	}
	return out
}

// bySource finds the device that the source of a mount names, directly or by a symbolic link
// such as /dev/disk/by-uuid/... or /dev/group/volume.
func (inv *inventory) bySource(source string) (*device, bool) {
	if source == "/dev/root" {
		source = inv.rootDevice()
	}
	if !strings.HasPrefix(source, "/dev/") {
		return nil, false
	}
	for _, d := range inv.devices {
		if d.id == source || devicePath(d.name) == source {
			return d, true
		}
	}
	resolved, err := inv.tree.resolve(path.Clean(source)[1:])
	if err != nil {
		return nil, false
	}
	for _, d := range inv.devices {
		if d.nodeName() == resolved {
			return d, true
		}
	}
	return nil, false
}

// rootLinks maps the tags that the kernel's parameter root= takes to folders of links.
var rootLinks = map[string]string{
	"UUID": "by-uuid", "PARTUUID": "by-partuuid", "LABEL": "by-label", "PARTLABEL": "by-partlabel",
}

// rootDevice is the device that the kernel was told to take for its root, which it then calls
// /dev/root.
func (inv *inventory) rootDevice() string {
	parameters, _ := inv.tree.text("proc/cmdline")
	for parameter := range strings.FieldsSeq(parameters) {
		value, ok := strings.CutPrefix(parameter, "root=")
		if !ok {
			continue
		}
		if tag, name, tagged := strings.Cut(value, "="); tagged && rootLinks[tag] != "" {
			return "/dev/disk/" + rootLinks[tag] + "/" + name
		}
		return value
	}
	return ""
}

// mountPoints are the folders at which a device's file system is mounted. Parts of a file
// system that are mounted elsewhere too are left out, unless only parts are: the subvolumes of
// btrfs, or the root of a system that lives in a folder.
func mountPoints(mounts []mount) []string {
	whole := slices.ContainsFunc(mounts, func(m mount) bool { return m.root == "/" && m.kind != "btrfs" })
	var points []string
	for _, m := range mounts {
		if (m.root == "/" || !whole) && !slices.Contains(points, m.point) {
			points = append(points, m.point)
		}
	}
	return points
}

// visibleMount is one of the points at which no later mount covers the device, empty when there
// is none.
func visibleMount(points []string, own, all []mount) string {
	for _, point := range points {
		for _, m := range slices.Backward(all) {
			if m.point != point {
				continue
			}
			if slices.Contains(own, m) {
				return point
			}
			break
		}
	}
	return ""
}
