package host

import "encoding/binary"

// cpuid runs the instruction CPUID for a leaf.
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)

// Hypervisor: learn.microsoft.com/virtualization/hyper-v-on-windows/tlfs/feature-discovery.
func (live) Hypervisor() (CPUID, error) {
	const (
		features   = 1
		present    = 1 << 31
		hypervisor = 0x40000000
		interfaces = 0x40000001
		privileges = 0x40000003
	)
	_, _, flags, _ := cpuid(features)
	if flags&present == 0 {
		return CPUID{}, nil
	}
	id := CPUID{Present: true}
	highest, b, c, d := cpuid(hypervisor)
	binary.LittleEndian.PutUint32(id.Vendor[0:], b)
	binary.LittleEndian.PutUint32(id.Vendor[4:], c)
	binary.LittleEndian.PutUint32(id.Vendor[8:], d)
	if highest >= interfaces {
		id.Interface, _, _, _ = cpuid(interfaces)
	}
	if highest >= privileges {
		_, id.Privileges, _, _ = cpuid(privileges)
	}
	return id, nil
}
