package provider

import (
	"fmt"

	"github.com/go-ole/go-ole"
)

// scalar decodes a VARIANT that holds no pointer. VT_EMPTY and VT_NULL are nil; a number is an
// int32 whatever its type, as WMI's own mapping has it for a uint32
// (learn.microsoft.com/windows/win32/wmisdk/numbers), so that the sign is that of the bits. False
// means that it is of another type.
func scalar(kind ole.VT, bits int64) (value Value, ok bool) {
	switch kind {
	case ole.VT_EMPTY, ole.VT_NULL:
		return nil, true
	case ole.VT_BOOL:
		// VARIANT_TRUE is -1 in 16 bits (learn.microsoft.com/openspecs/windows_protocols/ms-oaut).
		return bits&0xFFFF != 0, true
	case ole.VT_I4, ole.VT_UI4, ole.VT_INT, ole.VT_UINT:
		return int32(bits), true
	case ole.VT_I2:
		return int32(int16(bits)), true
	case ole.VT_UI2:
		return int32(uint16(bits)), true
	case ole.VT_I1:
		return int32(int8(bits)), true
	case ole.VT_UI1:
		return int32(uint8(bits)), true
	}
	return nil, false
}

// texts checks the elements of an array.
func texts(elements []any) ([]string, error) {
	list := make([]string, 0, len(elements))
	for i, element := range elements {
		text, ok := element.(string)
		if !ok {
			return nil, fmt.Errorf("%w: element %d of the array is %s, not a text", errMalformed, i, typeOf(element))
		}
		list = append(list, text)
	}
	return list, nil
}

// passable gives an in argument the type by which the COM library chooses the VARIANT's: nil is
// VT_NULL, as a script's Null that leaves an optional argument out
// (learn.microsoft.com/windows/win32/cimwin32prov/create-method-in-class-win32-process has one).
// The library panics on any type that it does not know, named ones included.
func passable(value Value) (any, error) {
	switch v := value.(type) {
	case nil, bool, int32, string:
		return v, nil
	}
	return nil, fmt.Errorf("a method of WMI cannot be given %s", typeOf(value))
}
