//go:build unix

package require

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Measuring waits until no other test measures on the volume of the folder for temporary files,
// and keeps others waiting until the test ends: the program allows one run on a volume, and Go
// runs the tests of several packages at once.
func Measuring(t testing.TB) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(os.TempDir(), "diskaudit-tests.lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	for {
		if err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		t.Fatalf("waiting for other tests that measure: %v", err)
	}
	t.Cleanup(func() { file.Close() })
}
