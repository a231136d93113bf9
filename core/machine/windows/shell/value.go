package shell

import "github.com/go-ole/go-ole"

// number decodes the VARIANT of the property; nil for VT_EMPTY, for the empty text of a property
// that a thing does not have, and for any other type. VT_EMPTY holds the bits of 0, and is not 0.
func number(kind ole.VT, bits int64) *int32 {
	var value int32
	switch kind {
	case ole.VT_I4, ole.VT_UI4, ole.VT_INT, ole.VT_UINT:
		value = int32(bits)
	case ole.VT_I2:
		value = int32(int16(bits))
	case ole.VT_UI2:
		value = int32(uint16(bits))
	case ole.VT_I1:
		value = int32(int8(bits))
	case ole.VT_UI1:
		value = int32(uint8(bits))
	default:
		return nil
	}
	return &value
}
