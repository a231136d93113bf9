package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// Live reads the registry of this computer.
func Live() Reader { return live{} }

type live struct{}

// access is to read only, in the 64-bit view also from a 32-bit program
// (learn.microsoft.com/windows/win32/winprog64/accessing-an-alternate-registry-view).
const access = registry.READ | registry.WOW64_64KEY

var roots = map[string]registry.Key{
	"HKLM": registry.LOCAL_MACHINE, "HKCU": registry.CURRENT_USER, "HKU": registry.USERS, "HKCR": registry.CLASSES_ROOT,
}

func (live) Value(key, name string) (Value, error) {
	return within(key, func(k registry.Key) (Value, error) {
		// Asked twice: first for the length. A value that grows in between is asked for again.
		for size := 256; ; {
			data := make([]byte, size)
			n, kind, err := k.GetValue(name, data)
			if errors.Is(err, windows.ERROR_MORE_DATA) && n > size {
				size = n
				continue
			}
			if err != nil {
				return Value{}, err
			}
			return Value{Type: kind, Data: data[:n]}, nil
		}
	})
}

func (live) Subkeys(key string) ([]string, error) {
	return within(key, func(k registry.Key) ([]string, error) { return k.ReadSubKeyNames(-1) })
}

func (live) Names(key string) ([]string, error) {
	return within(key, func(k registry.Key) ([]string, error) { return k.ReadValueNames(-1) })
}

func within[T any](path string, read func(registry.Key) (T, error)) (T, error) {
	var none T
	name, below, _ := strings.Cut(path, `\`)
	root, known := roots[name]
	if !known {
		return none, fmt.Errorf("%q names no root of the registry", name)
	}
	key, err := registry.OpenKey(root, below, access)
	if err != nil {
		return none, reason(err)
	}
	defer key.Close()
	value, err := read(key)
	return value, reason(err)
}

// reason makes Windows' codes for missing and refused ones of package fs. A key that was deleted
// while it was open is missing too.
func reason(err error) error {
	switch {
	case errors.Is(err, windows.ERROR_KEY_DELETED):
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}
