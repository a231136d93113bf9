package linux

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"diskaudit/core/contract"
)

const (
	tpmClass   = "sys/class/tpm"
	acpiTables = "sys/firmware/acpi/tables"
	efiFolder  = "sys/firmware/efi"
	// secureBootVariable is the UEFI global variable SecureBoot (UEFI specification, 3.3) as
	// efivarfs names it.
	secureBootVariable = efiFolder + "/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
)

// tpmVersions maps the content of tpm_version_major, and tables of ACPI that announce a TPM, to
// versions of the specification.
var (
	tpmVersions   = map[string]string{"1": "1.2", "2": "2.0"}
	tpmACPITables = map[string]string{"TPM2": "2.0", "TCPA": "1.2"}
)

// findTPM looks for a TPM that the kernel drives, and without one for the firmware's
// announcement: the driver may not be loaded.
func findTPM(t tree, unknown *reasons) contract.TPM {
	chips, _ := t.list(tpmClass)
	for _, chip := range chips {
		if !strings.HasPrefix(chip, "tpm") {
			continue
		}
		tpm := contract.TPM{Present: contract.Ptr(true)}
		major, _ := t.text(tpmClass + "/" + chip + "/tpm_version_major")
		if version, ok := tpmVersions[major]; ok {
			tpm.Version = &version
		} else {
			unknown.add("version of the TPM", "the kernel does not tell")
		}
		return tpm
	}
	tables, err := t.list(acpiTables)
	if err != nil || len(tables) == 0 {
		unknown.add("TPM", "the kernel drives none, and the firmware's tables cannot be listed")
		return contract.TPM{}
	}
	for _, table := range tables {
		if version, ok := tpmACPITables[table]; ok {
			return contract.TPM{Present: contract.Ptr(true), Version: &version}
		}
	}
	return contract.TPM{Present: contract.Ptr(false)}
}

// findSecureBoot tells whether UEFI Secure Boot is on. The kernel shows /sys/firmware/efi when
// it was started by UEFI; a container may hide all of /sys/firmware, which then tells nothing.
func findSecureBoot(t tree, unknown *reasons) *bool {
	firmware, err := t.list("sys/firmware")
	if err != nil || len(firmware) == 0 {
		unknown.add("Secure Boot", "/sys/firmware shows nothing")
		return nil
	}
	if !t.exists(efiFolder) {
		return contract.Ptr(false)
	}
	// efivarfs puts four bytes of attributes before the value, which is 0 or 1.
	data, err := t.bytes(secureBootVariable, attributeLimit)
	switch {
	case err == nil && len(data) == 5 && data[4] <= 1:
		return contract.Ptr(data[4] == 1)
	case err == nil:
		unknown.add("Secure Boot", fmt.Sprintf("its variable has an unexpected content of %d bytes", len(data)))
	case errors.Is(err, fs.ErrNotExist):
		if variables, err := t.list(efiFolder + "/efivars"); err == nil && len(variables) > 0 {
			// Firmware without the variable does not know Secure Boot.
			return contract.Ptr(false)
		}
		unknown.add("Secure Boot", "efivarfs is not mounted")
	default:
		unknown.add("Secure Boot", err.Error())
	}
	return nil
}
