package engine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mapMemory returns zeroed memory that begins at a page, outside of Go's heap, and touches it.
func mapMemory(bytes int64) ([]byte, error) {
	return mapWith(bytes, unix.MAP_POPULATE)
}

// reserveMemory is mapMemory, but the system provides the memory when it is touched.
func reserveMemory(bytes int64) ([]byte, error) {
	return mapWith(bytes, unix.MAP_NORESERVE)
}

func mapWith(bytes int64, flags int) ([]byte, error) {
	memory, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|flags)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes of memory: %w", bytes, err)
	}
	return memory, nil
}

func unmapMemory(memory []byte) error { return unix.Munmap(memory) }
