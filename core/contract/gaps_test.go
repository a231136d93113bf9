package contract

import "testing"

// What is missing in the list of volumes must not look like what is not there (cases B4, B10).
func TestGaps(t *testing.T) {
	at := func(code string, level Level, stage, target string) Problem {
		return Problem{Code: code, Level: level, Stage: stage, Target: target}
	}
	windows := Status{Machine: Machine{Source: SourceWindows, OS: Ptr("Windows 11 Pro")}, BitLocker: Provider{Provider: Ptr("wmi")}, Volumes: List[Volume]{{ID: "C:"}}}
	linux := Status{Machine: Machine{Source: SourceLinux, OS: Ptr("Debian GNU/Linux 12 (bookworm)")}, BitLocker: Provider{Provider: Ptr("on-disk")}, Volumes: List[Volume]{{ID: "C:"}}}
	image := Status{Machine: Machine{Source: SourceImage}, BitLocker: Provider{Provider: Ptr("on-disk")}, Volumes: List[Volume]{{ID: "C:"}}}
	recorded := image
	recorded.Machine.Source = SourceRecording
	for name, test := range map[string]struct {
		status  Status
		problem Problem
		gap     bool
	}{
		"the time was up":                         {windows, at("timeout", LevelError, "disks", ""), true},
		"the time was up for one volume":          {windows, at("timeout", LevelError, "volumes", "C:"), false},
		"the letters are unknown":                 {windows, at("letters-not-listed", LevelWarning, "volumes", ""), true},
		"a letter did not answer":                 {windows, at("device-timeout", LevelError, "volumes", "E:"), true},
		"a row without a path":                    {windows, at("volume-unnamed", LevelError, "volumes", `root\CIMV2`), true},
		"a row with a path that is none":          {windows, at("volume-name-malformed", LevelError, "volumes", "x"), true},
		"a level that was forgotten":              {windows, at("volume-unnamed", "", "volumes", ""), true},
		"a volume twice":                          {windows, at("volume-listed-twice", LevelWarning, "volumes", "x"), false},
		"a volume that someone named":             {windows, at("volume-not-found", LevelError, "volumes", "X:"), false},
		"a disk without SMART":                    {windows, at("health-unreadable", LevelError, "disks", "PhysicalDrive0"), false},
		"a device that went meanwhile":            {linux, at("device-vanished", LevelError, "volumes", "/dev/sdb1"), true},
		"a device whose reading ended in a fault": {linux, at("internal-error", LevelError, "volumes", "/dev/sdb1"), true},
		"a disk of Linux":                         {linux, at("read-failed", LevelError, "disks", "/dev/sda"), false},
		"an image that is not there":              {image, at("image-not-found", LevelError, "disks", "b.vhdx"), true},
		"an image with a lost partition":          {image, at("partition-out-of-range", LevelError, "disks", "a.img"), true},
		"an image whose table has a good copy":    {image, at("gpt-backup-damaged", LevelWarning, "disks", "a.img"), false},
		"a recording of images":                   {recorded, at("image-not-found", LevelError, "disks", "b.vhdx"), true},
		"a recording that does not say":           {windows, at("recording-incomplete", LevelError, "recording", ""), true},
		"nothing is listed":                       {Status{}, at("recording-unusable", LevelError, "host", "x"), true},
		"nothing is listed, and nothing is wrong": {Status{}, at("not-in-image", LevelInfo, "host", ""), false},
	} {
		status := test.status
		status.Problems = List[Problem]{test.problem}
		if got := len(status.Gaps()) == 1; got != test.gap {
			t.Errorf("%s: a gap is %v, want %v", name, got, test.gap)
		}
	}
}
