package disk

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// guid is a GUID as it lies on disk: the first three fields little-endian, the last two as
// bytes (UEFI specification, appendix A; MS-DTYP 2.3.4.2).
type guid [16]byte

func guidAt(data []byte) guid {
	return guid(data[:16])
}

// parseGUID reads the text form; it is for constants and panics on anything else.
func parseGUID(text string) guid {
	raw, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(raw) != 16 {
		panic("not a GUID: " + text)
	}
	return guid{raw[3], raw[2], raw[1], raw[0], raw[5], raw[4], raw[7], raw[6],
		raw[8], raw[9], raw[10], raw[11], raw[12], raw[13], raw[14], raw[15]}
}

// String returns the text form in lower case without braces.
func (g guid) String() string {
	return fmt.Sprintf("%08x-%04x-%04x-%x-%x", le.Uint32(g[:]), le.Uint16(g[4:]), le.Uint16(g[6:]), g[8:10], g[10:])
}
