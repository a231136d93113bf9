//go:build linux

package held

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fill writes random bytes to the whole of a device, past the page cache.
func fill(path string, size int64, seed uint64) error {
	file, err := os.OpenFile(path, os.O_WRONLY|unix.O_DIRECT, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	key := [32]byte{}
	binary.LittleEndian.PutUint64(key[:], seed)
	source := rand.NewChaCha8(key)
	block := Aligned(1 << 20)
	for at := int64(0); at < size; {
		part := block[:min(int64(len(block)), size-at)]
		if _, err := source.Read(part); err != nil {
			return err
		}
		if _, err := file.WriteAt(part, at); err != nil {
			return fmt.Errorf("writing %d bytes at %d: %w", len(part), at, err)
		}
		at += int64(len(part))
	}
	return file.Sync()
}

// Aligned returns a buffer that begins at a multiple of 4096 in memory, as direct I/O needs it.
func Aligned(size int) []byte {
	const unit = 4096
	memory := make([]byte, size+unit)
	skip := -uintptr(unsafe.Pointer(&memory[0])) & (unit - 1)
	return memory[skip : int(skip)+size : int(skip)+size]
}
