package linux

import (
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// virtual is what is known about virtualisation, and why if nothing is.
type virtual struct {
	contract.VirtualMachine
	unknown string
}

// firmwareRule tells a hypervisor by what the firmware says of the computer (SMBIOS type 1,
// below /sys/class/dmi/id).
type firmwareRule struct {
	vendor, product string // prefixes
	hypervisor      string
	// except is in the product's name of a real computer of the same vendor.
	except string
	// proof is false where the same vendor also rents out real computers that look alike; then
	// only the processor's flag tells that there is a hypervisor.
	proof bool
}

var firmwareRules = []firmwareRule{
	{vendor: "QEMU", hypervisor: "QEMU", proof: true},
	{vendor: "Bochs", hypervisor: "QEMU", proof: true},
	{vendor: "Red Hat", product: "KVM", hypervisor: "KVM", proof: true},
	{vendor: "OpenStack", hypervisor: "KVM", proof: true},
	{vendor: "Microsoft Corporation", product: "Virtual Machine", hypervisor: "Hyper-V", proof: true},
	{vendor: "VMware", hypervisor: "VMware", proof: true},
	{vendor: "innotek", product: "VirtualBox", hypervisor: "VirtualBox", proof: true},
	{vendor: "Oracle Corporation", product: "VirtualBox", hypervisor: "VirtualBox", proof: true},
	{vendor: "Xen", hypervisor: "Xen", proof: true},
	{vendor: "Parallels", hypervisor: "Parallels", proof: true},
	{vendor: "BHYVE", hypervisor: "bhyve", proof: true},
	{vendor: "Apple Inc.", product: "Apple Virtualization", hypervisor: "Apple Virtualization", proof: true},
	{vendor: "Nutanix", product: "AHV", hypervisor: "KVM", proof: true},
	{vendor: "Amazon EC2", hypervisor: "KVM", except: ".metal", proof: true},
	{vendor: "Google", product: "Google Compute Engine", hypervisor: "KVM"},
	{vendor: "Alibaba Cloud", hypervisor: "KVM"},
}

// acpiMakers maps the OEM id in the header of the ACPI table DSDT (ACPI specification, 5.2.6)
// to a hypervisor; it tells Firecracker, which has no SMBIOS. Only root can read the table.
var acpiMakers = map[string]string{
	"FIRECK": "Firecracker", "CLOUDH": "Cloud Hypervisor", "VBOX": "VirtualBox", "MSFTVM": "Hyper-V",
}

// guestClocks maps a clock source that only a guest has to its hypervisor.
var guestClocks = map[string]string{
	"kvm-clock": "KVM", "hyperv_clocksource_tsc_page": "Hyper-V", "hyperv_clocksource_msr": "Hyper-V", "xen": "Xen",
}

// findVirtualMachine tells whether this is a guest. On x86 every well-behaved hypervisor sets a
// processor flag, so its absence means real hardware; elsewhere only a positive sign counts.
func findVirtualMachine(t tree, info cpuInfo) virtual {
	if capabilities, ok := t.text("proc/xen/capabilities"); ok && strings.Contains(capabilities, "control_d") {
		// The privileged domain of Xen runs on the hypervisor and yet owns the real hardware.
		return virtual{VirtualMachine: contract.VirtualMachine{Detected: contract.Ptr(false), Hypervisor: contract.Ptr("Xen")}}
	}
	name, proof := hypervisorByFirmware(t)
	clock := hypervisorByClock(t)
	if name == "" || (name == "QEMU" && clock == "KVM") {
		name = clock
	}
	if maker := hypervisorByACPI(t); maker != "" {
		name, proof = maker, true
	}
	if kind, ok := t.text("sys/hypervisor/type"); ok {
		proof = true
		if name == "" && kind == "xen" {
			name = "Xen"
		}
	}
	if t.exists("proc/device-tree/hypervisor") {
		proof = true
	}
	out := virtual{}
	switch {
	case proof || clock != "":
		out.Detected = contract.Ptr(true)
	case info.hypervisor != nil:
		out.Detected = info.hypervisor
	default:
		out.unknown = "neither the processor nor the firmware tells"
		return out
	}
	if *out.Detected && name != "" {
		out.Hypervisor = &name
	} else if *out.Detected {
		out.unknown = "it is one, but its hypervisor does not name itself"
	}
	return out
}

func hypervisorByFirmware(t tree) (name string, proof bool) {
	vendor, _ := t.text("sys/class/dmi/id/sys_vendor")
	product, _ := t.text("sys/class/dmi/id/product_name")
	for _, rule := range firmwareRules {
		if !strings.HasPrefix(vendor, rule.vendor) || !strings.HasPrefix(product, rule.product) {
			continue
		}
		if rule.except != "" && strings.Contains(product, rule.except) {
			return "", false
		}
		return rule.hypervisor, rule.proof
	}
	return "", false
}

func hypervisorByClock(t tree) string {
	clocks, _ := t.text("sys/devices/system/clocksource/clocksource0/available_clocksource")
	for clock := range strings.FieldsSeq(clocks) {
		if hypervisor, ok := guestClocks[clock]; ok {
			return hypervisor
		}
	}
	return ""
}

func hypervisorByACPI(t tree) string {
	table, err := t.bytes("sys/firmware/acpi/tables/DSDT", tableLimit)
	if err != nil || len(table) < 16 {
		return ""
	}
	return acpiMakers[strings.TrimRight(string(table[10:16]), " \x00")]
}

// virtualModels are the names that emulated disks go by.
var virtualModels = []string{"QEMU", "VBOX", "VMware", "Virtual Disk", "Msft Virtual", "Amazon Elastic Block Store", "Google"}

// isVirtualModel reports whether a disk's vendor or model is that of an emulated disk.
func isVirtualModel(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(virtualModels, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
}
