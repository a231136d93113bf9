package command

import (
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/windows"
)

func theseChanges() remediate.Computer { return windows.ThisComputer() }
