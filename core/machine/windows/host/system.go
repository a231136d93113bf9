package host

import "errors"

// ErrNotOffered is the error of a call that this edition or release of Windows does not have.
var ErrNotOffered = errors.New("this Windows does not offer the call")

// System is what Windows is asked beside the registry. Each method is one call of its API; what
// has to be decoded comes back as Windows gave it. An error is, or wraps, a syscall.Errno, a
// bitlocker.HResult by way of CallError, or ErrNotOffered. A method may block for as long as
// Windows does.
type System interface {
	// Version is that of RtlGetVersion.
	Version() (Version, error)
	// Machines are those of IsWow64Process2, or of GetNativeSystemInfo where that fails.
	Machines() (Machines, error)
	// Elevated is TokenElevation of this process.
	Elevated() (bool, error)
	// ComputerName is that of GetComputerName.
	ComputerName() (string, error)
	// FirmwareType is that of GetFirmwareType: 1 for BIOS, 2 for UEFI.
	FirmwareType() (uint32, error)
	// SMBIOS is the firmware table RSMB: a RawSMBIOSData.
	SMBIOS() ([]byte, error)
	// Hypervisor is what the CPUID instruction says; ErrNotOffered where there is none.
	Hypervisor() (CPUID, error)
	// Power is a SYSTEM_POWER_STATUS.
	Power() (PowerStatus, error)
	// PowerPlan is the active power scheme.
	PowerPlan() (PowerPlan, error)
	// Cores is the list of GetLogicalProcessorInformationEx for RelationProcessorCore.
	Cores() (Cores, error)
	// AES tells whether the processor has AES instructions, as it looks to this program.
	AES() (bool, error)
	// TPMVersion is tpmVersion of a TPM_DEVICE_INFO: 1 for 1.2, 2 for 2.0.
	TPMVersion() (uint32, error)
	// DomainStatus is the NETSETUP_JOIN_STATUS of NetGetJoinInformation.
	DomainStatus() (uint32, error)
	// EntraJoin is the DSREG_JOIN_TYPE of NetGetAadJoinInformation; nil where that has none to tell of.
	EntraJoin() (*uint32, error)
	// Managed is the answer of IsDeviceRegisteredWithManagement.
	Managed() (bool, error)
}

// Version is the part of an OSVERSIONINFOEX that is used.
type Version struct {
	Major, Minor, Build uint32
	// ProductType is 1 for a workstation, 2 for a domain controller, 3 for a server.
	ProductType uint8
}

// Machines are IMAGE_FILE_MACHINE constants.
type Machines struct {
	// Native is that of the computer.
	Native uint16
	// Process is that of a WOW64 process; 0 for any other.
	Process uint16
}

// CPUID is what the CPUID instruction says of a hypervisor.
type CPUID struct {
	// Present is bit 31 of ECX of leaf 1.
	Present bool
	// Vendor are EBX, ECX and EDX of leaf 0x40000000: twelve characters.
	Vendor [12]byte
	// Interface is EAX of leaf 0x40000001.
	Interface uint32
	// Privileges is EBX of leaf 0x40000003, where Vendor and Interface are those of Hyper-V.
	Privileges uint32
}

// PowerStatus is the part of a SYSTEM_POWER_STATUS that is used.
type PowerStatus struct {
	ACLine, BatteryFlag, BatteryPercent, SystemStatus uint8
}

// PowerPlan is a power scheme.
type PowerPlan struct {
	// GUID is in lower case without braces.
	GUID string
	// Name is the one that users see, in their language; empty when Windows does not tell.
	Name string
}

// Cores is a list of SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX.
type Cores struct {
	Data []byte
	// PointerBytes is the width of an affinity mask in it.
	PointerBytes int
}
