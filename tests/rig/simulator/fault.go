package simulator

import (
	"context"
	"strings"

	"diskaudit/core/bitlocker"
)

// Point is where a fault strikes.
type Point string

// The points, in the order in which a caller comes by them.
const (
	// AtCreate is the making of the locator or of the shell's object.
	AtCreate Point = "create"
	// AtConnect is SWbemLocator.ConnectServer.
	AtConnect Point = "connect"
	// AtQuery is SWbemServices.ExecQuery itself.
	AtQuery Point = "query"
	// AtCount is the property Count of the result, with which WMI runs through the instances.
	AtCount Point = "count"
	// AtNext is each step of an enumeration: Skip and Times count anew in each.
	AtNext Point = "next"
	// AtProperty is the reading of a property; Name says which.
	AtProperty Point = "property"
	// AtMethod is the call of a method of a volume; Name says which.
	AtMethod Point = "method"
	// AtShell is the reading of the shell's property; DeviceID is the path.
	AtShell Point = "shell"
)

// Fault is one thing that goes wrong. Of its effects the first that is set counts.
type Fault struct {
	// Point is where. The other fields narrow it: the WMI class of a query, the volume by its
	// DeviceID, the method or property by its name; each empty for all.
	Point    Point
	Class    string
	DeviceID string
	Name     string
	// Skip lets that many pass first; Times is how often it strikes after that, 0 for always.
	Skip, Times int

	// Hang waits until the caller is gone or the machine is released.
	Hang bool
	// Vanish takes the volume off the machine, and then answers as for one that is not there.
	Vanish bool
	// Raise is a code that WMI raises as an exception; Fail one with which the COM call itself fails.
	Raise, Fail bitlocker.HResult
	// Missing says that the method or property does not exist, as on an older Windows.
	Missing bool
	// Instead replaces what a property or method returns, or the shell's value. Use Null for NULL.
	Instead Value
	// Outs replaces out parameters of a method by name, after the method did its work.
	Outs map[string]Value

	seen int
}

// Null stands for NULL in Fault.Instead, where nil means that nothing is replaced.
type Null struct{}

// strike finds the fault for this occasion and counts it. The machine is locked.
func (m *Machine) strike(point Point, class, deviceID, name string) *Fault {
	for _, fault := range m.Faults {
		if fault.Point != point || !fits(fault.Class, class) || !fits(fault.DeviceID, deviceID) || !fits(fault.Name, name) {
			continue
		}
		fault.seen++
		if fault.seen > fault.Skip && (fault.Times == 0 || fault.seen <= fault.Skip+fault.Times) {
			return fault
		}
	}
	return nil
}

// begin starts an enumeration of a class. The machine is locked.
func (m *Machine) begin(class string) {
	for _, fault := range m.Faults {
		if fault.Point == AtNext && fits(fault.Class, class) {
			fault.seen = 0
		}
	}
}

func fits(wanted, name string) bool { return wanted == "" || strings.EqualFold(wanted, name) }

// suffer lets the fault take effect as far as it ends the call. The machine is locked, but not
// while something hangs.
func (m *Machine) suffer(ctx context.Context, fault *Fault, deviceID string) *Error {
	switch {
	case fault == nil:
		return nil
	case fault.Hang:
		return m.hang(ctx)
	case fault.Vanish:
		m.Volumes = without(m.Volumes, deviceID)
		return nil
	case fault.Raise != 0:
		return raised(fault.Raise)
	case fault.Fail != 0:
		return refused(fault.Fail)
	case fault.Missing:
		return refused(DispatchUnknownName)
	}
	return nil
}

func (m *Machine) hang(ctx context.Context) *Error {
	released := m.released()
	m.mu.Unlock()
	defer m.mu.Lock()
	select {
	case <-ctx.Done():
	case <-released:
	}
	return raised(bitlocker.WBEM_E_CALL_CANCELLED)
}

func without(volumes []*Volume, deviceID string) []*Volume {
	var left []*Volume
	for _, volume := range volumes {
		if !strings.EqualFold(volume.DeviceID, deviceID) {
			left = append(left, volume)
		}
	}
	return left
}

// instead is the fault's replacement of a value.
func (f *Fault) instead(value Value) Value {
	if f == nil || f.Instead == nil {
		return value
	}
	if _, null := f.Instead.(Null); null {
		return nil
	}
	return f.Instead
}
