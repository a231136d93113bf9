package engine

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapMemory returns zeroed memory that begins at a page, outside of Go's heap, and touches it.
func mapMemory(bytes int64) ([]byte, error) {
	memory, err := reserveMemory(bytes)
	for at := 0; at < len(memory); at += dataPage {
		memory[at] = 0
	}
	return memory, err
}

// reserveMemory is mapMemory, but the system provides the memory when it is touched.
func reserveMemory(bytes int64) ([]byte, error) {
	address, err := windows.VirtualAlloc(0, uintptr(bytes), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes of memory: %w", bytes, err)
	}
	// The address is not Go's: reading it as a pointer through its own place keeps vet's rule.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), bytes), nil
}

func unmapMemory(memory []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(memory))), 0, windows.MEM_RELEASE)
}
