package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

func askVolumes(f *fakeSystem) ([]contract.Volume, []contract.Problem) {
	reader := New(f, registry.Memory{})
	reader.timeout = time.Hour
	return reader.Volumes(context.Background())
}

// volumeLine writes a volume: mount points, file system, label, clusters, size, free, extents, and
// its problems.
func volumeLine(v contract.Volume) string {
	var extents []string
	for _, e := range v.Extents {
		extents = append(extents, fmt.Sprintf("%s@%d+%d", e.DiskID, e.OffsetBytes, e.LengthBytes))
	}
	label := "null"
	if v.Label != nil {
		label = fmt.Sprintf("%q", *v.Label)
	}
	return strings.Join([]string{
		strings.Join(v.MountPoints, ","), show(v.FileSystem), label, show(v.ClusterBytes), show(v.SizeBytes), show(v.FreeBytes),
		strings.Join(extents, ","), problemsOf(v.Problems, v.ID),
	}, " | ")
}

// oneMachine is a computer with a volume of each kind.
func oneMachine(t *testing.T) (*fakeSystem, map[string]string) {
	t.Helper()
	f := newFake(t)
	want := map[string]string{}
	add := func(id, line string) { want[id] = line }
	at := func(disk, offset, length uint64) []byte { return diskExtents([3]uint64{disk, offset, length}) }

	add(f.volume("1", []string{`C:\`}, DriveFixed, ntfs("Windows", 500*gib-4096, 100*gib), at(0, 200<<20, 500*gib)),
		`C: | NTFS | "Windows" | 4096 | 536870912000 | 107374182400 | PhysicalDrive0@209715200+536870912000 | `)
	add(f.volume("2", []string{}, DriveFixed, fakeFile{system: FileSystem{Name: "FAT32"}, space: Space{100 << 20, 60 << 20}, cluster: 1024}, at(0, 1<<20, 100<<20)),
		` | FAT32 | "" | 1024 | 104857600 | 62914560 | PhysicalDrive0@1048576+104857600 | `)
	add(f.volume("3", []string{`D:\`, `C:\mnt\data\`, `C:\srv\a b\`}, DriveFixed, fakeFile{system: FileSystem{Label: "Gr\u00fc\u00dfe", Name: "ReFS"}, space: Space{gib, 7}, cluster: 65536}, at(1, 1<<20, gib)),
		"D:,C:\\mnt\\data,C:\\srv\\a b | ReFS | \"Gr\u00fc\u00dfe\" | 65536 | 1073741824 | 7 | PhysicalDrive1@1048576+1073741824 | ")
	// P39: a volume on two disks.
	spanned := f.volume("4", []string{`E:\`}, DriveFixed, ntfs("Span", 3*gib, gib), diskExtents([3]uint64{1, 2 * gib, gib}, [3]uint64{2, 1 << 20, 2 * gib}))
	f.device(spanned).answers[0x7405c] = length(3 * gib)
	add(spanned, `E: | NTFS | "Span" | 4096 | 3221225472 | 1073741824 | PhysicalDrive1@2147483648+1073741824,PhysicalDrive2@1048576+2147483648 | `)
	// B31, P69, C36: a locked volume keeps its row.
	add(f.volume("5", []string{`F:\`}, DriveFixed, errLockedVolume, at(1, 3*gib, gib)),
		`F: | null | null | null | 1073741824 | null | PhysicalDrive1@3221225472+1073741824 | info volume-locked`)
	// B14: access denied to one.
	add(f.volume("6", []string{`G:\`}, DriveFixed, errAccessDenied, at(1, 4*gib, gib)),
		`G: | null | null | null | 1073741824 | null | PhysicalDrive1@4294967296+1073741824 | error access-denied`)
	add(f.volume("7", []string{`H:\`}, DriveRemovable, errNotReady, errNotReady), `H: | null | null | null | null | null |  | info no-medium`)
	add(f.volume("8", []string{`I:\`}, DriveOptical, errNotReady, errInvalidFunction), `I: | null | null | null | null | null |  | info no-medium`)
	add(f.volume("9", []string{`J:\`}, DriveOptical, fakeFile{system: FileSystem{Label: "INSTALL", Name: "UDF"}, space: Space{5 * gib, 0}, cluster: 2048}, errInvalidFunction),
		`J: | UDF | "INSTALL" | 2048 | 5368709120 | 0 |  | info optical-drive`)
	// B25, B26, B27: one that vanished after it was listed.
	add(f.volume("a", errFileNotFound, DriveNoRoot, errFileNotFound, nil), ` | null | null | null | null | null |  | error device-vanished`)
	delete(f.devices, strings.TrimSuffix(f.volumes[len(f.volumes)-1], `\`))
	add(f.volume("b", []string{}, DriveFixed, errUnrecognizedVolume, at(0, 600*gib, gib)),
		` | null | null | null | 1073741824 | null | PhysicalDrive0@644245094400+1073741824 | info file-system-unrecognized`)
	add(f.volume("c", []string{`K:\`}, DriveFixed, errUnrecognizedVolume, at(2, 3*gib, gib)),
		`K: | null | null | null | 1073741824 | null | PhysicalDrive2@3221225472+1073741824 | warning file-system-unrecognized`)
	add(f.volume("10", []string{`M:\`}, DriveFixed, fakeFile{}, at(3, 4*gib, gib)),
		`M: | null | null | null | 1073741824 | null | PhysicalDrive3@4294967296+1073741824 | warning file-system-unrecognized`)
	recovery := f.volume("d", []string{}, DriveFixed, errAccessDenied, at(0, 700*gib, gib))
	f.device(recovery).answers[0x70048] = partitionInformation(4, 700*gib, gib, typeRecovery)
	add(recovery, ` | null | null | null | 1073741824 | null | PhysicalDrive0@751619276800+1073741824 | info needs-elevation`)

	// P68: a policy of BitLocker makes unprotected drives read-only.
	add(f.volume("f", []string{`L:\`}, DriveRemovable, fakeFile{system: FileSystem{Name: "exFAT", Flags: 0x80000}, space: Space{gib, 9}, cluster: 32768}, at(3, 1<<20, gib)),
		`L: | exFAT | "" | 32768 | 1073741824 | 9 | PhysicalDrive3@1048576+1073741824 | warning volume-read-only`)

	// Letters without a volume that Windows manages.
	f.letters = 1<<('C'-'A') | 1<<('R'-'A') | 1<<('S'-'A') | 1<<('T'-'A') | 1<<('N'-'A')
	f.kinds[`R:\`], f.targets["R:"] = DriveRAMDisk, `\Device\ImDisk0`
	f.systems[`R:\`] = ntfs("RAM", gib, gib/2)
	f.devices[`\\.\R:`] = &fakeDevice{answers: map[int64]any{0x90078: dirtyFlags(0)}}
	add("R:", `R: | NTFS | "RAM" | 4096 | 1073741824 | 536870912 |  | info no-volume-guid`)
	f.kinds[`S:\`], f.targets["S:"] = DriveFixed, `\??\C:\Users\me\work`
	f.kinds[`N:\`], f.targets["N:"] = DriveRemote, `\Device\LanmanRedirector\;N:0001\server\share`
	f.systems[`N:\`] = hang{}
	// One whose mount points did not tell of its letter.
	f.kinds[`T:\`], f.targets["T:"] = DriveFixed, `\Device\HarddiskVolume14`
	late := f.volume("e", []string{`C:\late\`}, DriveFixed, ntfs("", gib, 1), at(2, 8*gib, gib))
	f.volumeAt[`T:\`] = late
	add(late, `T:,C:\late | NTFS | "" | 4096 | 1073741824 | 1 | PhysicalDrive2@8589934592+1073741824 | `)
	return f, want
}

// All kinds of volumes in one computer: each has its row, whatever befalls the others (B9, B14, B25).
func TestVolumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, want := oneMachine(t)
		volumes, problems := askVolumes(f)
		if len(problems) > 0 {
			t.Errorf("problems of the whole: %v", problems)
		}
		for _, v := range volumes {
			line, ok := want[v.ID]
			if !ok {
				t.Errorf("an unexpected volume %s: %s", v.ID, volumeLine(v))
				continue
			}
			if got := volumeLine(v); got != line {
				t.Errorf("%s\n got %s\nwant %s", v.ID, got, line)
			}
			delete(want, v.ID)
			// Of what is locked, not formatted or without a medium there is no file system to ask, and
			// optical drives are not asked.
			wantDirty := "false"
			if v.FileSystem == nil || hasCode(v.Problems, CodeOptical) {
				wantDirty = "null"
			}
			if got := show(v.FileSystemDirty); got != wantDirty {
				t.Errorf("%s: dirty %s, want %s", v.ID, got, wantDirty)
			}
			if v.Type != nil || v.Encryption.Conversion != nil {
				t.Errorf("%s: type and encryption are not this package's", v.ID)
			}
			for _, p := range v.Problems {
				if p.Target != v.ID || p.Stage != "volumes" || p.Text == "" {
					t.Errorf("%s: an incomplete problem %+v", v.ID, p)
				}
			}
		}
		for id := range want {
			t.Errorf("volume %s is missing", id)
		}
		if f.opened() != 0 {
			t.Errorf("%d handles are left open", f.opened())
		}
	})
}

// What a standard user may not see of a volume without letter is no gap in the document.
func TestVolumesOfStandardUser(t *testing.T) {
	f := newFake(t)
	f.elevated = false
	f.volume("1", []string{`C:\`}, DriveFixed, ntfs("", gib, 1), diskExtents([3]uint64{0, 1 << 20, gib}))
	efi := f.volume("2", []string{}, DriveFixed, errAccessDenied, diskExtents([3]uint64{0, 2 * gib, 100 << 20}))
	f.device(efi).answers[0x70048] = partitionInformation(1, 2*gib, 100<<20, typeEFI)
	span := f.volume("3", []string{`E:\`}, DriveFixed, ntfs("", gib, 1), diskExtents([3]uint64{1, 0, gib}, [3]uint64{2, 0, gib}))
	f.device(span).answers[0x7405c] = length(2 * gib)
	volumes, _ := askVolumes(f)
	for i, want := range []string{
		`C: | NTFS | "" | 4096 | 1073741824 | 1 | PhysicalDrive0@1048576+1073741824 | info needs-elevation`,
		` | null | null | null | 104857600 | null | PhysicalDrive0@2147483648+104857600 | info needs-elevation`,
		`E: | NTFS | "" | 4096 | null | 1 | PhysicalDrive1@0+1073741824,PhysicalDrive2@0+1073741824 | info needs-elevation`,
	} {
		if got := volumeLine(volumes[i]); got != want {
			t.Errorf("volume %d\n got %s\nwant %s", i, got, want)
		}
	}
	// What has one reason is told once, with all that it keeps back.
	if text := textOf(volumes[2].Problems, span, "needs-elevation"); !strings.Contains(text, "whether its file system is sound and how large it is") {
		t.Errorf("the problem does not say what is kept back: %s", text)
	}
	if v := volumes[0]; v.FileSystemDirty != nil || !strings.Contains(textOf(v.Problems, v.ID, "needs-elevation"), "whether its file system is sound.") {
		t.Errorf("C: dirty %s with %v", show(v.FileSystemDirty), v.Problems)
	}
	if text := textOf(volumes[1].Problems, efi, "needs-elevation"); !strings.Contains(text, "EFI system partition") || !strings.Contains(text, "as administrator") {
		t.Errorf("the problem does not say what it is and what to do: %s", text)
	}
}

// One that hangs, in whatever question, costs itself only.
func TestHangingVolumes(t *testing.T) {
	good := func(f *fakeSystem) {
		f.volume("99", []string{`C:\`}, DriveFixed, ntfs("", gib, 1), diskExtents([3]uint64{0, 1 << 20, gib}))
	}
	for _, test := range []struct {
		name string
		add  func(f *fakeSystem)
		want string
	}{
		{"file system", func(f *fakeSystem) {
			f.volume("1", []string{`H:\`}, DriveFixed, hang{}, diskExtents([3]uint64{3, 0, gib}))
		}, `H: | null | null | null | 1073741824 | null | PhysicalDrive3@0+1073741824 | error device-timeout`},
		{"device", func(f *fakeSystem) { f.volume("1", []string{`H:\`}, DriveFixed, ntfs("x", gib, 5), hang{}) },
			`H: | NTFS | "x" | 4096 | null | 5 |  | error device-timeout`},
		{"mount points", func(f *fakeSystem) {
			f.volume("1", hang{}, DriveFixed, ntfs("x", gib, 5), diskExtents([3]uint64{3, 0, gib}))
		}, ` | NTFS | "x" | 4096 | 1073741824 | 5 | PhysicalDrive3@0+1073741824 | error device-timeout`},
		{"everything", func(f *fakeSystem) { f.volume("1", hang{}, DriveFixed, hang{}, hang{}) },
			` | null | null | null | null | null |  | error device-timeout`},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				test.add(f)
				good(f)
				volumes, _ := askVolumes(f)
				if len(volumes) != 2 {
					t.Fatalf("%d volumes, want 2", len(volumes))
				}
				if got := volumeLine(volumes[0]); got != test.want {
					t.Errorf("\n got %s\nwant %s", got, test.want)
				}
				if got := volumeLine(volumes[1]); got != `C: | NTFS | "" | 4096 | 1073741824 | 1 | PhysicalDrive0@1048576+1073741824 | ` {
					t.Errorf("the other volume: %s", got)
				}
			})
		})
	}
}

// A volume whose letter is not known because it hung is not listed a second time by its letter.
func TestHangingVolumeIsListedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		id := f.volume("1", hang{}, DriveFixed, ntfs("x", gib, 5), diskExtents([3]uint64{3, 0, gib}))
		f.letters, f.kinds[`D:\`], f.targets["D:"], f.volumeAt[`D:\`] = 1<<3, DriveFixed, `\Device\HarddiskVolume4`, id
		volumes, _ := askVolumes(f)
		if len(volumes) != 1 || !slices.Equal(volumes[0].MountPoints, []string{"D:"}) {
			t.Errorf("volumes %v", volumes)
		}
	})
}

// C49 and the simulated machine with all letters: 26 volumes, in their order.
func TestManyVolumes(t *testing.T) {
	f := newFake(t)
	for i := range 26 {
		letter := string(rune('A' + i))
		f.volume(fmt.Sprintf("%x", 0x10+i), []string{letter + `:\`}, DriveFixed, ntfs(letter, gib, uint64(i)), diskExtents([3]uint64{0, uint64(i) * gib, gib}))
	}
	f.letters = 1<<26 - 1
	volumes, problems := askVolumes(f)
	if len(volumes) != 26 || len(problems) != 0 {
		t.Fatalf("%d volumes with the problems %v", len(volumes), problems)
	}
	for i, v := range volumes {
		if want := string(rune('A'+i)) + ":"; !slices.Equal(v.MountPoints, []string{want}) || show(v.FreeBytes) != fmt.Sprint(i) {
			t.Errorf("volume %d is at %v with %s free", i, v.MountPoints, show(v.FreeBytes))
		}
	}
}

// An error in the middle of the list keeps what came before it (B25), and says so.
func TestBrokenList(t *testing.T) {
	f := newFake(t)
	f.volume("1", []string{`C:\`}, DriveFixed, ntfs("", gib, 1), diskExtents([3]uint64{0, 1 << 20, gib}))
	f.broken = errNotReady
	volumes, problems := askVolumes(f)
	if len(volumes) != 1 || problemsOf(problems, "") != "error volumes-not-listed" {
		t.Errorf("%d volumes, problems %s", len(volumes), problemsOf(problems, ""))
	}
	f.volumes = nil
	if volumes, problems := askVolumes(f); len(volumes) != 0 || problemsOf(problems, "") != "error volumes-not-listed" {
		t.Errorf("%d volumes, problems %s", len(volumes), problemsOf(problems, ""))
	}
}

// A fault of this program in one volume costs that one.
func TestFaultInOneVolume(t *testing.T) {
	f := newFake(t)
	f.panicAt = f.volume("1", []string{`H:\`}, DriveFixed, ntfs("", gib, 1), diskExtents([3]uint64{0, 0, gib}))
	f.volume("2", []string{`C:\`}, DriveFixed, ntfs("", gib, 1), diskExtents([3]uint64{0, gib, gib}))
	volumes, _ := askVolumes(f)
	if len(volumes) != 2 || problemsOf(volumes[0].Problems, volumes[0].ID) != "error internal-error" || len(volumes[1].Problems) != 0 {
		t.Errorf("volumes %v", volumes)
	}
}

func TestLooseLetters(t *testing.T) {
	for _, test := range []struct {
		name   string
		kind   DriveType
		target string
		want   int
	}{
		{"RAM disk", DriveRAMDisk, `\Device\ImDisk0`, 1},
		{"encrypted container of another maker", DriveFixed, `\Device\VeraCryptVolumeV`, 1},
		{"subst", DriveFixed, `\??\C:\work`, 0},
		{"subst of a share", DriveRemote, `\??\UNC\server\share`, 0},
		{"share", DriveRemote, `\Device\Mup\server\share`, 0},
		{"share that is disconnected", DriveNoRoot, `\Device\LanmanRedirector\;X:0\server\share`, 0},
		{"gone", DriveFixed, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			f.letters, f.kinds[`X:\`] = 1<<('X'-'A'), test.kind
			if test.target != "" {
				f.targets["X:"] = test.target
			}
			f.systems[`X:\`] = ntfs("", gib, 1)
			f.devices[`\\.\X:`] = &fakeDevice{answers: map[int64]any{0x90078: dirtyFlags(0)}}
			volumes, problems := askVolumes(f)
			if len(volumes) != test.want || len(problems) != 0 {
				t.Errorf("%d volumes, want %d; problems %v", len(volumes), test.want, problems)
			}
		})
	}
}

func TestMountPoints(t *testing.T) {
	for _, test := range []struct{ in, want []string }{
		{nil, []string{}},
		{[]string{`C:\mnt\`, `D:\`, `B:\`, `C:\a\`}, []string{"D:", "B:", `C:\mnt`, `C:\a`}},
		{[]string{`C:\`, `C:\`, ``, `\`}, []string{"C:"}},
	} {
		if got := mountPoints(test.in); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

func TestSplitNames(t *testing.T) {
	units := func(text string) []uint16 {
		var out []uint16
		for _, r := range text {
			out = append(out, uint16(r))
		}
		return out
	}
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"\x00\x00", nil},
		{"C:\\\x00D:\\mnt\\\x00\x00left over\x00", []string{`C:\`, `D:\mnt\`}},
		{"C:\\\x00D:\\", []string{`C:\`, `D:\`}},
		{"C:\\\x00", []string{`C:\`}},
	} {
		if got := splitNames(units(test.in)); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}
