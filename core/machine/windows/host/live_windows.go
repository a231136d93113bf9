package host

import (
	"errors"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/windows"

	"diskaudit/core/bitlocker"
)

// Live asks the Windows that this program runs on. Each method is documented at System; pages are
// below learn.microsoft.com/windows/win32.
func Live() System { return live{} }

type live struct{}

var (
	kernel32 = windows.NewLazySystemDLL("kernel32.dll")
	netapi32 = windows.NewLazySystemDLL("netapi32.dll")
	powrprof = windows.NewLazySystemDLL("powrprof.dll")
	tbs      = windows.NewLazySystemDLL("tbs.dll")
	mdmreg   = windows.NewLazySystemDLL("mdmregistration.dll")

	getFirmwareType                  = kernel32.NewProc("GetFirmwareType")
	getSystemFirmwareTable           = kernel32.NewProc("GetSystemFirmwareTable")
	getNativeSystemInfo              = kernel32.NewProc("GetNativeSystemInfo")
	getSystemPowerStatus             = kernel32.NewProc("GetSystemPowerStatus")
	getLogicalProcessorInformationEx = kernel32.NewProc("GetLogicalProcessorInformationEx")
	powerGetActiveScheme             = powrprof.NewProc("PowerGetActiveScheme")
	powerReadFriendlyName            = powrprof.NewProc("PowerReadFriendlyName")
	tbsiGetDeviceInfo                = tbs.NewProc("Tbsi_GetDeviceInfo")
	netGetAadJoinInformation         = netapi32.NewProc("NetGetAadJoinInformation")
	netFreeAadJoinInformation        = netapi32.NewProc("NetFreeAadJoinInformation")
	isDeviceRegistered               = mdmreg.NewProc("IsDeviceRegisteredWithManagement")
)

// offered is ErrNotOffered for a function that this Windows lacks.
func offered(functions ...*windows.LazyProc) error {
	for _, function := range functions {
		if function.Find() != nil {
			return ErrNotOffered
		}
	}
	return nil
}

// Version: learn.microsoft.com/windows-hardware/drivers/ddi/wdm/nf-wdm-rtlgetversion.
func (live) Version() (Version, error) {
	v := windows.RtlGetVersion()
	return Version{Major: v.MajorVersion, Minor: v.MinorVersion, Build: v.BuildNumber, ProductType: v.ProductType}, nil
}

// Machines: api/wow64apiset/nf-wow64apiset-iswow64process2.
func (live) Machines() (Machines, error) {
	var m Machines
	if err := windows.IsWow64Process2(windows.CurrentProcess(), &m.Process, &m.Native); err == nil {
		return m, nil
	}
	return nativeMachine()
}

// nativeMachine: api/sysinfoapi/ns-sysinfoapi-system_info; its first field is the architecture.
func nativeMachine() (Machines, error) {
	if err := offered(getNativeSystemInfo); err != nil {
		return Machines{}, err
	}
	var info [64]byte
	_, _, _ = getNativeSystemInfo.Call(uintptr(unsafe.Pointer(&info[0])))
	return machineOf(uint16(info[0]) | uint16(info[1])<<8)
}

// Elevated: api/winnt/ns-winnt-token_elevation.
func (live) Elevated() (bool, error) {
	var elevated, length uint32
	err := windows.GetTokenInformation(windows.GetCurrentProcessToken(), windows.TokenElevation,
		(*byte)(unsafe.Pointer(&elevated)), uint32(unsafe.Sizeof(elevated)), &length)
	return elevated != 0, err
}

// ComputerName: api/winbase/nf-winbase-getcomputernamew.
func (live) ComputerName() (string, error) { return windows.ComputerName() }

// FirmwareType: api/winbase/nf-winbase-getfirmwaretype.
func (live) FirmwareType() (uint32, error) {
	if err := offered(getFirmwareType); err != nil {
		return 0, err
	}
	var kind uint32
	if ok, _, err := getFirmwareType.Call(uintptr(unsafe.Pointer(&kind))); uint32(ok) == 0 {
		return 0, err
	}
	return kind, nil
}

// SMBIOS: api/sysinfoapi/nf-sysinfoapi-getsystemfirmwaretable.
func (live) SMBIOS() ([]byte, error) {
	const provider = 'R'<<24 | 'S'<<16 | 'M'<<8 | 'B'
	if err := offered(getSystemFirmwareTable); err != nil {
		return nil, err
	}
	return grown(func(data *byte, size *uint32) error {
		result, _, err := getSystemFirmwareTable.Call(provider, 0, uintptr(unsafe.Pointer(data)), uintptr(*size))
		n := uint32(result)
		if n == 0 {
			return err
		}
		if n > *size {
			*size = n
			return windows.ERROR_INSUFFICIENT_BUFFER
		}
		*size = n
		return nil
	})
}

// Power: api/winbase/nf-winbase-getsystempowerstatus.
func (live) Power() (PowerStatus, error) {
	var status [12]byte
	if ok, _, err := getSystemPowerStatus.Call(uintptr(unsafe.Pointer(&status[0]))); uint32(ok) == 0 {
		return PowerStatus{}, err
	}
	return PowerStatus{ACLine: status[0], BatteryFlag: status[1], BatteryPercent: status[2], SystemStatus: status[3]}, nil
}

// PowerPlan: api/powersetting/nf-powersetting-powergetactivescheme and
// api/powrprof/nf-powrprof-powerreadfriendlyname.
func (live) PowerPlan() (PowerPlan, error) {
	if err := offered(powerGetActiveScheme, powerReadFriendlyName); err != nil {
		return PowerPlan{}, err
	}
	var scheme *windows.GUID
	if code, _, _ := powerGetActiveScheme.Call(0, uintptr(unsafe.Pointer(&scheme))); uint32(code) != 0 {
		return PowerPlan{}, systemError(code)
	}
	if scheme == nil {
		return PowerPlan{}, ErrNotOffered
	}
	defer func() { _, _ = windows.LocalFree(windows.Handle(unsafe.Pointer(scheme))) }()
	name, err := grown(func(data *byte, size *uint32) error {
		code, _, _ := powerReadFriendlyName.Call(0, uintptr(unsafe.Pointer(scheme)), 0, 0, uintptr(unsafe.Pointer(data)), uintptr(unsafe.Pointer(size)))
		return systemError(code)
	})
	plan := PowerPlan{GUID: plainGUID(scheme.String()), Name: utf16Text(name)}
	if err != nil {
		// The scheme itself is known, and it decides. Its name is for people.
		plan.Name = ""
	}
	return plan, nil
}

// Cores: api/sysinfoapi/nf-sysinfoapi-getlogicalprocessorinformationex.
func (live) Cores() (Cores, error) {
	const relationProcessorCore = 0
	data, err := grown(func(data *byte, size *uint32) error {
		ok, _, err := getLogicalProcessorInformationEx.Call(relationProcessorCore, uintptr(unsafe.Pointer(data)), uintptr(unsafe.Pointer(size)))
		if uint32(ok) == 0 {
			return err
		}
		return nil
	})
	return Cores{Data: data, PointerBytes: strconv.IntSize / 8}, err
}

// AES: on ARM api/processthreadsapi/nf-processthreadsapi-isprocessorfeaturepresent.
func (live) AES() (bool, error) {
	switch runtime.GOARCH {
	case "amd64", "386":
		return cpu.X86.HasAES, nil
	case "arm64", "arm":
		return windows.IsProcessorFeaturePresent(windows.PF_ARM_V8_CRYPTO_INSTRUCTIONS_AVAILABLE), nil
	}
	return false, ErrNotOffered
}

// TPMVersion: api/tbs/nf-tbs-tbsi_getdeviceinfo.
func (live) TPMVersion() (uint32, error) {
	if err := offered(tbsiGetDeviceInfo); err != nil {
		return 0, err
	}
	var info struct{ structVersion, tpmVersion, interfaceType, revision uint32 }
	result, _, _ := tbsiGetDeviceInfo.Call(unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)))
	if err := callError("Tbsi_GetDeviceInfo", result); err != nil {
		return 0, err
	}
	return info.tpmVersion, nil
}

// DomainStatus: api/lmjoin/nf-lmjoin-netgetjoininformation.
func (live) DomainStatus() (uint32, error) {
	var name *uint16
	var status uint32
	if err := windows.NetGetJoinInformation(nil, &name, &status); err != nil {
		return 0, err
	}
	if name != nil {
		_ = windows.NetApiBufferFree((*byte)(unsafe.Pointer(name)))
	}
	return status, nil
}

// EntraJoin: api/lmjoin/nf-lmjoin-netgetaadjoininformation; DSREG_JOIN_INFO begins with its type.
func (live) EntraJoin() (*uint32, error) {
	if err := offered(netGetAadJoinInformation, netFreeAadJoinInformation); err != nil {
		return nil, err
	}
	var info *uint32
	result, _, _ := netGetAadJoinInformation.Call(0, uintptr(unsafe.Pointer(&info)))
	if err := callError("NetGetAadJoinInformation", result); err != nil {
		return nil, err
	}
	if info == nil {
		return nil, nil
	}
	kind := *info
	_, _, _ = netFreeAadJoinInformation.Call(uintptr(unsafe.Pointer(info)))
	return &kind, nil
}

// Managed: api/mdmregistration/nf-mdmregistration-isdeviceregisteredwithmanagement. Servers do not
// have it. The name of the user is not asked for.
func (live) Managed() (bool, error) {
	if err := offered(isDeviceRegistered); err != nil {
		return false, err
	}
	var registered uint32
	result, _, _ := isDeviceRegistered.Call(uintptr(unsafe.Pointer(&registered)), 0, 0)
	if err := callError("IsDeviceRegisteredWithManagement", result); err != nil {
		return false, err
	}
	return registered != 0, nil
}

// callError is the error for an HRESULT that a function returned; nil for success. Here and in the
// calls above 32 bits of the register count: the others are undefined
// (learn.microsoft.com/cpp/build/x64-calling-convention#return-values).
func callError(call string, result uintptr) error {
	if uint32(result) == 0 {
		return nil
	}
	return &CallError{Call: call, Code: bitlocker.HResult(uint32(result))}
}

// systemError is the error for a code that a function returned; one that is only there in name is not
// offered.
func systemError(code uintptr) error {
	switch errno := windows.Errno(uint32(code)); errno {
	case windows.ERROR_SUCCESS:
		return nil
	case windows.ERROR_CALL_NOT_IMPLEMENTED:
		return ErrNotOffered
	default:
		return errno
	}
}

// grown calls a function with a buffer of the size that it asks for.
func grown(call func(data *byte, size *uint32) error) ([]byte, error) {
	const limit = 4 << 20
	size := uint32(4096)
	for {
		data := make([]byte, size)
		used := size
		err := call(&data[0], &used)
		if err == nil && used <= size {
			return data[:used], nil
		}
		if !tooSmall(err) || used <= size || used > limit {
			return nil, err
		}
		size = used
	}
}

func tooSmall(err error) bool {
	return errors.Is(err, windows.ERROR_INSUFFICIENT_BUFFER) || errors.Is(err, windows.ERROR_MORE_DATA)
}
