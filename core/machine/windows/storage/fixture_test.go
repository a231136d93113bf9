package storage

import (
	"encoding/binary"
	"fmt"
)

func show[T any](value *T) string {
	if value == nil {
		return "null"
	}
	return fmt.Sprint(*value)
}

// wineVariable is set for the tests that run under Wine.
const wineVariable = "DISKAUDIT_TEST_WINE"

// wineDiskBytes is the size of the disk of the test under Wine.
const wineDiskBytes = 3 << 20

// wineDisk is that disk: each 8 bytes hold their place.
func wineDisk() []byte {
	data := make([]byte, wineDiskBytes)
	for i := 0; i < len(data); i += 8 {
		binary.LittleEndian.PutUint64(data[i:], uint64(i))
	}
	return data
}
