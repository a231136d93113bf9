package command

import (
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows"
)

func thisComputer(identify bool) machine.Machine {
	return windows.ThisComputer(identify)
}
