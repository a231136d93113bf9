package rig

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"diskaudit/core/machine/windows/registry"
)

// Drive gives a drive letter to a folder of this computer, or to a device or image file, which is
// then what \\.\X: opens. The drive goes away when the test ends.
func (r *Rig) Drive(letter byte, target string) {
	r.t.Helper()
	name := strings.ToLower(string(letter)) + ":"
	if info, err := os.Stat(target); err != nil {
		r.t.Fatal(err)
	} else if !info.IsDir() {
		name += ":"
	}
	r.link(name, target)
}

// PhysicalDrive lets \\.\PhysicalDriveN open a device or image file.
func (r *Rig) PhysicalDrive(number int, target string) {
	r.t.Helper()
	r.link("physicaldrive"+strconv.Itoa(number), target)
}

// WithoutDrive takes a drive away, such as Z:, by which Wine shows all files of this computer. It
// comes back when the test ends.
func (r *Rig) WithoutDrive(letter byte) {
	r.t.Helper()
	path := r.device(strings.ToLower(string(letter)) + ":")
	target, err := os.Readlink(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.prefix.changed()
	r.t.Cleanup(func() {
		r.prefix.changed()
		if err := os.Symlink(target, path); err != nil {
			r.t.Error(err)
		}
	})
}

// DriveType makes a drive another than a fixed disk: "floppy" is removable, "cdrom", "network".
func (r *Rig) DriveType(letter byte, kind string) {
	r.t.Helper()
	r.Registry(registry.Memory{`HKLM\Software\Wine\Drives`: {strings.ToLower(string(letter)) + ":": kind}})
	r.prefix.changed()
	r.t.Cleanup(r.prefix.changed)
}

// Label gives a folder that is a drive a volume label.
func (r *Rig) Label(folder, label string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(folder, ".windows-label"), []byte(label+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.prefix.changed()
}

func (r *Rig) device(name string) string {
	return filepath.Join(r.prefix.folder, "dosdevices", name)
}

func (r *Rig) link(name, target string) {
	r.t.Helper()
	if err := os.Symlink(target, r.device(name)); err != nil {
		r.t.Fatal(err)
	}
	r.prefix.changed()
	r.t.Cleanup(func() {
		r.prefix.changed()
		if err := os.Remove(r.device(name)); err != nil {
			r.t.Error(err)
		}
	})
}
