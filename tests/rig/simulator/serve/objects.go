package serve

import (
	"context"
	"strings"

	"diskaudit/core/bitlocker"
	"diskaudit/tests/rig/simulator"
)

// object is a COM object that a script can use by names (IDispatch).
type object interface {
	// has tells whether it has a member by that name, in lower case.
	has(name string) bool
	// invoke calls a method or reads a property, and returns its result and the arguments as they
	// are afterwards.
	invoke(ctx context.Context, name string, arguments []simulator.Value) (simulator.Value, []simulator.Value, *simulator.Error)
}

// enumerator is IEnumVARIANT; next returns false at the end.
type enumerator interface {
	next(ctx context.Context) (simulator.Value, bool, *simulator.Error)
	reset()
}

// The classes that the server makes objects of, by CLSID: WbemScripting.SWbemLocator and
// Shell.Application.
const (
	classLocator = "{76A64158-CB41-11D1-8B02-00600806D9B6}"
	classShell   = "{13709620-C279-11CE-A49E-444553540000}"
)

func create(ctx context.Context, machine *simulator.Machine, class string) (object, *simulator.Error) {
	classes := map[string]struct {
		name   string
		object object
	}{
		classLocator: {"WbemScripting.SWbemLocator", locator{machine}},
		classShell:   {"Shell.Application", shell{machine}},
	}
	made, known := classes[strings.ToUpper(class)]
	if !known {
		const classNotAvailable = bitlocker.HResult(0x80040111)
		return nil, &simulator.Error{Code: classNotAvailable}
	}
	return made.object, machine.Create(ctx, made.name)
}

func text(arguments []simulator.Value, i int) string {
	if i >= len(arguments) {
		return ""
	}
	text, _ := arguments[i].(string)
	return text
}

func unknownMember() *simulator.Error {
	return &simulator.Error{Code: simulator.DispatchMemberNotFound}
}

// newEnum is the name by which the server knows DISPID_NEWENUM.
const newEnum = "_newenum"
