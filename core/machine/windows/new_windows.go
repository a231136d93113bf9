package windows

import (
	"diskaudit/core/machine/windows/host"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/core/machine/windows/shell"
	"diskaudit/core/machine/windows/storage"
)

// ThisComputer is the computer that this program runs on.
func ThisComputer(identify bool) *Machine {
	stored := registry.Live()
	return New(Options{
		Identify: identify,
		Host:     host.New(host.Live(), stored),
		Storage:  storage.New(storage.Live(), stored),
		Provider: provider.Live(),
		Shell:    shell.Live,
	})
}
