//go:build !amd64

package host

// Hypervisor is not told by an instruction here.
func (live) Hypervisor() (CPUID, error) { return CPUID{}, ErrNotOffered }
