package simulator

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"diskaudit/core/bitlocker"
	"diskaudit/core/machine/windows/provider"
)

// The namespaces and classes that the machine has.
const (
	NamespaceRoot    = `root\CIMV2`
	ClassVolume      = "Win32_EncryptableVolume"
	ClassFeature     = "Win32_OptionalFeature"
	connectionMethod = "ConnectServer"
	queryMethod      = "ExecQuery"
)

// Create makes the object of a class of COM objects, by its name.
func (m *Machine) Create(ctx context.Context, name string) *Error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.suffer(ctx, m.strike(AtCreate, name, "", name), "")
}

// Connect is SWbemLocator.ConnectServer
// (learn.microsoft.com/windows/win32/wmisdk/swbemlocator-connectserver).
func (m *Machine) Connect(ctx context.Context, namespace string) (err *Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() { m.log(Call{Name: connectionMethod, In: []Value{namespace}, Result: result(err)}) }()
	if err := m.suffer(ctx, m.strike(AtConnect, "", "", namespace), ""); err != nil {
		return err
	}
	known := strings.EqualFold(trimmed(namespace), NamespaceRoot) || m.serves(namespace)
	if !known {
		return raised(bitlocker.WBEM_E_INVALID_NAMESPACE)
	}
	return nil
}

func (m *Machine) serves(namespace string) bool {
	return !m.NoBitLocker && strings.EqualFold(trimmed(namespace), provider.Namespace)
}

// trimmed is a namespace without the name of the local computer before it.
func trimmed(namespace string) string {
	namespace = strings.ReplaceAll(namespace, "/", `\`)
	return strings.TrimPrefix(namespace, `\\.\`)
}

// query is the part of WQL that the machine understands
// (learn.microsoft.com/windows/win32/wmisdk/select-statement-for-data-queries).
var query = regexp.MustCompile(`(?i)^\s*SELECT\s+(.+?)\s+FROM\s+(\w+)(?:\s+WHERE\s+(\w+)\s*=\s*['"]([^'"]*)['"])?\s*$`)

// Query is SWbemServices.ExecQuery in a namespace: the instances in order, each by its key.
func (m *Machine) Query(ctx context.Context, namespace, text string) (instances []*Instance, err *Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() { m.log(Call{Name: queryMethod, In: []Value{text}, Result: result(err)}) }()
	parts := query.FindStringSubmatch(text)
	if parts == nil {
		return nil, raised(bitlocker.WBEM_E_INVALID_QUERY)
	}
	class, where, equals := parts[2], parts[3], strings.ReplaceAll(parts[4], `\\`, `\`)
	if err := m.suffer(ctx, m.strike(AtQuery, class, "", ""), ""); err != nil {
		return nil, err
	}
	m.pass()
	m.begin(class)
	instances, err = m.instances(namespace, class)
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Split(parts[1], ",") {
		if name = strings.TrimSpace(name); name != "*" && !declares(class, name) {
			return nil, raised(bitlocker.WBEM_E_INVALID_QUERY)
		}
	}
	if where != "" {
		instances = slices.DeleteFunc(instances, func(i *Instance) bool {
			text, _ := i.Properties[where].(string)
			return !strings.EqualFold(text, equals)
		})
	}
	return instances, nil
}

// Count is what ExecQuery's result says of its length.
func (m *Machine) Count(ctx context.Context, class string) *Error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.suffer(ctx, m.strike(AtCount, class, "", ""), "")
}

// Next is one step of an enumeration, to the instance with this key.
func (m *Machine) Next(ctx context.Context, class, deviceID string) *Error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.suffer(ctx, m.strike(AtNext, class, deviceID, ""), deviceID)
}

// Property reads a property of an instance, as it was when the instance was made.
func (m *Machine) Property(ctx context.Context, instance *Instance, name string) (Value, *Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for declared, value := range instance.Properties {
		if !strings.EqualFold(declared, name) {
			continue
		}
		fault := m.strike(AtProperty, instance.Class, instance.DeviceID, declared)
		if err := m.suffer(ctx, fault, instance.DeviceID); err != nil {
			return nil, err
		}
		return fault.instead(value), nil
	}
	return nil, refused(DispatchUnknownName)
}

// HasProperty tells whether an instance has a property, for IDispatch::GetIDsOfNames.
func (m *Machine) HasProperty(instance *Instance, name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for declared := range instance.Properties {
		if strings.EqualFold(declared, name) {
			return !m.missing(AtProperty, instance, declared)
		}
	}
	return false
}

// HasMethod tells whether an instance has a method.
func (m *Machine) HasMethod(instance *Instance, name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	method, known := find(name)
	return known && instance.Class == ClassVolume && !m.missing(AtMethod, instance, method.name)
}

func (m *Machine) missing(point Point, instance *Instance, name string) bool {
	return slices.ContainsFunc(m.Faults, func(f *Fault) bool {
		return f.Missing && f.Point == point && fits(f.DeviceID, instance.DeviceID) && fits(f.Name, name)
	})
}

// Protection is the shell's property System.Volume.BitLockerProtection of a root path.
func (m *Machine) Protection(ctx context.Context, path string) (value Value, err *Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		m.log(Call{DeviceID: path, Name: "ExtendedProperty", Result: result(err)})
	}()
	fault := m.strike(AtShell, "", path, "")
	if err := m.suffer(ctx, fault, path); err != nil {
		return nil, err
	}
	for known, value := range m.Shell {
		if strings.EqualFold(known, path) {
			return fault.instead(value), nil
		}
	}
	return fault.instead(Empty{}), nil
}

func result(err *Error) Value {
	if err == nil {
		return nil
	}
	return err
}

// ClassOf is the class that a query asks for; empty when it cannot be understood.
func ClassOf(text string) string {
	if parts := query.FindStringSubmatch(text); parts != nil {
		return parts[2]
	}
	return ""
}
