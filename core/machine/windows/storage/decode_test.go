package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/machine/nvme"
	"diskaudit/core/machine/nvme/nvmetest"
)

func TestDecodeDescriptor(t *testing.T) {
	whole := deviceDescriptor("WDC", "WD Blue\x01 SN570", "234110WD", " E823 ", 17, true)
	hostile := deviceDescriptor("A", "B", "C", "D", 11, false)
	put32(hostile, 12, 0xffffffff) // -1, as some drivers write for "none"
	put32(hostile, 16, 28)         // into the fixed part
	put32(hostile, 20, uint32(len(hostile)))
	put32(hostile, 24, uint32(len(hostile)-1)) // its last byte, a zero
	endless := append(deviceDescriptor("", "", "", "", 7, false), bytes.Repeat([]byte("x"), 900)...)
	put32(endless, 16, 40)
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"all texts", whole, "WDC|WD Blue SN570|234110WD|E823|true|17"},
		{"none", deviceDescriptor("", "", "", "", 3, false), "||||false|3"},
		{"offsets out of place", hostile, "||||false|11"},
		{"a text without an end", endless, "|" + strings.Repeat("x", 256) + "|||false|7"},
	} {
		d, err := decodeDescriptor(test.data)
		if got := fmt.Sprintf("%s|%s|%s|%s|%t|%d", d.vendor, d.product, d.revision, d.serial, d.removable, d.bus); got != test.want || err != nil {
			t.Errorf("%s: got %s, %v; want %s", test.name, got, err, test.want)
		}
	}
	if _, err := decodeDescriptor(whole[:35]); err == nil {
		t.Error("a descriptor cut short was taken")
	}
}

func TestModel(t *testing.T) {
	for _, test := range [][3]string{
		{"NVMe", "Samsung SSD", "Samsung SSD"}, {"ATA", "WDC WD40", "WDC WD40"}, {"", "ST4000", "ST4000"},
		{"SanDisk", "Ultra", "SanDisk Ultra"}, {"Samsung", "Samsung SSD 870", "Samsung SSD 870"}, {"ACME", "", "ACME"},
	} {
		if got := (descriptor{vendor: test[0], product: test[1]}).model(); got != test[2] {
			t.Errorf("%q and %q: got %q, want %q", test[0], test[1], got, test[2])
		}
	}
}

// A descriptor larger than the first answer is asked for again.
func TestLongDescriptor(t *testing.T) {
	f := newFake(t)
	long := append(deviceDescriptor("", "", "", "", 11, false), bytes.Repeat([]byte{0}, 2000)...)
	put32(long, 4, uint32(len(long)))
	put32(long, 16, 2030)
	copy(long[2030:], "FAR OUT")
	f.disk("0", map[int64]any{property(0): long})
	device, err := f.Open(`\\.\PhysicalDrive0`, AccessAttributes)
	if err != nil {
		t.Fatal(err)
	}
	data, err := queryProperty(device, propertyDevice)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := decodeDescriptor(data); err != nil || d.product != "FAR OUT" {
		t.Errorf("product %q, %v", d.product, err)
	}
}

func TestDecodeProperties(t *testing.T) {
	for _, test := range []struct {
		name              string
		logical, physical uint32
		want              string
	}{
		{"512e", 512, 4096, "512 4096"}, {"4Kn", 4096, 4096, "4096 4096"}, {"none", 0, 0, "null null"},
		{"no power of two", 520, 4095, "null null"}, {"absurd", 1 << 31, math.MaxUint32, "null null"},
	} {
		logical, physical, err := decodeAlignment(accessAlignment(test.logical, test.physical))
		if got := show(logical) + " " + show(physical); got != test.want || err != nil {
			t.Errorf("alignment %s: got %s, %v; want %s", test.name, got, err, test.want)
		}
	}
	for _, test := range []struct {
		kind, enabled uint32
		want          string
	}{
		{0, 0, "null null"}, {1, 1, "None false"}, {2, 2, "WriteBack true"}, {3, 0, "WriteThrough null"}, {9, 3, "Unrecognized null"},
	} {
		kind, enabled, err := decodeWriteCache(writeCache(test.kind, test.enabled))
		if got := show(kind) + " " + show(enabled); got != test.want || err != nil {
			t.Errorf("write cache %d %d: got %s, %v; want %s", test.kind, test.enabled, got, err, test.want)
		}
	}
	for _, test := range []struct {
		sector uint32
		size   uint64
		want   string
	}{
		{512, 1 << 40, "512 1099511627776"}, {4096, 0, "4096 null"}, {0, math.MaxUint64, "null null"}, {512, 1 << 63, "512 null"},
	} {
		sector, size, err := decodeGeometry(geometry(test.sector, test.size))
		if got := show(sector) + " " + show(size); got != test.want || err != nil {
			t.Errorf("geometry %d %d: got %s, %v; want %s", test.sector, test.size, got, err, test.want)
		}
	}
	for _, test := range []struct {
		data []byte
		want string
	}{{length(1 << 30), "1073741824"}, {length(0), "null"}, {length(math.MaxUint64), "null"}} {
		if got, err := decodeLength(test.data); show(got) != test.want || err != nil {
			t.Errorf("length: got %s, %v; want %s", show(got), err, test.want)
		}
	}
	for _, test := range []struct {
		kind, number uint32
		want         bool
	}{{7, 3, true}, {2, 0, false}, {7, math.MaxUint32, false}} {
		number, isDisk, err := decodeDeviceNumber(deviceNumber(test.kind, test.number, 0))
		if number != test.number || isDisk != test.want || err != nil {
			t.Errorf("device number %d of type %d: got %d, %t, %v", test.number, test.kind, number, isDisk, err)
		}
	}
}

// No decoder takes an answer that ends before its last field.
func TestShortAnswers(t *testing.T) {
	two := func(_, _ any, err error) error { return err }
	one := func(_ any, err error) error { return err }
	for name, test := range map[string]struct {
		data   []byte
		least  int
		decode func([]byte) error
	}{
		"descriptor":    {deviceDescriptor("", "", "", "", 0, false), 36, func(b []byte) error { return one(decodeDescriptor(b)) }},
		"alignment":     {accessAlignment(512, 512), 24, func(b []byte) error { l, p, err := decodeAlignment(b); return two(l, p, err) }},
		"seek penalty":  {seekPenalty(1), 9, func(b []byte) error { return one(decodeSeekPenalty(b)) }},
		"write cache":   {writeCache(2, 2), 16, func(b []byte) error { k, e, err := decodeWriteCache(b); return two(k, e, err) }},
		"cache setting": {cacheSetting(1), 9, func(b []byte) error { return one(decodeCacheSetting(b)) }},
		"geometry":      {geometry(512, 512), 32, func(b []byte) error { s, z, err := decodeGeometry(b); return two(s, z, err) }},
		"length":        {length(512), 8, func(b []byte) error { return one(decodeLength(b)) }},
		"device number": {deviceNumber(7, 0, 0), 12, func(b []byte) error { n, d, err := decodeDeviceNumber(b); return two(n, d, err) }},
		"extents":       {diskExtents([3]uint64{0, 0, 1}), 32, func(b []byte) error { return one(decodeExtents(b)) }},
		"layout":        {driveLayout(1, partitionInformation(1, 0, 1, typeBasic)), 192, func(b []byte) error { return one(decodeLayout(b)) }},
		"partition":     {partitionInformation(1, 0, 1, typeBasic), 144, func(b []byte) error { return one(decodePartition(b)) }},
		"protocol":      {protocolReply(make([]byte, 512)), 560, func(b []byte) error { return one(decodeProtocol(b, 512)) }},
		"pass-through":  {make([]byte, 128), 128, func(b []byte) error { return one(decodePassThrough(b)) }},
		"discovery":     {discovery(tper, locking(1)), 80, func(b []byte) error { return one(decodeDiscovery(b)) }},
		"protocols":     {protocols(0, 2), 10, func(b []byte) error { return one(listsTCG(b)) }},
	} {
		for n := range test.least {
			if err := test.decode(test.data[:n]); err == nil {
				t.Errorf("%s of %d bytes was taken", name, n)
				break
			}
		}
		if err := test.decode(test.data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecodeExtents(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"two disks", diskExtents([3]uint64{0, 1 << 20, 5}, [3]uint64{12, 0, 1 << 40}), "[{0 1048576 5} {12 0 1099511627776}]"},
		{"none", diskExtents(), "error"},
		{"a negative offset", diskExtents([3]uint64{0, 1 << 63, 5}), "error"},
		{"beyond the end of numbers", diskExtents([3]uint64{0, math.MaxInt64, 1}), "error"},
		{"on no disk", diskExtents([3]uint64{math.MaxUint32, 0, 1}), "error"},
		{"more than there are", append([]byte{255, 255, 255, 255}, diskExtents([3]uint64{0, 0, 1})[4:]...), "error"},
	} {
		got, err := decodeExtents(test.data)
		text := fmt.Sprint(got)
		if err != nil {
			text = "error"
		}
		if text != test.want {
			t.Errorf("%s: got %v, %v; want %s", test.name, got, err, test.want)
		}
	}
}

// C48: a volume with more extents than were expected is asked again with room for all.
func TestManyExtents(t *testing.T) {
	for _, test := range []struct {
		count int
		fails bool
	}{{1, false}, {16, false}, {17, false}, {5000, false}, {1 << 14, false}, {1<<14 + 1, true}} {
		f := newFake(t)
		var extents [][3]uint64
		for i := range test.count {
			extents = append(extents, [3]uint64{uint64(i), uint64(i) * 512, 512})
		}
		id := f.volume("1", []string{}, DriveFixed, nil, diskExtents(extents...))
		device, err := f.Open(strings.TrimSuffix(id, `\`), AccessAttributes)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readExtents(device)
		if (err != nil) != test.fails || !test.fails && (len(got) != test.count || got[test.count-1].disk != uint32(test.count-1)) {
			t.Errorf("%d extents: got %d, %v", test.count, len(got), err)
		}
	}
}

func TestDecodeLayout(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"GPT", driveLayout(1, partitionInformation(1, 1<<20, 5, typeEFI), partitionInformation(2, 2<<20, 6, typeBasic), partitionInformation(3, 3<<20, 7, typeRecovery)),
			"gpt [{1048576 5 EFI system partition} {2097152 6 } {3145728 7 Windows recovery partition}]"},
		{"MBR with unused entries", driveLayout(0, mbrPartition(1, 32256, 9, 7), mbrPartition(0, 0, 0, 0), mbrPartition(2, 65536, 9, 0x27), mbrPartition(0, 0, 0, 0)),
			"mbr [{32256 9 } {65536 9 Windows recovery partition}]"},
		{"no table", driveLayout(2), "none []"},
		{"a style that is not known", driveLayout(3), "error"},
		{"more than there are", driveLayout(1)[:48], "gpt []"},
		{"a negative length", driveLayout(1, partitionInformation(1, 0, 1<<63, typeBasic)), "error"},
	} {
		l, err := decodeLayout(test.data)
		text := fmt.Sprintf("%s %v", l.table, l.partitions)
		if err != nil {
			text = "error"
		}
		if text != test.want {
			t.Errorf("%s: got %s, %v; want %s", test.name, text, err, test.want)
		}
	}
	lying := driveLayout(1, partitionInformation(1, 0, 1, typeBasic))
	put32(lying, 4, math.MaxUint32)
	if _, err := decodeLayout(lying); err == nil {
		t.Error("a layout that tells of more partitions than it holds was taken")
	}
}

// A table with more entries than were asked for at first is asked for again.
func TestManyPartitions(t *testing.T) {
	for _, test := range []struct {
		count int
		fails bool
	}{{128, false}, {300, false}, {4096, false}, {4097, true}} {
		f := newFake(t)
		var partitions [][]byte
		for i := range test.count {
			partitions = append(partitions, partitionInformation(uint32(i), uint64(i)<<20, 1<<20, typeBasic))
		}
		f.disk("0", map[int64]any{0x70050: driveLayout(1, partitions...)})
		device, err := f.Open(`\\.\PhysicalDrive0`, AccessAttributes)
		if err != nil {
			t.Fatal(err)
		}
		if l, err := readLayout(device); (err != nil) != test.fails || !test.fails && len(l.partitions) != test.count {
			t.Errorf("%d partitions: got %d, %v", test.count, len(l.partitions), err)
		}
	}
}

func TestDecodeProtocol(t *testing.T) {
	page := nvmetest.SMARTPage()
	far := make([]byte, 100+512)
	put32(far, 8+16, 92) // not right behind the structure
	put32(far, 8+20, 512)
	copy(far[100:], page)
	inside, short, beyond := protocolReply(page), protocolReply(page), protocolReply(page)
	put32(inside, 8+16, 8)
	put32(short, 8+20, 511)
	put32(beyond, 8+16, math.MaxUint32)
	for _, test := range []struct {
		name string
		data []byte
		ok   bool
	}{
		{"behind the structure", protocolReply(page), true}, {"further behind", far, true},
		{"inside the structure", inside, false}, {"too short", short, false}, {"beyond the answer", beyond, false},
	} {
		got, err := decodeProtocol(test.data, 512)
		if (err == nil) != test.ok || test.ok && !bytes.Equal(got, page) {
			t.Errorf("%s: %d bytes, %v", test.name, len(got), err)
		}
	}
}

func TestDecodeDiscovery(t *testing.T) {
	cut := discovery(tper, locking(0x0b), subsystem(0x0203))
	late := discovery(tper, subsystem(0x0303), locking(1))
	for _, test := range []struct {
		name  string
		data  []byte
		want  string
		fails bool
	}{
		{"Opal 2 in use", discovery(tper, locking(0x0b), subsystem(0x0203)), "true Opal 2 true", false},
		{"Opal 1 and 2", discovery(tper, locking(0x09), subsystem(0x0200), subsystem(0x0203)), "true Opal 2 false", false},
		{"Enterprise", discovery(tper, locking(0x09), subsystem(0x0100)), "true Enterprise false", false},
		{"Pyrite 1", discovery(tper, locking(0x01), subsystem(0x0302)), "true Pyrite 1 false", false},
		{"Pyrite 2", discovery(tper, locking(0x01), subsystem(0x0303)), "true Pyrite 2 false", false},
		{"locking that is not supported", discovery(tper, locking(0)), "false null false", false},
		{"no locking", discovery(tper), "false null null", false},
		{"no feature", discovery(), "false null null", false},
		{"padded with zeros by the disk", append(discovery(tper, locking(1), subsystem(0x0203)), make([]byte, 1000)...), "true Opal 2 false", false},
		{"cut after locking", cut[:len(cut)-3], "true null true", false},
		{"cut before locking", late[:60], "null null null", true},
		{"locking without data", discovery(feature{2, nil}), "null null null", true},
		{"all zeros", make([]byte, 2048), "null null null", true},
	} {
		got, err := decodeDiscovery(test.data)
		if selfLine(got) != test.want || (err != nil) != test.fails {
			t.Errorf("%s: got %s, %v; want %s", test.name, selfLine(got), err, test.want)
		}
	}
}

func TestListsTCG(t *testing.T) {
	cut := protocols(0, 2, 3, 1)
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"TCG", protocols(0, 1, 2, 0xef), "true"}, {"ATA security only", protocols(0, 0xef), "false"},
		{"empty", protocols(), "error"}, {"cut short", cut[:10], "error"}, {"found before it is cut", protocols(0, 1, 2)[:10], "true"},
	} {
		got, err := listsTCG(test.data)
		text := fmt.Sprint(got)
		if err != nil {
			text = "error"
		}
		if text != test.want {
			t.Errorf("%s: got %s, want %s", test.name, text, test.want)
		}
	}
}

// What is sent to the disk is SECURITY PROTOCOL IN, whose numbers are big-endian, in a structure
// whose numbers are not.
func TestSecurityCommand(t *testing.T) {
	device := &capture{}
	if _, err := receiveSecurity(device, inBytes, 1, 0x0001); err == nil {
		t.Error("an empty answer was taken")
	}
	in := device.in
	if device.code != 0x4d004 || len(in) != 128+2048 {
		t.Fatalf("code %#x with %d bytes", device.code, len(in))
	}
	want := make([]byte, 56)
	copy(want, []byte{56, 0, 0, 0, 0, 0, 12, 32, 1})
	put32(want, 12, 2048)
	put32(want, 16, 5)
	put64(want, 24, 128)
	put32(want, 32, 64)
	copy(want[36:], []byte{0xa2, 0x01, 0x00, 0x01, 0, 0, 0x00, 0x00, 0x08, 0x00, 0, 0})
	if !bytes.Equal(in[:56], want) {
		t.Errorf("SCSI_PASS_THROUGH\n got % x\nwant % x", in[:56], want)
	}
	if _, err := receiveSecurity(device, inBlocks, 0, 0); err == nil {
		t.Error("an empty answer was taken")
	}
	if got, want := device.in[36:48], []byte{0xa2, 0, 0, 0, 0x80, 0, 0, 0, 0, 4, 0, 0}; !bytes.Equal(got, want) {
		t.Errorf("the command in blocks\n got % x\nwant % x", got, want)
	}
}

// A disk that refuses a command has not answered, whatever lies in the buffer.
func TestRefusedCommand(t *testing.T) {
	reply := make([]byte, 200)
	reply[2] = 2 // CHECK CONDITION
	put32(reply, 12, 72)
	reply[64+2], reply[64+12], reply[64+13] = 0x05, 0x24, 0x01
	data, err := decodePassThrough(reply)
	if err == nil || data != nil || !strings.Contains(err.Error(), "5/24h/01h") {
		t.Errorf("%d bytes, %v; want the disk's reason", len(data), err)
	}
	reply[2] = 0
	if data, err := decodePassThrough(reply); err != nil || len(data) != 72 {
		t.Errorf("%d bytes, %v; want 72", len(data), err)
	}
}

func TestNVMeQuery(t *testing.T) {
	device := &capture{}
	for _, test := range []struct {
		name string
		ask  func(Device) ([]byte, error)
		want []uint32
	}{
		{"identify", queryIdentify, []uint32{49, 0, 3, 1, 1, 0, 40, nvme.IdentifyBytes}},
		{"health", queryHealth, []uint32{50, 0, 3, 2, 2, 0, 40, nvme.SMARTLogBytes}},
	} {
		if _, err := test.ask(device); err == nil {
			t.Errorf("%s: an empty answer was taken", test.name)
		}
		var got []uint32
		for at := 0; at < 32; at += 4 {
			got = append(got, le.Uint32(device.in[at:]))
		}
		if !slices.Equal(got, test.want) || device.code != 0x2d1400 {
			t.Errorf("%s: asked %v with %#x, want %v", test.name, got, device.code, test.want)
		}
	}
}

// capture keeps what it was sent and answers nothing.
type capture struct {
	Device
	code uint32
	in   []byte
}

func (c *capture) Control(code uint32, in []byte, _ int) ([]byte, error) {
	c.code, c.in = code, bytes.Clone(in)
	return nil, nil
}

func TestErrno(t *testing.T) {
	for _, test := range []struct {
		code Errno
		text string
		is   error
	}{
		{5, "Windows error 5 (ERROR_ACCESS_DENIED)", fs.ErrPermission},
		{21, "Windows error 21 (ERROR_NOT_READY)", errNoMedia},
		{0x80310000, "Windows error 0x80310000 (FVE_E_LOCKED_VOLUME)", errLocked},
		{2, "Windows error 2 (ERROR_FILE_NOT_FOUND)", fs.ErrNotExist},
		{1167, "Windows error 1167 (ERROR_DEVICE_NOT_CONNECTED)", errGone},
	} {
		if !strings.HasPrefix(test.code.Error(), test.text) {
			t.Errorf("%d reads %q, want %q", uint32(test.code), test.code.Error(), test.text)
		}
		if !errors.Is(fmt.Errorf("opening it: %w", test.code), test.is) {
			t.Errorf("%v is not %v", test.code, test.is)
		}
	}
	problem := problemOf("volumes", "C:", errAccessDenied)
	if show(problem.HResult) != "0x80070005" {
		t.Errorf("the problem's code is %s, want 0x80070005", show(problem.HResult))
	}
}
