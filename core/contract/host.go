package contract

// Source says what kind of machine the facts came from.
type Source string

// The sources of facts.
const (
	SourceWindows   Source = "windows"
	SourceLinux     Source = "linux"
	SourceImage     Source = "image"
	SourceRecording Source = "recording"
	SourceNone      Source = "none"
)

// MarshalText writes the source; the zero value is none.
func (s Source) MarshalText() ([]byte, error) {
	if s == "" {
		return []byte(SourceNone), nil
	}
	return []byte(s), nil
}

// Machine describes the computer.
type Machine struct {
	// Where the facts came from: windows, linux, image, recording; none when nothing could be asked.
	Source Source `json:"source"`
	// Name of the computer; only there with --identify.
	ComputerName *string `json:"computerName,omitempty"`
	// Operating system by its own name, such as "Windows 11 Pro" or "Debian GNU/Linux 12 (bookworm)".
	OS *string `json:"os"`
	// Build of Windows, such as "26100.1742"; release of the Linux kernel.
	Build *string `json:"build"`
	// Edition of Windows by its registry name, such as "Professional" or "Core" (Home).
	Edition *string `json:"edition"`
	// Architecture of the machine, not of this program, as Go names it: amd64, arm64.
	Architecture *string `json:"architecture"`
	// Architecture that this program was built for; another than the machine's means that it runs emulated.
	ProgramArchitecture *string `json:"programArchitecture"`
	// Whether Windows waits for a restart to finish an update or the installation of a feature.
	RebootPending *bool `json:"rebootPending"`
	// Whether this program runs with administrator rights.
	Elevated *bool `json:"elevated"`
	// Whether the computer is a virtual machine, and whose.
	VirtualMachine VirtualMachine `json:"virtualMachine"`
	// Power source and plan.
	Power Power `json:"power"`
	// Processor.
	CPU CPU `json:"cpu"`
	// Trusted Platform Module.
	TPM TPM `json:"tpm"`
	// Whether UEFI Secure Boot is on.
	SecureBoot *bool `json:"secureBoot"`
	// Who manages the computer.
	Join Join `json:"join"`
}

// VirtualMachine tells whether the computer is a guest.
type VirtualMachine struct {
	// True for a guest, false for real hardware.
	Detected *bool `json:"detected"`
	// The hypervisor, such as "KVM", "Hyper-V" or "VMware".
	Hypervisor *string `json:"hypervisor"`
}

// PowerSource is what feeds the computer.
type PowerSource string

// The power sources.
const (
	PowerAC      PowerSource = "ac"
	PowerBattery PowerSource = "battery"
)

// Power describes the power supply.
type Power struct {
	// ac or battery.
	Source *PowerSource `json:"source"`
	// True when the computer has a battery of its own, as laptops and tablets do.
	Portable *bool `json:"portable"`
	// Charge of the battery, 0 to 100.
	BatteryPercent *float64 `json:"batteryPercent"`
	// Name of the power plan on Windows; scaling governor of the processor on Linux.
	Plan *string `json:"plan"`
	// True when the plan trades speed for power.
	Saver *bool `json:"saver"`
}

// CPU describes the processor.
type CPU struct {
	// Its name.
	Name *string `json:"name"`
	// Physical cores.
	Cores *uint64 `json:"cores"`
	// Logical processors.
	LogicalProcessors *uint64 `json:"logicalProcessors"`
	// Whether it has instructions for AES (AES-NI, Armv8 Cryptography Extension).
	AES *bool `json:"aes"`
}

// TPM describes the Trusted Platform Module.
type TPM struct {
	// Whether there is one.
	Present *bool `json:"present"`
	// Whether Windows can use it.
	Ready *bool `json:"ready"`
	// Version of its specification, such as "2.0".
	Version *string `json:"version"`
}

// Join tells who manages the computer.
type Join struct {
	// Whether it is joined to an Active Directory domain.
	Domain *bool `json:"domain"`
	// Whether it is joined to Microsoft Entra ID.
	Entra *bool `json:"entra"`
	// Whether it is enrolled in mobile device management, as Intune does it.
	MDM *bool `json:"mdm"`
	// What manages it, as it calls itself in the enrolment: "MS DM Server" is Intune.
	MDMProvider *string `json:"mdmProvider"`
}

// Policy describes the policies that decide what Windows does with encryption.
type Policy struct {
	// PreventDeviceEncryption: true keeps Windows from encrypting by itself; it decrypts nothing.
	PreventDeviceEncryption *bool `json:"preventDeviceEncryption"`
	// RequireDeviceEncryption of the BitLocker CSP: true makes Windows encrypt again what was decrypted.
	RequireDeviceEncryption *bool `json:"requireDeviceEncryption"`
	// FDVDenyWriteAccess: true makes fixed data volumes without BitLocker read-only.
	DenyWriteFixed *bool `json:"denyWriteFixed"`
	// RDVDenyWriteAccess: true makes removable volumes without BitLocker read-only.
	DenyWriteRemovable *bool `json:"denyWriteRemovable"`
	// Ciphers that the policy demands.
	EncryptionMethods PolicyMethods `json:"encryptionMethods"`
	// Whether the policy allows a drive's own encryption for each kind of volume.
	HardwareEncryption PolicyHardware `json:"hardwareEncryption"`
	// Whether FIPS mode is on: it forbids suspending protection and hardware offload without certificate.
	FIPS *bool `json:"fips"`
	// Whether BitLocker management of Configuration Manager or MBAM demands that the operating system volume is encrypted, and will encrypt it again.
	ManagementEnforces *bool `json:"managementEnforces"`
	// Where policies come from that were found set, such as "Intune" or a registry path.
	Origins List[string] `json:"origins"`
	// Every setting about encryption that was found set, in the order of the project's table of them.
	Settings List[PolicySetting] `json:"settings"`
}

// PolicySetting is one setting that was found in the registry.
type PolicySetting struct {
	// Name of the value, such as "FDVDenyWriteAccess".
	Name string `json:"name"`
	// Key that holds it.
	Key string `json:"key"`
	// Its data as text; numbers in decimal.
	Data string `json:"data"`
	// What it means.
	Meaning string `json:"meaning"`
}

// PolicyMethods are the ciphers that the policy demands; null where it demands none or is unknown.
type PolicyMethods struct {
	// EncryptionMethodWithXtsOs: for operating system volumes.
	OperatingSystem *Method `json:"operatingSystem"`
	// EncryptionMethodWithXtsFdv: for fixed data volumes.
	Fixed *Method `json:"fixed"`
	// EncryptionMethodWithXtsRdv: for removable volumes.
	Removable *Method `json:"removable"`
}

// PolicyHardware tells whether the policy lets BitLocker use a drive's own encryption.
type PolicyHardware struct {
	// OSHardwareEncryption.
	OperatingSystem *bool `json:"operatingSystem"`
	// FDVHardwareEncryption.
	Fixed *bool `json:"fixed"`
	// RDVHardwareEncryption.
	Removable *bool `json:"removable"`
}
