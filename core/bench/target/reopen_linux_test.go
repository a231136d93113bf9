package target

import (
	"os"

	"golang.org/x/sys/unix"
)

// reopen opens a file as the workers do.
func reopen(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|unix.O_DIRECT, 0)
}
