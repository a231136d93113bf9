package simulator

import (
	"cmp"
	"slices"
	"strings"

	"diskaudit/core/bitlocker"
)

// Instance is an instance of a WMI class with its properties as they were when it was made.
type Instance struct {
	// Class is the class, DeviceID the volume's key, empty for other classes.
	Class, DeviceID string
	// Properties are its properties; NULL is nil.
	Properties map[string]Value
}

// The properties of the classes
// (learn.microsoft.com/windows/win32/secprov/win32-encryptablevolume,
// learn.microsoft.com/windows/win32/cimwin32prov/win32-optionalfeature).
var properties = map[string][]string{
	ClassVolume: {
		"DeviceID", "PersistentVolumeID", "DriveLetter", "ProtectionStatus", "ConversionStatus",
		"EncryptionMethod", "VolumeType", "IsVolumeInitializedForProtection",
	},
	ClassFeature: {"Caption", "Description", "InstallDate", "Name", "Status", "InstallState"},
}

func declares(class, property string) bool {
	for known, names := range properties {
		if strings.EqualFold(known, class) {
			return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, property) })
		}
	}
	return false
}

// instances makes the instances of a class as they are now. The machine is locked.
func (m *Machine) instances(namespace, class string) ([]*Instance, *Error) {
	switch {
	case strings.EqualFold(class, ClassVolume) && m.serves(namespace):
		var instances []*Instance
		for _, volume := range m.Volumes {
			instances = append(instances, volume.instance())
		}
		return instances, nil
	case strings.EqualFold(class, ClassFeature) && strings.EqualFold(trimmed(namespace), NamespaceRoot):
		var instances []*Instance
		for name, state := range m.Features {
			instances = append(instances, &Instance{Class: ClassFeature, Properties: map[string]Value{
				"Caption": name, "Description": nil, "InstallDate": nil, "Name": name, "Status": nil, "InstallState": state,
			}})
		}
		slices.SortFunc(instances, func(a, b *Instance) int { return cmp.Compare(name(a), name(b)) })
		return instances, nil
	}
	return nil, raised(bitlocker.WBEM_E_INVALID_CLASS)
}

func name(i *Instance) string {
	text, _ := i.Properties["Name"].(string)
	return text
}

func (v *Volume) instance() *Instance {
	instance := &Instance{Class: ClassVolume, DeviceID: v.DeviceID, Properties: map[string]Value{
		"DeviceID": v.DeviceID, "PersistentVolumeID": v.PersistentVolumeID, "DriveLetter": nil,
		"ProtectionStatus": v.protection(), "ConversionStatus": v.Conversion, "EncryptionMethod": v.Method,
		"VolumeType": v.Type, "IsVolumeInitializedForProtection": len(v.Protectors) > 0,
	}}
	if v.DriveLetter != "" {
		instance.Properties["DriveLetter"] = v.DriveLetter
	}
	for name, value := range v.Properties {
		instance.Properties[name] = value
	}
	return instance
}
