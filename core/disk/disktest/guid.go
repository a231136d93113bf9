package disktest

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
)

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// GUID returns a GUID as it lies on disk: three little-endian fields, then eight bytes. It
// panics on a text that is none.
func GUID(text string) []byte {
	raw, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(raw) != 16 {
		panic("not a GUID: " + text)
	}
	for _, field := range [][]byte{raw[0:4], raw[4:6], raw[6:8]} {
		for i, j := 0, len(field)-1; i < j; i, j = i+1, j-1 {
			field[i], field[j] = field[j], field[i]
		}
	}
	return raw
}
