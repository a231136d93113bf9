package host

import (
	"context"
	"errors"
	"fmt"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

// tpmVersions are versions of the specification by TPM_DEVICE_INFO.tpmVersion
// (learn.microsoft.com/windows/win32/api/tbs/ns-tbs-tpm_device_info).
var tpmVersions = map[uint32]string{1: "1.2", 2: "2.0"}

// tpm tells whether there is a TPM that Windows has a driver for. Whether it is ready is told by
// Win32_Tpm.IsReady alone, a method of WMI that needs elevation
// (learn.microsoft.com/windows/win32/secprov/win32-tpm), so that is left unknown.
func (r *Reader) tpm(ctx context.Context, notes *notes) contract.TPM {
	version, err := within(ctx, r.system.TPMVersion)
	var call *CallError
	if errors.As(err, &call) && call.Code == bitlocker.TBS_E_TPM_NOT_FOUND {
		// Also for one that is turned off in the firmware: to Windows there is none.
		return contract.TPM{Present: contract.Ptr(false), Ready: contract.Ptr(false)}
	}
	if err != nil {
		notes.failed("TPM", err)
		return contract.TPM{}
	}
	tpm := contract.TPM{Present: contract.Ptr(true)}
	if text, ok := tpmVersions[version]; ok {
		tpm.Version = &text
	} else {
		notes.unknown("version of the TPM", fmt.Sprintf("Windows calls it %d, which is not documented", version))
	}
	notes.unknown("whether the TPM is ready", "Windows tells that only by way of Win32_Tpm; in an elevated PowerShell, Get-Tpm shows it")
	return tpm
}

// Values of FIRMWARE_TYPE (learn.microsoft.com/windows/win32/api/winnt/ne-winnt-firmware_type).
const firmwareBIOS = 1

const secureBootKey = `HKLM\SYSTEM\CurrentControlSet\Control\SecureBoot\State`

// secureBoot tells whether UEFI Secure Boot is on, by the registry, which everyone may read;
// Confirm-SecureBootUEFI tells the same and needs elevation
// (learn.microsoft.com/powershell/module/secureboot/confirm-securebootuefi). A computer that was
// started by a BIOS has neither the key nor Secure Boot; without the key on any other it is unknown.
func (r *Reader) secureBoot(ctx context.Context, notes *notes) *bool {
	const name = "Secure Boot"
	state, err := registry.Number(r.registry, secureBootKey, "UEFISecureBootEnabled")
	switch {
	case err != nil:
		notes.failed(name, err)
		return nil
	case state != nil && *state <= 1:
		return contract.Ptr(*state == 1)
	case state != nil:
		notes.unknown(name, fmt.Sprintf("UEFISecureBootEnabled is %d, which is neither 0 nor 1", *state))
		return nil
	}
	firmware, err := within(ctx, r.system.FirmwareType)
	switch {
	case err != nil:
		notes.unknown(name, "the registry does not tell, nor does Windows what firmware it was started by: "+reason(err))
	case firmware == firmwareBIOS:
		return contract.Ptr(false)
	default:
		notes.unknown(name, "Windows was not started by a BIOS, and yet the registry does not tell")
	}
	return nil
}
