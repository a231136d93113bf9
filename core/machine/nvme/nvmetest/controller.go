// Package nvmetest makes what NVMe controllers answer, field by field by the offsets of the NVM
// Express Base Specification, for tests.
package nvmetest

import "encoding/binary"

// SMARTPage is a SMART / Health Information log page of a healthy disk.
func SMARTPage() []byte {
	page := make([]byte, 512)
	binary.LittleEndian.PutUint16(page[1:], 311) // kelvins
	page[3], page[4], page[5] = 100, 10, 3
	binary.LittleEndian.PutUint64(page[32:], 2)
	binary.LittleEndian.PutUint64(page[48:], 1_000_000)
	binary.LittleEndian.PutUint64(page[112:], 7) // power cycles, which the document does not have
	binary.LittleEndian.PutUint64(page[128:], 4321)
	binary.LittleEndian.PutUint64(page[144:], 12)
	binary.LittleEndian.PutUint64(page[160:], 1)
	return page
}

// IdentifyData is an Identify Controller data structure with texts padded by blanks and the first
// byte of the Optional Admin Command Support, whose bit 0 is Security Send and Receive.
func IdentifyData(serial, model, firmware string, commands byte) []byte {
	data := make([]byte, 4096)
	for i := 4; i < 72; i++ {
		data[i] = ' '
	}
	copy(data[4:24], serial)
	copy(data[24:64], model)
	copy(data[64:72], firmware)
	data[256] = commands
	return data
}
