package registry

import (
	"fmt"
	"strings"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// LiveStore is the registry of this computer, to be changed.
func LiveStore() Store { return liveStore{} }

type liveStore struct{ live }

// changeAccess is to change and to flush, for which the key has to be open for reading too
// (learn.microsoft.com/windows/win32/sysinfo/registry-key-security-and-access-rights).
const changeAccess = registry.QUERY_VALUE | registry.SET_VALUE | registry.WOW64_64KEY

var regFlushKey = windows.NewLazySystemDLL("advapi32.dll").NewProc("RegFlushKey")

// SetNumber calls RegCreateKeyEx, which opens a key that is there, and RegSetValueEx
// (learn.microsoft.com/windows/win32/api/winreg/nf-winreg-regcreatekeyexw,
// learn.microsoft.com/windows/win32/api/winreg/nf-winreg-regsetvalueexw).
func (liveStore) SetNumber(path, name string, value uint32) error {
	create := func(root registry.Key, below string) (registry.Key, error) {
		key, _, err := registry.CreateKey(root, below, changeAccess)
		return key, err
	}
	return changed(path, create, func(key registry.Key) error { return key.SetDWordValue(name, value) })
}

// Delete calls RegDeleteValue
// (learn.microsoft.com/windows/win32/api/winreg/nf-winreg-regdeletevaluew).
func (liveStore) Delete(path, name string) error {
	open := func(root registry.Key, below string) (registry.Key, error) {
		return registry.OpenKey(root, below, changeAccess)
	}
	return changed(path, open, func(key registry.Key) error { return key.DeleteValue(name) })
}

// changed opens a key, changes it, and brings the change to the disk before it returns: the
// registry's own lazy flush comes some time later
// (learn.microsoft.com/windows/win32/api/winreg/nf-winreg-regflushkey).
func changed(path string, open func(root registry.Key, below string) (registry.Key, error), change func(registry.Key) error) error {
	name, below, _ := strings.Cut(path, `\`)
	root, known := roots[name]
	if !known {
		return fmt.Errorf("%q names no root of the registry", name)
	}
	key, err := open(root, below)
	if err != nil {
		return reason(err)
	}
	defer key.Close()
	if err := change(key); err != nil {
		return reason(err)
	}
	if code, _, _ := regFlushKey.Call(uintptr(key)); uint32(code) != 0 {
		return fmt.Errorf("the change is made, but bringing it to the disk failed: Windows error %d", uint32(code))
	}
	return nil
}
