package storage

import (
	"errors"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

// enumKey holds the settings of devices by their instance id. The driver of disks reads those below
// "Device Parameters\Disk" when a disk starts, and writes them when they are changed in Device
// Manager: the constants DiskDeviceParameterSubkey, DiskDeviceUserWriteCacheSetting and
// DiskDeviceCacheIsPowerProtected of Microsoft's sample
// (learn.microsoft.com/samples/microsoft/windows-driver-samples/disk-class-driver).
const enumKey = `HKLM\SYSTEM\CurrentControlSet\Enum\`

// storedCache reads the stored settings of a disk's write cache. One that was never set is nil:
// then the driver's default holds, which depends on the disk.
func storedCache(reg registry.Reader, instance string) (enabled, powerProtected *bool, err error) {
	key := enumKey + instance + `\Device Parameters\Disk`
	enabled, enabledErr := storedFlag(reg, key, "UserWriteCacheSetting")
	powerProtected, protectedErr := storedFlag(reg, key, "CacheIsPowerProtected")
	return enabled, powerProtected, errors.Join(enabledErr, protectedErr)
}

// storedFlag reads 0 or 1; any other number, such as -1 for the default, is nil.
func storedFlag(reg registry.Reader, key, name string) (*bool, error) {
	number, err := registry.Number(reg, key, name)
	if err != nil || number == nil || *number > 1 {
		return nil, err
	}
	return contract.Ptr(*number == 1), nil
}
