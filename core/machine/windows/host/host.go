// Package host tells what a running Windows says about itself: the computer, who manages it, and
// the policies that decide about encryption.
package host

import (
	"context"
	"fmt"
	"runtime"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

// Reader reads the facts of a Windows.
type Reader struct {
	system   System
	registry registry.Reader
	// program is the architecture that this program was built for, as Go names it.
	program string
}

// New returns a Reader that asks system and reg; Live and registry.Live are those of this computer.
func New(system System, reg registry.Reader) *Reader {
	return &Reader{system: system, registry: reg, program: runtime.GOARCH}
}

// Machine describes the computer; its name is in it only with identify. What could not be found
// out is nil, and one of the problems says why. A call that does not return is given up after a
// few seconds, or when ctx ends.
func (r *Reader) Machine(ctx context.Context, identify bool) (contract.Machine, []contract.Problem) {
	var notes notes
	machine := contract.Machine{
		Source:              contract.SourceWindows,
		ProgramArchitecture: contract.Ptr(r.program),
		RebootPending:       r.rebootPending(&notes),
		Elevated:            fact(ctx, &notes, "elevation", r.system.Elevated),
	}
	if identify {
		machine.ComputerName = fact(ctx, &notes, "computer name", r.system.ComputerName)
	}
	r.product(ctx, &notes, &machine)
	machine.Architecture = r.architecture(ctx, &notes)
	machine.VirtualMachine = r.virtual(ctx, &notes, machine.Architecture)
	machine.Power = r.power(ctx, &notes, machine.VirtualMachine.Detected)
	machine.CPU = r.cpu(ctx, &notes, machine.Architecture)
	machine.TPM = r.tpm(ctx, &notes)
	machine.SecureBoot = r.secureBoot(ctx, &notes)
	machine.Join = r.join(ctx, &notes)
	return machine, notes.problems()
}

// fact asks for one fact that needs no decoding.
func fact[T any](ctx context.Context, notes *notes, name string, ask func() (T, error)) *T {
	value, err := within(ctx, ask)
	if err != nil {
		notes.failed(name, err)
		return nil
	}
	return &value
}

// stored reads one value of the registry that describes the computer, and notes why it is missing.
func stored[T any](r *Reader, notes *notes, name, key, value string, read func(registry.Reader, string, string) (*T, error)) *T {
	found, err := read(r.registry, key, value)
	switch {
	case err != nil:
		notes.failed(name, err)
	case found == nil:
		notes.unknown(name, fmt.Sprintf(`the registry has no %s\%s`, key, value))
	}
	return found
}
