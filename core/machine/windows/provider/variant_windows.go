package provider

import (
	"fmt"

	"github.com/go-ole/go-ole"
)

// maxElements bounds an array, whatever its header says.
const maxElements = 65536

// fromVariant decodes a VARIANT and leaves its memory to the caller, who clears it.
func fromVariant(v *ole.VARIANT) (Value, error) {
	if value, ok := scalar(v.VT, v.Val); ok {
		return value, nil
	}
	switch {
	case v.VT == ole.VT_BSTR:
		return v.ToString(), nil
	case v.VT&ole.VT_ARRAY != 0 && v.VT&ole.VT_BYREF == 0:
		array := v.ToArray()
		if array == nil || array.Array == nil {
			return nil, nil
		}
		count, err := array.TotalElements(0)
		if err != nil {
			return nil, Failure("reading the length of an array", err)
		}
		if count < 0 || count > maxElements {
			return nil, fmt.Errorf("%w: an array of %d elements", errMalformed, count)
		}
		// Other elements than these two the library either does not decode or may read beyond.
		if element := v.VT &^ ole.VT_ARRAY; element != ole.VT_BSTR && element != ole.VT_VARIANT {
			return nil, fmt.Errorf("%w: an array of the type %s", errMalformed, element)
		}
		return texts(array.ToValueArray())
	}
	return nil, fmt.Errorf("%w: a value of the type %s", errMalformed, v.VT)
}
