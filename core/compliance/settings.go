// Package compliance makes the rules by which Intune judges what the discovery script of
// module/scripts/intune reports, from the type whose fields that script reports. So the two agree in
// names and types, on which Intune insists
// (learn.microsoft.com/intune/device-security/compliance/custom-settings, errors 65008 and 65010).
package compliance

import (
	"fmt"
	"reflect"
	"strings"

	"diskaudit/core/contract"
)

// DataType is a type of a setting as Intune names it
// (learn.microsoft.com/intune/device-security/compliance/create-custom-json).
type DataType string

// The types that settings have here.
const (
	Boolean DataType = "Boolean"
	Int64   DataType = "Int64"
	String  DataType = "String"
	Version DataType = "Version"
)

// Setting is one value that the discovery script reports, always.
type Setting struct {
	// Name is its name in the script's JSON; Intune tells upper from lower case.
	Name string
	// Type is its type there, known or not.
	Type DataType
	// Unknown is its value when it is not known: of the same type, and one that no computer has.
	Unknown any
}

// ModuleInstalled is the setting that tells whether the module was found; the summary comes from it.
const ModuleInstalled = "ModuleInstalled"

// unknowns are the values of unknown settings by their type.
var unknowns = map[DataType]any{Boolean: false, Int64: int64(-1), String: "Unknown", Version: "0.0.0"}

// exceptions are settings whose type or unknown value the Go type does not tell.
var exceptions = map[string]Setting{
	"State":       {Name: "State", Type: String, Unknown: string(contract.ComputerUnknown)},
	"ToolVersion": {Name: "ToolVersion", Type: Version, Unknown: unknowns[Version]},
}

// Settings lists what the discovery script reports, in its order: whether the module is installed, and
// the fields of contract.Summary. The error names a field of a type that Intune does not have.
func Settings() ([]Setting, error) {
	settings := []Setting{{Name: ModuleInstalled, Type: Boolean, Unknown: unknowns[Boolean]}}
	summary := reflect.TypeFor[contract.Summary]()
	for i := range summary.NumField() {
		field := summary.Field(i)
		name, err := settingName(field)
		if err != nil {
			return nil, err
		}
		setting, found := exceptions[name]
		if !found {
			dataType, err := settingType(field)
			if err != nil {
				return nil, err
			}
			setting = Setting{Name: name, Type: dataType, Unknown: unknowns[dataType]}
		}
		settings = append(settings, setting)
	}
	return settings, nil
}

// settingName is the field's name in PowerShell: that in JSON with an upper-case first letter.
func settingName(field reflect.StructField) (string, error) {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		return "", fmt.Errorf("naming the setting of the field %s: it has no name in JSON", field.Name)
	}
	return strings.ToUpper(name[:1]) + name[1:], nil
}

func settingType(field reflect.StructField) (DataType, error) {
	kind := field.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch kind.Kind() {
	case reflect.Bool:
		return Boolean, nil
	case reflect.Uint64, reflect.Int64:
		return Int64, nil
	case reflect.String:
		return String, nil
	}
	return "", fmt.Errorf("making a setting of the field %s: Intune has no type for %s", field.Name, field.Type)
}
