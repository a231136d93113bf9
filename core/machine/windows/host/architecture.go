package host

import (
	"context"
	"errors"
	"fmt"
)

// architectures are Go's names for IMAGE_FILE_MACHINE constants
// (learn.microsoft.com/windows/win32/sysinfo/image-file-machine-constants).
var architectures = map[uint16]string{
	0x014C: "386", 0x8664: "amd64", 0x01C0: "arm", 0x01C2: "arm", 0x01C4: "arm", 0xAA64: "arm64",
}

// architecture is that of the computer. A program that was built for another one runs all the
// same: case B47.
func (r *Reader) architecture(ctx context.Context, notes *notes) *string {
	machines, err := within(ctx, r.system.Machines)
	if err != nil {
		notes.failed("architecture", err)
		return nil
	}
	name, ok := architectures[machines.Native]
	if !ok {
		notes.unknown("architecture", fmt.Sprintf("Windows calls it 0x%04X, for which there is no name here", machines.Native))
		return nil
	}
	if name != r.program {
		notes.warn("program-emulated", "", "%s", emulated(name, r.program))
	}
	return &name
}

// emulated says what comes of running a program on a computer that it was not built for
// (learn.microsoft.com/windows/win32/winprog64/running-32-bit-applications,
// learn.microsoft.com/windows/arm/apps-on-arm-x86-emulation).
func emulated(computer, program string) string {
	advice := fmt.Sprintf(" Use the program that was built for %s.", computer)
	if computer == "amd64" && program == "386" {
		return "This is the 32-bit program on a 64-bit Windows, which shows it other system folders than it has. Facts can be missing." + advice
	}
	return fmt.Sprintf("This program was built for %s and runs emulated on a computer with %s: the figures of a benchmark contain the cost of that, and what it reads of the processor is what the emulation shows.%s", program, computer, advice)
}

// sees is nil when the program sees the processor as it is, and else why it does not: what is not
// of the family of the computer's own architecture is emulated.
func (r *Reader) sees(architecture *string) error {
	switch {
	case architecture == nil:
		return errors.New("the architecture of the computer is not known")
	case *architecture != r.program && (*architecture != "amd64" || r.program != "386"):
		return errors.New("this program runs emulated and sees the processor of the emulation")
	}
	return nil
}
