package hive

import "strings"

const (
	// nodeBytes and valueBytes are the lengths of a key and a value before their names.
	nodeBytes  = 76
	valueBytes = 20

	// Flags of a key.
	flagLink       = 0x0010
	flagPredefined = 0x0040
	// flagNarrow says that a key's name has one byte for each character, not UTF-16.
	flagNarrow = 0x0020
	// flagNarrowValue says that of a value's name.
	flagNarrowValue = 0x0001
	// flagTombstone marks a value as deleted, for a hive that lies over another.
	flagTombstone = 0x0002

	// inPlace says in a data size that the data is in the place of its offset.
	inPlace = 0x80000000
	// typeDWORD is REG_DWORD (https://learn.microsoft.com/windows/win32/sysinfo/registry-value-types).
	typeDWORD = 4
)

// key is a key of a hive.
type key struct {
	at, parent       uint32
	flags            uint16
	subkeys          uint32
	subkeysAt        uint32
	values, valuesAt uint32
}

// value is a value of a key, with its data where it fits into four bytes.
type value struct {
	kind   uint32
	length uint32
	data   [4]byte
}

// root is the key that all others are below.
func (i *image) root() (key, error) {
	root, _, err := i.node(i.rootAt, "")
	if err != nil {
		return key{}, err
	}
	return root, i.plain(root, "its root")
}

// subkey finds a key below another by its name. All keys there are looked at, in whatever order,
// so that one that is not found is not there.
func (i *image) subkey(parent key, name string) (found key, ok bool, err error) {
	if parent.subkeys == 0 {
		return key{}, false, nil
	}
	var seen uint32
	err = i.eachSubkey(parent.subkeysAt, func(at uint32) error {
		seen++
		child, named, err := i.node(at, name)
		if err != nil || !named {
			return err
		}
		if ok {
			return i.damaged("it has two keys %s in one place", name)
		}
		found, ok = child, true
		return nil
	})
	if err != nil {
		return key{}, false, err
	}
	if seen != parent.subkeys {
		return key{}, false, i.damaged("where it looks for the key %s it should have %d keys and has %d", name, parent.subkeys, seen)
	}
	if !ok {
		return key{}, false, nil
	}
	if found.parent != parent.at {
		return key{}, false, i.damaged("its key %s says that it belongs elsewhere", name)
	}
	return found, true, i.plain(found, "its key "+name)
}

// plain refuses a key that stands for another, or whose values are none.
func (i *image) plain(k key, what string) error {
	if k.flags&(flagLink|flagPredefined) != 0 {
		return i.damaged("%s is only a link to another", what)
	}
	return nil
}

// eachSubkey calls visit with the offset of each key in a list, or in the lists that it lists.
func (i *image) eachSubkey(listAt uint32, visit func(at uint32) error) error {
	kind, elements, err := i.list(listAt)
	if err != nil {
		return err
	}
	if kind != "ri" {
		return each(elements, visit)
	}
	return each(elements, func(at uint32) error {
		inner, leaf, err := i.list(at)
		if err != nil {
			return err
		}
		if inner == "ri" {
			return i.damaged("its lists of keys lead into one another")
		}
		return each(leaf, visit)
	})
}

func each(elements []uint32, visit func(at uint32) error) error {
	for _, at := range elements {
		if err := visit(at); err != nil {
			return err
		}
	}
	return nil
}

// strides are the lengths of the elements of lists of keys, by their signatures. Each begins with an
// offset: of a key, or for "ri" of another list.
var strides = map[string]int{"li": 4, "lf": 8, "lh": 8, "ri": 4}

// list reads a list of keys: its signature and the offsets in it, of which there are up to 65535.
func (i *image) list(at uint32) (kind string, elements []uint32, err error) {
	head, err := i.cell(at, 4)
	if err != nil {
		return "", nil, err
	}
	kind = string(head[:2])
	stride, known := strides[kind]
	if !known {
		return "", nil, i.damaged("at offset %d it should have a list of keys and has none", at)
	}
	count := int(le.Uint16(head[2:]))
	data, err := i.cell(at, 4+count*stride)
	if err != nil {
		return "", nil, err
	}
	elements = make([]uint32, count)
	for n := range elements {
		elements[n] = le.Uint32(data[4+n*stride:])
	}
	return kind, elements, nil
}

// node reads a key and tells whether it is named so.
func (i *image) node(at uint32, name string) (k key, named bool, err error) {
	data, err := i.cell(at, nodeBytes)
	if err != nil {
		return key{}, false, err
	}
	if string(data[:2]) != "nk" {
		return key{}, false, i.damaged("at offset %d it should have a key and has none", at)
	}
	k = key{
		at: at, flags: le.Uint16(data[2:]), parent: le.Uint32(data[16:]),
		subkeys: le.Uint32(data[20:]), subkeysAt: le.Uint32(data[28:]),
		values: le.Uint32(data[36:]), valuesAt: le.Uint32(data[40:]),
	}
	named, err = i.named(at, nodeBytes, int(le.Uint16(data[72:])), k.flags&flagNarrow != 0, name)
	return k, named, err
}

// value finds a value of a key by its name.
func (i *image) value(k key, name string) (found value, ok bool, err error) {
	if k.values == 0 {
		return value{}, false, nil
	}
	if k.values > budgetCells {
		return value{}, false, i.damaged("where it looks for the value %s it should have %d values", name, k.values)
	}
	list, err := i.cell(k.valuesAt, int(k.values)*4)
	if err != nil {
		return value{}, false, err
	}
	for n := range int(k.values) {
		at := le.Uint32(list[n*4:])
		data, err := i.cell(at, valueBytes)
		if err != nil {
			return value{}, false, err
		}
		if string(data[:2]) != "vk" {
			return value{}, false, i.damaged("at offset %d it should have a value and has none", at)
		}
		flags := le.Uint16(data[16:])
		named, err := i.named(at, valueBytes, int(le.Uint16(data[2:])), flags&flagNarrowValue != 0, name)
		if err != nil {
			return value{}, false, err
		}
		if !named {
			continue
		}
		if ok || flags&flagTombstone != 0 {
			return value{}, false, i.damaged("it has the value %s twice, or as deleted from a hive below it", name)
		}
		if found, err = i.data(data); err != nil {
			return value{}, false, err
		}
		ok = true
	}
	return found, ok, nil
}

// data is a value's data, if it has four bytes or less.
func (i *image) data(head []byte) (value, error) {
	size := le.Uint32(head[4:])
	v := value{kind: le.Uint32(head[12:]), length: size &^ inPlace}
	if v.length > uint32(len(v.data)) {
		return v, nil
	}
	if size&inPlace != 0 || size == 0 {
		copy(v.data[:], head[8:12])
		return v, nil
	}
	data, err := i.cell(le.Uint32(head[8:]), int(size))
	copy(v.data[:], data)
	return v, err
}

// number is a value as a number.
func (i *image) number(v value, path string) (uint32, error) {
	if v.kind != typeDWORD || v.length != 4 {
		return 0, i.refuse(CodeNotANumber, "has a value %s that is no number: its type is %d and its length %d bytes, where a REG_DWORD (type 4) has 4. How Windows takes it is not known; load the hive with reg load, then delete the value or write it as a REG_DWORD", path, v.kind, v.length)
	}
	return le.Uint32(v.data[:]), nil
}

// named tells whether the name behind a key or a value is the one that is looked for, which is ASCII.
// The case of ASCII letters does not count.
func (i *image) named(at uint32, before, length int, narrow bool, name string) (bool, error) {
	width := 2
	if narrow {
		width = 1
	}
	if length != len(name)*width {
		return false, nil
	}
	data, err := i.cell(at, before+length)
	if err != nil {
		return false, err
	}
	letters := make([]byte, 0, len(name))
	for here := data[before:]; len(here) > 0; here = here[width:] {
		if here[0] >= 0x80 || width == 2 && here[1] != 0 {
			return false, nil
		}
		letters = append(letters, here[0])
	}
	return strings.EqualFold(string(letters), name), nil
}

// cell reads the first bytes of a cell. Its length is written before it: negative when it is in use.
func (i *image) cell(at uint32, length int) ([]byte, error) {
	if i.cells--; i.cells < 0 {
		return nil, i.damaged("it leads through more than %d places on the way to a few keys", budgetCells)
	}
	if at == offsetNowhere || at%8 != 0 || int64(at)+4 > i.bins {
		return nil, i.damaged("it refers to offset %d, where nothing can be", at)
	}
	buffer := make([]byte, 4+length)
	if int64(at)+int64(len(buffer)) > i.bins {
		return nil, i.damaged("what is at offset %d would reach beyond its end", at)
	}
	if err := i.readAt(buffer, headerBytes+int64(at)); err != nil {
		return nil, err
	}
	size := -int64(int32(le.Uint32(buffer)))
	if size < int64(len(buffer)) || size%8 != 0 || int64(at)+size > i.bins {
		return nil, i.damaged("what is at offset %d is not in use, or has not the length that it needs", at)
	}
	return buffer[4:], nil
}
