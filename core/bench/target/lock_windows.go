package target

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/windows"
)

// lockPrefix is what the names of locks begin with; tests have their own.
var lockPrefix = `Global\diskaudit-bench-`

// lock keeps other runs away from the volume, with a named object that ends with the last process
// that has it open and leaves no file. Nobody owns it: that it exists is the lock. Source:
// https://learn.microsoft.com/windows/win32/termserv/kernel-object-namespaces
func lock(s *site, path string) (release func() error, err error) {
	// A backslash would name another namespace.
	key := strings.ToLower(strings.Trim(strings.ReplaceAll(s.key, `\`, "-"), "-?."))
	name, err := windows.UTF16PtrFromString(lockPrefix + key)
	if err != nil {
		return nil, fmt.Errorf("locking the volume of %s: %w", path, err)
	}
	handle, err := windows.CreateMutex(nil, false, name)
	if err == nil {
		return func() error { return windows.CloseHandle(handle) }, nil
	}
	if handle != 0 {
		_ = windows.CloseHandle(handle)
	}
	// Access is denied when another user made it.
	if !errors.Is(err, windows.ERROR_ALREADY_EXISTS) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return nil, fmt.Errorf("locking the volume of %s: %w", path, err)
	}
	refusal := refuse("in-use", "%s: another diskaudit bench is measuring this volume, and both would measure each other. Wait until it has ended", path)
	refusal.cause = err
	return nil, refusal
}
