// Package hive reads the SYSTEM registry hive of a Windows that is not running, such as that of an
// image that is mounted to be serviced: which control sets that Windows starts with, and whether
// PreventDeviceEncryption is set in them. It also gives the commands that set it.
//
// It changes no hive. Windows has its own tool for that, reg.exe, which knows the file's format,
// its transaction logs and its locks; a file that another program wrote wrongly would be a Windows
// that does not start.
//
// The format is not documented by Microsoft. Facts about it, here and in the package's other files,
// are from https://github.com/msuhanov/regf.
package hive

import (
	"io"
	"strconv"
)

// State is what a hive says about device encryption.
type State struct {
	// Sets are the control sets that Select's values Current and Default name, in this order, each
	// once. There is at least one. LastKnownGood and Failed are not followed: Windows starts with
	// them only when a person asks for it, or not at all.
	Sets []ControlSet
}

// ControlSet is a control set of a hive.
type ControlSet struct {
	// Name is its key, such as ControlSet001.
	Name string
	// Selected are the values of Select that name it: Current, Default, or both.
	Selected []string
	// Prevention is the value of PreventDeviceEncryption: Absent, or its number in decimal.
	Prevention string
}

const (
	// Absent stands for a value, or a key on the way to it, that is not there.
	Absent = "absent"
	// Prevented is the value of PreventDeviceEncryption with which Windows does not encrypt by itself
	// (https://learn.microsoft.com/windows/security/operating-system-security/data-protection/bitlocker).
	Prevented = "1"

	valueName = "PreventDeviceEncryption"
)

// Prevented tells whether Windows is kept from encrypting by itself in each of the control sets.
func (s State) Prevented() bool {
	for _, set := range s.Sets {
		if set.Prevention != Prevented {
			return false
		}
	}
	return len(s.Sets) > 0
}

// Value is the path of PreventDeviceEncryption within the hive.
func (c ControlSet) Value() string { return c.key() + `\` + valueName }

func (c ControlSet) key() string { return c.Name + `\Control\BitLocker` }

// Read reads the hive in a file, without changing it. An error is an *Error: a state that cannot be
// told for sure is none.
func Read(path string) (State, error) {
	file, size, err := open(path)
	if err != nil {
		return State{}, err
	}
	defer func() { _ = file.Close() }() // It was only read.
	return read(file, size, path)
}

func read(r io.ReaderAt, size int64, path string) (State, error) {
	image, err := newImage(r, size, path)
	if err != nil {
		return State{}, err
	}
	root, err := image.root()
	if err != nil {
		return State{}, err
	}
	selection, found, err := image.subkey(root, "Select")
	if err != nil {
		return State{}, err
	}
	if !found {
		return State{}, image.refuse(CodeNotSystem, "is a registry hive, but not that of a system: it has no key Select. Name the file SYSTEM in the image's folder Windows\\System32\\config")
	}
	var state State
	for _, role := range []string{"Current", "Default"} {
		name, err := image.selected(selection, role)
		if err != nil {
			return State{}, err
		}
		if n := len(state.Sets); n > 0 && state.Sets[n-1].Name == name {
			state.Sets[n-1].Selected = append(state.Sets[n-1].Selected, role)
			continue
		}
		set := ControlSet{Name: name, Selected: []string{role}}
		if set.Prevention, err = image.prevention(root, set); err != nil {
			return State{}, err
		}
		state.Sets = append(state.Sets, set)
	}
	return state, nil
}

// lastControlSet is the highest number that the three digits of a control set's name have room for.
const lastControlSet = 999

// selected is the name of the control set that a value of Select names: 1 for ControlSet001
// (https://support.microsoft.com/kb/102984).
func (i *image) selected(selection key, role string) (string, error) {
	path := `Select\` + role
	value, found, err := i.value(selection, role)
	if err != nil {
		return "", err
	}
	if !found {
		return "", i.refuse(CodeNotSystem, "has no value %s, so it does not tell which control set its Windows starts with. Name the file SYSTEM of a Windows that was installed or of an installation image", path)
	}
	number, err := i.number(value, path)
	if err != nil {
		return "", err
	}
	if number < 1 || number > lastControlSet {
		return "", i.refuse(CodeNotSystem, "names control set %d in %s, and there is none of that number. Name the file SYSTEM of a Windows that was installed or of an installation image", number, path)
	}
	digits := strconv.FormatUint(uint64(number), 10)
	return "ControlSet" + "000"[len(digits):] + digits, nil
}

// prevention is the value of PreventDeviceEncryption in a control set.
func (i *image) prevention(root key, set ControlSet) (string, error) {
	at := root
	for _, name := range []string{set.Name, "Control"} {
		next, found, err := i.subkey(at, name)
		if err != nil {
			return "", err
		}
		if !found {
			return "", i.refuse(CodeNotSystem, "has no key %s\\Control, though Select names that control set. The hive is not complete; take it from the image or from a backup again", set.Name)
		}
		at = next
	}
	bitLocker, found, err := i.subkey(at, "BitLocker")
	if err != nil || !found {
		return Absent, err
	}
	value, found, err := i.value(bitLocker, valueName)
	if err != nil || !found {
		return Absent, err
	}
	number, err := i.number(value, set.Value())
	if err != nil {
		return "", err
	}
	return strconv.FormatUint(uint64(number), 10), nil
}
