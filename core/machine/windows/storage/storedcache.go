package storage

import (
	"errors"
	"fmt"
	"math"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

// enumKey holds the settings of devices by their instance id. The driver of disks reads those below
// "Device Parameters\Disk" when a disk starts, and writes them when they are changed in Device
// Manager: the constants DiskDeviceParameterSubkey, DiskDeviceUserWriteCacheSetting and
// DiskDeviceCacheIsPowerProtected of Microsoft's sample
// (learn.microsoft.com/windows-hardware/drivers/samples/storage-driver-samples, "Disk Class Driver").
const enumKey = `HKLM\SYSTEM\CurrentControlSet\Enum\`

// The stored settings of a disk's write cache: whether it is on, and whether it counts as safe
// against power loss.
const (
	storedEnabled        = "UserWriteCacheSetting"
	storedPowerProtected = "CacheIsPowerProtected"
)

// storedSettings is the key of a disk's stored settings.
func storedSettings(instance string) string {
	return enumKey + instance + `\Device Parameters\Disk`
}

// driverDefault is what the driver itself writes for "not set": (DWORD)-1.
const driverDefault = math.MaxUint32

// errNotSet is the error of a setting that nobody made.
var errNotSet = errors.New("never set, so that the driver's default holds")

// storedFlag reads 0 or 1.
func storedFlag(reg registry.Reader, key, name string) (*bool, error) {
	number, err := registry.Number(reg, key, name)
	switch {
	case err != nil:
		return nil, err
	case number == nil || *number == driverDefault:
		return nil, errNotSet
	case *number > 1:
		return nil, fmt.Errorf("%s%s is %d, which is neither off nor on", key+`\`, name, *number)
	}
	return contract.Ptr(*number == 1), nil
}
