package registry

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// Memory is a registry for tests: keys by their full path, in them values by name. A value may be
// an int (REG_DWORD), a uint64 (REG_QWORD), a string (REG_SZ), a []string (REG_MULTI_SZ), a []byte
// (REG_BINARY), a Value as it is, or an error, which reading it returns. The error of a whole key
// stands under the name "*". Names count without regard to case, as in Windows.
type Memory map[string]map[string]any

// Value reads one value.
func (m Memory) Value(key, name string) (Value, error) {
	values, err := m.key(key)
	if err != nil {
		return Value{}, err
	}
	for n, stored := range values {
		if strings.EqualFold(n, name) {
			return encode(stored)
		}
	}
	return Value{}, fs.ErrNotExist
}

// Subkeys are the names of the keys right below a key.
func (m Memory) Subkeys(key string) ([]string, error) {
	if _, err := m.key(key); err != nil {
		return nil, err
	}
	below := map[string]bool{}
	for path := range m {
		if len(path) > len(key) && strings.EqualFold(path[:len(key)], key) && path[len(key)] == '\\' {
			name, _, _ := strings.Cut(path[len(key)+1:], `\`)
			below[name] = true
		}
	}
	return slices.Sorted(maps.Keys(below)), nil
}

// Names are the names of a key's values.
func (m Memory) Names(key string) ([]string, error) {
	values, err := m.key(key)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(values)), nil
}

// key finds a key, or that one below it stands in memory.
func (m Memory) key(key string) (map[string]any, error) {
	exists := false
	for path, values := range m {
		if strings.EqualFold(path, key) {
			if err, refused := values["*"].(error); refused {
				return nil, err
			}
			return values, nil
		}
		exists = exists || len(path) > len(key) && strings.EqualFold(path[:len(key)+1], key+`\`)
	}
	if exists {
		return nil, nil
	}
	return nil, fs.ErrNotExist
}

func encode(stored any) (Value, error) {
	switch value := stored.(type) {
	case Value:
		return value, nil
	case error:
		return Value{}, value
	case int:
		return Value{Type: TypeDWord, Data: binary.LittleEndian.AppendUint32(nil, uint32(value))}, nil
	case uint64:
		return Value{Type: TypeQWord, Data: binary.LittleEndian.AppendUint64(nil, value)}, nil
	case string:
		return Value{Type: TypeString, Data: text(value + "\x00")}, nil
	case []string:
		return Value{Type: TypeMultiString, Data: text(strings.Join(value, "\x00") + "\x00\x00")}, nil
	case []byte:
		return Value{Type: TypeBinary, Data: value}, nil
	}
	return Value{}, fmt.Errorf("a registry in memory holds no %T", stored)
}

func text(s string) []byte {
	var data []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		data = binary.LittleEndian.AppendUint16(data, unit)
	}
	return data
}
