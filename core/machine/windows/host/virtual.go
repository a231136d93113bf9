package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

const (
	// biosKey holds what SMBIOS says; Windows fills it in whenever it starts.
	biosKey = `HKLM\HARDWARE\DESCRIPTION\System\BIOS`
	// guestKey is filled in by the host when a guest of Hyper-V starts
	// (learn.microsoft.com/previous-versions/windows/desktop/msvs/ivmguestos2-getparameter).
	guestKey = `HKLM\SOFTWARE\Microsoft\Virtual Machine\Guest\Parameters`
)

// firmwareRule tells a hypervisor by what the firmware says of the computer.
type firmwareRule struct {
	vendor, product string // prefixes
	hypervisor      string
	// except is in the product's name of a real computer of the same vendor.
	except string
	// doubtful is set where the same vendor also rents out real computers that look alike.
	doubtful bool
}

// The names are those that are used for Linux too.
var firmwareRules = []firmwareRule{
	{vendor: "QEMU", hypervisor: "QEMU"},
	{vendor: "Bochs", hypervisor: "QEMU"},
	{vendor: "Red Hat", product: "KVM", hypervisor: "KVM"},
	{vendor: "OpenStack", hypervisor: "KVM"},
	{vendor: "Microsoft Corporation", product: "Virtual Machine", hypervisor: "Hyper-V"},
	{vendor: "VMware", hypervisor: "VMware"},
	{vendor: "innotek", product: "VirtualBox", hypervisor: "VirtualBox"},
	{vendor: "Oracle Corporation", product: "VirtualBox", hypervisor: "VirtualBox"},
	{vendor: "Xen", hypervisor: "Xen"},
	{vendor: "Parallels", hypervisor: "Parallels"},
	{vendor: "BHYVE", hypervisor: "bhyve"},
	{vendor: "Apple Inc.", product: "Apple Virtualization", hypervisor: "Apple Virtualization"},
	{vendor: "Nutanix", product: "AHV", hypervisor: "KVM"},
	{vendor: "Amazon EC2", hypervisor: "KVM", except: ".metal"},
	{vendor: "Google", product: "Google Compute Engine", hypervisor: "KVM", doubtful: true},
	{vendor: "Alibaba Cloud", hypervisor: "KVM", doubtful: true},
}

// vendors are what hypervisors call themselves in CPUID. Hyper-V is not among them: others pretend
// to be it, because Windows runs faster on it.
var vendors = map[string]string{
	"KVMKVMKVM": "KVM", "TCGTCGTCGTCG": "QEMU", "VMwareVMware": "VMware", "VBoxVBoxVBox": "VirtualBox",
	"XenVMMXenVMM": "Xen", "prl hyperv": "Parallels", "lrpepyh vr": "Parallels", "bhyve bhyve": "bhyve",
}

const (
	hyperVVendor    = "Microsoft Hv"
	hyperVInterface = 0x31237648 // "Hv#1"
	// createPartitions is a privilege that only Hyper-V's root partition has, which is the real computer
	// (learn.microsoft.com/virtualization/hyper-v-on-windows/tlfs/datatypes/hv_partition_privilege_mask).
	createPartitions = 1 << 0
)

// virtual tells whether this is a guest. The processor's flag alone does not: where Hyper-V or
// virtualization-based security runs, the real computer has it too.
func (r *Reader) virtual(ctx context.Context, notes *notes, architecture *string) contract.VirtualMachine {
	rule, named := r.firmwareRule(notes)
	if rule != nil && !rule.doubtful {
		return contract.VirtualMachine{Detected: contract.Ptr(true), Hypervisor: &rule.hypervisor}
	}
	left := r.guestKey(notes)
	id, err := within(ctx, r.system.Hypervisor)
	if err == nil && r.sees(architecture) != nil {
		err = ErrNotOffered
	}
	switch {
	case err == nil:
		return byProcessor(notes, id, rule, left)
	case !errors.Is(err, ErrNotOffered):
		notes.failed("hypervisor", err)
	case rule != nil:
		notes.unknown("virtual machine", fmt.Sprintf("the firmware names a provider of guests of %s that also has real computers", rule.hypervisor))
	case left && named:
		notes.unknown("virtual machine", "the firmware names a real computer, and the registry has the key of a guest of Hyper-V")
	case left:
		return contract.VirtualMachine{Detected: contract.Ptr(true), Hypervisor: contract.Ptr("Hyper-V")}
	case !named:
		notes.unknown("virtual machine", "the firmware does not name the computer")
	default:
		// Without a flag of the processor the firmware's names are all there is; those of real
		// computers are the makers' own.
		return contract.VirtualMachine{Detected: contract.Ptr(false)}
	}
	return contract.VirtualMachine{}
}

// guestKey tells whether there is the key that Hyper-V's host fills in. It stays on a disk that
// is moved to a real computer, so that it proves nothing alone.
func (r *Reader) guestKey(notes *notes) bool {
	names, err := r.registry.Names(guestKey)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		notes.unknown("sign of Hyper-V", reason(err))
	}
	return len(names) > 0
}

// byProcessor decides by CPUID where the firmware does not name a hypervisor for certain; left
// tells of guestKey.
func byProcessor(notes *notes, id CPUID, rule *firmwareRule, left bool) contract.VirtualMachine {
	vendor := strings.TrimSpace(strings.TrimRight(string(id.Vendor[:]), "\x00"))
	name, listed := vendors[vendor]
	root := vendor == hyperVVendor && id.Interface == hyperVInterface && id.Privileges&createPartitions != 0
	switch {
	case !id.Present, root && rule == nil && !left:
		return contract.VirtualMachine{Detected: contract.Ptr(false)}
	case root:
		// A guest in which Hyper-V or virtualization-based security runs looks like this too.
		notes.unknown("virtual machine", "Hyper-V runs here, on a real computer or in a guest: the firmware or the registry has a sign of one")
		return contract.VirtualMachine{}
	case rule != nil:
		return contract.VirtualMachine{Detected: contract.Ptr(true), Hypervisor: &rule.hypervisor}
	case listed:
		return contract.VirtualMachine{Detected: contract.Ptr(true), Hypervisor: &name}
	case vendor == hyperVVendor:
		return contract.VirtualMachine{Detected: contract.Ptr(true), Hypervisor: contract.Ptr("Hyper-V")}
	}
	notes.unknown("hypervisor", "this is a virtual machine, but its hypervisor has no name that is listed here")
	return contract.VirtualMachine{Detected: contract.Ptr(true)}
}

// firmwareRule is the rule that fits the firmware's names, nil for none; named tells whether there
// are such names.
func (r *Reader) firmwareRule(notes *notes) (rule *firmwareRule, named bool) {
	vendor := r.firmwareName(notes, "SystemManufacturer")
	product := r.firmwareName(notes, "SystemProductName")
	for i, candidate := range firmwareRules {
		if strings.HasPrefix(vendor, candidate.vendor) && strings.HasPrefix(product, candidate.product) {
			if candidate.except != "" && strings.Contains(product, candidate.except) {
				return nil, true
			}
			return &firmwareRules[i], true
		}
	}
	return nil, vendor != "" && product != ""
}

func (r *Reader) firmwareName(notes *notes, name string) string {
	text, err := registry.Text(r.registry, biosKey, name)
	if err != nil {
		notes.failed("maker of the computer", err)
		return ""
	}
	if text == nil {
		return ""
	}
	return printable(*text, nameLimit)
}
