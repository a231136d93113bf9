package linux

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestParseMounts(t *testing.T) {
	text := strings.Join([]string{
		`36 35 98:0 /mnt1 /mnt\0402 rw,noatime master:1 propagate_from:2 - ext3 /dev/root rw,errors=continue`,
		`26 1 254:0 / / rw - ext4 /dev/vda rw`,
		`27 26 0:30 / /back\134slash\011tab rw - tmpfs none rw`,
		`28 26 0:31 / /odd\999\04 rw - tmpfs a\040b rw`,
		`29 26 0:32 / /x rw`,
		``,
	}, "\n")
	got, skipped := parseMounts(text)
	want := []mount{
		{"98:0", "/mnt1", "/mnt 2", "ext3", "/dev/root"},
		{"254:0", "/", "/", "ext4", "/dev/vda"},
		{"0:30", "/", "/back\\slash\ttab", "tmpfs", "none"},
		{"0:31", "/", `/odd\999\04`, "tmpfs", "a b"},
	}
	if !slices.Equal(got, want) || skipped != 1 {
		t.Errorf("got %v, %d skipped; want %v, 1 skipped", got, skipped, want)
	}
}

// A folder of the file system that is mounted elsewhere too is no mount point of the volume,
// unless nothing else of it is mounted.
func TestMountPoints(t *testing.T) {
	tests := []struct {
		name   string
		mounts []mount
		want   []string
	}{
		{"bind mounts", []mount{{root: "/", point: "/"}, {root: "/srv", point: "/home/x"}}, []string{"/"}},
		{"root in a folder", []mount{{root: "/ostree/deploy/0", point: "/"}, {root: "/ostree/var", point: "/var"}}, []string{"/", "/var"}},
		{"subvolumes", []mount{{root: "/@", point: "/", kind: "btrfs"}, {root: "/", point: "/top", kind: "btrfs"}}, []string{"/", "/top"}},
		{"the same twice", []mount{{root: "/", point: "/a"}, {root: "/", point: "/a"}, {root: "/", point: "/b"}}, []string{"/a", "/b"}},
		{"not mounted", nil, nil},
	}
	for _, test := range tests {
		if got := mountPoints(test.mounts); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func FuzzParseMounts(f *testing.F) {
	f.Add(`36 35 98:0 /mnt1 /mnt\0402 rw master:1 - ext3 /dev/root rw`)
	f.Add("a - b\n - \n\\")
	f.Fuzz(func(t *testing.T, text string) {
		mounts, skipped := parseMounts(text)
		if lines := strings.Count(text, "\n") + 1; len(mounts)+skipped > lines {
			t.Errorf("%d mounts and %d skipped lines of %d", len(mounts), skipped, lines)
		}
		for _, m := range mounts {
			if len(m.point) > len(text) {
				t.Errorf("mount point longer than its text: %q", m.point)
			}
		}
	})
}

func FuzzParseCPUInfo(f *testing.F) {
	f.Add("processor\t: 0\nmodel name\t: X\nflags\t\t: fpu aes hypervisor\n")
	f.Add("processor\t: 0\nFeatures\t: fp asimd aes\n")
	f.Add("flags:\nflags: \n:")
	f.Fuzz(func(t *testing.T, text string) {
		info := parseCPUInfo(text)
		if info.aes != nil && *info.aes && !strings.Contains(text, "aes") {
			t.Error("AES out of nothing")
		}
		if info.hypervisor != nil && info.aes == nil {
			t.Error("only half of the flags were read")
		}
		if info.processors > uint64(len(text)) {
			t.Errorf("%d processors in %d bytes", info.processors, len(text))
		}
	})
}

func TestCountRanges(t *testing.T) {
	for list, want := range map[string]uint64{"0": 1, "0-3": 4, "0-3,8,10-11": 7, "": 0, "3-1": 0, "x": 0, "0-": 0, "0-99999999999": 0} {
		if got, ok := countRanges(list); got*b2u(ok) != want || ok != (want > 0) {
			t.Errorf("%q: %d %t, want %d", list, got, ok, want)
		}
	}
}

func b2u(ok bool) uint64 {
	if ok {
		return 1
	}
	return 0
}

// target writes a dm_target_spec with its parameters, padded as the kernel does.
func target(start, length uint64, kind, parameters string, base int) []byte {
	out := make([]byte, specBytes)
	binary.NativeEndian.PutUint64(out[0:], start)
	binary.NativeEndian.PutUint64(out[8:], length)
	copy(out[24:], kind)
	out = append(out, parameters+"\x00"...)
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	binary.NativeEndian.PutUint32(out[20:], uint32(base+len(out)))
	return out
}

func TestParseLinearTable(t *testing.T) {
	data := target(0, 100, "linear", "8:3 2048", 0)
	data = append(data, target(100, 50, "linear", "259:1 8", len(data))...)
	got, err := parseLinearTable(append(data, make([]byte, 100)...), 2)
	want := []linearTarget{{0, 51200, "8:3", 1048576}, {51200, 25600, "259:1", 4096}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	bad := map[string][]byte{
		"cut short":     data[:len(data)-30],
		"not linear":    append(slices.Clone(data[:56]), target(100, 50, "striped", "2 8 8:3 0 8:4 0", 56)...),
		"no parameters": target(0, 100, "linear", "", 0),
		"too large":     append(slices.Clone(data[:56]), target(1<<60, 50, "linear", "8:3 0", 56)...),
	}
	for name, data := range bad {
		if got, err := parseLinearTable(data, 2); err == nil {
			t.Errorf("%s: taken as %v", name, got)
		}
	}
	if _, err := parseLinearTable(bad["not linear"], 2); !errors.Is(err, errTableKind) {
		t.Errorf("a striped target: %v", err)
	}
	if types, err := targetTypes(bad["not linear"], 2); err != nil || !slices.Equal(types, []string{"linear", "striped"}) {
		t.Errorf("types %v, %v", types, err)
	}
}

func FuzzParseLinearTable(f *testing.F) {
	f.Add(target(0, 100, "linear", "8:3 2048", 0), uint32(1))
	f.Add([]byte{}, uint32(1<<31))
	f.Fuzz(func(t *testing.T, data []byte, count uint32) {
		table, err := parseLinearTable(data, count)
		if err == nil && uint32(len(table)) != count {
			t.Errorf("%d targets of %d", len(table), count)
		}
	})
}

func TestReadLUKS(t *testing.T) {
	luks1 := make([]byte, 592)
	copy(luks1, luksMagic)
	binary.BigEndian.PutUint16(luks1[6:], 1)
	binary.BigEndian.PutUint32(luks1[104:], 4096)
	copy(luks1[168:], "0F1E2D3C-4b5a-6978-8796-a5b4c3d2e1f0")
	header, err := readLUKS(bytes.NewReader(luks1))
	if err != nil || show(header.payload) != "2097152" || header.uuid != "0f1e2d3c4b5a69788796a5b4c3d2e1f0" {
		t.Errorf("LUKS1: %+v, %v", header, err)
	}
	if !header.belongsTo("CRYPT-LUKS1-0f1e2d3c4b5a69788796a5b4c3d2e1f0-luks-0f1e") || header.belongsTo("CRYPT-PLAIN-swap") || header.belongsTo("CRYPT-LUKS1-ffff-x") {
		t.Error("the header is not told apart from those of other mappings")
	}
	binary.BigEndian.PutUint16(luks1[6:], 3)
	if _, err := readLUKS(bytes.NewReader(luks1)); err == nil {
		t.Error("an unknown version was taken")
	}
	if _, err := readLUKS(strings.NewReader(strings.Repeat("x", 4096))); !errors.Is(err, errNotLUKS) {
		t.Errorf("no LUKS: %v", err)
	}
	huge := make([]byte, 4096)
	copy(huge, luksMagic)
	binary.BigEndian.PutUint16(huge[6:], 2)
	binary.BigEndian.PutUint64(huge[8:], 1<<62)
	if _, err := readLUKS(bytes.NewReader(huge)); err == nil {
		t.Error("a header of 4 EiB was taken")
	}
}

func FuzzReadLUKS(f *testing.F) {
	for _, r := range []interface {
		ReadAt([]byte, int64) (int, error)
	}{luks2("0f1e", segmentAt(luksPayload)), luks2("", `{}`)} {
		data := make([]byte, 5000)
		if _, err := r.ReadAt(data, 0); err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = readLUKS(bytes.NewReader(data))
	})
}

func TestParseOSRelease(t *testing.T) {
	got := parseOSRelease("# c\nA=plain\nB=\"two \\\"words\\\" \\$x\"\nC='it is'\nD=\nbroken\nE=\"\nF=\"tail\\\"\n")
	want := map[string]string{"A": "plain", "B": `two "words" $x`, "C": "it is", "D": "", "E": `"`, "F": `tail\`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected values (-want +got):\n%s", diff)
	}
}

func TestResolve(t *testing.T) {
	link := func(target string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
	}
	tr := tree{fstest.MapFS{
		"a/b/file": {}, "a/up": link("../a/b"), "abs": link("/a/up/file"), "loop1": link("loop2"),
		"loop2": link("loop1"), "out": link("../../a/b"), "dangling": link("nowhere"),
	}}
	for name, want := range map[string]string{"a/up/file": "a/b/file", "abs": "a/b/file", "out/file": "a/b/file", "a/b/../b": "a/b"} {
		if got, err := tr.resolve(name); err != nil || got != want {
			t.Errorf("%s resolves to %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"loop1", "dangling", "missing"} {
		if got, err := tr.resolve(name); err == nil {
			t.Errorf("%s resolves to %q", name, got)
		}
	}
}

// Devices name themselves; what they say must not reach a terminal as it is.
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{"  Model X \x00": "Model X", "a\x1b[31mb": "a[31mb", "x\xff\xfey": "xy", "Größe": "Größe"} {
		if got := printable(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestAttributeLimit(t *testing.T) {
	tr := files("big", strings.Repeat("x", attributeLimit+1))
	if value, ok := tr.text("big"); ok {
		t.Errorf("%d bytes of an attribute were taken", len(value))
	}
	if _, err := tr.bytes("none", 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestDeviceOrder(t *testing.T) {
	names := []string{"dm-1", "sdb", "sda10", "dm-0", "sda2", "nvme1n1", "nvme0n1p10", "nvme0n1p9", "sdaa", "sda"}
	slices.SortFunc(names, compareNames)
	want := []string{"nvme0n1p9", "nvme0n1p10", "nvme1n1", "sda", "sda2", "sda10", "sdaa", "sdb", "dm-0", "dm-1"}
	if !slices.Equal(names, want) {
		t.Errorf("order %v, want %v", names, want)
	}
}

// A tree can claim that devices lie on each other in a circle, or on hundreds.
func TestLayersStayBounded(t *testing.T) {
	inv := inventory{tree: files(), devices: map[string]*device{}}
	a := &device{name: "dm-0", id: "/dev/mapper/a", number: "253:0", size: 4096, kind: kindMapped, below: []string{"dm-1"}, mapping: "a"}
	b := &device{name: "dm-1", id: "/dev/mapper/b", number: "253:1", size: 4096, kind: kindMapped, below: []string{"dm-0"}, mapping: "b"}
	inv.keep(a)
	inv.keep(b)
	circle := offsets{
		table: func(d *device) ([]linearTarget, bool) {
			return []linearTarget{{0, 4096, map[string]string{"a": "253:1", "b": "253:0"}[d.mapping], 0}}, true
		},
		payload: noOffsets.payload,
	}
	if got := len(inv.layers(a, circle)); got != 2 {
		t.Errorf("%d layers of a circle of two", got)
	}
	if got := inv.extents(a, circle); got != nil {
		t.Errorf("extents of a circle: %v", got)
	}
	if got := inv.lowest(a); got == nil {
		t.Error("no lowest device")
	}
	for range 1000 {
		a.below = append(a.below, "dm-1")
	}
	if got := len(inv.layers(a, noOffsets)); got > edgeLimit {
		t.Errorf("%d layers", got)
	}
}
