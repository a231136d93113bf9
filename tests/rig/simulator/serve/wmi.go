package serve

import (
	"context"
	"sync"

	"diskaudit/core/bitlocker"
	"diskaudit/tests/rig/simulator"
)

// locator is SWbemLocator (learn.microsoft.com/windows/win32/wmisdk/swbemlocator).
type locator struct{ machine *simulator.Machine }

func (locator) has(name string) bool { return name == "connectserver" }

func (l locator) invoke(ctx context.Context, name string, arguments []simulator.Value) (simulator.Value, []simulator.Value, *simulator.Error) {
	if name != "connectserver" {
		return nil, nil, unknownMember()
	}
	// The arguments are server, namespace, user, password, locale, authority, flags. Without a
	// namespace it is the default one.
	namespace := text(arguments, 1)
	if namespace == "" {
		namespace = simulator.NamespaceRoot
	}
	if err := l.machine.Connect(ctx, namespace); err != nil {
		return nil, nil, err
	}
	return services{l.machine, namespace}, arguments, nil
}

// services is SWbemServices (learn.microsoft.com/windows/win32/wmisdk/swbemservices).
type services struct {
	machine   *simulator.Machine
	namespace string
}

func (services) has(name string) bool { return name == "execquery" || name == "instancesof" }

func (s services) invoke(ctx context.Context, name string, arguments []simulator.Value) (simulator.Value, []simulator.Value, *simulator.Error) {
	query := text(arguments, 0)
	switch name {
	case "execquery":
	case "instancesof":
		query = "SELECT * FROM " + query
	default:
		return nil, nil, unknownMember()
	}
	instances, err := s.machine.Query(ctx, s.namespace, query)
	if err != nil {
		return nil, nil, err
	}
	return &objectSet{machine: s.machine, class: simulator.ClassOf(query), instances: instances}, arguments, nil
}

// objectSet is SWbemObjectSet (learn.microsoft.com/windows/win32/wmisdk/swbemobjectset).
type objectSet struct {
	machine   *simulator.Machine
	class     string
	instances []*simulator.Instance
}

func (*objectSet) has(name string) bool {
	return name == "count" || name == newEnum || name == "itemindex"
}

func (s *objectSet) invoke(ctx context.Context, name string, arguments []simulator.Value) (simulator.Value, []simulator.Value, *simulator.Error) {
	switch name {
	case "count":
		return int32(len(s.instances)), arguments, s.machine.Count(ctx, s.class)
	case newEnum:
		return &instances{set: s}, arguments, nil
	case "itemindex":
		i := -1
		if len(arguments) == 1 {
			if number, fits := arguments[0].(int32); fits {
				i = int(number)
			}
		}
		if i < 0 || i >= len(s.instances) {
			return nil, nil, &simulator.Error{Code: bitlocker.WBEM_E_NOT_FOUND, Raised: true}
		}
		return instance{s.machine, s.instances[i]}, arguments, nil
	}
	return nil, nil, unknownMember()
}

// instances enumerates an objectSet.
type instances struct {
	set *objectSet
	mu  sync.Mutex
	at  int
}

func (e *instances) next(ctx context.Context) (simulator.Value, bool, *simulator.Error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.at >= len(e.set.instances) {
		return nil, false, nil
	}
	found := e.set.instances[e.at]
	e.at++
	if err := e.set.machine.Next(ctx, e.set.class, found.DeviceID); err != nil {
		return nil, false, err
	}
	return instance{e.set.machine, found}, true, nil
}

func (e *instances) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.at = 0
}

// instance is SWbemObject with the properties and methods of its class as members
// (learn.microsoft.com/windows/win32/wmisdk/swbemobject).
type instance struct {
	machine  *simulator.Machine
	instance *simulator.Instance
}

func (i instance) has(name string) bool {
	return i.machine.HasProperty(i.instance, name) || i.machine.HasMethod(i.instance, name)
}

func (i instance) invoke(ctx context.Context, name string, arguments []simulator.Value) (simulator.Value, []simulator.Value, *simulator.Error) {
	if i.machine.HasProperty(i.instance, name) {
		value, err := i.machine.Property(ctx, i.instance, name)
		return value, arguments, err
	}
	return i.machine.Call(ctx, i.instance.DeviceID, name, arguments)
}
