package storage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"diskaudit/core/contract"
)

// dirtyFlags is the answer to FSCTL_IS_VOLUME_DIRTY, which takes a handle of the mounted volume.
func dirtyFlags(flags uint32) forReaders {
	data := make([]byte, 4)
	put32(data, 0, flags)
	return data
}

func hasCode(problems []contract.Problem, code string) bool {
	return slices.ContainsFunc(problems, func(p contract.Problem) bool { return p.Code == code })
}

func TestDecodeDirty(t *testing.T) {
	for _, test := range []struct {
		data []byte
		want string
	}{
		{[]byte{0, 0, 0, 0}, "false"},
		{[]byte{1, 0, 0, 0}, "true"},
		// The other flags are not used, or reserved.
		{[]byte{2, 0, 0, 0}, "false"},
		{[]byte{0xfe, 0xff, 0xff, 0xff}, "false"},
		{[]byte{0xff, 0xff, 0xff, 0xff, 1}, "true"},
		{[]byte{0, 1, 0, 0}, "false"},
		{[]byte{1, 0, 0}, "error"},
		{nil, "error"},
	} {
		dirty, err := decodeDirty(test.data)
		got := show(dirty)
		if err != nil {
			if dirty != nil {
				t.Errorf("% x: an error beside a fact", test.data)
			}
			got = "error"
		}
		if got != test.want {
			t.Errorf("% x: got %s, want %s", test.data, got, test.want)
		}
	}
}

// What a file system says of itself, or does not: unknown is never "sound".
func TestFileSystemDirty(t *testing.T) {
	for _, test := range []struct {
		name   string
		file   any
		answer any
		want   string
		// text is in the problem.
		text string
	}{
		{"sound", ntfs("", gib, 1), dirtyFlags(0), "false ", ""},
		{"marked", ntfs("", gib, 1), dirtyFlags(1), "true ", ""},
		{"does not support it", ntfs("", gib, 1), errInvalidFunction, "null info file-system-state-unknown", "chkdsk"},
		{"not supported by its driver", ntfs("", gib, 1), errNotSupported, "null info file-system-state-unknown", "does not tell"},
		{"damaged where it notes it", ntfs("", gib, 1), errFileCorrupt, "null warning file-system-state-unknown", "Back up"},
		{"another error", ntfs("", gib, 1), Errno(23), "null warning file-system-state-unknown", "Windows error 23"},
		{"a short answer", ntfs("", gib, 1), forReaders{1}, "null warning file-system-state-unknown", "dirty bit"},
		{"refused", ntfs("", gib, 1), errAccessDenied, "null info needs-elevation", "as administrator"},
		{"removed meanwhile", ntfs("", gib, 1), errNotConnected, "null error device-vanished", "removed"},
		{"hangs", ntfs("", gib, 1), hang{}, "null error device-timeout", "in time"},
		{"locked", errLockedVolume, dirtyFlags(1), "null info volume-locked", "locked"},
		{"not formatted", errUnrecognizedVolume, dirtyFlags(1), "null warning file-system-unrecognized", "not formatted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				id := f.volume("1", []string{`D:\`}, DriveFixed, test.file, diskExtents([3]uint64{0, 1 << 20, gib}))
				f.device(id).answers[0x90078] = test.answer
				volumes, _ := askVolumes(f)
				if len(volumes) != 1 {
					t.Fatalf("%d volumes", len(volumes))
				}
				v := volumes[0]
				if got := fmt.Sprintf("%s %s", show(v.FileSystemDirty), problemsOf(v.Problems, v.ID)); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
				if len(v.Problems) > 0 && !strings.Contains(v.Problems[0].Text, test.text) {
					t.Errorf("the text does not say %q: %s", test.text, v.Problems[0].Text)
				}
				_, formatted := test.file.(fakeFile)
				device := f.device(id)
				device.mu.Lock()
				defer device.mu.Unlock()
				if asked := slices.Contains(device.asked, 0x90078); asked != formatted {
					t.Errorf("asked: %v, want %v", asked, formatted)
				}
				if formatted && (v.FreeBytes == nil || v.ClusterBytes == nil || len(v.Extents) != 1) {
					t.Errorf("what the file system and the device told is lost: %s", volumeLine(v))
				}
			})
		})
	}
}
