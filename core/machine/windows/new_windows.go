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
	return ThisComputerWith(identify, nil)
}

// ThisComputerWith is this computer, of whose disks the journals tell as well.
func ThisComputerWith(identify bool, journals storage.Journals) *Machine {
	stored := registry.Live()
	return New(Options{
		Identify: identify,
		Host:     host.New(host.Live(), stored),
		Storage:  storage.New(storage.Live(), stored).WithJournals(journals),
		Provider: provider.Live(),
		Shell:    shell.Live,
	})
}
