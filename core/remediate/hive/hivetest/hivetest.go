// Package hivetest makes registry hives for tests: small, but with all that a reader of real ones
// relies on. The format is described at https://github.com/msuhanov/regf.
package hivetest

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"
)

// Key is a key to be made.
type Key struct {
	// Name is its name.
	Name string
	// Wide writes the name as UTF-16.
	Wide bool
	// List is the signature of the list of its keys: "li", "lf", "lh", which is what empty means, or
	// "ri", for which the keys are spread over lists of two.
	List string
	// Flags are added to those that its name needs.
	Flags uint16
	// Keys are below it, in any order.
	Keys []Key
	// Values are in it.
	Values []Value
}

// Value is a value to be made.
type Value struct {
	// Name is its name.
	Name string
	// Wide writes the name as UTF-16.
	Wide bool
	// Type is its type, such as DWORD.
	Type uint32
	// Data is its data.
	Data []byte
	// Apart writes the data into a cell of its own, even where it is short.
	Apart bool
	// Flags are added to those that its name needs.
	Flags uint16
}

// Types of values (https://learn.microsoft.com/windows/win32/sysinfo/registry-value-types).
const (
	SZ    = 1
	DWORD = 4
	QWORD = 11
)

// Number is a REG_DWORD.
func Number(name string, number uint32) Value {
	return Value{Name: name, Type: DWORD, Data: le.AppendUint32(nil, number)}
}

// System is the root of a SYSTEM hive. Select's values are the numbers of control sets.
func System(current, standard uint32, sets ...Key) Key {
	return Key{Name: "ROOT", Keys: append([]Key{
		{Name: "Select", Values: []Value{
			Number("Current", current), Number("Default", standard), Number("Failed", 0), Number("LastKnownGood", current),
		}},
		{Name: "MountedDevices"}, {Name: "Setup"},
	}, sets...)}
}

// ControlSet is a control set with these values in its key BitLocker; without any it has no such key.
func ControlSet(name string, values ...Value) Key {
	control := Key{Name: "Control", Keys: []Key{{Name: "BackupRestore"}, {Name: "Class"}, {Name: "Session Manager"}}}
	if len(values) > 0 {
		control.Keys = append(control.Keys, Key{Name: "BitLocker", Values: values})
	}
	return Key{Name: name, Keys: []Key{control, {Name: "Enum"}, {Name: "Services"}}}
}

const (
	headerBytes = 4096
	binBytes    = 4096
	nowhere     = 0xffffffff
)

var le = binary.LittleEndian

// Hive is the file of a hive with this root: format 1.5, closed properly.
func Hive(root Key) []byte {
	w := &writer{bin: make([]byte, 32)}
	w.security = w.cell(securityCell(20))
	// The only one of its kind leads to itself, and every key counts as a user of it.
	le.PutUint32(w.bin[w.security+4+4:], w.security)
	le.PutUint32(w.bin[w.security+4+8:], w.security)
	rootAt := w.key(root, nowhere, 0x0004|0x0008)
	le.PutUint32(w.bin[w.security+4+12:], w.keys)

	// A cell that is not in use fills the rest.
	free := binBytes - len(w.bin)%binBytes
	if free < 8 {
		free += binBytes
	}
	at := len(w.bin)
	w.bin = append(w.bin, make([]byte, free)...)
	le.PutUint32(w.bin[at:], uint32(free))

	copy(w.bin, "hbin")
	le.PutUint32(w.bin[8:], uint32(len(w.bin)))

	header := make([]byte, headerBytes)
	copy(header, "regf")
	for offset, number := range map[int]uint32{
		4: 7, 8: 7, 20: 1, 24: 5, 28: 0, 32: 1, 36: rootAt, 40: uint32(len(w.bin)), 44: 1,
	} {
		le.PutUint32(header[offset:], number)
	}
	copy(header[48:], wide("SYSTEM"))
	hive := append(header, w.bin...)
	Seal(hive)
	return hive
}

// Seal puts the checksum of a hive's header right.
func Seal(hive []byte) {
	var sum uint32
	for at := 0; at < 508; at += 4 {
		sum ^= le.Uint32(hive[at:])
	}
	switch sum {
	case 0:
		sum = 1
	case 0xffffffff:
		sum = 0xfffffffe
	}
	le.PutUint32(hive[508:], sum)
}

// writer puts cells one behind the other into a single bin. Offsets count from its beginning.
type writer struct {
	bin      []byte
	security uint32
	keys     uint32
}

// cell adds a cell and returns its offset.
func (w *writer) cell(data []byte) uint32 {
	at := len(w.bin)
	length := (4 + len(data) + 7) &^ 7
	w.bin = append(w.bin, make([]byte, length)...)
	le.PutUint32(w.bin[at:], -uint32(length))
	copy(w.bin[at+4:], data)
	return uint32(at)
}

// key adds a key with all that is below it, and returns its offset.
func (w *writer) key(k Key, parent uint32, flags uint16) uint32 {
	w.keys++
	name := []byte(k.Name)
	if k.Wide {
		name = wide(k.Name)
	} else {
		flags |= 0x0020
	}
	data := make([]byte, 76, 76+len(name))
	copy(data, "nk")
	le.PutUint16(data[2:], flags|k.Flags)
	le.PutUint32(data[16:], parent)
	le.PutUint32(data[20:], uint32(len(k.Keys)))
	for _, offset := range []int{28, 32, 40, 48} {
		le.PutUint32(data[offset:], nowhere)
	}
	le.PutUint32(data[36:], uint32(len(k.Values)))
	le.PutUint32(data[44:], w.security)
	le.PutUint16(data[72:], uint16(len(name)))
	at := w.cell(append(data, name...))

	if len(k.Values) > 0 {
		var list []byte
		for _, v := range k.Values {
			list = le.AppendUint32(list, w.value(v))
		}
		listAt := w.cell(list)
		le.PutUint32(w.bin[at+4+40:], listAt)
	}
	if len(k.Keys) > 0 {
		// Windows looks for a key by halving, so lists are in the order of upper-case names.
		sorted := slices.SortedFunc(slices.Values(k.Keys), func(a, b Key) int {
			return cmp.Compare(strings.ToUpper(a.Name), strings.ToUpper(b.Name))
		})
		offsets := make([]uint32, len(sorted))
		for n, below := range sorted {
			offsets[n] = w.key(below, at, 0)
		}
		listAt := w.list(cmp.Or(k.List, "lh"), sorted, offsets)
		le.PutUint32(w.bin[at+4+28:], listAt)
	}
	return at
}

// list adds a list of keys and returns its offset.
func (w *writer) list(kind string, keys []Key, offsets []uint32) uint32 {
	if kind == "ri" {
		var lists []uint32
		for first := 0; first < len(keys); first += 2 {
			last := min(first+2, len(keys))
			lists = append(lists, w.list("lh", keys[first:last], offsets[first:last]))
		}
		offsets = lists
	}
	data := le.AppendUint16([]byte(kind), uint16(len(offsets)))
	for n, offset := range offsets {
		data = le.AppendUint32(data, offset)
		switch kind {
		case "lf":
			hint := make([]byte, 4)
			copy(hint, keys[n].Name)
			data = append(data, hint...)
		case "lh":
			data = le.AppendUint32(data, hash(keys[n].Name))
		}
	}
	return w.cell(data)
}

// hash is the hash of a key's name in a list of the kind "lh".
func hash(name string) uint32 {
	var sum uint32
	for _, unit := range utf16.Encode([]rune(strings.ToUpper(name))) {
		sum = sum*37 + uint32(unit)
	}
	return sum
}

// value adds a value and returns its offset.
func (w *writer) value(v Value) uint32 {
	name, flags := []byte(v.Name), v.Flags
	if v.Wide {
		name = wide(v.Name)
	} else {
		flags |= 0x0001
	}
	data := make([]byte, 20, 20+len(name))
	copy(data, "vk")
	le.PutUint16(data[2:], uint16(len(name)))
	if len(v.Data) <= 4 && !v.Apart {
		le.PutUint32(data[4:], 0x80000000|uint32(len(v.Data)))
		copy(data[8:12], v.Data)
	} else {
		le.PutUint32(data[4:], uint32(len(v.Data)))
		le.PutUint32(data[8:], w.cell(v.Data))
	}
	le.PutUint32(data[12:], v.Type)
	le.PutUint16(data[16:], flags)
	return w.cell(append(data, name...))
}

// securityCell is the record of a security descriptor, self-relative and empty, of so many bytes.
func securityCell(length int) []byte {
	data := make([]byte, 20+length)
	copy(data, "sk")
	le.PutUint32(data[16:], uint32(length))
	data[20] = 1                          // SECURITY_DESCRIPTOR_REVISION
	le.PutUint16(data[20+2:], 1<<15|1<<2) // SE_SELF_RELATIVE, SE_DACL_PRESENT: with no list, all may do all.
	return data
}

func wide(s string) []byte {
	var data []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		data = le.AppendUint16(data, unit)
	}
	return data
}
