package storage

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	cfgmgr32          = windows.NewLazySystemDLL("cfgmgr32.dll")
	interfaceProperty = cfgmgr32.NewProc("CM_Get_Device_Interface_PropertyW")
	locateNode        = cfgmgr32.NewProc("CM_Locate_DevNodeW")
	nodeProperty      = cfgmgr32.NewProc("CM_Get_DevNode_PropertyW")
	nodeParent        = cfgmgr32.NewProc("CM_Get_Parent")
	nodeID            = cfgmgr32.NewProc("CM_Get_Device_IDW")
)

// propertyKey is DEVPROPKEY (learn.microsoft.com/windows-hardware/drivers/install/devpropkey).
type propertyKey struct {
	category windows.GUID
	number   uint32
}

// Keys of devices' properties, numbers from devpkey.h
// (learn.microsoft.com/windows-hardware/drivers/install/devpkey-device-instanceid, -service, -driverversion).
var (
	keyInstance = propertyKey{windows.GUID{Data1: 0x78c34fc8, Data2: 0x104a, Data3: 0x4aca, Data4: [8]byte{0x9e, 0xa4, 0x52, 0x4d, 0x52, 0x99, 0x6e, 0x57}}, 256}
	keyService  = propertyKey{windows.GUID{Data1: 0xa45c254e, Data2: 0xdf1c, Data3: 0x4efd, Data4: [8]byte{0x80, 0x20, 0x67, 0xd1, 0x46, 0xa8, 0x50, 0xe0}}, 6}
	keyVersion  = propertyKey{windows.GUID{Data1: 0xa8b865dd, Data2: 0x2e3d, Data3: 0x4094, Data4: [8]byte{0xad, 0x97, 0xe5, 0x93, 0xa7, 0x0c, 0x75, 0xd6}}, 3}
)

// diskInterfaces is GUID_DEVINTERFACE_DISK
// (learn.microsoft.com/windows-hardware/drivers/install/guid-devinterface-disk).
var diskInterfaces = windows.GUID{Data1: 0x53f56307, Data2: 0xb6bf, Data3: 0x11d0, Data4: [8]byte{0x94, 0xf2, 0x00, 0xa0, 0xc9, 0x1e, 0xfb, 0x8b}}

// typeString is DEVPROP_TYPE_STRING
// (learn.microsoft.com/windows-hardware/drivers/install/devprop-type-string).
const typeString = 0x12

// maxProperty bounds a property, in UTF-16 units; an instance id has at most 200.
const maxProperty = 2048

// DiskInterfaces calls CM_Get_Device_Interface_List
// (learn.microsoft.com/windows/win32/api/cfgmgr32/nf-cfgmgr32-cm_get_device_interface_listw).
func (live) DiskInterfaces() ([]DiskInterface, error) {
	paths, err := windows.CM_Get_Device_Interface_List("", &diskInterfaces, windows.CM_GET_DEVICE_INTERFACE_LIST_PRESENT)
	if err != nil {
		return nil, configuration(err)
	}
	var found []DiskInterface
	for _, path := range paths {
		name, err := windows.UTF16PtrFromString(path)
		if err != nil || path == "" {
			continue
		}
		instance, err := propertyText(func(kind *uint32, buffer *uint16, size *uint32) uintptr {
			result, _, _ := interfaceProperty.Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&keyInstance)),
				uintptr(unsafe.Pointer(kind)), uintptr(unsafe.Pointer(buffer)), uintptr(unsafe.Pointer(size)), 0)
			return result
		})
		if err != nil {
			// Gone between the list and the question; the others are still there.
			continue
		}
		found = append(found, DiskInterface{Path: path, Instance: instance})
	}
	return found, nil
}

// Node calls CM_Locate_DevNode, CM_Get_DevNode_Property and CM_Get_Parent
// (learn.microsoft.com/windows/win32/api/cfgmgr32/nf-cfgmgr32-cm_locate_devnodew,
// learn.microsoft.com/windows/win32/api/cfgmgr32/nf-cfgmgr32-cm_get_devnode_propertyw,
// learn.microsoft.com/windows/win32/api/cfgmgr32/nf-cfgmgr32-cm_get_parent).
func (live) Node(instance string) (Node, error) {
	id, err := windows.UTF16PtrFromString(instance)
	if err != nil {
		return Node{}, err
	}
	var device, parent uint32
	if result, _, _ := locateNode.Call(uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(id)), 0); result != 0 {
		return Node{}, configuration(windows.CONFIGRET(result))
	}
	node := Node{}
	if node.Service, err = nodeText(device, &keyService); err != nil {
		return Node{}, err
	}
	if node.DriverVersion, err = nodeText(device, &keyVersion); err != nil {
		return Node{}, err
	}
	if result, _, _ := nodeParent.Call(uintptr(unsafe.Pointer(&parent)), uintptr(device), 0); result == 0 {
		node.Parent, err = idOf(parent)
	}
	return node, err
}

// nodeText is a property of a device; empty when it does not have that one.
func nodeText(device uint32, key *propertyKey) (string, error) {
	value, err := propertyText(func(kind *uint32, buffer *uint16, size *uint32) uintptr {
		result, _, _ := nodeProperty.Call(uintptr(device), uintptr(unsafe.Pointer(key)),
			uintptr(unsafe.Pointer(kind)), uintptr(unsafe.Pointer(buffer)), uintptr(unsafe.Pointer(size)), 0)
		return result
	})
	if errors.Is(err, configurationError(windows.CR_NO_SUCH_VALUE)) {
		return "", nil
	}
	return value, err
}

// propertyText makes a call that fills a buffer with a text.
func propertyText(call func(kind *uint32, buffer *uint16, size *uint32) uintptr) (string, error) {
	var buffer [maxProperty]uint16
	var kind uint32
	size := uint32(len(buffer) * 2)
	if result := call(&kind, &buffer[0], &size); result != 0 {
		return "", configuration(windows.CONFIGRET(result))
	}
	if kind != typeString {
		return "", fmt.Errorf("a property of the device is of type %#x and no text", kind)
	}
	return windows.UTF16ToString(buffer[:]), nil
}

// idOf calls CM_Get_Device_ID
// (learn.microsoft.com/windows/win32/api/cfgmgr32/nf-cfgmgr32-cm_get_device_idw).
func idOf(device uint32) (string, error) {
	var buffer [maxProperty]uint16
	if result, _, _ := nodeID.Call(uintptr(device), uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)), 0); result != 0 {
		return "", configuration(windows.CONFIGRET(result))
	}
	return windows.UTF16ToString(buffer[:]), nil
}

// configurationError is a code of the configuration manager, CR_ in cfgmgr32.h; its numbers are not
// those of system error codes.
type configurationError windows.CONFIGRET

func (e configurationError) Error() string {
	return fmt.Sprintf("configuration manager error 0x%02X", uint32(e))
}

// configuration makes one of what package windows returns.
func configuration(err error) error {
	var code windows.CONFIGRET
	if errors.As(err, &code) {
		return configurationError(code)
	}
	return err
}
