package host

import (
	"slices"

	"diskaudit/core/contract"
)

// field gathers what the settings say about one field of contract.Policy.
type field struct {
	// set are the numbers of settings that are set and make sense, in the table's order.
	set []uint64
	// obscured is set when a setting could not be read, or makes no sense; before is set when that
	// was so of one that comes before all that are set.
	obscured, before bool
}

func (f *field) obscure() {
	f.obscured = true
	f.before = f.before || len(f.set) == 0
}

// fields are the fields of contract.Policy that settings decide about.
type fields struct {
	prevent, require, denyFixed, denyRemovable, fips, enforces field
	methodOS, methodFixed, methodRemovable                     field
	hardwareOS, hardwareFixed, hardwareRemovable               field
}

// guards reports whether a field is one that says what happens to those who encrypt, decrypt or write.
func (f *fields) guards(one *field) bool {
	return slices.Contains([]*field{&f.prevent, &f.require, &f.denyFixed, &f.denyRemovable, &f.enforces}, one)
}

// demanded is true when a setting demands it, unknown when one that might is obscured, and false,
// Windows' default, when all are read and none does.
func (f field) demanded() *bool {
	for _, number := range f.set {
		if number == 1 {
			return contract.Ptr(true)
		}
	}
	if f.obscured {
		return nil
	}
	return contract.Ptr(false)
}

// chosen is what the first setting says that is set, nil when none is, or when one before it is
// obscured, which could say something else.
func (f field) chosen() *uint64 {
	if f.before || len(f.set) == 0 {
		return nil
	}
	return &f.set[0]
}

func (f field) method() *contract.Method {
	number := f.chosen()
	if number == nil {
		return nil
	}
	method, ok := policyMethods[*number]
	if !ok {
		return nil
	}
	return &method
}

func (f field) allowed() *bool {
	number := f.chosen()
	if number == nil {
		return nil
	}
	return contract.Ptr(*number == 1)
}

// policyMethods are the ciphers by their numbers in EncryptionMethodWithXts, which are those of
// Win32_EncryptableVolume as far as they go
// (learn.microsoft.com/windows/client-management/mdm/bitlocker-csp#encryptionmethodbydrivetype).
var policyMethods = map[uint64]contract.Method{
	3: contract.Aes128, 4: contract.Aes256, 6: contract.XtsAes128, 7: contract.XtsAes256,
}

// fill puts what was gathered into the policy.
func (f *fields) fill(policy *contract.Policy) {
	policy.PreventDeviceEncryption = f.prevent.demanded()
	policy.RequireDeviceEncryption = f.require.demanded()
	policy.DenyWriteFixed = f.denyFixed.demanded()
	policy.DenyWriteRemovable = f.denyRemovable.demanded()
	policy.FIPS = f.fips.demanded()
	policy.ManagementEnforces = f.enforces.demanded()
	policy.EncryptionMethods = contract.PolicyMethods{
		OperatingSystem: f.methodOS.method(), Fixed: f.methodFixed.method(), Removable: f.methodRemovable.method(),
	}
	policy.HardwareEncryption = contract.PolicyHardware{
		OperatingSystem: f.hardwareOS.allowed(), Fixed: f.hardwareFixed.allowed(), Removable: f.hardwareRemovable.allowed(),
	}
}
