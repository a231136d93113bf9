package provider

import (
	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// Notes are the problems of level info that explain nulls which lie in the nature of the
// provider, once for the whole document.
func Notes() []contract.Problem {
	note := func(code, text string) contract.Problem {
		return contract.Problem{Code: code, Level: contract.LevelInfo, Stage: machine.StageVolumes, Text: text}
	}
	return []contract.Problem{
		note("suspend-count-not-applicable", "Only a suspended operating system volume counts restarts; suspendCount of the others is null."),
	}
}
