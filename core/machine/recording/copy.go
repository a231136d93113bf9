package recording

import "reflect"

// deepCopy copies a value with everything that it points to.
func deepCopy[T any](value T) T {
	var copied T
	copyInto(reflect.ValueOf(&copied).Elem(), reflect.ValueOf(&value).Elem())
	return copied
}

func copyInto(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			copyInto(to.Elem(), from.Elem())
		}
	case reflect.Slice:
		if !from.IsNil() {
			to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
			for i := range from.Len() {
				copyInto(to.Index(i), from.Index(i))
			}
		}
	case reflect.Struct:
		// The whole first, for fields that are not exported, such as those of a time.
		to.Set(from)
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				to.Field(i).SetZero()
				copyInto(to.Field(i), from.Field(i))
			}
		}
	default:
		to.Set(from)
	}
}
