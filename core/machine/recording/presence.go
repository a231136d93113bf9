package recording

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"diskaudit/core/contract"
)

// checkPresence refuses documents in which something is missing or null that is always there.
// Read as it stands, such a document would say "no disks" or "offset 0" where it says nothing.
// Facts that can be unknown may be missing, as may groups of such facts below the top.
func checkPresence(data []byte) error {
	var document map[string]any
	if err := json.Unmarshal(data, &document); err != nil {
		return describe(err)
	}
	for _, name := range []string{"machine", "bitLocker", "policy"} {
		if document[name] == nil {
			return fmt.Errorf("it has no %q", name)
		}
	}
	return checkStruct(document, reflect.TypeFor[contract.Status](), "")
}

func checkStruct(object map[string]any, kind reflect.Type, path string) error {
	for i := range kind.NumField() {
		field := kind.Field(i)
		if field.Anonymous {
			if err := checkStruct(object, field.Type, path); err != nil {
				return err
			}
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		// Findings and summary are not read: they follow from the facts.
		if name == "findings" || name == "summary" {
			continue
		}
		if err := checkValue(object[name], field.Type, strings.TrimPrefix(path+"."+name, ".")); err != nil {
			return err
		}
	}
	return nil
}

func checkValue(value any, kind reflect.Type, path string) error {
	switch kind.Kind() {
	case reflect.Pointer: // a fact that can be unknown
	case reflect.Struct:
		if object, ok := value.(map[string]any); ok {
			return checkStruct(object, kind, path)
		}
	case reflect.Slice:
		list, ok := value.([]any)
		if !ok {
			// A list that can be unknown is a plain slice; one that cannot is a contract.List.
			if kind.Name() == "" && value == nil {
				return nil
			}
			return fmt.Errorf("%s is missing, null or no list; an empty list is []", path)
		}
		for i, element := range list {
			if element == nil {
				return fmt.Errorf("%s[%d] is null", path, i)
			}
			if err := checkValue(element, kind.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	default:
		if value == nil {
			return fmt.Errorf("%s is missing or null", path)
		}
	}
	return nil
}
