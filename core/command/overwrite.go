package command

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"diskaudit/core/machine/reserved"
)

// refuseOverwriting refuses to write over what is being audited, and onto any disk: nothing that
// this program writes is worth a volume. Flags whose files are read besides are named.
func refuseOverwriting(c *cli.Context, alsoRead ...string) error {
	type named struct{ flag, path string }
	var inputs, outputs []named
	for _, path := range c.StringSlice("image") {
		inputs = append(inputs, named{"image", path})
	}
	if path := c.String("recording"); path != "" {
		inputs = append(inputs, named{"recording", path})
	}
	for _, flag := range alsoRead {
		if path := c.String(flag); path != "" {
			inputs = append(inputs, named{flag, path})
		}
	}
	for _, flag := range []string{"output", "record"} {
		path := c.String(flag)
		if path == "" {
			continue
		}
		if info, err := os.Stat(path); err == nil && isDisk(info) {
			return usagef("--%s %s is a disk: writing there would destroy what is on it; name a file", flag, path)
		}
		for _, input := range inputs {
			if isSameFile(path, input.path) {
				return usagef("--%s %s would overwrite what --%s reads; name another file", flag, path, input.flag)
			}
		}
		for _, other := range outputs {
			if isSameFile(path, other.path) {
				return usagef("--%s and --%s name the same file %s; name two", other.flag, flag, path)
			}
		}
		outputs = append(outputs, named{flag, path})
	}
	return nil
}

// isDisk tells whether a file is a block device.
func isDisk(info fs.FileInfo) bool {
	return info.Mode()&(fs.ModeDevice|fs.ModeCharDevice) == fs.ModeDevice
}

// refuseDevice refuses to write to a name that Windows takes for a device, which would swallow the
// document.
func refuseDevice(system, flag, path string) error {
	if name, is := reserved.Device(path); is && system == "windows" {
		return usagef("--%s %s: Windows takes %s for the name of a device, where the document would be lost; name another file", flag, path, name)
	}
	return nil
}

// isSameFile compares by what the paths lead to; paths that lead nowhere yet, by their text.
func isSameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		// Writing to a device such as /dev/null twice, or to a terminal, loses nothing.
		return os.SameFile(infoA, infoB) && infoA.Mode().IsRegular()
	}
	absoluteA, errA := filepath.Abs(a)
	absoluteB, errB := filepath.Abs(b)
	if runtime.GOOS == "windows" {
		return errA == nil && errB == nil && strings.EqualFold(absoluteA, absoluteB)
	}
	return errA == nil && errB == nil && absoluteA == absoluteB
}
