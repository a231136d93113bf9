package windows

import (
	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/core/machine/windows/storage"
)

// ThisComputer is the computer that this program runs on.
func ThisComputer() *Computer {
	return New(Sources{
		Provider: provider.Live,
		Registry: registry.LiveStore(),
		Cache:    storage.NewCache(storage.Live()),
	})
}
