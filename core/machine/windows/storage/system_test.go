package storage

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
)

// forReaders is an answer for handles that may read.
type forReaders []byte

// hang is an answer that never comes. What waits for it belongs into a bubble of testing/synctest.
type hang struct{}

// fakeSystem is a simulated Windows. It refuses what a handle has not the rights for, as Windows
// does.
type fakeSystem struct {
	t        *testing.T
	elevated bool
	volumes  []string
	// broken ends the list of volumes.
	broken error
	// points, kinds, systems, targets and volumeAt are by root or name.
	points   map[string]any
	kinds    map[string]DriveType
	systems  map[string]any
	targets  map[string]string
	volumeAt map[string]string
	letters  uint32
	// devices are by their path; interfaces and nodes are what the configuration manager knows.
	devices    map[string]*fakeDevice
	interfaces []DiskInterface
	nodes      map[string]Node
	names      []string
	namesErr   error

	mu      sync.Mutex
	open    int
	ended   chan struct{}
	panicAt string
}

type fakeFile struct {
	system  FileSystem
	space   Space
	cluster uint64
	roomErr error
}

func newFake(t *testing.T) *fakeSystem {
	t.Helper()
	f := &fakeSystem{
		t: t, elevated: true, points: map[string]any{}, kinds: map[string]DriveType{}, systems: map[string]any{}, targets: map[string]string{},
		volumeAt: map[string]string{}, devices: map[string]*fakeDevice{}, nodes: map[string]Node{}, ended: make(chan struct{}),
	}
	t.Cleanup(func() { close(f.ended) })
	return f
}

// settle answers with a value, an error, or never.
func settle[T any](f *fakeSystem, stored any) (T, error) {
	var none T
	switch value := stored.(type) {
	case T:
		return value, nil
	case error:
		return none, value
	case hang:
		<-f.ended
		return none, errGone
	case nil:
		return none, errFileNotFound
	}
	f.t.Errorf("the simulated Windows holds %T where %T belongs", stored, none)
	return none, errGone
}

func (f *fakeSystem) Volumes() ([]string, error) { return f.volumes, f.broken }

func (f *fakeSystem) MountPoints(volume string) ([]string, error) {
	return settle[[]string](f, f.points[volume])
}

func (f *fakeSystem) VolumeAt(root string) (string, error) {
	if volume, ok := f.volumeAt[root]; ok {
		return volume, nil
	}
	return "", errInvalidParameter
}

func (f *fakeSystem) Letters() (uint32, error) { return f.letters, nil }

func (f *fakeSystem) DriveType(root string) DriveType {
	if f.panicAt == root {
		panic("a fault on purpose")
	}
	return f.kinds[root]
}

func (f *fakeSystem) DeviceNames() ([]string, error) { return f.names, f.namesErr }

func (f *fakeSystem) DeviceTargets(name string) ([]string, error) {
	if target, ok := f.targets[name]; ok {
		return []string{target}, nil
	}
	return nil, errFileNotFound
}

func (f *fakeSystem) FileSystem(root string) (FileSystem, error) {
	file, err := settle[fakeFile](f, f.systems[root])
	return file.system, err
}

func (f *fakeSystem) Space(root string) (Space, error) {
	file, err := settle[fakeFile](f, f.systems[root])
	if err == nil {
		err = file.roomErr
	}
	return file.space, err
}

func (f *fakeSystem) ClusterBytes(root string) (uint64, error) {
	file, err := settle[fakeFile](f, f.systems[root])
	return file.cluster, err
}

func (f *fakeSystem) DiskInterfaces() ([]DiskInterface, error) { return f.interfaces, nil }

func (f *fakeSystem) Node(instance string) (Node, error) {
	if node, ok := f.nodes[instance]; ok {
		return node, nil
	}
	return Node{}, errNoSuchDevice
}

func (f *fakeSystem) Open(path string, access Access) (Device, error) {
	device, ok := f.devices[path]
	switch {
	case !ok:
		return nil, errFileNotFound
	case device.openErr != nil:
		return nil, device.openErr
	case access != AccessAttributes && !f.elevated:
		return nil, errAccessDenied
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open++
	return &openDevice{fakeDevice: device, system: f, access: access}, nil
}

func (f *fakeSystem) opened() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// fakeDevice answers control codes, properties (negative) and security protocols (above 1<<40), each
// with bytes, an error, a refusal or never.
type fakeDevice struct {
	openErr error
	answers map[int64]any
	content []byte
	// asked are the keys that were asked for.
	mu    sync.Mutex
	asked []int64
}

func property(number int64) int64 { return -1 - number }
func security(number int64) int64 { return 1<<40 + number }

// openDevice is a device with the rights of one handle.
type openDevice struct {
	*fakeDevice
	system *fakeSystem
	access Access
}

// The rights that a handle has, in the bits of control codes: 1 is read, 2 is write.
var handleRights = map[Access]uint32{AccessAttributes: 0, AccessRead: 1, AccessCommand: 3}

func (d *openDevice) Control(code uint32, in []byte, outMax int) ([]byte, error) {
	if needed := code >> 14 & 3; needed&^handleRights[d.access] != 0 {
		return nil, errAccessDenied
	}
	key := int64(code)
	switch code {
	case 0x2d1400:
		key = property(int64(binary.LittleEndian.Uint32(in)))
	case 0x4d004:
		key = security(int64(in[37]))
	}
	d.mu.Lock()
	d.asked = append(d.asked, key)
	d.mu.Unlock()
	if code == 0x4d004 {
		if in[36] != 0xa2 {
			d.system.t.Errorf("the disk was sent the SCSI command %#x, want SECURITY PROTOCOL IN only", in[36])
		}
		length := binary.BigEndian.Uint32(in[42:])
		if in[40]&0x80 != 0 {
			length *= 512
		}
		if length != binary.LittleEndian.Uint32(in[12:]) {
			d.system.t.Errorf("the command is about %d bytes, the transfer about %d", length, binary.LittleEndian.Uint32(in[12:]))
		}
		// The driver of SATA disks takes blocks only, that of NVMe disks bytes.
		if descriptor, ok := d.answers[property(0)].([]byte); ok && (descriptor[28] == 11) != (in[40]&0x80 != 0) {
			return nil, errInvalidParameter
		}
	}
	stored, ok := d.answers[key]
	if !ok {
		return nil, errInvalidFunction
	}
	if data, ok := stored.(forReaders); ok {
		if d.access == AccessAttributes {
			return nil, errAccessDenied
		}
		stored = []byte(data)
	}
	if refusal, ok := stored.(refused); ok {
		reply := make([]byte, len(in))
		reply[2], reply[64+2], reply[64+12] = 2, refusal.key, refusal.code
		return reply, nil
	}
	data, err := settle[[]byte](d.system, stored)
	if err != nil {
		return nil, err
	}
	if code == 0x4d004 {
		reply := make([]byte, 128, 128+len(data))
		put32(reply, 12, uint32(len(data)))
		return append(reply, data...), nil
	}
	if len(data) > outMax {
		switch code {
		case 0x560000:
			return slices.Clone(data[:outMax]), errMoreData
		case 0x70050:
			return nil, errInsufficientBuffer
		}
		data = data[:outMax]
	}
	return slices.Clone(data), nil
}

func (d *openDevice) ReadAt(p []byte, offset int64) (int, error) {
	if d.access == AccessAttributes {
		return 0, errAccessDenied
	}
	if offset%512 != 0 || len(p)%512 != 0 {
		return 0, errInvalidParameter
	}
	if offset >= int64(len(d.content)) {
		return 0, io.EOF
	}
	return copy(p, d.content[offset:]), nil
}

func (d *openDevice) End() (int64, error) {
	if len(d.content) == 0 {
		return 0, errInvalidFunction
	}
	return int64(len(d.content)), nil
}

func (d *openDevice) Close() error {
	d.system.mu.Lock()
	defer d.system.mu.Unlock()
	d.system.open--
	return nil
}

// volume adds a volume: its GUID's last digits, mount points, type, file system (a fakeFile, an
// error or hang) and the answer to where it lies.
func (f *fakeSystem) volume(guid string, points any, kind DriveType, file any, extents any) string {
	id := `\\?\Volume{` + strings.Repeat("0", 8-len(guid)) + guid + `-0000-0000-0000-000000000000}\`
	f.volumes = append(f.volumes, id)
	f.points[id], f.kinds[id], f.systems[id] = points, kind, file
	f.devices[strings.TrimSuffix(id, `\`)] = &fakeDevice{answers: map[int64]any{0x560000: extents, 0x90078: dirtyFlags(0)}}
	return id
}

// device is the device of a volume.
func (f *fakeSystem) device(volume string) *fakeDevice {
	return f.devices[strings.TrimSuffix(volume, `\`)]
}

// disk adds a disk with its place in the tree of devices: the instance id and the nodes above.
func (f *fakeSystem) disk(number string, answers map[int64]any, nodes ...Node) *fakeDevice {
	path := `\\.\PhysicalDrive` + number
	d := &fakeDevice{answers: answers}
	f.devices[path] = d
	f.names = append(f.names, "PhysicalDrive"+number)
	if len(nodes) == 0 {
		return d
	}
	instance := `DISK\` + number
	link := `\\?\disk#` + number
	f.interfaces = append(f.interfaces, DiskInterface{Path: link, Instance: instance})
	digits := uint32(0)
	for _, c := range number {
		digits = digits*10 + uint32(c-'0')
	}
	f.devices[link] = &fakeDevice{answers: map[int64]any{0x2d1080: deviceNumber(7, digits, 0)}}
	at := instance
	for i, node := range nodes {
		if i < len(nodes)-1 {
			node.Parent = at + `\UP`
		}
		f.nodes[at] = node
		at = node.Parent
	}
	return d
}

// ntfs is a file system of NTFS.
func ntfs(label string, total, free uint64) fakeFile {
	return fakeFile{system: FileSystem{Label: label, Name: "NTFS"}, space: Space{TotalBytes: total, FreeBytes: free}, cluster: 4096}
}
