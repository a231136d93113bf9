//go:build !linux && !windows

package command

import (
	"runtime"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// thisComputer says that this build cannot ask the running system.
func thisComputer(bool) machine.Machine {
	const reason = "This build reads image files and recordings on this system, but not the running computer. Use --image FILE or --recording FILE."
	return unread{
		machine:  contract.Machine{Architecture: contract.Ptr(runtime.GOARCH)},
		provider: contract.Provider{Available: contract.Ptr(false), Reason: contract.Ptr(reason)},
		problem: contract.Problem{
			Code: "system-not-supported", Level: contract.LevelError, Stage: machine.StageHost, Target: runtime.GOOS, Text: reason,
		},
	}
}
