package target

import (
	"strings"
	"testing"
)

func TestWindowsPaths(t *testing.T) {
	guid := `Volume{12345678-1234-1234-1234-123456789abc}`
	for given, want := range map[string]struct {
		kind windowsKind
		path string
	}{
		`C:`:                      {windowsDrive, `C:\`},
		`d:\`:                     {windowsDrive, `D:\`},
		`C:/`:                     {windowsDrive, `C:\`},
		`\\?\C:\`:                 {windowsDrive, `C:\`},
		`\\.\C:`:                  {windowsDevice, `\\.\C:`},
		`\\?\c:`:                  {windowsDevice, `\\.\c:`},
		`//./PhysicalDrive0`:      {windowsDevice, `\\.\PhysicalDrive0`},
		`\\.\PHYSICALDRIVE12`:     {windowsDevice, `\\.\PHYSICALDRIVE12`},
		`\\.\Harddisk0Partition1`: {windowsDevice, `\\.\Harddisk0Partition1`},
		`\\?\` + guid:             {windowsDevice, `\\?\` + guid},
		`\\.\` + guid:             {windowsDevice, `\\?\` + guid},
		`\\?\` + guid + `\`:       {windowsFile, `\\?\` + guid + `\`},
		`\\?\` + guid + `\a b`:    {windowsFile, `\\?\` + guid + `\a b`},
		`C:\folder\file`:          {windowsFile, `C:\folder\file`},
		`\\?\C:\folder\file`:      {windowsFile, `C:\folder\file`},
		`\\.\C:\file`:             {windowsFile, `C:\file`},
		`folder/file`:             {windowsFile, `folder\file`},
		`C:file`:                  {windowsFile, `C:file`},
		`C:\con\nulls.txt`:        {windowsFile, `C:\con\nulls.txt`},
	} {
		kind, path, err := readWindowsPath(given)
		if err != nil || kind != want.kind || path != want.path {
			t.Errorf("%s: %d, %s, %v; want %d, %s", given, kind, path, err, want.kind, want.path)
		}
	}
}

// P13, P15, P41: what is no disk of this computer is refused by its name.
func TestWindowsPathsThatAreRefused(t *testing.T) {
	for given, code := range map[string]string{
		`\\server\share`: "remote", `//server/share/file`: "remote", `\\?\UNC\server\share`: "remote",
		`\\wsl.localhost\Debian\home`: "remote", `\\.\unc\server\share`: "remote",
		`\\.\NUL`: "not-a-target", `\\.\pipe\name`: "not-a-target", `\\.\COM1`: "not-a-target", `\\.\CdRom0`: "not-a-target",
		`\\.\PhysicalDrive`: "not-a-target", `\\.\PhysicalDrive0x`: "not-a-target", `\\?\Volume{1}`: "not-a-target",
		`\\.\`: "not-a-target", `\\?\`: "not-a-target",
		`NUL`: "not-a-target", `C:\folder\nul.txt`: "not-a-target", `C:\com1`: "not-a-target", `aux `: "not-a-target",
		`C:\file:stream`: "not-a-target", `C:\file::$DATA`: "not-a-target",
		`C:\a*b`: "not-found", `C:\a?b`: "not-found", `C:\a|b`: "not-found", "a\x00b": "not-a-target",
	} {
		_, _, err := readWindowsPath(given)
		t.Run(given, func(t *testing.T) { wantRefusal(t, err, code) })
	}
}

// The layouts are those of winioctl.h and winbase.h.
func TestWindowsAnswers(t *testing.T) {
	alignment := make([]byte, 28)
	alignment[16], alignment[17] = 0x00, 0x02
	alignment[20], alignment[21] = 0x00, 0x10
	if logical, physical := sectorsOf(alignment); logical != 512 || physical != 4096 {
		t.Errorf("sectors %d, %d", logical, physical)
	}
	storage := make([]byte, storageInfoBytes)
	storage[1], storage[5], storage[9] = 0x02, 0x08, 0x10
	if logical, physical := fileSectorsOf(storage); logical != 512 || physical != 4096 {
		t.Errorf("sectors %d, %d", logical, physical)
	}
	device := make([]byte, 40)
	device[28] = 17
	if bus, ok := busOf(device); !ok || busKinds[bus].name != "NVMe" {
		t.Errorf("bus %d", bus)
	}
	ranges := rangesOf([]byte{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 2, 3})
	if len(ranges) != 1 || ranges[0] != (allocatedRange{1 << 16, 2 << 16}) {
		t.Errorf("ranges %v", ranges)
	}
	for n := range 23 {
		if l, p := sectorsOf(alignment[:n]); l != 0 || p != 0 {
			t.Errorf("%d bytes give sectors %d, %d", n, l, p)
		}
		if _, ok := busOf(device[:n]); ok {
			t.Errorf("%d bytes give a bus", n)
		}
	}
}

func TestVolumeIn(t *testing.T) {
	const volume = `\\?\Volume{0a1b2c3d-0000-4000-8000-00000000000f}\`
	for path, want := range map[string]string{
		volume: volume, volume + `folder\file`: volume,
		strings.TrimSuffix(volume, `\`): "", `\\?\C:\folder`: "", `\\?\UNC\server\share`: "", `C:\Volume{}`: "", "": "",
	} {
		if got, ok := volumeIn(path); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", path, got, ok)
		}
	}
}
