package simulator

import (
	"context"
	"fmt"

	"diskaudit/core/machine/windows/provider"
)

// NewCaller asks the machine's provider without COM. What hangs goes on hanging until the machine
// is released or the caller closed. It also implements provider.Features.
func NewCaller(machine *Machine) provider.Caller {
	ctx, cancel := context.WithCancel(context.Background())
	return &caller{machine: machine, ctx: ctx, cancel: cancel}
}

var _ provider.Features = (*caller)(nil)

type caller struct {
	machine *Machine
	ctx     context.Context
	cancel  context.CancelFunc
}

func (c *caller) Connect() error {
	const locator = "WbemScripting.SWbemLocator"
	if err := c.machine.Create(c.ctx, locator); err != nil {
		return failure("creating "+locator, err)
	}
	if err := c.machine.Connect(c.ctx, provider.Namespace); err != nil {
		return failure("connecting to "+provider.Namespace, err)
	}
	return nil
}

func (c *caller) Volumes() ([]provider.Row, error) {
	doing := "enumerating " + ClassVolume
	instances, err := c.machine.Query(c.ctx, provider.Namespace, "SELECT * FROM "+ClassVolume)
	if err != nil {
		return nil, failure(doing, err)
	}
	if err := c.machine.Count(c.ctx, ClassVolume); err != nil {
		return nil, failure(doing, err)
	}
	var rows []provider.Row
	for _, instance := range instances {
		if err := c.machine.Next(c.ctx, ClassVolume, instance.DeviceID); err != nil {
			return rows, failure(doing, err)
		}
		rows = append(rows, provider.Row{
			DeviceID:           property[string](c, instance, "DeviceID"),
			PersistentVolumeID: property[string](c, instance, "PersistentVolumeID"),
			DriveLetter:        property[string](c, instance, "DriveLetter"),
			VolumeType:         property[int32](c, instance, "VolumeType"),
		})
	}
	return rows, nil
}

// property is nil when it is NULL, missing, cannot be read or is of another type.
func property[T any](c *caller, instance *Instance, name string) *T {
	value, err := c.machine.Property(c.ctx, instance, name)
	typed, fits := value.(T)
	if err != nil || !fits {
		return nil
	}
	return &typed
}

func (c *caller) Call(deviceID, method string, arguments ...*provider.Argument) (provider.Value, error) {
	values := make([]Value, len(arguments))
	for i, argument := range arguments {
		values[i] = argument.In
	}
	returned, outs, err := c.machine.Call(c.ctx, deviceID, method, values)
	if err != nil {
		return nil, failure("calling "+method, err)
	}
	for i, argument := range arguments {
		if argument.IsOut {
			argument.Out = handed(outs[i])
		}
	}
	return handed(returned), nil
}

// InstallState is the state of an optional feature; nil when there is none of that name.
func (c *caller) InstallState(feature string) (*int32, error) {
	doing := "asking for the feature " + feature
	if err := c.machine.Connect(c.ctx, NamespaceRoot); err != nil {
		return nil, failure(doing, err)
	}
	instances, err := c.machine.Query(c.ctx, NamespaceRoot, "SELECT Name, InstallState FROM "+ClassFeature+" WHERE Name = '"+feature+"'")
	if err != nil {
		return nil, failure(doing, err)
	}
	for _, instance := range instances {
		return property[int32](c, instance, "InstallState"), nil
	}
	return nil, nil
}

func (c *caller) Close() { c.cancel() }

// handed is a value as a provider.Caller hands it over.
func handed(value Value) provider.Value {
	if _, empty := value.(Empty); empty {
		return nil
	}
	return value
}

func failure(doing string, err *Error) error {
	return fmt.Errorf("asking BitLocker's provider: %w", &provider.Error{Doing: doing, Code: err.Code})
}
