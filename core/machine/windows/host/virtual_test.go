package host

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func vendor(name string) (id [12]byte) {
	copy(id[:], name)
	return id
}

var (
	bare   = CPUID{}
	root   = CPUID{Present: true, Vendor: vendor(hyperVVendor), Interface: hyperVInterface, Privileges: createPartitions | 1<<12}
	child  = CPUID{Present: true, Vendor: vendor(hyperVVendor), Interface: hyperVInterface, Privileges: 1 << 12}
	onKVM  = CPUID{Present: true, Vendor: vendor("KVMKVMKVM")}
	secret = CPUID{Present: true, Vendor: vendor("SecretVisor\x00")}
)

// Case P19: whether this is a guest. Hyper-V's own computer, or any with virtualization-based
// security, has the processor's flag too.
func TestVirtualMachines(t *testing.T) {
	guest := map[string]any{"HostName": "HOST1"}
	for _, c := range []struct {
		maker, product string
		id             CPUID
		err            error
		guest          map[string]any
		want           string
	}{
		{"Dell Inc.", "Latitude 7440", bare, nil, nil, "false <nil>"},
		{"LENOVO", "21HMCTO1WW", root, nil, nil, "false <nil>"},
		{"System manufacturer", "System Product Name", root, nil, nil, "false <nil>"},
		{"Microsoft Corporation", "Surface Laptop 5", root, nil, nil, "false <nil>"},
		{"Microsoft Corporation", "Virtual Machine", child, nil, guest, "true Hyper-V"},
		// A guest with virtualization-based security has a root partition of its own.
		{"Microsoft Corporation", "Virtual Machine", root, nil, nil, "true Hyper-V"},
		{"Dell Inc.", "", child, nil, nil, "true Hyper-V"},
		{"Contoso", "Cloud", root, nil, guest, "<nil> <nil>"},
		{"Contoso", "Cloud", child, nil, guest, "true Hyper-V"},
		// The key stays on a disk that moves to a real computer.
		{"Dell Inc.", "Latitude 7440", bare, nil, guest, "false <nil>"},
		{"Microsoft Corporation", "Surface Pro 11", bare, ErrNotOffered, guest, "<nil> <nil>"},
		{"", "", bare, ErrNotOffered, guest, "true Hyper-V"},
		{"VMware, Inc.", "VMware20,1", CPUID{Present: true, Vendor: vendor("VMwareVMware")}, nil, nil, "true VMware"},
		{"innotek GmbH", "VirtualBox", CPUID{Present: true, Vendor: vendor("VBoxVBoxVBox")}, nil, nil, "true VirtualBox"},
		{"QEMU", "Standard PC (Q35 + ICH9, 2009)", child, nil, nil, "true QEMU"},
		{"Red Hat", "KVM", onKVM, nil, nil, "true KVM"},
		{"Xen", "HVM domU", CPUID{Present: true, Vendor: vendor("XenVMMXenVMM")}, nil, nil, "true Xen"},
		{"Parallels International GmbH.", "Parallels ARM Virtual Machine", bare, ErrNotOffered, nil, "true Parallels"},
		{"Amazon EC2", "m7i.large", onKVM, nil, nil, "true KVM"},
		{"Amazon EC2", "m7i.metal-24xl", bare, nil, nil, "false <nil>"},
		{"Google", "Google Compute Engine", onKVM, nil, nil, "true KVM"},
		{"Google", "Google Compute Engine", bare, nil, nil, "false <nil>"},
		{"Google", "Google Compute Engine", root, nil, nil, "<nil> <nil>"},
		{"Google", "Google Compute Engine", bare, ErrNotOffered, nil, "<nil> <nil>"},
		{"Contoso", "Cloud", onKVM, nil, nil, "true KVM"},
		{"Contoso", "Cloud", secret, nil, nil, "true <nil>"},
		{"Microsoft Corporation", "Surface Pro 11", bare, ErrNotOffered, nil, "false <nil>"},
		{"", "", bare, ErrNotOffered, nil, "<nil> <nil>"},
		{"", "", bare, nil, nil, "false <nil>"},
	} {
		system, memory := desktop()
		system.cpuid, system.errors["Hypervisor"] = c.id, c.err
		memory[biosKey] = map[string]any{"SystemManufacturer": c.maker, "SystemProductName": c.product}
		if c.guest != nil {
			memory[guestKey] = c.guest
		}
		machine, problems := reader(system, memory).Machine(t.Context(), false)
		virtual := machine.VirtualMachine
		if got := fmt.Sprint(show(virtual.Detected), " ", show(virtual.Hypervisor)); got != c.want {
			t.Errorf("%s %s, %v: %s, not %s", c.maker, c.product, c.id, got, c.want)
		}
		if virtual.Detected == nil && !strings.Contains(fmt.Sprint(problems), "virtual machine (") {
			t.Errorf("%s %s: unknown without a word", c.maker, c.product)
		}
	}
}

func TestVirtualMachineWithADeniedKey(t *testing.T) {
	system, memory := desktop()
	memory[guestKey] = map[string]any{"*": fs.ErrPermission}
	machine, problems := reader(system, memory).Machine(t.Context(), false)
	if show(machine.VirtualMachine.Detected) != false {
		t.Errorf("detected is %v", show(machine.VirtualMachine.Detected))
	}
	expectText(t, problems, "host-facts-unknown", "sign of Hyper-V")
}
