package recording

import (
	"strings"

	"diskaudit/core/machine/pattern"
)

var (
	// Names that the system gives by kind and number, the same on every computer.
	usualDevice = pattern.New(`^(?:` + strings.Join([]string{
		`(?:\\\\\.\\)?PhysicalDrive\d+`,
		`(?:\\\\\.\\)?[A-Za-z]:\\?`,
		`(?:\\\\\?\\GLOBALROOT)?\\Device\\Harddisk(?:Volume)?\d+(?:\\(?:Partition|DR)\d+)?\\?`,
		`/dev/nvme\d+(?:n\d+(?:p\d+)?)?`,
		`/dev/(?:s|h|v|xv)d[a-z]{1,3}\d*`,
		`/dev/(?:mmcblk|loop|nbd|md|zram|ram|pmem|sr|dm-)\d+(?:p\d+|boot\d+)?`,
	}, "|") + `)$`)
	volumePath    = pattern.New(`(?i)^\\\\\?\\Volume\{` + guid.String() + `\}\\?$`)
	partitionPart = pattern.New(`#partition\d+$`)
	imageStandIn  = pattern.New(`^image-\d+$`)
)

// imageEndings are kept, since they tell what an image is.
var imageEndings = map[string]bool{
	"raw": true, "img": true, "image": true, "dd": true, "bin": true, "iso": true,
	"vhd": true, "vhdx": true, "vmdk": true, "vdi": true, "qcow2": true,
}

// device replaces the id of a disk, a volume or a layer. otherwise is the kind of one that is
// neither a device's name, nor a volume's GUID path, nor a file.
func (b *standIns) device(id, otherwise string) string {
	if standIn, ok := b.exact[id]; ok {
		return standIn
	}
	switch {
	case id == "":
		return ""
	case usualDevice.Regexp().MatchString(id):
		b.remember(id, id)
		return id
	case volumePath.Regexp().MatchString(id):
		standIn := b.guids(id)
		b.exact[id] = standIn
		return standIn
	case strings.HasPrefix(id, "/dev/"):
		standIn := b.ownDevice(id)
		b.remember(id, standIn)
		return standIn
	}
	part := partitionPart.Regexp().FindString(id)
	standIn := b.image(strings.TrimSuffix(id, part), otherwise) + part
	b.remember(id, standIn)
	return standIn
}

// ownDevice replaces the names that people and serial numbers give to devices: mapped devices,
// logical volumes, links by id.
func (b *standIns) ownDevice(path string) string {
	folder := "/dev/"
	if strings.HasPrefix(path, "/dev/mapper/") {
		folder = "/dev/mapper/"
	}
	name := b.give("device name", path, "name-%d")
	b.sought.word(path[strings.LastIndex(path, "/")+1:], name)
	return folder + name
}

// image replaces the path of a file; a text that is no path becomes one of the other kind.
func (b *standIns) image(path, otherwise string) string {
	if standIn, ok := b.exact[path]; ok {
		return standIn
	}
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	ending := strings.ToLower(name[strings.LastIndex(name, ".")+1:])
	kind := otherwise
	// \\?\ and \\.\ begin the names of devices, with the disk's serial number in them.
	isDevice := strings.HasPrefix(path, `\\?\`) || strings.HasPrefix(path, `\\.\`)
	if imageEndings[ending] || (name != path && !isDevice) || imageStandIn.Regexp().MatchString(path) {
		kind = "image"
	}
	standIn := b.give(kind, path, kind+"-%d")
	if kind == "image" && imageEndings[ending] && strings.Contains(name, ".") {
		standIn += "." + ending
	}
	b.learnOwner(path)
	b.remember(path, standIn)
	if name != path {
		b.sought.word(name, standIn)
	}
	return standIn
}
