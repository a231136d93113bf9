// Package registry reads the Windows registry: live on Windows, from memory in tests. Keys are
// written as Windows writes them, such as HKLM\SOFTWARE\Policies\Microsoft\FVE. The 64-bit view is
// read, whatever this program was built for.
package registry

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf16"
)

// The types of values (learn.microsoft.com/windows/win32/sysinfo/registry-value-types).
const (
	TypeString       = 1  // REG_SZ
	TypeExpandString = 2  // REG_EXPAND_SZ
	TypeBinary       = 3  // REG_BINARY
	TypeDWord        = 4  // REG_DWORD
	TypeMultiString  = 7  // REG_MULTI_SZ
	TypeQWord        = 11 // REG_QWORD
)

// ErrType is the error of a value whose type or length is not the one that it must have.
var ErrType = errors.New("the value is not of the type that it must have")

// Reader reads the registry. A key or value that is not there is fs.ErrNotExist, one that may not
// be read is fs.ErrPermission; any other error is a failure to read and says nothing about it.
type Reader interface {
	// Value reads one value; the name "" is the key's default value.
	Value(key, name string) (Value, error)
	// Subkeys are the names of the keys right below a key.
	Subkeys(key string) ([]string, error)
	// Names are the names of a key's values.
	Names(key string) ([]string, error)
}

// Value is a value as it is stored.
type Value struct {
	// Type is one of the types above, or another.
	Type uint32
	// Data is as stored, numbers and UTF-16 text in little-endian order.
	Data []byte
}

// Number is the number in a REG_DWORD or REG_QWORD.
func (v Value) Number() (uint64, error) {
	switch {
	case v.Type == TypeDWord && len(v.Data) == 4:
		return uint64(binary.LittleEndian.Uint32(v.Data)), nil
	case v.Type == TypeQWord && len(v.Data) == 8:
		return binary.LittleEndian.Uint64(v.Data), nil
	}
	return 0, ErrType
}

// Text is the text in a REG_SZ or REG_EXPAND_SZ up to its end or first zero; variables in it are
// not expanded.
func (v Value) Text() (string, error) {
	if v.Type != TypeString && v.Type != TypeExpandString {
		return "", ErrType
	}
	text, _, _ := strings.Cut(v.utf16(), "\x00")
	return text, nil
}

// Texts are the texts in a REG_MULTI_SZ.
func (v Value) Texts() ([]string, error) {
	if v.Type != TypeMultiString {
		return nil, ErrType
	}
	var texts []string
	for text := range strings.SplitSeq(v.utf16(), "\x00") {
		if text == "" {
			break
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (v Value) utf16() string {
	units := make([]uint16, len(v.Data)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(v.Data[2*i:])
	}
	return string(utf16.Decode(units))
}

// Number reads a REG_DWORD or REG_QWORD; nil when it is not there.
func Number(r Reader, key, name string) (*uint64, error) {
	return read(r, key, name, Value.Number)
}

// Text reads a REG_SZ or REG_EXPAND_SZ; nil when it is not there.
func Text(r Reader, key, name string) (*string, error) {
	return read(r, key, name, Value.Text)
}

func read[T any](r Reader, key, name string, decode func(Value) (T, error)) (*T, error) {
	value, err := r.Value(key, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &Error{Key: key, Name: name, Err: err}
	}
	decoded, err := decode(value)
	if err != nil {
		return nil, &Error{Key: key, Name: name, Err: err}
	}
	return &decoded, nil
}

// Error says which value could not be read.
type Error struct {
	// Key and Name are those of the value.
	Key, Name string
	// Err is why.
	Err error
}

func (e *Error) Error() string { return "reading " + e.Key + `\` + e.Name + ": " + e.Err.Error() }

// Unwrap is why it could not be read.
func (e *Error) Unwrap() error { return e.Err }
