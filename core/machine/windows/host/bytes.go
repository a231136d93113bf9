package host

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
)

// machineOf is the IMAGE_FILE_MACHINE constant for SYSTEM_INFO.wProcessorArchitecture
// (learn.microsoft.com/windows/win32/api/sysinfoapi/ns-sysinfoapi-system_info).
func machineOf(processorArchitecture uint16) (Machines, error) {
	machines := map[uint16]uint16{0: 0x014C, 5: 0x01C4, 9: 0x8664, 12: 0xAA64}
	native, ok := machines[processorArchitecture]
	if !ok {
		return Machines{}, fmt.Errorf("GetNativeSystemInfo tells of processor architecture %d, which is not documented", processorArchitecture)
	}
	return Machines{Native: native}, nil
}

// plainGUID is a GUID in lower case without braces.
func plainGUID(guid string) string {
	return strings.ToLower(strings.Trim(guid, "{}"))
}

// utf16Text is the text in little-endian UTF-16 up to its end or first zero.
func utf16Text(data []byte) string {
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		unit := binary.LittleEndian.Uint16(data[i:])
		if unit == 0 {
			break
		}
		units = append(units, unit)
	}
	return string(utf16.Decode(units))
}
