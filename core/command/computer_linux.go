package command

import (
	"diskaudit/core/machine"
	"diskaudit/core/machine/linux"
)

func thisComputer(identify bool) machine.Machine {
	return linux.New(linux.Options{Identify: identify})
}
